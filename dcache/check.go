package dcache

import (
	"fmt"
	"iter"
)

// Entry is one live entry as All shows it.
type Entry[V any] struct {
	Dir   uint64
	Name  string
	Value *V // nil: negative
}

// All yields every live entry, in no order. It takes no lock: entries filled or
// dropped meanwhile may or may not appear, and after a resize some of them not;
// with no writer at work it is exact.
func (c *Cache[V]) All() iter.Seq[Entry[V]] {
	return func(yield func(Entry[V]) bool) {
		t := c.table.Load()
		for i := range t.buckets {
			for d := t.buckets[i].Load(); d != nil; d = d.next.Load() {
				if d.state.Load()&dead != 0 {
					continue
				}
				if !yield(Entry[V]{Dir: d.dir, Name: d.name, Value: d.value}) {
					return
				}
			}
		}
	}
}

// Check tests the invariants of the whole cache and returns the first that does
// not hold. It locks all stripes, and so keeps writers out while it looks.
//
//	INVARIANT: every linked entry is alive, in the bucket of its hash, and the
//	only one of its name.
//	INVARIANT: each stripe counts what is linked in its buckets.
//	INVARIANT: made = evicted + dropped + alive.
//
// The limits are not among them: a Fill on its way may be over by one.
func (c *Cache[V]) Check() error {
	c.lockAll()
	defer c.unlockAll()
	return c.check()
}

// check is Check. Preconditions: all stripes are locked.
func (c *Cache[V]) check() error {
	t := c.table.Load()
	width := len(t.buckets) / len(c.stripes)
	var live, negative int
	for i := range c.stripes {
		s := &c.stripes[i]
		var entries, without int
		for b := i * width; b < (i+1)*width; b++ {
			n, neg, err := c.checkBucket(t, b)
			if err != nil {
				return err
			}
			entries += n
			without += neg
		}
		if s.entries != entries || s.negative != without {
			return fmt.Errorf("stripe %d counts %d entries, %d negative, and holds %d, %d",
				i, s.entries, s.negative, entries, without)
		}
		made, gone := s.fills+s.negativeFills, s.evictions+s.drops
		if made != gone+uint64(entries) {
			return fmt.Errorf("stripe %d made %d entries, lost %d and holds %d", i, made, gone, entries)
		}
		live += entries
		negative += without
	}
	if n, neg := c.live.Load(), c.negative.Load(); n != int64(live) || neg != int64(negative) {
		return fmt.Errorf("the cache counts %d entries, %d negative, and holds %d, %d", n, neg, live, negative)
	}
	return nil
}

// checkBucket tests one chain and counts its entries. Preconditions: its stripe
// is locked.
func (c *Cache[V]) checkBucket(t *table[V], b int) (entries, negative int, err error) {
	for d := t.buckets[b].Load(); d != nil; d = d.next.Load() {
		entries++
		if d.value == nil {
			negative++
		}
		switch {
		case d.state.Load()&dead != 0:
			err = fmt.Errorf("(%d, %q) is dead and still linked", d.dir, d.name)
		case d.hash != c.hash.sum(d.dir, d.name):
			err = fmt.Errorf("(%d, %q) has hash %#x, want %#x", d.dir, d.name, d.hash, c.hash.sum(d.dir, d.name))
		case t.bucket(d.hash) != &t.buckets[b]:
			err = fmt.Errorf("(%d, %q) lies in bucket %d of %d", d.dir, d.name, b, len(t.buckets))
		}
		for e := d.next.Load(); e != nil && err == nil; e = e.next.Load() {
			if e.is(d.hash, d.dir, d.name) {
				err = fmt.Errorf("(%d, %q) is linked twice", d.dir, d.name)
			}
		}
		if err != nil {
			return 0, 0, err
		}
	}
	return entries, negative, nil
}

// mustHold panics if an invariant is broken. Preconditions: all stripes are
// locked.
func (c *Cache[V]) mustHold() {
	if err := c.check(); err != nil {
		panic("dcache: " + err.Error())
	}
}

// mustHoldBucket panics if the chain of a hash is broken. Preconditions: its
// stripe is locked.
func (c *Cache[V]) mustHoldBucket(hash uint32) {
	t := c.table.Load()
	if _, _, err := c.checkBucket(t, int(uint64(hash)>>(t.shift&63))); err != nil {
		panic("dcache: " + err.Error())
	}
}
