//go:build lockcheck && (amd64 || arm64)

package locking

// goroutine returns a number that no other live goroutine has: the address of
// the runtime's record of it, which never moves and is used again only after
// the goroutine ended. Only checking builds contain the assembly for it; it
// makes the check some thirty times cheaper than a stack trace would.
func goroutine() uint64
