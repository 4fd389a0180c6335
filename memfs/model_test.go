package memfs_test

import (
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"syscall"
)

// node is an inode of the model.
type node struct {
	mode   fs.FileMode      // type, and whether only root may search a directory
	kids   map[string]*node // of a directory
	up     *node            // of a directory
	data   []byte
	target string
	nlink  int
}

func (n *node) isDir() bool  { return n != nil && n.mode.IsDir() }
func (n *node) isLink() bool { return n != nil && n.mode&fs.ModeSymlink != 0 }

// model is a file system as plainly as it can be written: maps, no locks, no cache, and a walk that puts the text of a
// link in front of the rest of the path. Its errors are those of package os on Linux.
type model struct{ root, cwd *node }

func newModel() *model {
	root := &node{mode: fs.ModeDir, kids: map[string]*node{}, nlink: 2}
	root.up = root
	return &model{root: root, cwd: root}
}

// How a walk treats a link at the end of the path.
type follow int

const (
	never   follow = iota // not even if slashes follow: the name is going to change
	slashed               // if slashes follow
	always
	creating // always, and slashes are EISDIR
)

const noError syscall.Errno = 0

// found is where a walk of the model ends.
type found struct {
	dir   *node
	name  string // "", ".", ".." and "/" where the path has no last name
	child *node
	slash bool
}

func (p *found) special() bool { return p.name == "." || p.name == ".." || p.name == "/" }

func (m *model) walk(path string, how follow, privileged bool) (found, syscall.Errno) {
	switch {
	case path == "":
		return found{}, syscall.ENOENT
	case strings.ContainsRune(path, 0):
		return found{}, syscall.EINVAL
	case len(path) > 4095:
		return found{}, syscall.ENAMETOOLONG
	}
	dir, links := m.cwd, 0
	wantDir := false // slashes stood behind a link that was followed at the end
	for rest := path; ; {
		if rest[0] == '/' {
			dir = m.root
		}
		name, after, hasSlash := strings.Cut(strings.TrimLeft(rest, "/"), "/")
		after = strings.TrimLeft(after, "/")
		last := after == ""
		if name == "" {
			return found{m.root, "/", m.root, false}, noError
		}
		if dir.mode&0o001 != 0 && !privileged {
			return found{}, syscall.EACCES
		}
		next := dir.kids[name]
		switch {
		case name == ".":
			next = dir
		case name == "..":
			next = dir.up
		case len(name) > 255:
			return found{}, syscall.ENAMETOOLONG
		}
		if last {
			if name != "." && name != ".." && hasSlash && how == creating {
				return found{}, syscall.EISDIR
			}
			wantDir = wantDir || hasSlash
			if !next.isLink() || how == never || how == slashed && !wantDir {
				return found{dir, name, next, wantDir}, noError
			}
		}
		switch {
		case next == nil:
			return found{}, syscall.ENOENT
		case next.isLink():
			if links++; links > 40 {
				return found{}, syscall.ELOOP
			}
			if rest = next.target; !last {
				rest += "/" + after
			}
			continue
		case !next.isDir():
			return found{}, syscall.ENOTDIR
		}
		dir, rest = next, after
	}
}

// lookup is walk for what must be there.
func (m *model) lookup(path string, how follow, privileged bool) (*node, syscall.Errno) {
	p, e := m.walk(path, how, privileged)
	switch {
	case e != noError:
		return nil, e
	case p.child == nil:
		return nil, syscall.ENOENT
	case p.slash && !p.child.isDir():
		return nil, syscall.ENOTDIR
	}
	return p.child, noError
}

// free finds a place for something new.
func (m *model) free(path string, dir bool) (found, syscall.Errno) {
	p, e := m.walk(path, never, true)
	switch {
	case e != noError:
		return p, e
	case p.child != nil:
		return p, syscall.EEXIST
	case p.slash && !dir:
		return p, syscall.ENOENT
	}
	return p, noError
}

func (p *found) put(n *node) {
	p.dir.kids[p.name] = n
	if n.isDir() {
		n.up = p.dir
		p.dir.nlink++
	}
}

func (p *found) take() {
	delete(p.dir.kids, p.name)
	if p.child.isDir() {
		p.dir.nlink--
	}
}

