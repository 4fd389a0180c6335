package memfs

import (
	"math/rand/v2"
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
	walkLate                         // what is wrong with the last name itself goes to place.failed
	walkLazy                         // what the cache does not know of the last name is left unknown
)

// errNotPlain is what a walk with walkPlain answers where the path needs more than plain steps. It never leaves the
// package.
const errNotPlain = errno(1<<16 - 1)

// walker is the state of one walk. Every step finds the child of one directory by one name: in the dentry cache without
// a lock, else in the directory under its latch. So each parent-child edge was there at some moment of the walk, in
// order, which is what walking hand over hand with locks promises. The steps that the stage skips all were there at its
// beginning.
type walker struct {
	fs      *FS
	links   int  // symbolic links followed
	hits    int  // steps the cache answered
	missed  bool // glide has stopped at a name that the cache does not know
	skipped int  // steps that the stage has saved
}

// checkPath refuses what no system call would take. What lies before byte at is known to be in order.
func checkPath(path string, at int) errno {
	switch {
	case path == "":
		return syscall.ENOENT
	case strings.IndexByte(path[at:], 0) >= 0:
		return syscall.EINVAL
	case len(path) >= pathMax:
		return syscall.ENAMETOOLONG
	}
	return ok
}

// walk finds the place of path as the view's user sees it.
func (f *FS) walk(path string, flags walkFlags, p *place) errno {
	path = toSlash(path)
	if path == "" {
		return syscall.ENOENT
	}
	w := walker{fs: f}
	dir, at := f.start(path)
	dir, at, n := w.quick(dir, path, at, flags, false)
	if n != nil {
		*p = place{dir: dir, name: path[at:], child: n}
		w.count(n, dir)
		return ok
	}
	e := w.rest(dir, path, at, flags, p)
	w.countPlace(p, e)
	return e
}

// rest walks what quick has left.
func (w *walker) rest(dir *inode, path string, at int, flags walkFlags, p *place) errno {
	if e := checkPath(path, at); e != ok {
		return e
	}
	if w.missed && flags&walkLazy != 0 && len(path)-at <= nameMax && strings.IndexByte(path[at:], '/') < 0 {
		*p = place{dir: dir, name: path[at:]} // glide has done all but this
		w.leave(p)
		return ok
	}
	return w.resolve(dir, path, at, flags, p)
}

// lookup is walk for something that must be there.
func (f *FS) lookup(path string, flags walkFlags) (*inode, errno) {
	if f.confined {
		return f.lookupConfined(path, flags)
	}
	path = toSlash(path)
	if path == "" {
		return nil, syscall.ENOENT
	}
	w := walker{fs: f}
	dir, at := f.start(path)
	dir, at, n := w.quick(dir, path, at, flags, false)
	if n != nil {
		w.count(n, dir)
		return n, ok
	}
	return w.lookupRest(dir, path, at, flags)
}

// lookupRest is lookup from where the quick steps have ended.
func (w *walker) lookupRest(dir *inode, path string, at int, flags walkFlags) (*inode, errno) {
	var p place
	e := w.rest(dir, path, at, flags, &p)
	w.countPlace(&p, e)
	if e == ok {
		e = p.mustExist()
	}
	return p.child, e
}

// start is the directory where a path begins, and the byte behind its first slash.
func (f *FS) start(path string) (*inode, int) {
	switch {
	case path[0] == '/':
		return f.root, 1
	case f.fromRoot:
		return f.root, 0
	}
	return f.cwd.Load(), 0
}

// resolve walks path from byte at on, from directory dir.
func (w *walker) resolve(dir *inode, path string, at int, flags walkFlags, p *place) errno {
	slash := false // slashes followed a link at the end: what it leads to must be a directory
	for {
		for at < len(path) && path[at] == '/' {
			at++
		}
		if at == len(path) { // only slashes: the root
			*p = place{dir: dir, child: dir, last: lastRoot}
			return ok
		}
		from, end := at, nameEnd(path, at)
		name := path[from:end]
		for at = end; at < len(path) && path[at] == '/'; at++ {
		}
		isLast := at == len(path)
		if name == ".." && flags&walkPlain != 0 {
			return errNotPlain
		}
		if !w.fs.cred.maySearch(dir.access.Load()) {
			return syscall.EACCES
		}
		if name == "." || name == ".." {
			if len(name) == 2 {
				dir = w.up(dir)
			}
			if isLast {
				*p = place{dir: dir, child: dir, last: lastKind(len(name)), slash: at > end}
				return ok
			}
			continue
		}
		if isLast {
			*p = place{dir: dir, name: name, slash: slash || at > end}
			text, e := w.last(p, flags, at > end)
			switch {
			case e == errGone:
				at = from // the name is another's by now
			case text == "":
				return e
			default:
				slash = p.slash
				dir, path, at = w.linkBase(dir, text), text, 0
			}
			continue
		}
		child, e := w.enter(dir, name, flags)
		switch {
		case e == errGone:
			at = from
		case e != ok:
			return e
		default:
			dir = child
		}
	}
}

// errGone says that a link was removed when it was to be followed: the name has to be looked up again. It never leaves
// the walker.
const errGone = errno(1<<16 - 2)

