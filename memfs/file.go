package memfs

import (
	"io/fs"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"stagefs/locking"
)

// File is an open file or directory, with the methods of *os.File (but Fd and SyscallConn: there
// is no descriptor) and its rules. It stays usable after its name is
// gone. All methods may be called by several goroutines at once; those that move the position take turns. A File that
// is never closed keeps its contents after the file was removed, until the file system itself is dropped.
type File struct {
	fs     *FS
	n      *inode
	name   string
	pipe   *fifoEnd // nil but for a fifo
	flags  fileFlags
	locked bool         // a file lock was taken through it; guarded by the lock shard of n, and read when no call can come
	use    atomic.Int32 // two for each call under way, and useClosed once Close was called

	mu  sync.Mutex // rank RankOffset
	pos int64      // next byte, or the key of the last entry that was listed; guarded by mu
}

type fileFlags uint8

const (
	fileRead fileFlags = 1 << iota
	fileWrite
	fileAppend
	fileCounted // holds a reference on the inode
	filePath    // of O_PATH: for Stat and Chdir only
	fileNoAtime // of O_NOATIME
)

const (
	useClosed   = 1
	useReleased = 1 << 30 // the last call is over and the reference given back
)

// newFile makes a File of an inode that open returned. What that was given a reference for is given back if it fails.
func (f *FS) newFile(n *inode, counted bool, name string, flags int) (*File, errno) {
	var pipe *fifoEnd
	e := ok
	if flags&flagPath == 0 {
		pipe, e = n.openSpecial(flags)
	}
	if e != ok {
		if counted {
			f.sb.put(n)
		}
		return nil, e
	}
	file := &File{fs: f, n: n, name: name, pipe: pipe}
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
	if flags&flagNoAtime != 0 {
		file.flags |= fileNoAtime
	}
	if flags&flagPath != 0 {
		file.flags = filePath
	}
	if counted {
		file.flags |= fileCounted
	}
	return file, ok
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
	if f.pipe != nil {
		f.pipe.close()
	}
	if f.locked {
		f.fs.sb.locks.Load().close(f)
	}
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
	if f.flags&filePath != 0 && op != "stat" && op != "chdir" {
		f.end()
		return f.fail(op, syscall.EBADF)
	}
	return nil
}

// accessed renews the file's access time, unless it was opened not to.
func (f *File) accessed() {
	if f.flags&fileNoAtime == 0 {
		f.fs.sb.accessed(f.n)
	}
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
	if f.pipe != nil {
		f.pipe.shut()
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
	if size < 0 || f.flags&fileWrite == 0 || !f.n.access.Load().isRegular() {
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

// SetDeadline, SetReadDeadline and SetWriteDeadline fail with os.ErrNoDeadline, as for every regular file; fifos have none
// either.
func (f *File) SetDeadline(time.Time) error { return os.ErrNoDeadline }

// SetReadDeadline fails with os.ErrNoDeadline.
func (f *File) SetReadDeadline(time.Time) error { return os.ErrNoDeadline }

// SetWriteDeadline fails with os.ErrNoDeadline.
func (f *File) SetWriteDeadline(time.Time) error { return os.ErrNoDeadline }
