package memfs

// Node is an inode as a PathCache sees it. Nodes are comparable; the zero Node is none.
type Node struct{ n *inode }

// Ino returns the inode's number, which is never used again.
func (n Node) Ino() uint64 { return n.n.ino }

// IsDir reports whether n is a directory.
func (n Node) IsDir() bool { return n.n.dir != nil }

// PathCache is a cache of whole paths that stands where the stage would, for measuring other ways to look up a path
// against it. All methods are called by several goroutines at once. It is asked for absolute paths only, by views of the
// whole file system, and told of none but plain names ("." and ".." never) with one slash before each: "/a/b". The way
// to the last name leads through directories only.
type PathCache interface {
	// Get returns what path leads to, if that is known and it is known that cred may search every directory on the way.
	// It may be asked for any text that begins with a slash.
	Get(path string, cred *Cred) (Node, bool)

	// Begin comes before a walk of what Get did not know. Its result is handed to Add.
	Begin() uint64

	// Add tells that a walk of cred went from directory dir, whose path is path[:start] ("" for the root), by the name
	// path[start+1:end] to child, and that cred may search dir and every directory above it. The path is the caller's.
	Add(begin uint64, cred *Cred, path string, start, end int, dir, child Node)

	// Change comes before n loses a name or gets another one in its place, and before a directory gets another mode or
	// owner; Changed comes after it, once for each Change. Latches are held, so neither may call the file system.
	Change(n Node)
	Changed(n Node)
}

// WithPathCache puts what f returns in the place of the stage. It is there for measurements.
func WithPathCache(f func() PathCache) Option { return func(c *config) { c.paths = f } }

// wholePath asks the path cache, and tells it of the way if it does not know. It returns what quick returns. A call that
// is going to change the last name needs its directory, so that is what is asked for then.
func (w *walker) wholePath(dir *inode, path string, at int, flags walkFlags) (*inode, int, *inode) {
	sb := w.fs.sb
	if at == 0 || dir != sb.root || path[len(path)-1] == '/' {
		return dir, at, nil
	}
	if flags&(walkParent|walkCreate) == 0 {
		if n, known := sb.paths.Get(path, w.fs.cred); known {
			return dir, at, n.n
		}
		return w.tellPath(path, len(path))
	}
	last := len(path) - 1
	for path[last] != '/' {
		last--
	}
	if last < 1 {
		return dir, at, nil
	}
	if n, known := sb.paths.Get(path[:last], w.fs.cred); known && n.n.dir != nil {
		return n.n, last + 1, nil
	}
	dir, at, n := w.tellPath(path, last)
	if n != nil && n.dir != nil {
		return n, last + 1, nil
	}
	return dir, at, nil
}

// tellPath walks path[:to] as far as it is plain, and tells the path cache of each step.
func (w *walker) tellPath(path string, to int) (*inode, int, *inode) {
	sb := w.fs.sb
	dir, at := sb.root, 1
	begin := sb.paths.Begin()
	for at < to {
		end := nameEnd(path, at)
		name := path[at:end]
		if name == "" || name == "." || name == ".." || len(name) > nameMax || !w.fs.cred.maySearch(dir.access.Load()) {
			break
		}
		child, _ := w.step(dir, name, true)
		if child == nil || child.isSymlink() {
			break
		}
		sb.paths.Add(begin, w.fs.cred, path, at-1, end, Node{dir}, Node{child})
		if end == to {
			return dir, at, child
		}
		if child.dir == nil {
			break
		}
		dir, at = child, end+1
	}
	return dir, at, nil
}
