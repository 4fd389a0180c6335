//go:build !linux

package memfs

// Open flags that only Linux has: bits that the os constants leave free.
const (
	flagTmpFile = 1 << 26
	flagPath    = 1 << 25
	flagNoAtime = 1 << 23
)
