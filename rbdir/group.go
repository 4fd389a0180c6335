package rbdir

import "math/bits"

const (
	// groupMax is the number of names with one h up to which they are told
	// apart by walking them.
	groupMax = 8

	// groupAgain is the number at which a group loses its side map again.
	groupAgain = 4
)

// group is the side map of many names with one h.
type group struct {
	ords map[string]uint16
	used ordSet
}

func (g *group) add(name string, ord uint16) {
	g.ords[name] = ord
	g.used.add(ord)
}

func (g *group) remove(name string, ord uint16) {
	delete(g.ords, name)
	g.used.remove(ord)
}

// group returns the side map of h, or nil.
func (s *shard[V]) group(h uint64) *group {
	if s.groups == nil { // nearly always
		return nil
	}
	return s.groups[h]
}

// formGroup makes the side map of h from the tree, where size names have it.
func (s *shard[V]) formGroup(h uint64, size int) {
	g := &group{ords: make(map[string]uint16, size)}
	for n := s.lowerBound(h << OrdBits); n != nil && n.Key>>OrdBits == h; n = next(n) {
		g.add(n.Value.name, uint16(n.Key&ordMask))
	}
	s.addGroup(h, g)
}

func (s *shard[V]) addGroup(h uint64, g *group) {
	if s.groups == nil {
		s.groups = make(map[uint64]*group)
	}
	s.groups[h] = g
}

// leaveGroup takes the name with this key out of its group, if it has one, and
// drops the side map once the names are few again.
func (s *shard[V]) leaveGroup(key uint64, name string) {
	h := key >> OrdBits
	g := s.groups[h]
	if g == nil {
		return
	}
	g.remove(name, uint16(key&ordMask))
	if len(g.ords) <= groupAgain {
		s.dropGroup(h)
	}
}

func (s *shard[V]) dropGroup(h uint64) {
	delete(s.groups, h)
	if len(s.groups) == 0 {
		s.groups = nil
	}
}

// moveGroups moves the side maps of all hashes from h on to another shard.
func (s *shard[V]) moveGroups(to *shard[V], h uint64) {
	for gh, g := range s.groups {
		if gh >= h {
			to.addGroup(gh, g)
			s.dropGroup(gh)
		}
	}
}

// ordSet is a set of ordinals that finds the lowest one it lacks in a bounded
// number of steps: a bitmap, and over it a bitmap of the words that are full.
type ordSet struct {
	full  [1 << OrdBits / 64 / 64]uint64
	words []uint64 // as many as the highest ordinal so far needed
}

func (s *ordSet) add(ord uint16) {
	w := int(ord / 64)
	for len(s.words) <= w {
		s.words = append(s.words, 0)
	}
	s.words[w] |= 1 << (ord % 64)
	if s.words[w] == ^uint64(0) {
		s.full[w/64] |= 1 << (w % 64)
	}
}

func (s *ordSet) remove(ord uint16) {
	w := int(ord / 64)
	s.words[w] &^= 1 << (ord % 64)
	s.full[w/64] &^= 1 << (w % 64)
}

func (s *ordSet) has(ord uint16) bool {
	w := int(ord / 64)
	return w < len(s.words) && s.words[w]>>(ord%64)&1 == 1
}

// lowestFree returns the lowest ordinal not in s, or false if s has all.
func (s *ordSet) lowestFree() (uint16, bool) {
	for i, f := range s.full {
		countStep()
		if f == ^uint64(0) {
			continue
		}
		w := i*64 + bits.TrailingZeros64(^f)
		if w >= len(s.words) {
			return uint16(w * 64), true
		}
		return uint16(w*64 + bits.TrailingZeros64(^s.words[w])), true
	}
	return 0, false
}
