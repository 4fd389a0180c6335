package memfs

import (
	"syscall"
	"unsafe"
)

var globalMemoryStatusEx = syscall.NewLazyDLL("kernel32.dll").NewProc("GlobalMemoryStatusEx")

// systemMemory returns the bytes of this machine's memory, 0 if that is not known.
func systemMemory() uint64 {
	status := struct { // MEMORYSTATUSEX
		length, load uint32
		total        uint64
		_            [6]uint64
	}{}
	status.length = uint32(unsafe.Sizeof(status))
	if done, _, _ := globalMemoryStatusEx.Call(uintptr(unsafe.Pointer(&status))); done == 0 {
		return 0
	}
	return status.total
}
