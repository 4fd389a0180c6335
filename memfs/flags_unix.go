//go:build unix

package memfs

import "syscall"

// Open flags that package os has no names for.
const (
	flagDirectory = syscall.O_DIRECTORY
	flagNoFollow  = syscall.O_NOFOLLOW
	flagNonBlock  = syscall.O_NONBLOCK
)
