package memfs

import "syscall"

// AllocMode says what Allocate does. The values are those of Linux's fallocate(2), on every platform.
type AllocMode uint32

const (
	// AllocKeepSize leaves the size of the file as it is, also where pages beyond it are allocated. It can be added to
	// 0 and AllocZero, and must be added to AllocPunchHole.
	AllocKeepSize AllocMode = 0x01
	// AllocPunchHole makes the range zeros and frees the pages that lie in it whole.
	AllocPunchHole AllocMode = 0x02
	// AllocCollapse removes the range, a multiple of 4,096 bytes that begins at one: what follows moves to its beginning.
	AllocCollapse AllocMode = 0x08
	// AllocZero makes the range zeros and allocates all its pages.
	AllocZero AllocMode = 0x10
	// AllocInsert makes room for the range, a multiple of 4,096 bytes at one: what was there moves behind it and leaves
	// a hole.
	AllocInsert AllocMode = 0x20

	allocUnshare     AllocMode = 0x40 // known to the kernel, and nothing that tmpfs or this file system does
	allocWriteZeroes AllocMode = 0x80
)

// mostPages is what all files together may have allocated without a limit on the file system: 64 PiB. It keeps all
// sums of bytes far from 2^63.
const mostPages = 1 << 44

// Allocate changes which pages of the file are allocated, as fallocate(2) does, in the range of length > 0 bytes from
// off >= 0 on. Mode 0 allocates: what is missing of the pages that the range touches is charged as if it were written
// and reads as zeros, so that no later write to it finds the file system full; a file that ends before the range grows.
// Allocated pages take memory only when they are written. Until then SEEK_DATA takes them for holes; those that are
// allocated once more count as data, as on tmpfs.
//
// EINVAL: off or length out of range, AllocCollapse or AllocInsert with one that is no multiple of 4,096, a collapse that
// reaches the end of the file, an insert that begins there. EOPNOTSUPP: a mode that is none of the above. EBADF: the File
// is not open for writing. EISDIR, ESPIPE, ENODEV: it is no regular file. EFBIG: the range or the file would end beyond
// 2^63-1 bytes. ENOSPC, EDQUOT: there is no room; then nothing has been allocated.
//
// A call is one step for all other users of the file. AllocCollapse and AllocInsert take time in proportion to the pages
// of the file that were written; the others do not depend on the length.
func (f *File) Allocate(mode AllocMode, off, length int64) error {
	if err := f.enter("fallocate"); err != nil {
		return err
	}
	defer f.end()
	if e := f.mayAllocate(mode, off, length); e != ok {
		return f.fail("fallocate", e)
	}
	now := f.fs.sb.now()
	if e := f.fs.sb.allocate(f.n, mode, off, length, f.fs.payer(now)); e != ok {
		return f.fail("fallocate", e)
	}
	f.fs.modified(f.n, now)
	return nil
}

// mayAllocate makes the kernel's checks in the kernel's order.
func (f *File) mayAllocate(mode AllocMode, off, length int64) errno {
	if off < 0 || length <= 0 {
		return syscall.EINVAL
	}
	switch mode &^ AllocKeepSize {
	case 0, AllocZero, allocUnshare:
	case AllocPunchHole:
		if mode&AllocKeepSize == 0 {
			return syscall.EOPNOTSUPP
		}
	case AllocCollapse, AllocInsert, allocWriteZeroes:
		if mode&AllocKeepSize != 0 {
			return syscall.EOPNOTSUPP
		}
	default:
		return syscall.EOPNOTSUPP
	}
	if f.flags&fileWrite == 0 {
		return syscall.EBADF
	}
	switch f.n.access.Load().mode & modeType {
	case modeRegular:
	case modeFifo:
		return syscall.ESPIPE
	case modeDir:
		return syscall.EISDIR
	default:
		return syscall.ENODEV
	}
	switch {
	case length > maxFileSize-off:
		return syscall.EFBIG
	case mode&(allocUnshare|allocWriteZeroes) != 0:
		return syscall.EOPNOTSUPP
	}
	return ok
}

