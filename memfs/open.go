package memfs

import (
	"os"
	"syscall"
)

// accessMode is the part of the open flags that says whether to read or write.
const accessMode = os.O_RDONLY | os.O_WRONLY | os.O_RDWR

// open finds or creates the file at path and returns it with a reference, which counted says is there: a removed
// directory can be opened (as "."), but not be kept. Flags that have no meaning here are ignored, as open(2) does.
func (f *FS) open(path string, flags int, perm uint32) (n *inode, counted bool, e errno) {
	walk := walkFollow
	if flags&os.O_CREATE != 0 {
		walk |= walkCreate | walkFile | walkLazy
	}
	if flags&flagNoFollow != 0 || flags&(os.O_CREATE|os.O_EXCL) == os.O_CREATE|os.O_EXCL {
		walk &^= walkFollow
	}
	for {
		var p place
		if e := f.walk(path, walk, &p); e != ok {
			return nil, false, e
		}
		if p.unknown { // most of what is opened to be created is new
			if n, e := f.makeFile(&p, perm); e == ok {
				return n, true, ok
			}
			walk &^= walkLazy
			continue
		}
		n, counted, e, again := f.openPlace(&p, flags, perm)
		if !again {
			return n, counted, e
		}
	}
}

// openPlace opens what a walk has found. again says that it changed meanwhile and has to be looked up once more.
func (f *FS) openPlace(p *place, flags int, perm uint32) (n *inode, counted bool, e errno, again bool) {
	exclusive := flags&(os.O_CREATE|os.O_EXCL) == os.O_CREATE|os.O_EXCL
	if p.child == nil {
		if flags&os.O_CREATE == 0 {
			return nil, false, syscall.ENOENT, false
		}
		n, e := f.makeFile(p, perm)
		if e == syscall.EEXIST && !exclusive {
			return nil, false, ok, true
		}
		return n, true, e, false // a new file may be opened for anything
	}
	if exclusive {
		return nil, false, syscall.EEXIST, false
	}
	if flags&flagTmpFile != 0 {
		n, e := f.makeTmpFile(p.child, flags, perm)
		return n, true, e, false
	}
	if e := f.mayOpen(p, flags); e != ok {
		return nil, false, e, false
	}
	n = p.child
	now, truncates := int64(0), flags&os.O_TRUNC != 0 && n.access.Load().isRegular()
	if truncates {
		now = f.sb.now() // a clock of the user's is asked before anything is taken
	}
	if !n.get() {
		if n.isDir() && n.dir.entries.Dead() && p.last != lastName {
			return n, false, ok, false
		}
		return nil, false, ok, true
	}
	if truncates {
		f.truncate(n, 0, now)
	}
	return n, true, ok, false
}

// mayOpen makes the kernel's checks of an existing file, in the kernel's order.
func (f *FS) mayOpen(p *place, flags int) errno {
	a := p.child.access.Load()
	isDir := a.isDir()
	writes := flags&accessMode != os.O_RDONLY || flags&os.O_TRUNC != 0
	switch {
	case isDir && flags&os.O_CREATE != 0:
		return syscall.EISDIR
	case !isDir && (flags&flagDirectory != 0 || p.slash):
		return syscall.ENOTDIR
	case flags&flagPath != 0:
		return ok
	case a.mode&modeType == modeSymlink:
		return syscall.ELOOP
	case isDir && writes:
		return syscall.EISDIR
	}
	want := uint32(0)
	if flags&accessMode != os.O_WRONLY {
		want |= mayRead
	}
	if writes {
		want |= mayWrite
	}
	switch {
	case !f.cred.may(a, want):
		return syscall.EACCES
	case flags&flagNoAtime != 0 && !f.cred.owns(a):
		return syscall.EPERM
	}
	return ok
}
