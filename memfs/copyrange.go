package memfs

import (
	"io/fs"
	"syscall"
)

// maxCopy is the most that one call copies, Linux's MAX_RW_COUNT; whole pages.
const maxCopy = 0x7ffff000

// CopyFileRange copies up to length bytes of src from srcOff on into dst at dstOff, as copy_file_range(2) does, and
// returns how many it copied; the positions of the Files do not count. It copies less at the end of src, where the file
// system becomes full or a quota is used up, and after 2,147,479,552 bytes: callers go on until it returns 0, which is
// the end of src. Holes are copied as zeros that are allocated, as on tmpfs.
//
// Where both offsets lie at the same place of a page, dst shares the whole pages of src until one of them is written
// to, so that the copy takes no memory; both are charged with them as if each had its own, so no write that changes a
// shared page can find the file system full.
//
// EISDIR: one is a directory. EINVAL: one is no regular file, an offset or the length is negative, or the ranges overlap
// in one file. EBADF: src is not open for reading, or dst not for writing, or with O_APPEND. EXDEV: they are not both of
// this file system. EOVERFLOW: a range would end beyond 2^64-1, as negative offsets may. EFBIG: dstOff is 2^63-1. ENOSPC
// or EDQUOT: not one byte fits.
//
// The bytes are those of one moment, and appear in dst at once.
func (f *FS) CopyFileRange(dst *File, dstOff int64, src *File, srcOff int64, length int64) (int64, error) {
	const op = "copy_file_range"
	done, err := enterBoth(op, dst, src)
	if err != nil {
		return 0, err
	}
	defer done()
	n, e := f.copyFileRange(dst, dstOff, src, srcOff, length)
	if e != ok {
		return 0, linkError(op, src.name, dst.name, e)
	}
	return n, nil
}

// enterBoth is enter for two Files.
func enterBoth(op string, dst, src *File) (done func(), err error) {
	if dst == nil || src == nil {
		return nil, fs.ErrInvalid
	}
	if !dst.begin() {
		return nil, linkError(op, src.name, dst.name, fs.ErrClosed)
	}
	if !src.begin() {
		dst.end()
		return nil, linkError(op, src.name, dst.name, fs.ErrClosed)
	}
	return func() {
		src.end()
		dst.end()
	}, nil
}

// mayCopy checks the kinds of the files and how they were opened, in the kernel's order.
func mayCopy(dst, src *File) errno {
	to, from := dst.n.access.Load(), src.n.access.Load()
	switch {
	case to.isDir() || from.isDir():
		return syscall.EISDIR
	case !to.isRegular() || !from.isRegular():
		return syscall.EINVAL
	case src.flags&fileRead == 0 || dst.flags&fileWrite == 0 || dst.flags&fileAppend != 0:
		return syscall.EBADF
	}
	return ok
}

func (f *FS) copyFileRange(dst *File, dstOff int64, src *File, srcOff int64, length int64) (int64, errno) {
	if length < 0 {
		return 0, syscall.EINVAL
	}
	if e := mayCopy(dst, src); e != ok {
		return 0, e
	}
	if dst.fs.sb != f.sb || src.fs.sb != f.sb {
		return 0, syscall.EXDEV
	}
	n, e := copyLength(dst.n == src.n, dstOff, srcOff, length, src.n.size.Load())
	if e != ok || n == 0 {
		return 0, e
	}
	now := f.sb.now()
	f.modified(dst.n, now)
	n, e = f.sb.copyRange(dst.n, dstOff, src.n, srcOff, n, f.payer(now))
	src.accessed()
	return n, e
}

// copyLength makes the kernel's checks of the ranges, in its order, and returns how much there is to copy.
func copyLength(same bool, dstOff, srcOff, length, size int64) (n int64, e errno) {
	switch {
	case uint64(srcOff)+uint64(length) < uint64(srcOff) || uint64(dstOff)+uint64(length) < uint64(dstOff):
		return 0, syscall.EOVERFLOW
	case dstOff == maxFileSize:
		return 0, syscall.EFBIG
	case srcOff < 0 || dstOff < 0:
		return 0, syscall.EINVAL
	}
	n = min(length, max(size-srcOff, 0), maxFileSize-dstOff)
	if same && dstOff+n > srcOff && dstOff < srcOff+n {
		return 0, syscall.EINVAL
	}
	return min(n, maxCopy), ok
}

// lockBoth locks the contents of two files, which may be one.
func lockBoth(a, b *inode) (ca, cb *contents, unlock func()) {
	ca, cb = a.body(), b.body()
	switch {
	case a == b:
		a.lockContents(ca)
		return ca, cb, func() { a.unlockContents(ca) }
	case a.ino < b.ino:
		a.lockContents(ca)
		b.lockContents(cb)
	default:
		b.lockContents(cb)
		a.lockContents(ca)
	}
	return ca, cb, func() {
		a.unlockContents(ca)
		b.unlockContents(cb)
	}
}

