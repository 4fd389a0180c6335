package memfs

import (
	"io"
	"io/fs"
	"math"
	"syscall"
	"unsafe"
)

// mayRead checks that bytes can be read through f.
func (f *File) mayRead() errno {
	switch {
	case f.flags&fileRead == 0:
		return syscall.EBADF
	case f.n.isDir():
		return syscall.EISDIR
	}
	return ok
}

// mayWrite checks that bytes can be written through f.
func (f *File) mayWrite() errno {
	if f.flags&fileWrite == 0 {
		return syscall.EBADF
	}
	return ok
}

// Read reads up to len(p) bytes at the position and moves it. At the end of the file it returns 0, io.EOF.
func (f *File) Read(p []byte) (int, error) {
	if err := f.enter("read"); err != nil {
		return 0, err
	}
	defer f.end()
	if len(p) == 0 {
		return 0, nil
	}
	if e := f.mayRead(); e != ok {
		if e == syscall.EISDIR && f.endsBeyond(len(p)) {
			e = syscall.EINVAL // the kernel looks at the position first
		}
		return 0, f.fail("read", e)
	}
	if f.pipe != nil {
		n, err := f.readFifo(p)
		switch {
		case err != nil:
			err = f.fail("read", err)
		case n == 0:
			err = io.EOF
		}
		return n, err
	}
	f.lockPos()
	fits, count := f.pos <= math.MaxInt64-int64(len(p)), 0
	if fits {
		count = f.n.read(p, f.pos)
		f.pos += int64(count)
	}
	f.unlockPos()
	if !fits {
		return 0, f.fail("read", syscall.EINVAL)
	}
	f.accessed()
	if count == 0 {
		return 0, io.EOF
	}
	return count, nil
}

// endsBeyond reports whether n bytes from the position on would end beyond the largest offset.
func (f *File) endsBeyond(n int) bool {
	f.lockPos()
	defer f.unlockPos()
	return f.pos > math.MaxInt64-int64(n)
}

// ReadAt reads len(p) bytes at off; fewer only with an error, which at the end of the file is io.EOF.
func (f *File) ReadAt(p []byte, off int64) (int, error) {
	if f == nil {
		return 0, fs.ErrInvalid
	}
	if off < 0 {
		return 0, f.fail("readat", errNegative)
	}
	if len(p) == 0 {
		return 0, nil
	}
	if err := f.enter("read"); err != nil {
		return 0, err
	}
	defer f.end()
	if f.pipe != nil {
		return 0, f.fail("read", syscall.ESPIPE)
	}
	e := f.mayRead()
	if (e == ok || e == syscall.EISDIR) && off > math.MaxInt64-int64(len(p)) {
		e = syscall.EINVAL
	}
	if e != ok {
		return 0, f.fail("read", e)
	}
	count := f.n.read(p, off)
	f.accessed()
	if count < len(p) {
		return count, io.EOF
	}
	return count, nil
}

// Write writes p at the position, or at the end of a file opened with O_APPEND, and moves the position behind it. It
// writes less only with an error: ENOSPC on a full file system, EDQUOT beyond a quota, EFBIG at 2^63-1 bytes.
func (f *File) Write(p []byte) (int, error) {
	if err := f.enter("write"); err != nil {
		return 0, err
	}
	defer f.end()
	if e := f.mayWrite(); e != ok {
		return 0, f.fail("write", e)
	}
	if len(p) == 0 {
		return 0, nil
	}
	if f.pipe != nil {
		n, err := f.writeFifo(p)
		if err != nil {
			err = f.fail("write", err)
		}
		return n, err
	}
	now := f.fs.sb.now() // a clock of the user's is asked before anything is locked
	f.lockPos()
	defer f.unlockPos()
	at := f.pos
	if f.flags&fileAppend != 0 {
		at = -1
	}
	count, end, e := f.write(p, at, now)
	f.pos = end
	if e != ok {
		return count, f.fail("write", e)
	}
	return count, nil
}

