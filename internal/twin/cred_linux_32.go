//go:build linux && (386 || arm)

package twin

import "golang.org/x/sys/unix"

// The plain calls of these processors take ids of 16 bits.
const (
	sysSetresuid = unix.SYS_SETRESUID32
	sysSetresgid = unix.SYS_SETRESGID32
	sysSetgroups = unix.SYS_SETGROUPS32
)
