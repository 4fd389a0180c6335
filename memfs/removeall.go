package memfs

import (
	"io/fs"
	"strings"
	"syscall"

	"stagefs/rbdir"
)

// RemoveAll removes a file, or a directory and all below it. It removes what it can and returns the first error; a path
// that does not exist is none.
func (f *FS) RemoveAll(path string) error {
	if f.confined {
		return f.confinedRemoveAll(path)
	}
	if path == "" {
		return nil
	}
	if endsWithDot(path) {
		return pathError("RemoveAll", path, syscall.EINVAL)
	}
	var p place
	e := f.walk(path, walkParent|walkLazy, &p)
	if e == ok {
		e = f.remove(&p)
	}
	if e == ok || e == syscall.ENOENT {
		return nil
	}
	dir, base := splitPath(path)
	parent, e := f.lookup(dir, walkFollow)
	switch {
	case e == syscall.ENOENT:
		return nil
	case e == ok && !f.cred.may(parent.access.Load(), mayRead): // os opens it
		e = syscall.EACCES
	}
	if e != ok {
		return pathError("open", dir, e)
	}
	if err := f.removeTree(parent, base); err != nil {
		err.Path = dir + "/" + err.Path
		return err
	}
	return nil
}

// removeTree removes one entry of a directory with all below it, by recursion: a tree of 20,000 levels is no trouble. The
// error's path begins with name. It asks in the order of package os, where each error has an operation of its own:
// unlinkat, then openfdat to list a directory.
func (f *FS) removeTree(parent *inode, name string) *fs.PathError {
	fail := func(op string, e errno) *fs.PathError { return &fs.PathError{Op: op, Path: name, Err: e} }
	p, found := f.entryPlace(parent, name)
	e := found
	if e == ok {
		e = f.unlink(&p)
	}
	for e == syscall.EISDIR && !p.child.isDir() { // it became a directory since it was looked up
		if p, found = f.entryPlace(parent, name); found != ok {
			return fail("unlinkat", found)
		}
		e = f.unlink(&p)
	}
	if e == ok || e == syscall.ENOENT {
		return nil
	}
	if e != syscall.EISDIR && e != syscall.EPERM && e != syscall.EACCES {
		return fail("unlinkat", e)
	}
	var first *fs.PathError
	switch n := p.child; {
	case found != ok:
		return fail("openfdat", found)
	case n.isSymlink():
		return fail("openfdat", e)
	case !n.isDir():
		return fail("unlinkat", e)
	case !f.cred.may(n.access.Load(), mayRead):
		first = fail("openfdat", syscall.EACCES)
	default:
		if first = f.removeEntries(n); first != nil {
			first.Path = name + "/" + first.Path
		}
	}
	e = f.rmdir(&p)
	switch {
	case e == ok || e == syscall.ENOENT:
		return nil
	case first != nil:
		return first
	}
	return fail("unlinkat", e)
}

// removeEntries removes all entries of a directory and returns the first error.
func (f *FS) removeEntries(dir *inode) (first *fs.PathError) {
	after := uint64(0)
	for {
		batch := dir.dir.entries.Batch(nil, after, batchMax)
		if len(batch) == 0 {
			return first
		}
		for i := range batch {
			if f.removeFile(dir, &batch[i]) {
				continue
			}
			if err := f.removeTree(dir, batch[i].Name); err != nil && first == nil {
				first = err
			}
		}
		after = batch[len(batch)-1].Key
	}
}

// removeFile removes an entry that was no directory when it was listed, without looking it up first. If that fails,
// removeTree will say why.
func (f *FS) removeFile(dir *inode, entry *rbdir.Entry[Ref]) bool {
	if entry.Value.mode() == modeDir || !f.cred.maySearch(dir.access.Load()) {
		return false
	}
	p := place{dir: dir, name: entry.Name, unknown: true}
	return f.unlink(&p) == ok
}

// entryPlace is the place of one name of a directory, found as unlinkat would.
func (f *FS) entryPlace(dir *inode, name string) (p place, e errno) {
	switch {
	case strings.IndexByte(name, 0) >= 0:
		return p, syscall.EINVAL
	case isSeparator(name[0]):
		dir = f.root
	case !dir.isDir():
		return p, syscall.ENOTDIR
	}
	w := walker{fs: f}
	e = w.resolve(dir, name, 0, walkParent, &p)
	return p, e
}
