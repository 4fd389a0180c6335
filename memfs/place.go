package memfs

import "syscall"

// place is where a walk ended: a directory, the last name of the path, and what bears that name, if anything does. A
// caller that means to create needs no child, one that looks something up does.
type place struct {
	dir   *inode   // the directory of the last name; the directory itself where the path has no last name
	name  string   // the last name, without slashes
	child *inode   // nil if there is nothing of that name
	last  lastKind // whether there is a last name
	slash bool     // slashes follow the last name

	// unknown says that a lazy walk has not looked for the last name: child is nil, whatever is there.
	unknown bool

	// failed is why the last name could not be looked up, in walks that leave that to the caller (walkLate).
	failed errno
}

// lastKind tells what a path ends in.
type lastKind uint8

const (
	lastName   lastKind = iota
	lastDot             // "."
	lastDotDot          // ".."
	lastRoot            // nothing but slashes
)

// look finds out what is at a place that a lazy walk left unknown.
func (f *FS) look(p *place) {
	if p.unknown {
		p.child, p.unknown = f.sb.lookupSlow(p.dir, p.name, false), false
	}
}

// whyNot says why something could not be created at p: that it is there already comes before all other errors, and a
// lazy walk has not looked.
func (f *FS) whyNot(p *place, dir bool, e errno) errno {
	if e == ok || !p.unknown {
		return e
	}
	f.look(p)
	if exists := p.mustNotExist(dir); exists != ok {
		return exists
	}
	return e
}

// plain reports whether the path ended in a name and nothing behind it.
func (p *place) plain() bool { return p.last == lastName && !p.slash && p.failed == ok }

// mustExist is the check of all that looks something up: it must be there, and be a directory if slashes follow.
func (p *place) mustExist() errno {
	switch {
	case p.child == nil:
		return syscall.ENOENT
	case p.slash && !p.child.isDir():
		return syscall.ENOTDIR
	}
	return ok
}

// mustNotExist is the check of what creates something; dir tells that it will be a directory, after whose name slashes
// may stand.
func (p *place) mustNotExist(dir bool) errno {
	switch {
	case p.last != lastName || p.child != nil:
		return syscall.EEXIST
	case p.slash && !dir:
		return syscall.ENOENT
	}
	return ok
}
