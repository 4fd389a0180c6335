package memfs

import (
	"errors"
	"io/fs"
	"slices"
	"strings"
	"syscall"
)

// Walks of a view from OpenRoot, with the rules of os.Root: a path is relative and stays below the root, ".." takes back
// components that were walked before, at most 8 links are followed, and each directory on the way must be readable, as
// os.Root opens them one by one.

const (
	confinedLinks    = 8
	confinedSteps    = 255 // steps and restarts after "..": a walk that passes both is given up
	confinedRestarts = 8
)

// confinedFlags say what a confined walk is for.
type confinedFlags uint8

const (
	confinedFollow   confinedFlags = 1 << iota // follow a link at the end
	confinedKeep                               // slashes at the end mean nothing
	confinedMakeDir                            // a directory is to be made: slashes may follow a name that is free
	confinedMakeDirs                           // missing directories on the way are made, too
	confinedLate                               // what is wrong with the last name itself goes to place.failed
)

// confinedWalk is the state of a walk.
type confinedWalk struct {
	fs       *FS
	flags    confinedFlags
	perm     uint32 // of directories that are made on the way
	parts    []string
	at       int
	dir      *inode // where parts[:at] has led
	slash    bool   // slashes follow the last part
	steps    int
	restarts int
	links    int
}

// resolveConfined finds the place of name. Its slash is never set: slashes are dealt with here.
func (f *FS) resolveConfined(name string, flags confinedFlags, perm uint32) (place, bool, error) {
	if f.closed.Load() {
		return place{}, false, fs.ErrClosed
	}
	name = toSlash(name)
	if p, e := f.resolvePlain(name, flags); e != errNotPlain {
		return p, false, asError(e)
	}
	parts, slash, err := splitConfined(name, nil, nil)
	if err != nil {
		return place{}, false, err
	}
	w := confinedWalk{fs: f, flags: flags, perm: perm, parts: parts, dir: f.root, slash: slash}
	for {
		p, done, err := w.step()
		if done && err == nil && flags&confinedMakeDirs != 0 {
			err = w.makeLast(&p, name)
		}
		if done || err != nil {
			return p, w.slash, err
		}
	}
}

// makeLast makes the last directory of MkdirAll, unless there is one, or a link to one.
func (w *confinedWalk) makeLast(p *place, name string) error {
	e := w.fs.mkdir(p, w.perm)
	if e != syscall.EEXIST || p.child == nil {
		if e == ok {
			return nil
		}
		return w.fail("mkdirat", e)
	}
	if p.child.isDir() {
		return nil
	}
	if p.child.isSymlink() {
		n, err := w.fs.findConfined(name, walkFollow)
		switch {
		case err == nil && n.isDir():
			return nil
		case err == nil:
			e = syscall.ENOTDIR
		case !errors.Is(err, fs.ErrNotExist):
			return wrapPath("mkdirat", w.path(), wrapPath("statat", name, err))
		}
	}
	return w.fail("mkdirat", e)
}

// resolvePlain walks a path of plain names the ordinary way; errNotPlain for all that needs more.
func (f *FS) resolvePlain(name string, flags confinedFlags) (place, errno) {
	var p place
	if flags&(confinedMakeDirs|confinedLate) != 0 || name == "" || name[0] == '/' {
		return p, errNotPlain
	}
	w := walker{fs: f}
	walk := walkPlain
	if flags&confinedFollow == 0 {
		walk |= walkParent
	}
	dir, at, n := w.quick(f.root, name, 0, walk, true)
	if n != nil {
		w.count(n, dir)
		return place{dir: dir, name: name[at:], child: n}, ok
	}
	if checkPath(name, at) != ok {
		return p, errNotPlain
	}
	e := w.resolve(dir, name, at, walk, &p)
	w.countPlace(&p, e)
	return p, e
}

// step goes on by one part of the path; done says that p is the place.
func (w *confinedWalk) step() (p place, done bool, err error) {
	w.steps++
	if w.steps > confinedSteps && w.restarts > confinedRestarts {
		return p, true, syscall.ENAMETOOLONG
	}
	part := w.parts[w.at]
	if part == ".." {
		return p, false, w.goBack()
	}
	p, e := w.child(part)
	if isLast := w.at == len(w.parts)-1; e != ok {
		if isLast && w.flags&confinedLate != 0 && (!w.slash || w.flags&confinedKeep != 0) {
			return place{dir: w.dir, name: part, failed: e}, true, nil
		}
		return p, true, w.fail("openat", e)
	} else if isLast {
		if done, e := w.finish(&p); done || e != ok {
			return p, true, asError(e)
		}
		return p, false, w.follow(p.child)
	}
	next, err := w.enter(&p)
	switch {
	case err != nil:
		return p, true, err
	case next.isSymlink():
		return p, false, w.follow(next)
	}
	w.dir = next
	w.at++
	return p, false, nil
}

