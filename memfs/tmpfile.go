package memfs

import (
	"os"
	"syscall"
)

// Flags for OpenFile that package os has no names for. On Linux they have the kernel's values, elsewhere other ones.
//
//	                 opens a directory     a file              what it needs
//	O_DIRECTORY      yes                   ENOTDIR             read permission, as without it
//	O_NOFOLLOW       yes                   a link is ELOOP     the same
//	O_TMPFILE        a new file in it      ENOTDIR             write and search permission of the directory
//	O_PATH           yes                   of any type         nothing of the file; Stat, Chdir and Close work, all else
//	                                                           is EBADF; with O_NOFOLLOW a link is opened itself
//	O_NOATIME        yes                   yes                 to be its owner or root: EPERM; times of access stay
//
// O_TMPFILE takes write access (O_WRONLY or O_RDWR, else EINVAL) and no O_CREATE (EINVAL). The file has no name, and is
// gone when it is closed unless LinkFile gave it one, which O_EXCL forbids. O_SYNC and other bits are ignored.
const (
	O_DIRECTORY = flagDirectory
	O_NOFOLLOW  = flagNoFollow
	O_TMPFILE   = flagTmpFile | flagDirectory
	O_PATH      = flagPath
	O_NOATIME   = flagNoAtime
)

// checkFlags refuses flags that exclude each other, and drops those that O_PATH has no use for.
func checkFlags(flags int) (int, errno) {
	switch {
	case flags&flagTmpFile != 0 && flags&flagPath == 0:
		if flags&flagDirectory == 0 || flags&os.O_CREATE != 0 || flags&accessMode == os.O_RDONLY {
			return flags, syscall.EINVAL
		}
	case flags&flagPath != 0:
		flags &= flagPath | flagDirectory | flagNoFollow
	case flags&os.O_CREATE != 0 && flags&flagDirectory != 0:
		return flags, syscall.EINVAL
	}
	return flags, ok
}

// makeTmpFile makes a file without a name for directory dir, with a reference for the caller.
func (f *FS) makeTmpFile(dir *inode, flags int, perm uint32) (*inode, errno) {
	d := dir.access.Load()
	switch {
	case !dir.isDir():
		return nil, syscall.ENOTDIR
	case !f.cred.may(d, mayWrite|mayExec):
		return nil, syscall.EACCES
	}
	now := f.sb.now()
	a := f.newAccess(d, modeRegular|perm)
	if flags&os.O_EXCL == 0 {
		a.mode |= modeLinkable
	}
	n, e := f.sb.newNode(a, f.sb.stamp(now), dir, "", newBody{}, nil)
	if e != ok {
		return nil, e
	}
	n.nlink.Store(0) // nobody else has it yet
	n.refs.Store(1)
	return n, ok
}

// LinkFile gives an open file the name newname, as linkat(2) does with AT_EMPTY_PATH: a further one, or the first one of
// a file that was opened with O_TMPFILE. A file that has lost its last name gets no other: ENOENT.
func (f *FS) LinkFile(file *File, newname string) error {
	if file == nil {
		return os.ErrInvalid
	}
	if !file.begin() {
		return linkError("link", file.name, newname, os.ErrClosed)
	}
	defer file.end()
	if file.fs.sb != f.sb {
		return linkError("link", file.name, newname, syscall.EXDEV)
	}
	var p place
	if f.confined {
		var err error
		if p, _, err = f.resolveConfined(newname, 0, 0); err != nil {
			return linkError("link", file.name, newname, err)
		}
	} else if e := f.walk(newname, walkParent|walkCreate, &p); e != ok {
		return linkError("link", file.name, newname, e)
	}
	return linkError("link", file.name, newname, asError(f.link(file.n, &p)))
}

// linkable reports whether a file without a name may get its first one.
func (a *access) linkable() bool { return a.mode&modeLinkable != 0 }
