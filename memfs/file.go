package memfs

import (
	"io"
	"io/fs"
	"math"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"stagefs/locking"
)

// File is an open file or directory, with the methods of *os.File and its rules. It stays usable after its name is
// gone. All methods may be called by several goroutines at once; those that move the position take turns. A File that
// is never closed keeps its contents after the file was removed, until the file system itself is dropped.
type File struct {
	fs    *FS
	n     *inode
	name  string
	flags fileFlags
	use   atomic.Int32 // two for each call under way, and useClosed once Close was called

	mu  sync.Mutex // rank RankOffset
	pos int64      // next byte, or the key of the last entry that was listed; guarded by mu
}

type fileFlags uint8

const (
	fileRead fileFlags = 1 << iota
	fileWrite
	fileAppend
	fileCounted // holds a reference on the inode
)

const (
	useClosed   = 1
	useReleased = 1 << 30 // the last call is over and the reference given back
)

// newFile makes a File of an inode that open returned.
func (f *FS) newFile(n *inode, counted bool, name string, flags int) *File {
	file := &File{fs: f, n: n, name: name}
	switch flags & accessMode {
	case os.O_RDONLY:
		file.flags = fileRead
	case os.O_WRONLY:
		file.flags = fileWrite
	case os.O_RDWR:
		file.flags = fileRead | fileWrite
	}
	if flags&os.O_APPEND != 0 {
		file.flags |= fileAppend
	}
	if counted {
		file.flags |= fileCounted
	}
	return file
}

// begin keeps the inode for one call; it fails once the File is closed. end must follow if it succeeds.
func (f *File) begin() bool {
	if f.use.Add(2)&useClosed != 0 {
		f.end()
		return false
	}
	return true
}

func (f *File) end() {
	if f.use.Add(-2) == useClosed && f.use.CompareAndSwap(useClosed, useReleased|useClosed) {
		f.release()
	}
}

// release gives the reference on the inode back.
func (f *File) release() {
	if f.flags&fileCounted != 0 {
		f.fs.sb.put(f.n)
	}
}

// enter is begin with the errors of package os.
func (f *File) enter(op string) error {
	if f == nil {
		return fs.ErrInvalid
	}
	if !f.begin() {
		return f.fail(op, fs.ErrClosed)
	}
	return nil
}

func (f *File) fail(op string, err error) error {
	return &fs.PathError{Op: op, Path: f.name, Err: err}
}

// lockPos and unlockPos guard the position.
func (f *File) lockPos() {
	locking.Acquired(locking.RankOffset, 0, 0)
	f.mu.Lock()
}

func (f *File) unlockPos() {
	f.mu.Unlock()
	locking.Released(locking.RankOffset, 0, 0)
}

// Name returns the name that was given to Open.
func (f *File) Name() string { return f.name }

// Close makes the File unusable. Calls under way end as if it were still open. A second Close fails with fs.ErrClosed.
func (f *File) Close() error {
	if f == nil {
		return fs.ErrInvalid
	}
	if f.use.CompareAndSwap(0, useReleased|useClosed) { // nearly always: no call is under way
		f.release()
		return nil
	}
	f.use.Add(2)
	for {
		use := f.use.Load()
		if use&useClosed != 0 {
			f.end()
			return f.fail("close", fs.ErrClosed)
		}
		if f.use.CompareAndSwap(use, use|useClosed) {
			f.end()
			return nil
		}
	}
}

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
		return 0, f.fail("read", e)
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
	f.fs.sb.accessed(f.n)
	if count == 0 {
		return 0, io.EOF
	}
	return count, nil
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
	if e := f.mayRead(); e != ok {
		return 0, f.fail("read", e)
	}
	if off > math.MaxInt64-int64(len(p)) {
		return 0, f.fail("read", syscall.EINVAL)
	}
	count := f.n.read(p, off)
	f.fs.sb.accessed(f.n)
	if count < len(p) {
		return count, io.EOF
	}
	return count, nil
}

