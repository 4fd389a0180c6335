//go:build !unix

package memfs

// Open flags that package os has no names for, and this system has none either: bits that its os constants leave free.
const (
	flagDirectory = 1 << 28
	flagNoFollow  = 1 << 29
	flagNonBlock  = 1 << 27
)