// child finds the part's place in the directory at hand.
func (w *confinedWalk) child(part string) (p place, e errno) {
	if strings.IndexByte(part, 0) >= 0 {
		return p, syscall.EINVAL
	}
	step := walker{fs: w.fs}
	e = step.resolve(w.dir, part, 0, walkParent|walkCreate, &p)
	return p, e
}

// enter returns what is at p, in the middle of the path: a directory that may be opened, or a link.
func (w *confinedWalk) enter(p *place) (*inode, error) {
	if p.child == nil && w.flags&confinedMakeDirs != 0 {
		if e := w.fs.mkdir(p, w.perm); e != ok && e != syscall.EEXIST {
			return nil, w.fail("mkdirat", e)
		}
		again, e := w.child(p.name)
		if e != ok {
			return nil, w.fail("openat", e)
		}
		*p = again
	}
	n := p.child
	switch {
	case n == nil:
		return nil, w.fail("openat", syscall.ENOENT)
	case n.isSymlink():
		return n, nil
	case !n.isDir():
		return nil, w.fail("openat", syscall.ENOTDIR)
	case !w.fs.cred.may(n.access.Load(), mayRead):
		return nil, w.fail("openat", syscall.EACCES)
	}
	return n, nil
}

// finish decides whether the walk ends at p; if not, p.child is a link to follow.
func (w *confinedWalk) finish(p *place) (done bool, e errno) {
	n := p.child
	isLink := n != nil && n.isSymlink()
	if w.slash && w.flags&confinedKeep == 0 {
		switch {
		case n == nil && w.flags&confinedMakeDir != 0:
		case n == nil:
			return true, syscall.ENOENT
		case isLink:
			return false, ok
		case !n.isDir():
			return true, syscall.ENOTDIR
		}
	}
	return !isLink || w.flags&confinedFollow == 0, ok
}

// follow replaces the part at hand by the text of a link.
func (w *confinedWalk) follow(link *inode) error {
	text := link.target()
	if text == "" {
		return nil // removed meanwhile: the part is looked up again
	}
	if w.links++; w.links > confinedLinks {
		return syscall.ELOOP
	}
	w.fs.sb.accessed(link)
	isLast := w.at == len(w.parts)-1
	parts, slash, err := splitConfined(text, w.parts[:w.at], w.parts[w.at+1:])
	if err != nil {
		return err
	}
	w.slash = w.slash || isLast && slash
	w.parts = parts
	return nil
}

// goBack takes the ".." at hand, and those behind it, together with as many parts before it, out of the path and begins
// again at the root: the directories on the way may have moved meanwhile.
func (w *confinedWalk) goBack() error {
	w.restarts++
	end := w.at + 1
	for end < len(w.parts) && w.parts[end] == ".." {
		end++
	}
	count := end - w.at
	if count > w.at {
		return errPathEscapes
	}
	w.parts = slices.Delete(w.parts, w.at-count, end)
	if len(w.parts) == 0 {
		w.parts = []string{"."}
	}
	w.at, w.dir = 0, w.fs.root
	return nil
}

// fail is an error at the part at hand: MkdirAll names what it did there, and the path so far with links resolved.
func (w *confinedWalk) fail(op string, e errno) error {
	if w.flags&confinedMakeDirs == 0 {
		return asError(e)
	}
	if w.at == len(w.parts)-1 {
		op = "mkdirat"
	}
	return &fs.PathError{Op: op, Path: w.path(), Err: e}
}

// path is the part at hand with all before it.
func (w *confinedWalk) path() string { return strings.Join(w.parts[:w.at+1], "/") }

// splitConfined splits path into its components, between those of prefix and suffix. "." is left out but at the very
// end. slash tells that slashes follow.
func splitConfined(path string, prefix, suffix []string) (parts []string, slash bool, err error) {
	switch {
	case path == "":
		return nil, false, errEmptyPath
	case path[0] == '/':
		return nil, false, errPathEscapes
	}
	parts = slices.Clone(prefix)
	trimmed := strings.TrimRight(path, "/")
	slash = len(trimmed) < len(path)
	names := strings.Split(trimmed, "/")
	for i, name := range names {
		isLast := i == len(names)-1 && len(suffix) == 0
		if name == "" || name == "." && !isLast {
			continue
		}
		parts = append(parts, name)
	}
	return append(parts, suffix...), slash, nil
}

// lookupConfined is lookup for a confined view, for errors without a path.
func (f *FS) lookupConfined(name string, flags walkFlags) (*inode, errno) {
	n, err := f.findConfined(name, flags)
	var e errno
	if errors.As(err, &e) {
		return nil, e
	}
	if err != nil {
		return nil, syscall.EXDEV
	}
	return n, ok
}

// findConfined finds something that must be there.
func (f *FS) findConfined(name string, flags walkFlags) (*inode, error) {
	var cf confinedFlags
	if flags&walkFollow != 0 {
		cf = confinedFollow
	}
	p, _, err := f.resolveConfined(name, cf, 0)
	if err != nil {
		return nil, err
	}
	if p.child == nil {
		return nil, syscall.ENOENT
	}
	return p.child, nil
}
