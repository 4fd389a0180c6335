//go:build !lockcheck || !(amd64 || arm64)

package locking

import "runtime"

// goroutine returns a number that no other live goroutine has: the one that
// the runtime shows in the first line of a stack trace, "goroutine 18
// [running]:". The trace costs several microseconds; see goroutine_g.go for
// the short way.
func goroutine() uint64 {
	var buf [40]byte
	runtime.Stack(buf[:], false)
	var id uint64
	for _, c := range buf[len("goroutine "):] {
		if c < '0' || c > '9' {
			break
		}
		id = id*10 + uint64(c-'0')
	}
	return id
}
