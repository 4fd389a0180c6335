package stage

import (
	"sync"

	"stagefs/locking"
)

// heat is the Heat Counter and its Candidate Set: what has been looked up most in the present version. It is asked for
// one lookup in many only, so one lock does, and nobody waits for it.
type heat[D Directory[D, G], G any] struct {
	mu        sync.Mutex // a leaf
	version   uint32     // of the heat that counts; never 0, which is that of a fresh Node
	threshold uint32

	// set is the Candidate Set. It is never searched: a directory knows its own place.
	set   []D
	least int // least_popular_cand: the place of the one that goes next
}

// count adds one to the heat of dir, and makes it a candidate if that is enough. A count that meets another is lost.
func (h *heat[D, G]) count(dir D) {
	locking.Acquired(locking.RankLeaf, 0, 0)
	if h.mu.TryLock() {
		h.add(dir)
		h.mu.Unlock()
	}
	locking.Released(locking.RankLeaf, 0, 0)
}

func (h *heat[D, G]) add(dir D) {
	n := dir.StageNode()
	if n.version != h.version {
		n.version, n.heat, n.slot = h.version, 0, 0
	}
	n.heat++
	switch {
	case n.slot != 0:
	case len(h.set) < cap(h.set):
		h.set = append(h.set, dir)
		n.slot = int32(len(h.set))
	default:
		loser := h.set[h.least].StageNode()
		if n.heat <= loser.heat+h.threshold {
			return
		}
		loser.slot = 0
		h.set[h.least] = dir
		n.slot = int32(h.least) + 1
		return // the mark stays at the place
	}
	if n.heat < h.set[h.least].StageNode().heat {
		h.least = int(n.slot) - 1 // the loser takes the mark
	}
}

// drain empties the Candidate Set, begins a new version, and returns what was in it, with the heat of each.
func (h *heat[D, G]) drain() (dirs []D, heats []uint32) {
	locking.Acquired(locking.RankLeaf, 0, 0)
	h.mu.Lock()
	for _, dir := range h.set {
		dirs = append(dirs, dir)
		heats = append(heats, dir.StageNode().heat)
	}
	clear(h.set)
	h.set, h.least = h.set[:0], 0
	if h.version++; h.version == 0 {
		h.version = 1
	}
	h.mu.Unlock()
	locking.Released(locking.RankLeaf, 0, 0)
	return dirs, heats
}

// candidates returns how many there are.
func (h *heat[D, G]) candidates() int {
	locking.Acquired(locking.RankLeaf, 0, 0)
	h.mu.Lock()
	n := len(h.set)
	h.mu.Unlock()
	locking.Released(locking.RankLeaf, 0, 0)
	return n
}