// step finds the child of a directory by one name; nil if there is none.
func (w *walker) step(dir *inode, name string, negative bool) (*inode, errno) {
	sb := w.fs.sb
	if len(name) > nameMax {
		return nil, syscall.ENAMETOOLONG
	}
	if sb.cache != nil {
		if !w.missed { // else glide has just asked
			if child, hit := sb.cache.Get(dir.ino, name); hit {
				w.hits++
				return child, ok
			}
		}
		w.missed = false
		sb.cache.CountMiss()
	}
	return sb.lookupSlow(dir, name, negative), ok
}

// last looks up the last name of a path at p, unless it may stay unknown. It returns the text of a symbolic link that
// the walk has to follow, else "": then the walk is over. slashed tells that slashes follow the name in the path at hand.
func (w *walker) last(p *place, flags walkFlags, slashed bool) (text string, e errno) {
	if slashed && flags&walkFile != 0 {
		return "", syscall.EISDIR
	}
	if flags&walkLazy != 0 && !slashed && len(p.name) <= nameMax && w.leave(p) {
		return "", ok
	}
	if p.child, e = w.step(p.dir, p.name, flags&walkCreate == 0); e != ok {
		if flags&walkLate != 0 {
			p.failed, e = e, ok
		}
		return "", e
	}
	isLink := p.child != nil && p.child.isSymlink()
	if flags&walkPlain != 0 && (slashed || isLink) {
		return "", errNotPlain
	}
	if !isLink || flags&walkParent != 0 || flags&walkFollow == 0 && !p.slash {
		return "", ok
	}
	return w.follow(p.child)
}

// leave leaves the last name unknown if the cache does not know it.
func (w *walker) leave(p *place) bool {
	c := w.fs.sb.cache
	if c != nil && !w.missed {
		if child, hit := c.Get(p.dir.ino, p.name); hit {
			if child == nil || child.isDir() || !child.isSymlink() {
				w.hits++
				p.child = child
				return true
			}
			return false
		}
	}
	if c != nil {
		c.CountMiss()
	}
	w.missed, p.unknown = false, true
	return true
}

// enter returns the directory that a name in the middle of a path leads to.
func (w *walker) enter(dir *inode, name string, flags walkFlags) (*inode, errno) {
	child, e := w.step(dir, name, true)
	switch {
	case e != ok:
		return nil, e
	case child == nil:
		return nil, syscall.ENOENT
	case child.dir == nil:
		if child, e = w.through(dir, child, flags); e != ok {
			return nil, e
		}
	}
	if flags&walkPlain != 0 && !w.fs.cred.may(child.access.Load(), mayRead) {
		return nil, syscall.EACCES // os.Root opens every directory on its way
	}
	return child, ok
}

// through returns the directory that a link in the middle of a path leads to.
func (w *walker) through(dir, link *inode, flags walkFlags) (*inode, errno) {
	if !link.isSymlink() {
		return nil, syscall.ENOTDIR
	}
	if flags&walkPlain != 0 {
		return nil, errNotPlain
	}
	text, e := w.follow(link)
	if e != ok {
		return nil, e
	}
	var p place
	if e := w.resolve(w.linkBase(dir, text), text, 0, walkFollow, &p); e != ok {
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

// follow returns the text of a link that is going to be followed.
func (w *walker) follow(link *inode) (string, errno) {
	text := link.target()
	if text == "" {
		return "", errGone
	}
	if w.links++; w.links > linksMax {
		return "", syscall.ELOOP
	}
	w.fs.sb.accessed(link)
	return text, ok
}

// linkBase is where the text of a link in dir begins.
func (w *walker) linkBase(dir *inode, text string) *inode {
	if text[0] == '/' {
		return w.fs.root
	}
	return dir
}

// up is the step to "..", which does not leave the view.
func (w *walker) up(dir *inode) *inode {
	if dir == w.fs.root {
		return dir
	}
	return dir.parent()
}

// lookupSlow asks the directory itself, and tells the cache while the directory cannot change. A nil inode means that
// the name is not there; negative allows the cache to remember that.
func (sb *superblock) lookupSlow(dir *inode, name string, negative bool) *inode {
	var n *inode
	v := dir.dir.entries.View(sb.hasher.Sum(name))
	entry, found := v.Find(name)
	if found {
		n = sb.table.get(entry.Value.Ino())
	}
	switch {
	case sb.cache == nil:
	case found && sb.worthCaching(n):
		sb.cache.Fill(dir.ino, entry.Name, n)
	case !found && negative && sb.negative && sb.worthCaching(nil):
		sb.cache.Fill(dir.ino, strings.Clone(name), nil)
	}
	v.End()
	return n
}

// fillWhenFull is how many misses there are for one file that a full cache takes in.
const fillWhenFull = 4

// worthCaching decides whether the cache learns of n, nil for nothing. A full one takes in every directory, but of all
// else only some, at random: where more is looked up in turn than it holds, filling and evicting would cost more than
// it saves.
func (sb *superblock) worthCaching(n *inode) bool {
	return n != nil && n.isDir() || !sb.cache.Full() || rand.Uint32()%fillWhenFull == 0
}

// drop takes a name out of the cache, and reports whether it was there; its directory is held for a change.
func (sb *superblock) drop(dir *inode, name string) bool {
	return sb.cache != nil && sb.cache.Drop(dir.ino, name)
}
