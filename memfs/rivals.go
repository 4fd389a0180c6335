package memfs

// Node is an inode as a PathCache sees it. Nodes are comparable; the zero Node is none.
type Node struct{ n *inode }

// Ino returns the inode's number, which is never used again.
func (n Node) Ino() uint64 { return n.n.ino }

// IsDir reports whether n is a directory.
func (n Node) IsDir() bool { return n.n.dir != nil }

// PathCache is a cache of whole paths that stands where the stage would, for measuring other ways to look up a path
// against it. All methods are called by several goroutines at once. Paths are of at least one component, each a plain
// name ("." and ".." never), one slash before each of them: "/a/b". They are only asked for by views of the whole file
// system, and only lead through directories, never through a link.
type PathCache interface {
	// Get returns what path leads to, if that is known and it is known that cred may search every directory on the way.
	Get(path string, cred *Cred) (Node, bool)

	// Begin comes before a walk of what Get did not know. Its result is handed to Add.
	Begin() uint64

	// Add tells that a walk of cred went from directory dir, whose path is path[:start] ("" for the root), by the name
	// path[start+1:end] to child, and that cred may search dir and every directory above it.
	Add(begin uint64, cred *Cred, path string, start, end int, dir, child Node)

	// Change comes before n gets another name, loses one, or gets another mode or owner; Changed comes after it, once
	// for each Change. Directory latches are held, so neither may call the file system.
	Change(n Node)
	Changed(n Node)
}

// WithPathCache puts what f returns in the place of the stage.
func WithPathCache(f func() PathCache) Option { return func(c *config) { c.paths = f } }