func (m *model) mkdir(path string) syscall.Errno {
	p, e := m.free(path, true)
	if e == noError {
		p.put(&node{mode: fs.ModeDir, kids: map[string]*node{}, nlink: 2})
	}
	return e
}

func (m *model) symlink(target, path string) syscall.Errno {
	if target == "" {
		return syscall.ENOENT
	}
	p, e := m.free(path, false)
	if e == noError {
		p.put(&node{mode: fs.ModeSymlink, target: target, nlink: 1})
	}
	return e
}

func (m *model) link(from, to string) syscall.Errno {
	n, e := m.lookup(from, slashed, true)
	if e != noError {
		return e
	}
	p, e := m.free(to, false)
	if e != noError {
		return e
	}
	if n.isDir() {
		return syscall.EPERM
	}
	n.nlink++
	p.put(n)
	return noError
}

// create is open with O_CREATE for writing.
func (m *model) create(path string, exclusive bool) (*node, syscall.Errno) {
	how := creating
	p, e := found{}, noError
	if exclusive {
		if p, e = m.walk(path, never, true); e == noError && p.slash && !p.special() {
			e = syscall.EISDIR
		}
	} else {
		p, e = m.walk(path, how, true)
	}
	switch {
	case e != noError:
		return nil, e
	case p.child == nil:
		n := &node{nlink: 1}
		p.put(n)
		return n, noError
	case exclusive:
		return nil, syscall.EEXIST
	case p.child.isDir():
		return nil, syscall.EISDIR
	}
	return p.child, noError
}

// open is open for writing without O_CREATE.
func (m *model) open(path string) (*node, syscall.Errno) {
	n, e := m.lookup(path, always, true)
	if e == noError && n.isDir() {
		e = syscall.EISDIR
	}
	return n, e
}

func (m *model) remove(path string) syscall.Errno {
	p, e := m.walk(path, never, true)
	switch {
	case e != noError:
		return e
	case p.name == ".":
		return syscall.EINVAL
	case p.name == "..":
		return syscall.ENOTEMPTY
	case p.name == "/":
		return syscall.EBUSY
	case p.child == nil:
		return syscall.ENOENT
	case p.slash && !p.child.isDir():
		return syscall.ENOTDIR
	case len(p.child.kids) > 0:
		return syscall.ENOTEMPTY
	}
	p.take()
	p.child.nlink--
	return noError
}

func (m *model) rename(from, to string) syscall.Errno {
	if n, e := m.lookup(to, slashed, true); e == noError && n.isDir() { // what os looks at first
		old, e := m.lookup(from, slashed, true)
		if e != noError {
			return e
		}
		if from == to || n != old {
			return syscall.EEXIST
		}
	}
	p, e := m.walk(from, never, true)
	if e != noError {
		return e
	}
	q, e := m.walk(to, never, true)
	switch {
	case e != noError:
		return e
	case p.special() || q.special():
		return syscall.EBUSY
	case p.child == nil:
		return syscall.ENOENT
	case !p.child.isDir() && (p.slash || q.slash):
		return syscall.ENOTDIR
	case p.child.isDir() && below(q.dir, p.child):
		return syscall.EINVAL
	case q.child == p.child:
		return noError
	case q.child != nil && p.child.isDir(): // over a directory is EEXIST above
		return syscall.ENOTDIR
	case q.child.isDir():
		return syscall.EISDIR
	}
	if q.child != nil {
		q.take()
		q.child.nlink--
	}
	p.take()
	q.put(p.child)
	return noError
}

// below reports whether n is top or lies below it.
func below(n, top *node) bool {
	for n != top && n != n.up {
		n = n.up
	}
	return n == top
}

// resize sets the size of a file.
func (n *node) resize(size int) {
	n.data = append(n.data[:min(size, len(n.data))], make([]byte, max(0, size-len(n.data)))...)
}

func (n *node) writeAt(p []byte, at int) {
	if len(p) > 0 && len(n.data) < at+len(p) {
		n.resize(at + len(p))
	}
	copy(n.data[min(at, len(n.data)):], p)
}

// dump describes the tree below n.
func (n *node) dump(path string, out *strings.Builder) {
	fmt.Fprintf(out, "%s %v nlink=%d %q %x\n", path, n.mode.Type(), n.nlink, n.target, n.data)
	for _, name := range slices.Sorted(maps.Keys(n.kids)) {
		n.kids[name].dump(path+"/"+name, out)
	}
}