// write stores p at off, or at the end if off is negative, and returns how much fit and where that ended.
func (f *File) write(p []byte, off, now int64) (count int, end int64, e errno) {
	if off > math.MaxInt64-int64(len(p)) {
		return 0, off, syscall.EINVAL
	}
	f.fs.modified(f.n, now)
	count, at, e := f.fs.sb.write(f.n, p, off, f.fs.payer(now))
	end = at + int64(count)
	if e == ok && count < len(p) {
		e = syscall.EFBIG
	}
	return count, end, e
}

// WriteAt writes p at off. It fails for a file opened with O_APPEND.
func (f *File) WriteAt(p []byte, off int64) (int, error) {
	if f == nil {
		return 0, fs.ErrInvalid
	}
	if f.flags&fileAppend != 0 {
		return 0, errAppendWriteAt
	}
	if off < 0 {
		return 0, f.fail("writeat", errNegative)
	}
	if len(p) == 0 {
		return 0, nil
	}
	if err := f.enter("write"); err != nil {
		return 0, err
	}
	defer f.end()
	if f.pipe != nil {
		return 0, f.fail("write", syscall.ESPIPE)
	}
	if e := f.mayWrite(); e != ok {
		return 0, f.fail("write", e)
	}
	count, _, e := f.write(p, off, f.fs.sb.now())
	if e != ok {
		return 0, f.fail("write", e) // os drops the count of the pwrite that failed, although a part may be stored
	}
	return count, nil
}

// WriteString is Write for a string.
func (f *File) WriteString(s string) (int, error) {
	return f.Write(unsafe.Slice(unsafe.StringData(s), len(s))) // write reads it only
}

// plainWriter and plainReader hide ReadFrom and WriteTo from io.Copy, which would call them again.
type plainWriter struct{ f *File }

func (w plainWriter) Write(p []byte) (int, error) { return w.f.Write(p) }

type plainReader struct{ f *File }

func (r plainReader) Read(p []byte) (int, error) { return r.f.Read(p) }

// ReadFrom writes all that r has at the position.
func (f *File) ReadFrom(r io.Reader) (int64, error) {
	if f == nil {
		return 0, fs.ErrInvalid
	}
	return io.Copy(plainWriter{f}, r)
}

// WriteTo writes all from the position to the end of the file to w.
func (f *File) WriteTo(w io.Writer) (int64, error) {
	if f == nil {
		return 0, fs.ErrInvalid
	}
	return io.Copy(w, plainReader{f})
}

// Whence values of lseek(2) that package io has no names for. SeekData finds the next byte that was written, SeekHole the
// next that was not, or the end of the file; both look at whole pages, from an offset counted from the beginning of the
// file. ENXIO: there is none, or the offset is not within the file.
const (
	SeekData = 3
	SeekHole = 4
)

// Seek sets the position, which may lie beyond the end. For a directory the position is the cookie of the last entry
// that was listed: 0 begins again, and what Seek(0, io.SeekCurrent) returned can be sought in any File of that
// directory, also when the entry is gone. SeekData and SeekHole work as SEEK_DATA and SEEK_HOLE on Linux.
func (f *File) Seek(offset int64, whence int) (int64, error) {
	if err := f.enter("seek"); err != nil {
		return 0, err
	}
	defer f.end()
	f.lockPos()
	defer f.unlockPos()
	to, e := f.seek(offset, whence)
	if e != ok {
		return 0, f.fail("seek", e)
	}
	f.pos = to
	return to, nil
}

func (f *File) seek(offset int64, whence int) (int64, errno) {
	base := int64(0)
	switch {
	case f.pipe != nil:
		return 0, syscall.ESPIPE
	case whence == io.SeekStart:
	case whence == io.SeekCurrent:
		base = f.pos
	case f.n.isDir():
		return 0, syscall.EINVAL
	case whence == io.SeekEnd:
		base = f.n.size.Load()
	case whence == SeekData || whence == SeekHole:
		at := f.n.seekExtent(offset, whence == SeekData)
		if at < 0 {
			return 0, syscall.ENXIO
		}
		return at, ok
	default:
		return 0, syscall.EINVAL
	}
	if offset > 0 && base > math.MaxInt64-offset || base+offset < 0 {
		return 0, syscall.EINVAL
	}
	return base + offset, ok
}
