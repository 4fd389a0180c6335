package memfs

import (
	"sync/atomic"

	"stagefs/rbdir"
)

// directory is the part of an inode that only a directory has.
type directory struct {
	entries rbdir.Dir[Ref]
	up      atomic.Pointer[dirPlace] // where the directory hangs; its last place once it is removed
}

// dirPlace is the one name a directory has. It is immutable: a rename hangs up a new one.
type dirPlace struct {
	parent *inode // the root's own parent is the root
	name   string // "" for the root
}

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
	path := ""
	for n != root {
		place := n.dir.up.Load()
		if place.parent == n || n.dir.entries.Dead() {
			return "", false
		}
		path = "/" + place.name + path
		n = place.parent
	}
	if path == "" {
		path = "/"
	}
	return path, true
}
