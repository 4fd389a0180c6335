package memfs

import (
	"slices"
	"strings"
	"sync/atomic"
)

// extras are what few inodes have besides mode and owner. They hang on the access, so that a reader sees all of one
// moment, and an inode without them pays nothing. They are immutable; a change makes new ones.
type extras struct {
	acl     posixACL    // the access ACL; nil where the mode says it all
	inherit *defaultACL // the default ACL of a directory
	attrs   []xattr     // ordered as they are listed: by name, backwards
	space   int64       // bytes charged for attrs
}

// xattr is one extended attribute that is not an ACL.
type xattr struct {
	name  string // with its namespace
	value []byte // immutable
}

// xattrHeader is what an attribute costs besides its name and value, as on tmpfs.
const xattrHeader = 40

func xattrSpace(name string, value []byte) int64 { return int64(xattrHeader + len(name) + len(value)) }

// extras returns a's; none if it has none.
func (a *access) extras() extras {
	if a.more == nil {
		return extras{}
	}
	return *a.more
}

// setExtras gives a other extras; x is not to be changed afterwards.
func (a *access) setExtras(x extras) {
	a.mode &^= modeHasACL | modeHasCaps
	if x.acl != nil {
		a.mode |= modeHasACL
	}
	if _, has := x.find(xattrCaps); has {
		a.mode |= modeHasCaps
	}
	a.more = nil
	if x.acl != nil || x.inherit != nil || len(x.attrs) > 0 || x.space != 0 {
		more := new(extras)
		*more = x
		a.more = more
	}
}

// find returns where the attribute is, or would be.
func (x *extras) find(name string) (at int, found bool) {
	return slices.BinarySearchFunc(x.attrs, name, func(a xattr, name string) int { return strings.Compare(name, a.name) })
}

// with returns the attributes with one set, at the place that find returned.
func (x *extras) with(at int, found bool, set xattr) []xattr {
	rest := x.attrs[at:]
	if found {
		rest = rest[1:]
	}
	return slices.Concat(x.attrs[:at], []xattr{set}, rest)
}

// without returns the attributes but for one.
func (x *extras) without(at int) []xattr { return slices.Concat(x.attrs[:at], x.attrs[at+1:]) }

// setPerm sets the permission bits, also in the ACL.
func (a *access) setPerm(perm uint32) {
	a.mode = a.mode&^modePerm | perm
	if a.mode&modeHasACL != 0 {
		x := a.extras()
		x.acl = x.acl.chmod(perm)
		a.setExtras(x)
	}
}

// defaultACL is the default ACL of directories. A new directory has that of its parent.
type defaultACL struct {
	acl  posixACL
	last atomic.Pointer[inherited] // what was made of it last: most files of a directory are created alike
}

// inherited is what new files of one mode get from a default ACL.
type inherited struct {
	asked uint32 // type and permissions
	mode  uint32
	more  *extras
}

// forNew returns mode and extras of a new file that is created with the given mode.
func (d *defaultACL) forNew(mode uint32) (uint32, *extras) {
	if last := d.last.Load(); last != nil && last.asked == mode {
		return last.mode, last.more
	}
	a := access{mode: mode}
	var x extras
	x.acl, a.mode = d.acl.forNew(mode)
	if _, all := x.acl.mode(); all {
		x.acl = nil
	}
	if a.isDir() {
		x.inherit = d
	}
	a.setExtras(x)
	d.last.Store(&inherited{asked: mode, mode: a.mode, more: a.more})
	return a.mode, a.more
}

// newAccess is the mode and owner of something new in directory d, with what it inherits. A default ACL takes the place
// of the umask.
func (f *FS) newAccess(d *access, mode uint32) access {
	a := f.cred.newAccess(d, mode)
	switch {
	case mode&modeType == modeSymlink:
	case d.more != nil && d.more.inherit != nil:
		a.mode, a.more = d.more.inherit.forNew(a.mode)
	default:
		a.mode &^= f.umask
	}
	return a
}
