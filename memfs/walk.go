package memfs

import (
	"strings"
	"syscall"
)

const (
	nameMax  = 255  // bytes in a name
	pathMax  = 4096 // bytes in a path, one for the kernel's final NUL included
	linksMax = 40   // symbolic links followed in one walk
)

// walkFlags say what a walk is for.
type walkFlags uint8

const (
	walkFollow walkFlags = 1 << iota // follow a symbolic link at the end
	walkParent                       // the last name is going to change: do not follow it even if slashes follow
	walkCreate                       // the last name is going to be created: leave no negative entry
	walkFile                         // slashes after the last name are EISDIR, as for open with O_CREAT
	walkPlain                        // give up with errNotPlain at "..", a link or slashes at the end
)

// errNotPlain is what a walk with walkPlain answers where the path needs more than plain steps. It never leaves the
// package.
const errNotPlain = errno(1<<16 - 1)

// walker is the state of one walk. Every step finds the child of one directory by one name: in the dentry cache without
// a lock, else in the directory under its latch. So each parent-child edge was there at some moment of the walk, in
// order, which is what walking hand over hand with locks promises.
type walker struct {
	fs    *FS
	links int // symbolic links followed
	hits  int // steps the cache answered
}

// checkPath refuses what no system call would take.
func checkPath(path string) errno {
	switch {
	case path == "":
		return syscall.ENOENT
	case strings.IndexByte(path, 0) >= 0:
		return syscall.EINVAL
	case len(path) >= pathMax:
		return syscall.ENAMETOOLONG
	}
	return ok
}

// walk finds the place of path as the view's user sees it.
func (f *FS) walk(path string, flags walkFlags, p *place) errno {
	path = toSlash(path)
	if e := checkPath(path); e != ok {
		return e
	}
	w := walker{fs: f}
	e := w.resolve(f.start(path), path, flags, p)
	if c := f.sb.cache; c != nil && w.hits > 0 {
		c.CountHits(w.hits)
	}
	return e
}

// lookup is walk for something that must be there.
func (f *FS) lookup(path string, flags walkFlags) (*inode, errno) {
	var p place
	if f.confined {
		return f.lookupConfined(path, flags)
	}
	if e := f.walk(path, flags, &p); e != ok {
		return nil, e
	}
	if e := p.mustExist(); e != ok {
		return nil, e
	}
	return p.child, ok
}

// start is where a path begins.
func (f *FS) start(path string) *inode {
	if path[0] == '/' {
		return f.root
	}
	return f.cwd.Load()
}

// resolve walks path from dir on.
func (w *walker) resolve(dir *inode, path string, flags walkFlags, p *place) errno {
	cred, sb := w.fs.cred, w.fs.sb
	slash := false // slashes followed a link at the end: what it leads to must be a directory
	for at := 0; ; {
		for at < len(path) && path[at] == '/' {
			at++
		}
		if at == len(path) { // only slashes: the root
			*p = place{dir: dir, child: dir, last: lastRoot}
			return ok
		}
		end := at + 1
		for end < len(path) && path[end] != '/' {
			end++
		}
		name := path[at:end]
		for at = end; at < len(path) && path[at] == '/'; at++ {
		}
		isLast := at == len(path)
		if !cred.maySearch(dir.access.Load()) {
			return syscall.EACCES
		}
		if name[0] == '.' && len(name) <= 2 && (len(name) == 1 || name[1] == '.') {
			if len(name) == 2 {
				if flags&walkPlain != 0 {
					return errNotPlain
				}
				dir = w.up(dir)
			}
			if isLast {
				*p = place{dir: dir, child: dir, last: lastKind(len(name)), slash: at > end}
				return ok
			}
			continue
		}
		var child *inode
		hit := false
		if sb.cache != nil {
			child, hit = sb.cache.Get(dir.ino, name)
		}
		if hit {
			w.hits++
		} else {
			var e errno
			if child, e = sb.lookupSlow(dir, name, flags&walkCreate == 0 || !isLast); e != ok {
				return e
			}
		}
		if isLast {
			slash = slash || at > end
			*p = place{dir: dir, name: name, child: child, slash: slash}
			if done, e := w.finish(p, flags, at > end); done || e != ok {
				return e
			}
			path, at, dir = child.target(), 0, w.linkBase(dir, child)
			continue
		}
		if child == nil {
			return syscall.ENOENT
		}
		if child.dir == nil {
			var e errno
			if child, e = w.through(dir, child, flags); e != ok {
				return e
			}
		}
		if flags&walkPlain != 0 && !cred.may(child.access.Load(), mayRead) {
			return syscall.EACCES // os.Root opens every directory on its way
		}
		dir = child
	}
}

