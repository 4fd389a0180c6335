package rbdir

import "math/bits"

const (
	// shardMax is the number of entries above which a shard is split. Smaller
	// ones are found faster, and cost more memory.
	shardMax = 64

	// shardFill is the most entries that a split leaves in a shard, as far as the
	// table allows: four shards of about 16 come from one of 65. Two buddies that
	// are not more together become one again.
	shardFill = 24

	// slotsGrow bounds the table when it grows: to a slot for each so many
	// entries. A good hash fills the slots with 11 or more.
	slotsGrow = 8

	// slotsShrink bounds it when the entries go: with fewer for each slot it is
	// halved.
	slotsShrink = 4
)

// large is what a directory above smallMax entries is made of: a table of shards
// (extendible hashing; Fagin, Nievergelt, Pippenger, Strong, ACM TODS 4(3), 1979)
// by the top bits of the hash, so that the order of the slots is that of the keys.
// Or it is the structure that a benchmark put in place of it all.
type large[V any] struct {
	other Index[V]    // not nil: it alone is in use
	slots []*shard[V] // 2^g of them; nil for g = 0: first covers it all
	first shard[V]    // covers the lowest hash
}

// newLarge returns a table of the given entries, of at most shardMax.
func newLarge[V any](es []Entry[V]) *large[V] {
	t := &large[V]{}
	for _, e := range es {
		t.first.put(t.first.root, e.Key, item[V]{e.Name, e.Value})
	}
	return t
}

// depth returns g: the number of bits that choose a slot.
func (t *large[V]) depth() int { return bits.Len(uint(len(t.slots)) / 2) }

// slot returns the index of the slot that covers h, also when it is the only one.
func (t *large[V]) slot(h uint64) int { return int(h >> (uint(hashBits-t.depth()) & 63)) }

// at returns the shard that covers h.
func (t *large[V]) at(h uint64) *shard[V] {
	if len(t.slots) == 0 {
		return &t.first
	}
	return t.slots[t.slot(h)]
}

// span returns the slots of s, which is the shard that covers h: from lo up to
// before hi.
func (t *large[V]) span(s *shard[V], h uint64) (lo, hi int) {
	size := 1 << (t.depth() - int(s.depth))
	lo = t.slot(h) &^ (size - 1)
	return lo, lo + size
}

// following returns the shard after s, which covers h, and the lowest hash there;
// nil after the last one.
func (t *large[V]) following(s *shard[V], h uint64) (*shard[V], uint64) {
	_, hi := t.span(s, h)
	if hi >= len(t.slots) {
		return nil, 0
	}
	return t.slots[hi], uint64(hi) << (hashBits - t.depth())
}

// insert is [Dir.Insert]; n is the number of entries of the directory with the
// new one.
func (t *large[V]) insert(h uint64, name string, item func() (item[V], error), n int) (uint64, error) {
	s := t.at(h)
	key, err := s.insert(h, name, item)
	if s.n > shardMax && err == nil {
		t.grown(s, n)
	}
	return key, err
}

// grown splits s, which has too many entries, unless they first part at a depth
// that the table may not have in a directory of n entries. A tree that stays so
// large works as well, only not as fast: names chosen to share their top bits
// cannot make the table larger than their number allows.
func (t *large[V]) grown(s *shard[V], n int) {
	d, most := s.parting(), bits.Len(uint(n/slotsGrow))-1
	if d > max(most, t.depth()) {
		return
	}
	d = max(d, min(most, int(s.depth)+2))
	if d <= t.depth() {
		t.split(s)
		return
	}
	for t.depth() < d {
		t.double()
	}
	// Others may have waited for this depth too.
	for i := 0; i < len(t.slots); i += 1 << (t.depth() - int(t.slots[i].depth)) {
		if s := t.slots[i]; s.n > shardMax && s.parting() <= t.depth() {
			t.split(s)
		}
	}
}

// parting returns the depth at which the entries of s, at least one, first are in
// more than one shard; above hashBits if they all have the same hash.
func (s *shard[V]) parting() int {
	lo, hi := s.root, s.root
	for lo.Left != nil {
		countStep()
		lo = lo.Left
	}
	for hi.Right != nil {
		countStep()
		hi = hi.Right
	}
	return parting(lo, hi)
}

// parting is the same for nodes of which lo and hi are the first and the last.
func parting[V any](lo, hi *node[V]) int {
	return hashBits + 1 - bits.Len64(lo.Key>>OrdBits^hi.Key>>OrdBits)
}

// split splits s into shards that are small enough, or do not part within the
// table as it is.
func (t *large[V]) split(s *shard[V]) {
	var buf [shardMax + 1]*node[V]
	nodes := s.appendNodes(buf[:0])
	lo, hi := t.span(s, s.root.Key>>OrdBits)
	t.share(s, nodes, lo, hi, newColours[V]())
}

// share gives nodes, which are in key order and belong to the slots from lo up to
// before hi, to s and as many new shards as they need.
func (t *large[V]) share(s *shard[V], nodes []*node[V], lo, hi int, c *colours[V]) {
	if len(nodes) <= shardFill || parting(nodes[0], nodes[len(nodes)-1]) > t.depth() {
		s.n = int32(len(nodes))
		s.root = c.balanced(nodes)
		s.depth = uint8(t.depth() - bits.Len(uint(hi-lo)) + 1)
		for i := lo; i < hi; i++ {
			t.slots[i] = s
		}
		return
	}
	mid := (lo + hi) / 2
	h := uint64(mid) << (hashBits - t.depth())
	at := 0
	for at < len(nodes) && nodes[at].Key>>OrdBits < h {
		at++
	}
	upper := &shard[V]{}
	s.moveGroups(upper, h)
	t.share(s, nodes[:at], lo, mid, c)
	t.share(upper, nodes[at:], mid, hi, c)
}

// double gives the table twice the slots.
func (t *large[V]) double() {
	if t.slots == nil {
		t.slots = []*shard[V]{&t.first, &t.first}
		return
	}
	slots := make([]*shard[V], 2*len(t.slots))
	for i, s := range t.slots {
		slots[2*i], slots[2*i+1] = s, s
	}
	t.slots = slots
}

// shrunk is called after an entry with hash h was removed and n are left in the
// directory.
func (t *large[V]) shrunk(h uint64, n int) {
	for len(t.slots)*slotsShrink > n {
		t.halve()
	}
	for s := t.at(h); s.depth > 0 && s.n <= shardFill; {
		lo, hi := t.span(s, h)
		size := hi - lo
		buddy := t.slots[lo^size]
		if buddy.depth != s.depth || buddy.n+s.n > shardFill {
			return
		}
		lo &^= size
		s = t.slots[lo]
		upper := t.slots[lo+size]
		s.unite(upper)
		s.depth--
		for i := lo + size; i < lo+2*size; i++ {
			t.slots[i] = s
		}
	}
}

// halve takes away half of the slots, and makes one shard of any two buddies that
// need them all.
func (t *large[V]) halve() {
	slots := make([]*shard[V], len(t.slots)/2)
	for i := range slots {
		s, upper := t.slots[2*i], t.slots[2*i+1]
		if upper != s {
			s.unite(upper)
			s.depth--
		}
		slots[i] = s
	}
	if len(slots) == 1 {
		slots = nil
	}
	t.slots = slots
}

// entries returns a copy of all entries in key order.
func (t *large[V]) entries(n int) []Entry[V] {
	return t.batch(make([]Entry[V], 0, n), 0, n)
}
