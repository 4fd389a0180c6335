package memfs

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"sync/atomic"
	"syscall"
)

// The methods of os.Root, with its names for the operations in errors.

// OpenRoot returns a view that is confined to a directory: it answers like an os.Root, refuses paths that lead out of
// the directory, and follows it when it is moved. It has the methods of FS nonetheless.
func (f *FS) OpenRoot(name string) (*FS, error) {
	var n *inode
	full := name
	if f.confined {
		found, err := f.findConfined(name, walkFollow)
		if err == nil && !f.cred.may(found.access.Load(), mayRead) {
			err = syscall.EACCES
		}
		if err != nil {
			return nil, wrapPath("openat", name, err)
		}
		n, full = found, joinPath(f.name, name)
	} else {
		found, e := f.lookup(name, walkFollow)
		if e == ok && !f.cred.may(found.access.Load(), mayRead) {
			e = syscall.EACCES
		}
		if e != ok {
			return nil, pathError("open", name, e)
		}
		n = found
	}
	if !n.isDir() {
		return nil, wrapPath("open", full, errNotDirectory)
	}
	v := f.view()
	v.confined, v.name, v.root, v.closed = true, full, n, new(atomic.Bool)
	v.rootBase = new(stageBase)
	v.cwd.Store(n)
	return v, nil
}

// Name returns what a confined view's directory was called when it was opened, "/" for other views.
func (f *FS) Name() string {
	if f.confined {
		return f.name
	}
	return "/"
}

func (f *FS) confinedOpen(name string, flag int, perm fs.FileMode) (*File, error) {
	if perm&0o777 != perm {
		return nil, wrapPath("openat", name, errFileMode)
	}
	if flag&(flagTmpFile|flagPath) != 0 {
		var e errno
		if flag, e = checkFlags(flag); e != ok {
			return nil, wrapPath("openat", name, e)
		}
	}
	n, counted, err := f.openConfined(name, flag, uint32(perm))
	if err != nil {
		return nil, wrapPath("openat", name, err)
	}
	file, e := f.newFile(n, counted, joinPath(f.name, name), flag)
	return file, wrapPath("openat", name, asError(e))
}

func (f *FS) openConfined(name string, flag int, perm uint32) (*inode, bool, error) {
	follow := confinedFollow
	refused := flag&os.O_CREATE != 0 && flag&flagDirectory != 0 // by openat of the last name, before it looks at that
	if refused {
		follow = confinedLate
	} else if flag&(os.O_CREATE|os.O_EXCL) == os.O_CREATE|os.O_EXCL {
		follow = 0
	}
	for {
		p, _, err := f.resolveConfined(name, follow, 0)
		if err != nil {
			return nil, false, err
		}
		if refused {
			return nil, false, syscall.EINVAL
		}
		n, counted, e, again := f.openPlace(&p, flag, perm)
		if !again {
			return n, counted, asError(e)
		}
	}
}

func (f *FS) confinedMkdir(name string, perm fs.FileMode) error {
	if perm&0o777 != perm {
		return wrapPath("mkdirat", name, errFileMode)
	}
	p, _, err := f.resolveConfined(name, confinedMakeDir|confinedKeep, 0)
	if err == nil {
		err = asError(f.mkdir(&p, uint32(perm)))
	}
	return wrapPath("mkdirat", name, err)
}

func (f *FS) confinedMkdirAll(name string, perm fs.FileMode) error {
	if perm&0o777 != perm {
		return wrapPath("mkdirat", name, errFileMode)
	}
	_, _, err := f.resolveConfined(name, confinedMakeDir|confinedKeep|confinedMakeDirs, uint32(perm))
	var located *fs.PathError
	if errors.As(err, &located) {
		return err
	}
	return wrapPath("mkdirat", name, err)
}

func (f *FS) confinedRemove(name string) error {
	p, _, err := f.resolveConfined(name, 0, 0)
	if err == nil {
		err = asError(f.remove(&p))
	}
	return wrapPath("removeat", name, err)
}

func (f *FS) confinedRemoveAll(name string) error {
	name = strings.TrimRight(toSlash(name), "/")
	if endsWithDot(name) {
		return pathError("RemoveAll", name, syscall.EINVAL)
	}
	p, _, err := f.resolveConfined(name, 0, 0)
	if err == nil {
		base := p.name
		if p.last != lastName {
			base = "."
		}
		if failed := f.removeTree(p.dir, base); failed != nil {
			err = failed.Err
		}
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return wrapPath("RemoveAll", name, err)
}

func (f *FS) confinedRename(oldname, newname string) error {
	return linkError("renameat", oldname, newname, f.renameConfined(oldname, newname))
}

func (f *FS) renameConfined(oldname, newname string) error {
	from, _, err := f.resolveConfined(oldname, confinedLate, 0)
	if err != nil {
		return err
	}
	to, slash, err := f.resolveConfined(newname, confinedMakeDir|confinedLate, 0)
	if err != nil {
		return err
	}
	ontoDir := to.child != nil && to.child.isDir()
	if slash || ontoDir { // then os.Root looks at the old name first
		switch {
		case from.failed != ok:
			return from.failed
		case from.child == nil:
			return syscall.ENOENT
		case slash && !from.child.isDir():
			return syscall.ENOTDIR
		case ontoDir && (to.name == from.name || to.child != from.child):
			return syscall.EEXIST
		}
	}
	return asError(f.rename(&from, &to, renameKernel))
}

func (f *FS) confinedLink(oldname, newname string) error {
	from, _, err := f.resolveConfined(oldname, confinedLate, 0)
	if err == nil {
		var to place
		if to, _, err = f.resolveConfined(newname, confinedLate, 0); err == nil {
			switch {
			case from.failed != ok:
				err = from.failed
			case from.child == nil:
				err = syscall.ENOENT
			case to.failed != ok:
				err = to.failed
			default:
				err = asError(f.link(from.child, &to))
			}
		}
	}
	return linkError("linkat", oldname, newname, err)
}

func (f *FS) confinedSymlink(oldname, newname string) error {
	target := toSlash(oldname)
	p, _, err := f.resolveConfined(newname, 0, 0)
	if err == nil {
		if err = asError(checkTarget(target)); err == nil {
			err = asError(f.symlink(target, &p))
		}
	}
	return linkError("symlinkat", oldname, newname, err)
}

func (f *FS) confinedReadlink(name string) (string, error) {
	for {
		n, err := f.findConfined(name, 0)
		if err == nil && !n.isSymlink() {
			err = syscall.EINVAL
		}
		if err != nil {
			return "", wrapPath("readlinkat", name, err)
		}
		f.sb.accessed(n)
		if text := n.target(); text != "" {
			return text, nil
		}
	}
}

func (f *FS) confinedStat(name string, flags walkFlags) (fs.FileInfo, error) {
	fi := &fileInfo{name: baseName(name)}
	if err := f.confinedStatInto(name, flags, &fi.st); err != nil {
		return nil, err
	}
	return fi, nil
}

func (f *FS) confinedStatInto(name string, flags walkFlags, st *Stat) error {
	for {
		n, err := f.findConfined(name, flags)
		if err != nil {
			return wrapPath("statat", name, err)
		}
		if f.sb.fillAlive(n, st) {
			return nil
		}
	}
}

func (f *FS) confinedOnFile(op, name string, flags walkFlags, change func(*inode) errno) error {
	n, err := f.findConfined(name, flags)
	if err == nil {
		err = asError(change(n))
	}
	return wrapPath(op, name, err)
}
