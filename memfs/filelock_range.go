package memfs

import (
	"math"
	"slices"
	"sort"
)

// lockOwner is whose lock it is: a File's (flock, or ofd for open-file-description locks) or a LockOwner's.
type lockOwner struct {
	id  any
	ofd bool
}

// lockRequest is what a caller asks for: the bytes from start to end, both included.
type lockRequest struct {
	kind       LockType
	start, end int64
	pid        int
	owner      lockOwner
	file       *File // through which the lock is taken
}

// heldLock is one range that an owner holds.
type heldLock struct {
	owner      lockOwner // immutable
	kind       LockType  // ReadLock or WriteLock, immutable
	pid        int       // immutable
	start, end int64
	gone       bool // in no group any more
}

// blocks reports whether h is in the way of r.
func (h *heldLock) blocks(r *lockRequest) bool {
	return !h.gone && h.owner != r.owner && (h.kind == WriteLock || r.kind == WriteLock) &&
		h.start <= r.end && h.end >= r.start
}

// lock describes h to a caller.
func (h *heldLock) lock() Lock {
	l := Lock{Type: h.kind, Start: h.start, PID: h.pid}
	if h.end != math.MaxInt64 {
		l.Len = h.end - h.start + 1
	}
	return l
}

// lockGroup are the locks of one owner.
//
//	INVARIANT: ranges ascend and do not overlap; those of one kind do not even touch.
type lockGroup struct {
	owner  lockOwner
	files  []*File // through which locks were taken
	ranges []*heldLock
}

// from returns the index of the first range that ends at byte at or later.
func (g *lockGroup) from(at int64) int {
	return sort.Search(len(g.ranges), func(i int) bool { return g.ranges[i].end >= at })
}

// conflict returns the first range that is in the way of r, nil if none is.
func (g *lockGroup) conflict(r *lockRequest) *heldLock {
	for _, h := range g.ranges[g.from(r.start):] {
		if h.start > r.end {
			return nil
		}
		if h.blocks(r) {
			return h
		}
	}
	return nil
}

// apply makes r's bytes what r says, and reports whether a lock is gone or shorter now: then those that it was in the way
// of have to look again. A bound below is compared less one, because the end plus one may overflow.
func (g *lockGroup) apply(r *lockRequest) (changed bool) {
	first := g.from(r.start - 1)
	after := first
	var before, middle, behind *heldLock
	fresh := &heldLock{owner: r.owner, kind: r.kind, pid: r.pid, start: r.start, end: r.end}
	if r.kind != NoLock {
		middle = fresh
	}
	for ; after < len(g.ranges) && g.ranges[after].start-1 <= r.end; after++ {
		h := g.ranges[after]
		switch {
		case h.kind == r.kind: // overlaps or touches: merge, and stay the older one
			if middle == fresh {
				middle = h
			} else {
				h.gone, changed = true, true
			}
			middle.start = min(middle.start, h.start, r.start)
			middle.end = max(middle.end, h.end, r.end)
		case h.end < r.start:
			before = h // only touches
		case h.start > r.end:
			behind = h
		default:
			changed = true
			before, behind = h.cut(r, before, behind)
		}
	}
	pieces := make([]*heldLock, 0, 3)
	for _, h := range []*heldLock{before, middle, behind} {
		if h != nil {
			pieces = append(pieces, h)
		}
	}
	g.ranges = slices.Replace(g.ranges, first, after, pieces...)
	return changed
}

// cut takes r's bytes out of h, and returns what is left on both sides, or what was known of them.
func (h *heldLock) cut(r *lockRequest, before, behind *heldLock) (*heldLock, *heldLock) {
	rest := *h
	h.gone = h.start >= r.start
	if !h.gone {
		h.end = r.start - 1
		before = h
	}
	if rest.end > r.end {
		rest.start = r.end + 1
		if h.gone {
			h.gone, h.start = false, rest.start // the same lock, shorter
			return before, h
		}
		behind = &rest
	}
	return before, behind
}
