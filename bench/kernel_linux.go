package bench

import (
	"encoding/binary"
	"fmt"

	"golang.org/x/sys/unix"
)

// tmpfsDir returns a directory on a kernel tmpfs.
func tmpfsDir() (string, error) {
	const dir = "/dev/shm"
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return "", skipped(fmt.Sprintf("no tmpfs at %s: %v", dir, err))
	}
	if int64(st.Type) != unix.TMPFS_MAGIC {
		return "", skipped(dir + " is no tmpfs")
	}
	return dir, nil
}

// kernelPages lists dir in pages of size entries, each read through a new
// descriptor that seeks to the d_off of the last entry before. (The offset of
// an os.File is that of its buffer, not of an entry.)
func kernelPages(dir string, size int) (int, error) {
	buf := make([]byte, max(size, 16)*direntBytes)
	total, cookie := 0, int64(0)
	for {
		n, next, err := kernelPage(dir, size, cookie, buf)
		if err != nil {
			return total, fmt.Errorf("getdents64 %s: %w", dir, err)
		}
		total += n
		if n < size {
			return total, nil
		}
		cookie = next
	}
}

// The layout of a linux_dirent64, and its length with a name of 8 bytes.
const (
	offOffset   = 8
	offReclen   = 16
	offName     = 19
	direntBytes = 32
)

func kernelPage(dir string, size int, cookie int64, buf []byte) (n int, next int64, err error) {
	fd, err := unix.Open(dir, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return 0, 0, err
	}
	defer unix.Close(fd)
	if cookie != 0 {
		if _, err := unix.Seek(fd, cookie, unix.SEEK_SET); err != nil {
			return 0, 0, err
		}
	}
	for n < size {
		length, err := unix.Getdents(fd, buf)
		if err != nil || length == 0 {
			return n, next, err
		}
		for rec := buf[:length]; len(rec) > 0 && n < size; {
			next = int64(binary.NativeEndian.Uint64(rec[offOffset:]))
			reclen := binary.NativeEndian.Uint16(rec[offReclen:])
			if name := rec[offName:reclen]; !isDot(name) {
				n++
			}
			rec = rec[reclen:]
		}
	}
	return n, next, nil
}

// isDot reports whether a name that ends with a zero byte is "." or "..".
func isDot(name []byte) bool {
	return name[0] == '.' && (name[1] == 0 || name[1] == '.' && name[2] == 0)
}
