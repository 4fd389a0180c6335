package rbdir

import (
	"errors"
	"fmt"
	"math/bits"
)

func (t *large[V]) check() error {
	if t.slots != nil && (len(t.slots) < 2 || len(t.slots) != 1<<t.depth()) {
		return fmt.Errorf("a table of %d slots", len(t.slots))
	}
	n := 0
	var before *shard[V]
	for h, s := uint64(0), t.at(0); s != nil; {
		if before == nil && s != &t.first {
			return errors.New("the first slot does not have the first shard")
		}
		if err := t.checkShard(s, h); err != nil {
			return fmt.Errorf("shard from hash %#x: %w", h, err)
		}
		if before != nil && t.buddies(before, s, h) && before.n+s.n <= shardFill {
			return fmt.Errorf("shards of %d and %d entries before and from hash %#x", before.n, s.n, h)
		}
		n += int(s.n)
		before = s
		s, h = t.following(s, h)
	}
	if n <= smallAgain {
		return fmt.Errorf("a tree of %d nodes", n)
	}
	if len(t.slots)*slotsShrink > n {
		return fmt.Errorf("a table of %d slots for %d entries", len(t.slots), n)
	}
	return nil
}

// buddies reports whether a and b, which is behind it and covers h, have all but
// the last of their bits in common.
func (t *large[V]) buddies(a, b *shard[V], h uint64) bool {
	lo, hi := t.span(b, h)
	return a.depth == b.depth && lo&(hi-lo) != 0
}

// checkShard checks s, which is in the slot of h, and that it is in all the slots
// that are its own.
func (t *large[V]) checkShard(s *shard[V], h uint64) error {
	if int(s.depth) > t.depth() {
		return fmt.Errorf("depth %d in a table of depth %d", s.depth, t.depth())
	}
	lo, hi := t.span(s, h)
	if lo != t.slot(h) {
		return fmt.Errorf("slots %d to %d, met in %d", lo, hi, t.slot(h))
	}
	for i := lo; i < hi && t.slots != nil; i++ {
		if t.slots[i] != s {
			return fmt.Errorf("another one in slot %d of %d to %d", i, lo, hi)
		}
	}
	if err := s.checkTree(); err != nil {
		return err
	}
	var es []Entry[V]
	for n := s.lowerBound(0); n != nil; n = next(n) {
		if i := t.slot(n.Key >> OrdBits); i < lo || i >= hi {
			return fmt.Errorf("key %#x belongs to slot %d, not to %d to %d", n.Key, i, lo, hi)
		}
		es = append(es, entryOf(n))
	}
	if len(es) > shardMax && s.parting() <= t.depth() {
		return fmt.Errorf("%d entries that part at depth %d", len(es), s.parting())
	}
	return s.checkGroups(es)
}

// checkGroups compares the side maps with es, all entries of s in key order.
func (s *shard[V]) checkGroups(es []Entry[V]) error {
	found := 0
	for i := 0; i < len(es); {
		h := es[i].Key >> OrdBits
		first := i
		g := s.group(h)
		for ; i < len(es) && es[i].Key>>OrdBits == h; i++ {
			ord := uint16(es[i].Key & ordMask)
			if g == nil {
				continue
			}
			if got, ok := g.ords[es[i].Name]; !ok || got != ord {
				return fmt.Errorf("side map of %#x: %q is at %d (%t), not %d", h, es[i].Name, got, ok, ord)
			}
			if !g.used.has(ord) {
				return fmt.Errorf("side map of %#x: ordinal %d is free", h, ord)
			}
		}
		size := i - first
		switch {
		case g == nil && size > groupMax:
			return fmt.Errorf("%d names with hash %#x and no side map", size, h)
		case g == nil:
			continue
		case size <= groupAgain:
			return fmt.Errorf("a side map for the %d names with hash %#x", size, h)
		case len(g.ords) != size || g.used.count() != size:
			return fmt.Errorf("side map of %#x: %d names, %d ordinals, %d entries", h, len(g.ords), g.used.count(), size)
		}
		found++
	}
	if found != len(s.groups) {
		return fmt.Errorf("%d side maps, %d of them in use", len(s.groups), found)
	}
	return nil
}

// count returns the number of ordinals in s, or -1 if its two levels disagree.
func (s *ordSet) count() int {
	n := 0
	for w := range len(s.full) * 64 {
		full := false
		if w < len(s.words) {
			n += bits.OnesCount64(s.words[w])
			full = s.words[w] == ^uint64(0)
		}
		if full != (s.full[w/64]>>(w%64)&1 == 1) {
			return -1
		}
	}
	return n
}