// allocate does what the checks have let pass.
func (sb *superblock) allocate(n *inode, mode AllocMode, off, length int64, by payer) (e errno) {
	c := n.body()
	n.lockContents(c)
	defer n.unlockContents(c)
	size := n.size.Load()
	switch mode &^ AllocKeepSize {
	case AllocCollapse:
		return sb.collapse(n, c, off, length)
	case AllocInsert:
		return n.insert(c, off, length)
	case AllocPunchHole:
		sb.freePages(n, c.sparse(0).punch(off, length))
		c.held.Store(c.store.pages())
		return ok
	case AllocZero:
		if e = sb.chargeWhole(n, c.store.missing(off, length), by); e == ok {
			c.sparse(off+length).zero(off, length)
		}
	default:
		e = sb.allocatePages(n, c, off, length, by)
	}
	c.held.Store(c.store.pages())
	if e == ok && mode&AllocKeepSize == 0 && off+length > size {
		n.size.Store(off + length)
	}
	return e
}

// outgrow makes the store one that takes pages up to end.
func (c *contents) outgrow(end int64) {
	if f, isFlat := c.store.(*flat); isFlat && end > flatMax {
		c.store = f.paged()
	}
}

// sparse returns the store of a regular file, made one that takes pages up to end.
func (c *contents) sparse(end int64) sparse {
	c.outgrow(end)
	return c.store.(sparse)
}

// chargeWhole charges all of the pages for n, whose contents are locked, or none.
func (sb *superblock) chargeWhole(n *inode, pages int64, by payer) errno {
	got, e := sb.chargeMany(n, pages, by)
	if e != ok {
		sb.freePages(n, got)
	}
	return e
}

// chargeMany is chargePages for a number that was not limited by what somebody has in memory.
func (sb *superblock) chargeMany(n *inode, pages int64, by payer) (got int64, e errno) {
	if pages > mostPages-sb.limits.pages.Load() {
		return 0, syscall.ENOSPC
	}
	return sb.chargePages(n, pages, by)
}

// allocatePages is mode 0. As on tmpfs, a call that fails leaves those pages of the range counted as written that had
// been allocated before, up to the one for which there was no room: the kernel makes sure in this way that its undoing
// does not touch them.
func (sb *superblock) allocatePages(n *inode, c *contents, off, length int64, by payer) errno {
	first, last := off>>pageShift, (off+length-1)>>pageShift
	if limit := sb.limits.pages.max.Load(); limit != 0 && last-first+1 > limit {
		return syscall.ENOSPC
	}
	got, e := sb.chargeMany(n, c.store.missing(off, length), by)
	if e == ok {
		c.sparse(off+length).allocate(first, last)
		return ok
	}
	sb.freePages(n, got)
	c.sparse(0).confirm(first, c.firstBeyond(first, last, got))
	return e
}

// firstBeyond returns the one of the pages first to last, of which more than got are missing, that is one too many.
func (c *contents) firstBeyond(first, last, got int64) int64 {
	for low := first; low < last; {
		mid := low + (last-low)/2
		if c.store.missing(first<<pageShift, (mid-first+1)<<pageShift) > got {
			last = mid
		} else {
			low = mid + 1
		}
	}
	return last
}

// collapse takes the range out of the file.
func (sb *superblock) collapse(n *inode, c *contents, off, length int64) errno {
	size := n.size.Load()
	if (off|length)%pageSize != 0 || off+length >= size {
		return syscall.EINVAL
	}
	s := c.sparse(maxFileSize).(*paged)
	before := s.pages()
	c.store = s.moved((off+length)>>pageShift, off>>pageShift)
	sb.freePages(n, before-c.store.pages())
	c.held.Store(c.store.pages())
	n.size.Store(size - length)
	return ok
}

// insert makes a hole in the file. Nothing is charged for it.
func (n *inode) insert(c *contents, off, length int64) errno {
	size := n.size.Load()
	switch {
	case (off|length)%pageSize != 0 || off >= size:
		return syscall.EINVAL
	case length > maxFileSize-size:
		return syscall.EFBIG
	}
	s := c.sparse(maxFileSize).(*paged)
	if s.last() > lastPage-length>>pageShift { // pages that are allocated beyond the end
		return syscall.EFBIG
	}
	c.store = s.moved(off>>pageShift, (off+length)>>pageShift)
	n.size.Store(size + length)
	return ok
}
