package memfs

import (
	"slices"
)

// The two kinds of locks that do not see each other.
const (
	recordSpace = iota // POSIX and open-file-description locks
	flockSpace
	lockSpaces
)

// fileLocks are the locks of one inode, and those who wait for one.
type fileLocks [lockSpaces]lockSpace

func (l *fileLocks) empty() bool {
	for i := range l {
		if len(l[i].groups) > 0 || len(l[i].queue) > 0 {
			return false
		}
	}
	return true
}

// lockSpace are the locks of an inode that may conflict.
//
//	INVARIANT: no group is empty, and no lock blocks one of another group.
//	INVARIANT: each waiter has a blocker, which is in a group and in its way.
type lockSpace struct {
	groups []*lockGroup  // in the order in which their owners got the first lock
	queue  []*lockWaiter // first come first
}

// find returns the index of an owner's group, -1 if it has none.
func (s *lockSpace) find(owner lockOwner) int {
	return slices.IndexFunc(s.groups, func(g *lockGroup) bool { return g.owner == owner })
}

// conflict returns the first lock that is in the way of r, nil if none is.
func (s *lockSpace) conflict(r *lockRequest) *heldLock {
	for _, g := range s.groups {
		if g.owner == r.owner {
			continue
		}
		if h := g.conflict(r); h != nil {
			return h
		}
	}
	return nil
}

// apply carries r out, in whose way nothing is, and reports whether others have to look again.
func (s *lockSpace) apply(r *lockRequest) (changed bool) {
	at := s.find(r.owner)
	if at < 0 {
		if r.kind == NoLock {
			return false
		}
		s.groups = append(s.groups, &lockGroup{owner: r.owner})
		at = len(s.groups) - 1
	}
	g := s.groups[at]
	changed = g.apply(r)
	switch {
	case len(g.ranges) == 0:
		s.groups = slices.Delete(s.groups, at, at+1)
	case r.kind != NoLock && !slices.Contains(g.files, r.file):
		g.files = append(g.files, r.file)
	}
	return changed
}

// drop gives up all locks of the groups that which names.
func (s *lockSpace) drop(which func(*lockGroup) bool) (changed bool) {
	s.groups = slices.DeleteFunc(s.groups, func(g *lockGroup) bool {
		if !which(g) {
			return false
		}
		for _, h := range g.ranges {
			h.gone = true
		}
		changed = true
		return true
	})
	return changed
}

// holds reports whether r's owner has the lock already, on all its bytes.
func (s *lockSpace) holds(r *lockRequest) bool {
	at := s.find(r.owner)
	if at < 0 {
		return false
	}
	g := s.groups[at]
	i := g.from(r.start)
	return i < len(g.ranges) && g.ranges[i].kind == r.kind && g.ranges[i].start <= r.start && g.ranges[i].end >= r.end
}
