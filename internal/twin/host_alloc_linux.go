package twin

import (
	"io/fs"
	"math"
	"os"

	"golang.org/x/sys/unix"
)

// Allocate implements [Allocator] by fallocate.
func (hostSystem) Allocate(f File, mode uint32, off, length int64) error {
	host := f.(*os.File)
	if err := unix.Fallocate(int(host.Fd()), mode, off, length); err != nil {
		return &fs.PathError{Op: "fallocate", Path: host.Name(), Err: err}
	}
	return nil
}

// CopyRange implements [Allocator] by copy_file_range.
func (hostSystem) CopyRange(dst File, dstOff int64, src File, srcOff, length int64) (int64, error) {
	from, to := src.(*os.File), dst.(*os.File)
	n, err := unix.CopyFileRange(int(from.Fd()), &srcOff, int(to.Fd()), &dstOff, int(min(length, math.MaxInt)), 0)
	if err != nil {
		return 0, &os.LinkError{Op: "copy_file_range", Old: from.Name(), New: to.Name(), Err: err}
	}
	return int64(n), nil
}
