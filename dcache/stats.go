package dcache

import "math/rand/v2"

// Stats is a snapshot of the counters. Hits is what CountHits was told, everything else
// exact; while writers are at work the numbers are of slightly different moments.
type Stats struct {
	Hits          uint64 // as the callers of CountHits estimate them
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

// CountHits notes n hits. It writes memory that all processors share, so a caller
// with many hits counts one walk in many, chosen at random, that many times: the
// sum is right on average.
func (c *Cache[V]) CountHits(n uint64) { c.hits.Add(n) }

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
