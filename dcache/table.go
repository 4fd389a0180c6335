package dcache

import (
	"math/bits"
	"sync/atomic"
)

// table is one generation of the buckets. A hash's top bits choose the bucket.
type table[V any] struct {
	buckets []atomic.Pointer[dentry[V]] // a power of two
	shift   uint32                      // 32 - log2(len(buckets))
}

func newTable[V any](buckets int) *table[V] {
	return &table[V]{
		buckets: make([]atomic.Pointer[dentry[V]], buckets),
		shift:   uint32(32 - log2(buckets)),
	}
}

// bucket returns the head of the chain for a hash.
func (t *table[V]) bucket(hash uint32) *atomic.Pointer[dentry[V]] {
	return &t.buckets[uint64(hash)>>(t.shift&63)]
}

// find returns the entry of a name and the link that leads to it, nil if there
// is none. The link may be followed without a lock but changed only under the
// stripe lock.
func (t *table[V]) find(hash uint32, dir uint64, name string) (link *atomic.Pointer[dentry[V]], d *dentry[V]) {
	link = t.bucket(hash)
	for d = link.Load(); d != nil; d = link.Load() {
		if d.is(hash, dir, name) {
			return link, d
		}
		link = &d.next
	}
	return nil, nil
}

// push puts d at the head of its chain, which publishes it.
func (t *table[V]) push(d *dentry[V]) {
	head := t.bucket(d.hash)
	d.next.Store(head.Load())
	head.Store(d)
}

// fit returns the number of buckets for live entries, where there are have now:
// the same number unless there are too few by far or too many by far, so that
// between two resizes the entries change by a fraction of their number.
func (c *Cache[V]) fit(live, have int) int {
	switch {
	case live > have+have/4:
		return min(2*have, maxBuckets)
	case live < have/8:
		return max(powerOfTwo(2*live), c.minBuckets)
	}
	return have
}

// maxBuckets bounds the table by what a 32-bit hash can tell apart.
const maxBuckets = 1 << 28

// resize brings the table to the size that fit returns. Preconditions: the
// caller holds no stripe lock.
func (c *Cache[V]) resize() {
	c.lockAll()
	defer c.unlockAll()
	old := c.table.Load()
	size := c.fit(int(c.live.Load()), len(old.buckets))
	if size == len(old.buckets) {
		return // another writer was faster
	}
	grown := newTable[V](size)
	old.each(func(d *dentry[V]) {
		d2 := &dentry[V]{dir: d.dir, name: d.name, value: d.value, hash: d.hash}
		d2.state.Store(d.state.Load() & referenced)
		grown.push(d2)
	})
	// From here to the last dead bit both copies of an entry are believed. They
	// agree, since without a stripe lock nobody can drop either.
	c.table.Store(grown)
	if c.onResize != nil {
		c.onResize(old)
	}
	old.each(func(d *dentry[V]) { d.state.Or(dead) })
	if checking {
		c.mustHold()
	}
}

// each calls f with every entry that is linked into t.
func (t *table[V]) each(f func(*dentry[V])) {
	for i := range t.buckets {
		for d := t.buckets[i].Load(); d != nil; d = d.next.Load() {
			f(d)
		}
	}
}

// log2 returns the logarithm of n, which is a power of two.
func log2(n int) int { return bits.TrailingZeros(uint(n)) }

// powerOfTwo returns the smallest power of two that is at least n; 1 for n < 1.
func powerOfTwo(n int) int {
	if n <= 1 {
		return 1
	}
	return 1 << bits.Len(uint(n-1))
}
