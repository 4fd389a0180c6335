package dcache

import "math/rand/v2"

// Stats is a snapshot of the counters. Hits is an estimate, everything else
// exact; while writers are at work the numbers are of slightly different moments.
type Stats struct {
	Hits          uint64 // estimated from one walk in 64, see CountHits
	Misses        uint64 // calls of CountMiss
	Fills         uint64 // entries with a value made by Fill
	NegativeFills uint64 // entries without
	Evictions     uint64 // entries that made room for others
	Drops         uint64 // entries dropped, or replaced by Fill

	Entries  int // live entries
	Negative int // those of them without a value
	Limit    int // most entries allowed
	Buckets  int // present size of the hash table
}

// sampling is the share of the calls of CountHits that are counted, one in so
// many. A power of two.
const sampling = 64

// CountHits notes n hits, to be called once at the end of a walk. To keep a
// walk of hits from writing memory that all processors share, it counts one
// call in 64, chosen at random by the processor's own source, and that one 64
// times: the sum is right on average, with a standard deviation of about
// 8 n sqrt(calls).
func (c *Cache[V]) CountHits(n int) {
	if n > 0 && rand.Uint32()%sampling == 0 {
		c.hits.Add(uint64(n) * sampling)
	}
}

// CountMiss notes a lookup that had to ask its directory. The count is exact
// and spread over the stripes at random.
func (c *Cache[V]) CountMiss() {
	c.stripes[rand.Uint32()&uint32(len(c.stripes)-1)].misses.Add(1)
}

// Stats returns the counters. It locks one stripe after the other.
func (c *Cache[V]) Stats() Stats {
	st := Stats{
		Hits:    c.hits.Load(),
		Limit:   int(c.limit),
		Buckets: len(c.table.Load().buckets),
	}
	for i := range c.stripes {
		s := c.lock(i)
		st.Misses += s.misses.Load()
		st.Fills += s.fills
		st.NegativeFills += s.negativeFills
		st.Evictions += s.evictions
		st.Drops += s.drops
		st.Entries += s.entries
		st.Negative += s.negative
		c.unlock(s)
	}
	return st
}