// copyRange copies n > 0 bytes, as far as src has them and dst may have them.
func (sb *superblock) copyRange(dst *inode, dstOff int64, src *inode, srcOff, n int64, by payer) (int64, errno) {
	to, from, unlock := lockBoth(dst, src)
	defer unlock()
	if n = min(n, src.size.Load()-srcOff); n <= 0 {
		return 0, ok // it was cut off meanwhile
	}
	n, e := sb.reserve(dst, to, dstOff, n, by)
	if n == 0 {
		return 0, e
	}
	to.outgrow(dstOff + n)
	copyPages(to.store, dstOff, from.store, srcOff, n)
	to.held.Store(to.store.pages())
	if end := dstOff + n; end > dst.size.Load() {
		dst.size.Store(end)
	}
	return n, ok
}

// copyPages copies n bytes from one store to another, or within one where they do not overlap.
func copyPages(to store, dstOff int64, from store, srcOff, n int64) {
	var buf []byte
	pages, _ := to.(*paged)
	for n > 0 {
		step := min(n, pageSize-dstOff%pageSize)
		var lent *page
		if pages != nil && step == pageSize {
			lent = lendFrom(from, srcOff)
		}
		if lent != nil {
			pages.borrow(dstOff>>pageShift, lent)
		} else {
			if buf == nil {
				buf = make([]byte, min(n, pageSize))
			}
			from.readAt(buf[:step], srcOff)
			to.writeAt(buf[:step], dstOff)
		}
		dstOff, srcOff, n = dstOff+step, srcOff+step, n-step
	}
}

// lendFrom returns the page that begins at off, nil if there is none to lend.
func lendFrom(from store, off int64) *page {
	switch s := from.(type) {
	case *paged:
		if off%pageSize == 0 {
			return s.lend(off >> pageShift)
		}
	case *flat:
		if off >= int64(len(s.b)) {
			return zeroPage
		}
	}
	return nil
}

// CloneFile makes the contents of dst those of src: the size, the bytes and which of its pages are allocated; pages
// beyond the end of src are not. Both share all pages until one of them is written to, so a clone takes the same short
// time and hardly any memory whatever the size; each is charged with all its pages as if they were its own, so no
// later write can find the file system full where st_blocks said that there is a page.
//
// EXDEV: they are not both of this file system. EISDIR: one is a directory. EINVAL: one is no regular file, or both are
// the same. EBADF: src is not open for reading, or dst not for writing, or with O_APPEND. ENOSPC, EDQUOT: there is no
// room; then nothing has changed.
//
// The clone is one step for all other users of both files.
func (f *FS) CloneFile(dst, src *File) error {
	const op = "clone"
	done, err := enterBoth(op, dst, src)
	if err != nil {
		return err
	}
	defer done()
	e := f.cloneFile(dst, src)
	if e != ok {
		return linkError(op, src.name, dst.name, e)
	}
	return nil
}

func (f *FS) cloneFile(dst, src *File) errno {
	if dst.fs.sb != f.sb || src.fs.sb != f.sb {
		return syscall.EXDEV
	}
	if e := mayCopy(dst, src); e != ok {
		return e
	}
	if dst.n == src.n {
		return syscall.EINVAL
	}
	now := f.sb.now()
	if e := f.sb.clone(dst.n, src.n, f.payer(now)); e != ok {
		return e
	}
	f.modified(dst.n, now)
	return ok
}

// clone charges dst with what it will have more than now, or gives back what it will have less.
func (sb *superblock) clone(dst, src *inode, by payer) errno {
	to, from, unlock := lockBoth(dst, src)
	defer unlock()
	size := src.size.Load()
	pages := int64(0)
	if whole := (size-1)>>pageShift + 1; size > 0 {
		pages = whole - from.store.missing(0, size)
	}
	more := pages - to.store.pages()
	if e := sb.chargeWhole(dst, more, by); e != ok {
		return e
	}
	to.store = &flat{}
	if size > 0 {
		to.store = copyStore(from.store)
		to.store.truncate(size)
	}
	sb.freePages(dst, max(-more, 0))
	to.held.Store(to.store.pages())
	dst.size.Store(size)
	return ok
}

// copyStore returns a store with the same contents, made by sharing where that is worth it.
func copyStore(from store) store {
	if s, isPaged := from.(*paged); isPaged {
		return s.share()
	}
	return from.(*flat).clone()
}

// clone returns a copy.
func (f *flat) clone() *flat {
	c := *f
	c.b = append([]byte(nil), f.b...)
	clear(c.b[len(c.b):cap(c.b)])
	return &c
}