// Write writes p at the position, or at the end of a file opened with O_APPEND, and moves the position behind it. It
// writes less only with an error: ENOSPC on a full file system, EFBIG at 2^63-1 bytes.
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
	count, at := f.fs.sb.write(f.n, p, off)
	end = at + int64(count)
	switch {
	case count == len(p):
	case end == math.MaxInt64:
		e = syscall.EFBIG
	default:
		e = syscall.ENOSPC
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

// Whence values of lseek(2) that package io has no names for.
const (
	seekData = 3
	seekHole = 4
)

// Seek sets the position, which may lie beyond the end. For a directory the position is the cookie of the last entry
// that was listed: 0 begins again, and what Seek(0, io.SeekCurrent) returned can be sought in any File of that
// directory, also when the entry is gone. SEEK_DATA (3) and SEEK_HOLE (4) work as on Linux.
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
	case whence == io.SeekStart:
	case whence == io.SeekCurrent:
		base = f.pos
	case f.n.isDir():
		return 0, syscall.EINVAL
	case whence == io.SeekEnd:
		base = f.n.size.Load()
	case whence == seekData || whence == seekHole:
		at := f.n.seekExtent(offset, whence == seekData)
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

// Stat returns what is known of the file, also when its name is gone.
func (f *File) Stat() (fs.FileInfo, error) {
	if err := f.enter("stat"); err != nil {
		return nil, err
	}
	defer f.end()
	return f.fs.sb.newFileInfo(f.n, f.name), nil
}

// StatInto is Stat into the caller's st: it allocates nothing.
func (f *File) StatInto(st *Stat) error {
	if err := f.enter("stat"); err != nil {
		return err
	}
	defer f.end()
	f.n.fill(f.fs.sb.dev, st)
	return nil
}

// Sync does nothing but to fail if the File is closed: there is nothing more stable than memory here.
func (f *File) Sync() error {
	if err := f.enter("sync"); err != nil {
		return err
	}
	f.end()
	return nil
}

// Truncate sets the size of the file; what is new of it reads as zeros and takes no memory.
func (f *File) Truncate(size int64) error {
	if err := f.enter("truncate"); err != nil {
		return err
	}
	defer f.end()
	if size < 0 || f.flags&fileWrite == 0 || f.n.isDir() {
		return f.fail("truncate", syscall.EINVAL)
	}
	f.fs.truncate(f.n, size, f.fs.sb.now())
	return nil
}

// Chmod changes the file's permission bits.
func (f *File) Chmod(mode fs.FileMode) error {
	return f.change("chmod", func() errno { return f.fs.chmod(f.n, permBits(mode)) })
}

// Chown changes owner and group; -1 leaves either as it is.
func (f *File) Chown(uid, gid int) error {
	return f.change("chown", func() errno { return f.fs.chown(f.n, uint32(uid), uint32(gid)) })
}

// Chdir makes the directory the working directory of the FS that it was opened with.
func (f *File) Chdir() error {
	return f.change("chdir", func() errno { return f.fs.chdir(f.n) })
}

func (f *File) change(op string, call func() errno) error {
	if err := f.enter(op); err != nil {
		return err
	}
	defer f.end()
	if e := call(); e != ok {
		return f.fail(op, e)
	}
	return nil
}

// SetDeadline, SetReadDeadline and SetWriteDeadline fail with os.ErrNoDeadline, as for every regular file.
func (f *File) SetDeadline(time.Time) error { return os.ErrNoDeadline }

// SetReadDeadline fails with os.ErrNoDeadline.
func (f *File) SetReadDeadline(time.Time) error { return os.ErrNoDeadline }

// SetWriteDeadline fails with os.ErrNoDeadline.
func (f *File) SetWriteDeadline(time.Time) error { return os.ErrNoDeadline }