// up is the step to "..", which does not leave the view.
func (w *walker) up(dir *inode) *inode {
	if dir == w.fs.root {
		return dir
	}
	return dir.parent()
}

// finish decides whether the walk ends at p. It does not where p is a symbolic link that has to be followed; slashed
// tells that slashes follow the last name of the path at hand.
func (w *walker) finish(p *place, flags walkFlags, slashed bool) (done bool, e errno) {
	if slashed && flags&walkFile != 0 {
		return true, syscall.EISDIR
	}
	if flags&walkPlain != 0 && (slashed || p.child != nil && p.child.dir == nil && p.child.isSymlink()) {
		return true, errNotPlain
	}
	if p.child == nil || p.child.dir != nil || flags&walkParent != 0 || flags&walkFollow == 0 && !p.slash ||
		!p.child.isSymlink() {
		return true, ok
	}
	return false, w.countLink(p.child)
}

// countLink is called once for each symbolic link that is followed.
func (w *walker) countLink(link *inode) errno {
	if w.links++; w.links > linksMax {
		return syscall.ELOOP
	}
	w.fs.sb.accessed(link)
	return ok
}

// linkBase is where the target of a link in dir begins.
func (w *walker) linkBase(dir, link *inode) *inode {
	if link.target()[0] == '/' {
		return w.fs.root
	}
	return dir
}

// through returns the directory that a link in the middle of a path leads to.
func (w *walker) through(dir, link *inode, flags walkFlags) (*inode, errno) {
	if !link.isSymlink() {
		return nil, syscall.ENOTDIR
	}
	if flags&walkPlain != 0 {
		return nil, errNotPlain
	}
	if e := w.countLink(link); e != ok {
		return nil, e
	}
	var p place
	if e := w.resolve(w.linkBase(dir, link), link.target(), walkFollow, &p); e != ok {
		return nil, e
	}
	switch {
	case p.child == nil:
		return nil, syscall.ENOENT
	case !p.child.isDir():
		return nil, syscall.ENOTDIR
	}
	return p.child, ok
}

// lookupSlow asks the directory itself, and tells the cache while the directory cannot change. A nil inode means that
// the name is not there; negative allows the cache to remember that.
func (sb *superblock) lookupSlow(dir *inode, name string, negative bool) (*inode, errno) {
	if len(name) > nameMax {
		return nil, syscall.ENAMETOOLONG
	}
	var n *inode
	v := dir.dir.entries.View(sb.hasher.Sum(name))
	entry, found := v.Find(name)
	if found {
		n = sb.table.get(entry.Value.Ino())
	}
	switch {
	case sb.cache == nil:
	case found:
		sb.cache.Fill(dir.ino, entry.Name, n)
	case negative && sb.negative:
		sb.cache.Fill(dir.ino, strings.Clone(name), nil)
	}
	v.End()
	if sb.cache != nil {
		sb.cache.CountMiss()
	}
	return n, ok
}

// drop takes a name out of the cache; its directory is held for a change.
func (sb *superblock) drop(dir *inode, name string) {
	if sb.cache != nil {
		sb.cache.Drop(dir.ino, name)
	}
}
