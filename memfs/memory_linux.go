package memfs

import "syscall"

// systemMemory returns the bytes of this machine's memory, 0 if that is not known.
func systemMemory() uint64 {
	var info syscall.Sysinfo_t
	if syscall.Sysinfo(&info) != nil {
		return 0
	}
	return uint64(info.Totalram) * uint64(max(info.Unit, 1))
}
