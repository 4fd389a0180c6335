//go:build unix

package bench

import (
	"os"

	"golang.org/x/sys/unix"
)

// newStatCall returns stat(2) into the closure's own struct.
func newStatCall() func(string) error {
	padded := new(struct {
		_  [cacheLine]byte
		st unix.Stat_t
		_  [cacheLine]byte
	})
	return func(name string) error {
		if err := unix.Stat(name, &padded.st); err != nil {
			return &os.PathError{Op: "stat", Path: name, Err: err}
		}
		return nil
	}
}
