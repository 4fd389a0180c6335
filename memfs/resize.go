package memfs

import (
	"os"
	"syscall"

	"stagefs/locking"
)

// Keep is what Resize takes for a limit that stays as it is.
const Keep = -1

// Resize changes the limits of the whole file system while it is in use, as "mount -o remount,size=,nr_inodes=" does:
// bytes is rounded up to pages of 4 KiB, inodes are 2^53-1 at most, 0 takes a limit away, Keep (any negative number) leaves it as it is. Like tmpfs
// it refuses, with EINVAL, a limit below what is used, and one where there was none. Either both limits change or none
// does, in one moment: what is charged at the same time fits the old limits before it or the new ones after it. Whom the
// view acts as is not asked, as it is the program that owns the file system.
func (f *FS) Resize(bytes, inodes int64) error {
	pages := bytes
	if bytes > 0 {
		pages = pagesOf(bytes)
	}
	if e := f.sb.resize(pages, inodes); e != ok {
		return os.NewSyscallError("remount", e)
	}
	return nil
}

// pagesOf returns how many pages hold bytes > 0.
func pagesOf(bytes int64) int64 { return (bytes-1)>>pageShift + 1 }

func (sb *superblock) resize(pages, inodes int64) errno {
	locking.Acquired(locking.RankLeaf, 0, 0)
	sb.resizing.Lock()
	defer func() {
		sb.resizing.Unlock()
		locking.Released(locking.RankLeaf, 0, 0)
	}()
	l := &sb.limits
	l.pages.freeze()
	defer l.pages.thaw()
	l.inodes.freeze()
	defer l.inodes.thaw()
	if pages >= 0 && !l.pages.mayLimit(pages) || inodes >= 0 && !l.inodes.mayLimit(spaceOf(inodes)) {
		return syscall.EINVAL
	}
	if pages >= 0 {
		l.pages.max.Store(pages)
	}
	if inodes >= 0 {
		l.inodes.max.Store(spaceOf(inodes))
	}
	return ok
}
