package dcache

import (
	"fmt"
	"runtime"
	"sync/atomic"
)

// Cache maps (directory, name) to a *V or to the knowledge that there is
// nothing. All methods may be called at any time from any goroutine, within
// what Fill and Drop demand of their callers. Make one with New.
type Cache[V any] struct {
	// Read by every Get, written by resizes only.
	table atomic.Pointer[table[V]]
	hash  hasher

	limit         int64 // entries, at least 1
	negativeLimit int64 // negative ones among them
	minBuckets    int
	stripes       []stripe // a power of two of them
	stripeShift   uint32   // 32 - log2(len(stripes))

	onResize func(old *table[V]) // for tests: both tables stand, locks held

	// Written by writers; apart, lest each write slows down every Get.
	_        [cacheLines]byte
	live     atomic.Int64 // linked entries: the sum over the stripes
	negative atomic.Int64 // the same for negative ones
	hits     atomic.Uint64
	_        [cacheLines]byte
}

// New returns an empty cache of at most limit entries, of which at most an
// eighth, rounded down, may be negative. It panics if limit is below 1. The
// table starts small and follows the number of entries.
func New[V any](limit int) *Cache[V] {
	if limit < 1 {
		panic(fmt.Sprintf("dcache: limit %d is below 1", limit))
	}
	n := stripesFor(limit, runtime.GOMAXPROCS(0))
	c := &Cache[V]{
		hash:          newHasher(),
		limit:         int64(limit),
		negativeLimit: int64(limit / 8),
		minBuckets:    max(n, min(64, powerOfTwo(limit))),
		stripes:       make([]stripe, n),
		stripeShift:   uint32(32 - log2(n)),
	}
	c.table.Store(newTable[V](c.minBuckets))
	return c
}

// Get returns what is known of a name: ok and the value, ok and nil if the
// directory is known to have no such name, or not ok if the caller has to ask
// the directory under its lock. It takes no lock, allocates nothing and writes
// at most one bit of the entry, once between two passes of the clock hand.
func (c *Cache[V]) Get(dir uint64, name string) (v *V, ok bool) {
	if len(name) > shortName {
		return c.getLong(dir, name)
	}
	a, b := words(name)
	hash := c.hash.sumWords(dir, a, b, len(name))
	for d := c.table.Load().bucket(hash).Load(); d != nil; d = d.next.Load() {
		if d.hash != hash || d.dir != dir || len(d.name) != len(name) {
			continue
		}
		if a2, b2 := words(d.name); a2 == a && b2 == b {
			return d.answer()
		}
	}
	return nil, false
}

// getLong is Get for the names that take longer to hash and to compare.
func (c *Cache[V]) getLong(dir uint64, name string) (v *V, ok bool) {
	hash := c.hash.sumLong(dir, name)
	for d := c.table.Load().bucket(hash).Load(); d != nil; d = d.next.Load() {
		if d.is(hash, dir, name) {
			return d.answer()
		}
	}
	return nil, false
}

// Fill notes that a name leads to v, or that it does not exist if v is nil. The
// caller holds the name stable, shared at least, until Fill returns; name is
// kept and must not share memory that the caller wants freed. An entry with the
// same value stays as it is, one with another value is replaced. Where the
// limit allows no negative entry, a nil v only drops what was known.
//
// A full cache evicts one entry for it, in amortised constant time.
func (c *Cache[V]) Fill(dir uint64, name string, v *V) {
	if v == nil && c.negativeLimit == 0 {
		c.Drop(dir, name)
		return
	}
	d := &dentry[V]{dir: dir, name: name, value: v, hash: c.hash.sum(dir, name)}
	i := c.stripeOf(d.hash)
	s := c.lock(i)
	t := c.table.Load()
	link, old := t.find(d.hash, dir, name)
	if old != nil {
		if old.value == v {
			c.unlock(s)
			return
		}
		c.unlink(s, link, old)
		s.drops++
	}
	t.push(d)
	c.count(s, d)
	bounded := c.evict(s, i, d)
	if checking {
		c.mustHoldBucket(d.hash)
	}
	c.unlock(s)
	if !bounded {
		c.evictElsewhere(i, d)
	}
	c.resizeIfNeeded()
}

// Drop forgets a name. The caller holds the name stable and exclusive, until
// the directory has changed or, if it does not change, until Drop returns. A
// Get that starts after Drop returned does not find the old value. Drop reports
// whether there was anything to forget.
func (c *Cache[V]) Drop(dir uint64, name string) bool {
	hash := c.hash.sum(dir, name)
	// Nobody fills this name meanwhile, and chains keep their order: what is not
	// found without the lock is not there. Most names that are removed have never
	// been cached, so this is worth a second search for those that have.
	if _, d := c.table.Load().find(hash, dir, name); d == nil {
		return false
	}
	s := c.lock(c.stripeOf(hash))
	link, d := c.table.Load().find(hash, dir, name)
	if d != nil {
		c.unlink(s, link, d)
		s.drops++
	}
	if checking {
		c.mustHoldBucket(hash)
	}
	c.unlock(s)
	c.resizeIfNeeded()
	return d != nil
}

// count enters d, just linked, into the counters. Preconditions: s is locked
// and owns d.
func (c *Cache[V]) count(s *stripe, d *dentry[V]) {
	s.entries++
	c.live.Add(1)
	if d.value == nil {
		s.negative++
		s.negativeFills++
		c.negative.Add(1)
	} else {
		s.fills++
	}
}

// unlink takes d out of the chain, dead first, so that no reader who finds it
// later believes it. Preconditions: s is locked and owns d; link leads to d.
func (c *Cache[V]) unlink(s *stripe, link *atomic.Pointer[dentry[V]], d *dentry[V]) {
	d.state.Or(dead)
	link.Store(d.next.Load())
	s.entries--
	c.live.Add(-1)
	if d.value == nil {
		s.negative--
		c.negative.Add(-1)
	}
}

// resizeIfNeeded resizes the table if its size no longer fits. Preconditions:
// the caller holds no stripe lock.
func (c *Cache[V]) resizeIfNeeded() {
	have := len(c.table.Load().buckets)
	if c.fit(int(c.live.Load()), have) != have {
		c.resize()
	}
}

// Full reports whether the next entry will evict another. A caller that looks up
// more names than fit may then fill only some of them: a name that is asked for
// again and again still gets in, and the others do not pay for it.
func (c *Cache[V]) Full() bool { return c.live.Load() >= c.limit }

// Len returns the number of live entries, negative ones included.
func (c *Cache[V]) Len() int { return int(c.live.Load()) }
