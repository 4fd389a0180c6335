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

// dirPlace is the one name a directory has. It is immutable: a rename hangs up a new one. It holds the parent's number and
// not the parent, since the memory of a removed directory may stay for a while and must not keep others.
type dirPlace struct {
	parent uint64 // the root's own parent is the root
	name   string // "" for the root
}

// parent returns the directory above dir; of a removed directory the one that was, nil if that is gone, too.
func (sb *superblock) parent(dir *inode) *inode {
	for {
		place := dir.dir.up.Load()
		if up := sb.table.get(place.parent); up != nil {
			return up
		}
		if dir.dir.up.Load() == place { // else it was moved, and only then the old parent went
			return nil
		}
	}
}

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
	for {
		path, found, moved := sb.tryPathBelow(dir, root)
		if found || !moved {
			return path, found
		}
	}
}

// tryPathBelow is pathBelow unless a directory on the way is moved meanwhile: then what was its parent may be gone.
func (sb *superblock) tryPathBelow(dir, root *inode) (path string, found, moved bool) {
	type step struct {
		dir   *inode
		place *dirPlace
	}
	var way []step
	for dir != root {
		place := dir.dir.up.Load()
		way = append(way, step{dir, place})
		up := sb.table.get(place.parent)
		if up == dir || up == nil || dir.dir.entries.Dead() {
			for _, s := range way {
				moved = moved || s.dir.dir.up.Load() != s.place
			}
			return "", false, moved
		}
		path = "/" + place.name + path
		dir = up
	}
	if path == "" {
		path = "/"
	}
	return path, true, false
}
