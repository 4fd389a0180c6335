package memfs

import (
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"
)

// The functions of package os that find files by their path. A view from OpenRoot answers them in confined.go instead.

// Create creates or truncates a file, for reading and writing, with mode 0666 before the umask.
func (f *FS) Create(name string) (*File, error) {
	return f.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o666)
}

// Open opens a file or directory for reading.
func (f *FS) Open(name string) (*File, error) { return f.OpenFile(name, os.O_RDONLY, 0) }

// OpenFile opens a file with the flags of package os; on Unix systems O_DIRECTORY and O_NOFOLLOW of package syscall
// work too, and other bits are ignored as by open(2). perm is the mode of a new file, before the umask.
func (f *FS) OpenFile(name string, flag int, perm fs.FileMode) (*File, error) {
	if f.confined {
		return f.confinedOpen(name, flag, perm)
	}
	flag, e := checkFlags(flag)
	if e != ok {
		return nil, pathError("open", name, e)
	}
	n, counted, e := f.open(name, flag, permBits(perm))
	if e != ok {
		return nil, pathError("open", name, e)
	}
	file, e := f.newFile(n, counted, name, flag)
	return file, pathError("open", name, e)
}

// Mkdir creates a directory.
func (f *FS) Mkdir(name string, perm fs.FileMode) error {
	if f.confined {
		return f.confinedMkdir(name, perm)
	}
	return pathError("mkdir", name, f.mkdirPath(name, perm))
}

func (f *FS) mkdirPath(name string, perm fs.FileMode) errno {
	var p place
	if e := f.walk(name, walkParent|walkCreate|walkLazy, &p); e != ok {
		return e
	}
	return f.mkdir(&p, permBits(perm))
}

// MkdirAll creates a directory and all that is missing above it. It succeeds if the directory is there already.
func (f *FS) MkdirAll(name string, perm fs.FileMode) error {
	if f.confined {
		return f.confinedMkdirAll(name, perm)
	}
	if n, e := f.lookup(name, walkFollow); e == ok {
		if n.isDir() {
			return nil
		}
		return pathError("mkdir", name, syscall.ENOTDIR)
	}
	path := toSlash(name)
	at := len(strings.TrimRight(path, "/")) - 1
	for at >= 0 && path[at] != '/' {
		at--
	}
	if at > 0 {
		if err := f.MkdirAll(path[:at], perm); err != nil {
			return err
		}
	}
	e := f.mkdirPath(name, perm)
	if e == ok {
		return nil
	}
	if n, found := f.lookup(name, 0); found == ok && n.isDir() { // "a/.", or somebody else was faster
		return nil
	}
	return pathError("mkdir", name, e)
}

// Remove removes a file or an empty directory.
func (f *FS) Remove(name string) error {
	if f.confined {
		return f.confinedRemove(name)
	}
	var p place
	e := f.walk(name, walkParent|walkLazy, &p)
	if e == ok {
		e = f.remove(&p)
	}
	return pathError("remove", name, e)
}

// remove is unlink and, if that fails, rmdir. Where both fail, os returns rmdir's error unless that is ENOTDIR.
func (f *FS) remove(p *place) errno {
	if p.unknown {
		if e := f.unlink(p); e == ok {
			return ok
		}
		f.look(p)
	}
	if p.child == nil || !p.child.isDir() {
		e := f.unlink(p)
		if e == ok {
			return ok
		}
		if e1 := f.rmdir(p); e1 != syscall.ENOTDIR {
			return e1
		}
		return e
	}
	e := f.rmdir(p)
	if e == syscall.ENOTDIR { // replaced by a file meanwhile
		e = f.unlink(p)
	}
	return e
}

// Rename moves a file or directory, over a file that has the new name. A directory there is EEXIST, as with os.Rename.
func (f *FS) Rename(oldname, newname string) error {
	if f.confined {
		return f.confinedRename(oldname, newname)
	}
	return linkError("rename", oldname, newname, asError(f.renamePath(oldname, newname)))
}

