//go:build !freebsd && !openbsd && !dragonfly

package memfs

import "syscall"

// errNoData says that an extended attribute does not exist.
const errNoData = syscall.ENODATA
