package memfs

import (
	"strings"
	"sync/atomic"

	"stagefs/rbdir"
	"stagefs/stage"
)

// directory is the part of an inode that only a directory has.
type directory struct {
	entries rbdir.Dir[Ref]
	up      atomic.Pointer[dirPlace] // where the directory hangs; its last place once it is removed
	stage   stage.Node
}

// dirPlace is the one name a directory has. It is immutable: a rename hangs up a new one.
type dirPlace struct {
	parent *inode // the root's own parent is the root
	name   string // "" for the root
}

// parent returns the directory above n; of a removed directory the one that was.
func (n *inode) parent() *inode { return n.dir.up.Load().parent }

// hasAncestor reports whether a is n or a directory above n. It is true to one moment only while no directory changes
// its parent (superblock.renames).
func (n *inode) hasAncestor(a *inode) bool {
	for {
		if n == a {
			return true
		}
		up := n.parent()
		if up == n {
			return false
		}
		n = up
	}
}

// pathBelow returns the path of directory n below root, "/" for root itself. It is false if n was removed or does not
// lie below root.
func (n *inode) pathBelow(root *inode) (string, bool) {
	for {
		path, found, moved := n.tryPathBelow(root)
		if found || !moved {
			return path, found
		}
	}
}

// tryPathBelow is pathBelow unless a directory on the way is moved meanwhile: then the path may never have been, and what
// was a parent may be removed.
func (n *inode) tryPathBelow(root *inode) (path string, found, moved bool) {
	type step struct {
		dir   *inode
		place *dirPlace
	}
	var way []step
	found = true
	for dir := n; dir != root && found; {
		place := dir.dir.up.Load()
		way = append(way, step{dir, place})
		found = place.parent != dir && !dir.dir.entries.Dead()
		dir = place.parent
	}
	names := make([]string, 0, len(way))
	for i := len(way) - 1; i >= 0; i-- {
		names = append(names, way[i].place.name)
		moved = moved || way[i].dir.dir.up.Load() != way[i].place
	}
	return "/" + strings.Join(names, "/"), found && !moved, moved
}