func (f *FS) renamePath(oldname, newname string) errno {
	var from, to place
	const flags = walkParent | walkLate | walkLazy
	eTo := f.walk(newname, flags|walkCreate, &to)
	eFrom := f.walk(oldname, flags, &from)
	if eFrom == ok && eTo == ok && from.plain() && to.plain() {
		rules := renameOS
		if oldname == newname {
			rules = renameOSSame
		}
		return f.rename(&from, &to, rules)
	}
	return f.renameOdd(&from, &to, eFrom, eTo, oldname, newname)
}

// renameOdd is renamePath where a path could not be walked, or ends in no plain name: then os.Rename's look at the new
// name, before it asks the kernel, needs paths and not places.
func (f *FS) renameOdd(from, to *place, eFrom, eTo errno, oldname, newname string) errno {
	if n, e := f.lookup(newname, 0); e == ok && n.isDir() {
		old, e := f.lookup(oldname, 0)
		if e != ok {
			return e
		}
		if newname == oldname || n != old {
			return syscall.EEXIST
		}
	}
	if eFrom != ok {
		return eFrom
	}
	if eTo != ok {
		return eTo
	}
	return f.rename(from, to, renameKernel)
}

// Link gives the file oldname the further name newname. A symbolic link is linked itself.
func (f *FS) Link(oldname, newname string) error {
	if f.confined {
		return f.confinedLink(oldname, newname)
	}
	n, e := f.lookup(oldname, 0)
	if e == ok {
		var p place
		if e = f.walk(newname, walkParent|walkCreate, &p); e == ok {
			e = f.link(n, &p)
		}
	}
	return linkError("link", oldname, newname, asError(e))
}

// Symlink creates newname as a symbolic link with the text oldname.
func (f *FS) Symlink(oldname, newname string) error {
	if f.confined {
		return f.confinedSymlink(oldname, newname)
	}
	oldname = toSlash(oldname)
	e := checkTarget(oldname)
	if e == ok {
		var p place
		if e = f.walk(newname, walkParent|walkCreate|walkLazy, &p); e == ok {
			e = f.symlink(oldname, &p)
		}
	}
	return linkError("symlink", oldname, newname, asError(e))
}

// Readlink returns the text of a symbolic link.
func (f *FS) Readlink(name string) (string, error) {
	if f.confined {
		return f.confinedReadlink(name)
	}
	for {
		n, e := f.lookup(name, 0)
		if e == ok && !n.isSymlink() {
			e = syscall.EINVAL
		}
		if e != ok {
			return "", pathError("readlink", name, e)
		}
		f.sb.accessed(n)
		if text := n.target(); text != "" {
			return text, nil
		}
	}
}

// Stat returns what is known of a file; symbolic links are followed. The FileInfo is a snapshot, whose Sys is a
// *syscall.Stat_t on Linux, macOS and FreeBSD, and a *Stat elsewhere.
func (f *FS) Stat(name string) (fs.FileInfo, error) {
	if f.confined {
		return f.confinedStat(name, walkFollow)
	}
	fi := &fileInfo{name: baseName(name)}
	if e := f.fillPath(name, walkFollow, &fi.st); e != ok {
		return nil, pathError("stat", name, e)
	}
	return fi, nil
}

// Lstat is Stat for a symbolic link itself.
func (f *FS) Lstat(name string) (fs.FileInfo, error) {
	if f.confined {
		return f.confinedStat(name, 0)
	}
	fi := &fileInfo{name: baseName(name)}
	if e := f.fillPath(name, 0, &fi.st); e != ok {
		return nil, pathError("lstat", name, e)
	}
	return fi, nil
}

// StatInto is Stat into the caller's st: a lookup that succeeds allocates nothing, as long as the cache knows the path.
func (f *FS) StatInto(name string, st *Stat) error { return f.statInto("stat", name, walkFollow, st) }

// LstatInto is StatInto for a symbolic link itself.
func (f *FS) LstatInto(name string, st *Stat) error { return f.statInto("lstat", name, 0, st) }

func (f *FS) statInto(op, name string, flags walkFlags, st *Stat) error {
	if f.confined {
		return f.confinedStatInto(name, flags, st)
	}
	return pathError(op, name, f.fillPath(name, flags, st))
}

