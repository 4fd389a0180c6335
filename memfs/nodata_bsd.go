//go:build freebsd || openbsd || dragonfly

package memfs

import "syscall"

// errNoData says that an extended attribute does not exist; these systems have no ENODATA.
const errNoData = syscall.ENOATTR
