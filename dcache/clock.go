package dcache

import "sync/atomic"

// maxSpared bounds how many referenced entries one eviction passes over: where
// everything is hot, the choice no longer matters and the Fill should not pay.
const maxSpared = 64

// evict brings the cache back within its bounds by evicting entries of stripe i,
// other than keep, as far as there are any. It reports whether the cache is
// within its bounds. Preconditions: s is stripe i, locked.
func (c *Cache[V]) evict(s *stripe, i int, keep *dentry[V]) bool {
	for c.negative.Load() > c.negativeLimit {
		if !c.evictOne(s, i, keep, true) {
			return false
		}
	}
	for c.live.Load() > c.limit {
		if !c.evictOne(s, i, keep, false) {
			return false
		}
	}
	return true
}

// evictElsewhere does the same in the other stripes, where the own one had no
// victim. One round will do: an entry that comes after the hand has passed has
// a Fill of its own that looks at the bounds. Preconditions: no stripe is held.
func (c *Cache[V]) evictElsewhere(i int, keep *dentry[V]) {
	for n := range len(c.stripes) {
		j := (i + n + 1) % len(c.stripes)
		s := c.lock(j)
		bounded := c.evict(s, j, keep)
		c.unlock(s)
		if bounded {
			return
		}
	}
}

// evictOne evicts one entry of stripe i other than keep, a negative one if so
// asked. It returns false if there is none. Preconditions: s is stripe i, locked.
func (c *Cache[V]) evictOne(s *stripe, i int, keep *dentry[V], negative bool) bool {
	hand, candidates := &s.hand, s.entries
	if negative {
		hand, candidates = &s.negativeHand, s.negative
	}
	if c.stripeOf(keep.hash) == i && keep.state.Load()&dead == 0 && (!negative || keep.value == nil) {
		candidates--
	}
	if candidates == 0 {
		return false
	}
	t := c.table.Load()
	width := len(t.buckets) / len(c.stripes)
	spared := 0
	for passed := 0; ; passed++ {
		*hand = (*hand + 1) & (width - 1)
		// After a whole round every bit has been cleared; one that is set again
		// belongs to a reader who would keep the hand turning.
		force := spared >= maxSpared || passed >= width
		link, victim, hot := sweep(&t.buckets[i*width+*hand], keep, negative, force)
		spared += hot
		if victim != nil {
			c.unlink(s, link, victim)
			s.evictions++
			return true
		}
	}
}

// sweep lets the clock hand pass over one chain: it clears the referenced bits
// and returns the last entry that had none, with the link that leads to it, and
// how many had one. With force it clears nothing and returns the last entry.
// Entries that are no candidates it leaves alone.
func sweep[V any](head *atomic.Pointer[dentry[V]], keep *dentry[V], negative, force bool) (
	link *atomic.Pointer[dentry[V]], victim *dentry[V], hot int) {
	at := head
	for d := at.Load(); d != nil; d = at.Load() {
		switch {
		case d == keep, negative && d.value != nil:
		case force, d.state.Load()&referenced == 0:
			link, victim = at, d
		default:
			d.state.And(^referenced)
			hot++
		}
		at = &d.next
	}
	return link, victim, hot
}