// fillPath reads the attributes of what is at a path. What was removed and freed after the walk found it has none any
// more: the path is walked again.
func (f *FS) fillPath(name string, flags walkFlags, st *Stat) errno {
	for {
		n, e := f.lookup(name, flags)
		if e != ok {
			return e
		}
		if f.sb.fillAlive(n, st) {
			return ok
		}
	}
}

// Chmod changes the permission bits of a file; only its owner and root may.
func (f *FS) Chmod(name string, mode fs.FileMode) error {
	return f.onFile("chmod", name, walkFollow, func(n *inode) errno { return f.chmod(n, permBits(mode)) })
}

// Chown changes owner and group of a file; -1 leaves either as it is.
func (f *FS) Chown(name string, uid, gid int) error {
	return f.onFile("chown", name, walkFollow, func(n *inode) errno { return f.chown(n, uint32(uid), uint32(gid)) })
}

// Lchown is Chown for a symbolic link itself.
func (f *FS) Lchown(name string, uid, gid int) error {
	return f.onFile("lchown", name, 0, func(n *inode) errno { return f.chown(n, uint32(uid), uint32(gid)) })
}

// Chtimes sets access and modification time; a zero time leaves either as it is. Times outside the years 1677 to 2262
// are clamped.
func (f *FS) Chtimes(name string, atime, mtime time.Time) error {
	if atime.IsZero() && mtime.IsZero() && !f.confined {
		return nil // the kernel does not even look at the path
	}
	return f.onFile("chtimes", name, walkFollow, func(n *inode) errno {
		if atime.IsZero() && mtime.IsZero() {
			return ok
		}
		change := func(t time.Time) timeChange { return timeChange{t.IsZero(), nanoseconds(t)} }
		return f.chtimes(n, change(atime), change(mtime))
	})
}

// Truncate sets the size of a file; what is new of it reads as zeros and takes no memory.
func (f *FS) Truncate(name string, size int64) error {
	if size < 0 {
		return pathError("truncate", name, syscall.EINVAL)
	}
	return f.onFile("truncate", name, walkFollow, func(n *inode) errno { return f.truncatePath(n, size) })
}

// onFile looks a file up and changes it.
func (f *FS) onFile(op, name string, flags walkFlags, change func(*inode) errno) error {
	if f.confined {
		return f.confinedOnFile(op+"at", name, flags, change)
	}
	n, e := f.lookup(name, flags)
	if e == ok {
		e = change(n)
	}
	return pathError(op, name, e)
}

// ReadFile returns the contents of a file.
func (f *FS) ReadFile(name string) ([]byte, error) {
	file, err := f.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	size := file.n.size.Load()
	if size > maxRead {
		return nil, file.fail("read", syscall.ENOMEM)
	}
	data := make([]byte, 0, size+1) // one more byte sees the end without growing
	for {
		count, err := file.Read(data[len(data):cap(data)])
		data = data[:len(data)+count]
		if err == io.EOF {
			return data, nil
		}
		if err != nil {
			return data, err
		}
		if len(data) == cap(data) {
			data = slices.Grow(data, max(512, len(data)/4))
		}
	}
}

// maxRead bounds what ReadFile allocates: a size may be that of an enormous hole. 64 GiB, or 1 GiB on 32-bit systems.
const maxRead = 1 << (30 + 6*(^uint(0)>>63))

// WriteFile writes data to a file, which it creates with mode perm (before the umask) or truncates.
func (f *FS) WriteFile(name string, data []byte, perm fs.FileMode) error {
	file, err := f.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, perm)
	if err != nil {
		return err
	}
	_, err = file.Write(data)
	if closed := file.Close(); err == nil {
		err = closed
	}
	return err
}

// ReadDir lists a directory, sorted by name.
func (f *FS) ReadDir(name string) ([]fs.DirEntry, error) {
	flag := os.O_RDONLY
	if !f.confined {
		flag |= flagDirectory // as os.ReadDir; the io/fs view of an os.Root fails at reading instead
	}
	file, err := f.OpenFile(name, flag, 0)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	entries, err := file.dirEntries(-1)
	return sortedByName(entries), err
}
