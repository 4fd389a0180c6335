package memfs

import (
	"slices"
	"strings"
	"sync/atomic"

	"stagefs/rbdir"
)

// directory is the part of an inode that only a directory has.
type directory struct {
	entries rbdir.Dir[Ref]
	up      atomic.Pointer[dirPlace] // where the directory hangs; its last place once it is removed
}

// dirPlace is the one name a directory has. It is immutable: a rename hangs up a new one. It holds the parent's number and
// not the parent, since the memory of a removed directory may stay for a while and must not keep others.
type dirPlace struct {
	parent uint64 // the root's own parent is the root
	name   string // "" for the root
}

// parent returns the directory above dir; of a removed directory the one that was, nil if that is gone, too.
func (sb *superblock) parent(dir *inode) *inode { return sb.table.get(dir.dir.up.Load().parent) }

// hasAncestor reports whether a is dir or a directory above it. It is true to one moment only while no directory changes
// its parent (superblock.renames).
func (sb *superblock) hasAncestor(dir, a *inode) bool {
	for {
		if dir == a {
			return true
		}
		up := sb.parent(dir)
		if up == dir || up == nil {
			return false
		}
		dir = up
	}
}

// pathBelow returns the path of a directory below root, "/" for root itself. It is false if the directory was removed or
// does not lie below root.
func (sb *superblock) pathBelow(dir, root *inode) (string, bool) {
	var names []string
	for dir != root {
		place := dir.dir.up.Load()
		up := sb.table.get(place.parent)
		if up == dir || up == nil || dir.dir.entries.Dead() {
			return "", false
		}
		names = append(names, place.name)
		dir = up
	}
	slices.Reverse(names)
	return "/" + strings.Join(names, "/"), true
}
