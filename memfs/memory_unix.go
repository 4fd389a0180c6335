//go:build darwin || freebsd

package memfs

import (
	"encoding/binary"
	"runtime"
	"syscall"
)

// systemMemory returns the bytes of this machine's memory, 0 if that is not known.
func systemMemory() uint64 {
	name := "hw.memsize"
	if runtime.GOOS == "freebsd" {
		name = "hw.physmem"
	}
	value, err := syscall.Sysctl(name) // the bytes of a number, the last one of which is taken for the end of a string
	if err != nil || len(value) > 8 {
		return 0
	}
	var number [8]byte
	copy(number[:], value)
	return binary.LittleEndian.Uint64(number[:])
}
