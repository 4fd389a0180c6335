package dcache

import (
	"sync"
	"sync/atomic"
	"unsafe"

	"stagefs/locking"
)

// stripe is the writers' lock on a contiguous range of buckets and what they
// count under it.
type stripe struct {
	stripeState
	_ [cacheLines - unsafe.Sizeof(stripeState{})%cacheLines]byte
}

// cacheLines keeps two stripes apart: two lines of 64 bytes, which many
// processors fetch together.
const cacheLines = 128

type stripeState struct {
	mu sync.Mutex // rank leaf

	// Protected by mu.
	entries      int // linked in this stripe
	negative     int // those of them without a value
	hand         int // clock hand: bucket within the stripe
	negativeHand int // the same for evictions of negative entries only

	// Statistics, protected by mu.
	fills, negativeFills, evictions, drops uint64

	misses atomic.Uint64 // a random stripe counts each, see CountMiss
}

// stripesFor returns the number of stripes: enough for the processors, but not
// so many that a stripe could not find a victim among its own entries.
func stripesFor(limit, procs int) int {
	n := min(powerOfTwo(4*procs), 64)
	for n > 1 && limit/n < 64 {
		n /= 2
	}
	return n
}

// stripeOf returns the number of the stripe that owns the buckets of a hash.
func (c *Cache[V]) stripeOf(hash uint32) int {
	return int(uint64(hash) >> (c.stripeShift & 63))
}

// lock locks stripe i.
func (c *Cache[V]) lock(i int) *stripe {
	locking.Acquired(locking.RankLeaf, 0, 0)
	s := &c.stripes[i]
	s.mu.Lock()
	return s
}

// unlock gives stripe s back.
func (c *Cache[V]) unlock(s *stripe) {
	s.mu.Unlock()
	locking.Released(locking.RankLeaf, 0, 0)
}

// lockAll locks all stripes, in ascending order. To the lock order they are one
// leaf: whoever holds a single stripe waits for no other.
func (c *Cache[V]) lockAll() {
	locking.Acquired(locking.RankLeaf, 0, 0)
	for i := range c.stripes {
		c.stripes[i].mu.Lock()
	}
}

func (c *Cache[V]) unlockAll() {
	for i := range c.stripes {
		c.stripes[i].mu.Unlock()
	}
	locking.Released(locking.RankLeaf, 0, 0)
}
