package bench

import (
	"math"
	"sync/atomic"
)

// fdentry is one cached path, the original's fast_dentry. What a Get reads
// comes first and fills a line of the processor's cache; on 64-bit systems an
// fdentry takes two.
type fdentry[N pathNode] struct {
	signature pathSignature
	next      atomic.Pointer[fdentry[N]] // in the DLHT; written under mu
	prefix    atomic.Uint64              // what a PCC must have; written under mu, but for a valid one only to invalidPrefix
	node      N
	used      atomic.Uint32 // 1: a Get returned it since the clock hand last passed
	slot      uint32        // index into slots; protected by mu

	parent *fdir[N] // immutable
	dir    *fdir[N] // of node itself, nil for a file; immutable

	// Protected by mu.
	older, younger *fdentry[N] // the parent's other children
	sameBucket     *fdentry[N] // in nodes

	_ [24]byte
}

// fdir is a directory in the tree of cached paths. It outlives the fdentry of
// its directory when that is renamed. All fields are protected by mu but node,
// which is immutable.
//
// INVARIANT: if the directory's fdentry is invalid, all cached paths below are.
type fdir[N pathNode] struct {
	node     N
	seq      uint32      // its version, new whenever it or one above changes
	own      *fdentry[N] // nil for the root
	children *fdentry[N] // the youngest
}

func (d *fdir[N]) prefix() uint64 { return prefixOf(d.node.Ino(), d.seq) }

// bucket returns the chain of a signature.
func (c *fullPathCache[N]) bucket(sig *pathSignature) *atomic.Pointer[fdentry[N]] {
	return &c.table[sig.a%dlhtBuckets]
}

// reserve makes sure that there are n more versions, n being far below 2^32. If
// not, it forgets everything that a version says: all entries are invalid, all
// directories get new versions, all credentials new PCCs. Preconditions: mu is
// held.
func (c *fullPathCache[N]) reserve(n uint32) {
	if math.MaxUint32-c.lastSeq >= n {
		return
	}
	c.creds.Store(new(credTable))
	c.lastSeq = 0
	if c.root != nil {
		c.root.seq = c.nextSeq()
	}
	for _, e := range c.slots {
		e.prefix.Store(invalidPrefix)
		if e.dir != nil {
			e.dir.seq = c.nextSeq()
		}
	}
	c.invalidateSeq.Add(2) // walks that have begun add nothing
}

// nextSeq returns a version that no directory ever had. Preconditions: mu is
// held, reserve was called.
func (c *fullPathCache[N]) nextSeq() uint32 {
	c.lastSeq++
	return c.lastSeq
}

// invalidate makes invalid all that is known of a node: each of its paths, and
// all paths below. Preconditions: mu is held, versions for all are reserved.
func (c *fullPathCache[N]) invalidate(n N) {
	if c.root != nil && c.root.node == n {
		c.invalidateBelow(c.root)
		return
	}
	for e := c.nodes[n.Ino()%dlhtBuckets]; e != nil; {
		next := e.sameBucket
		switch {
		case e.node != n:
		case e.dir == nil || e.dir.children == nil:
			c.drop(e)
		default:
			e.prefix.Store(invalidPrefix)
			c.invalidateBelow(e.dir)
		}
		e = next
	}
}

// invalidateBelow visits every cached path below d, as the original does; also
// where those are invalid already. Preconditions: as invalidate.
func (c *fullPathCache[N]) invalidateBelow(d *fdir[N]) {
	d.seq = c.nextSeq()
	for e := d.children; e != nil; e = e.older {
		if e.prefix.Load() != invalidPrefix {
			e.prefix.Store(invalidPrefix)
		}
		if e.dir != nil {
			c.invalidateBelow(e.dir)
		}
	}
}

// directory returns the place of a directory in the tree, nil if it has none or
// may stand somewhere else by now. Preconditions: mu is held.
func (c *fullPathCache[N]) directory(n N, isRoot bool) *fdir[N] {
	if isRoot {
		if c.root == nil {
			c.root = &fdir[N]{node: n, seq: c.nextSeq()}
		}
		return c.root
	}
	for e := c.nodes[n.Ino()%dlhtBuckets]; e != nil; e = e.sameBucket {
		if e.node == n {
			if e.prefix.Load() == invalidPrefix {
				return nil
			}
			return e.dir
		}
	}
	return nil
}

// entry returns the entry of a child of d, made unless there is one. An invalid
// one is returned as it is; it is nil if there is no room. Preconditions: mu is
// held, a version is reserved, d is valid.
func (c *fullPathCache[N]) entry(d *fdir[N], sig *pathSignature, child N) *fdentry[N] {
	var stale *fdentry[N] // signed when child or a directory above had another name
	for e := c.nodes[child.Ino()%dlhtBuckets]; e != nil; e = e.sameBucket {
		if e.node != child {
			continue
		}
		if e.parent == d && e.signature == *sig {
			return e
		}
		if e.dir != nil || e.parent == d && e.prefix.Load() == invalidPrefix {
			stale = e
		}
	}
	e := &fdentry[N]{signature: *sig, node: child, parent: d}
	switch {
	case stale != nil:
		e.dir = stale.dir // and what is cached below
		c.drop(stale)
	case len(c.slots) >= c.limit && !c.evict(d.own):
		return nil
	case child.IsDir():
		e.dir = &fdir[N]{node: child, seq: c.nextSeq()}
	}
	c.link(e)
	return e
}

// link enters e everywhere. Preconditions: mu is held.
func (c *fullPathCache[N]) link(e *fdentry[N]) {
	if e.dir != nil {
		e.dir.own = e
	}
	if e.older = e.parent.children; e.older != nil {
		e.older.younger = e
	}
	e.parent.children = e
	chain := &c.nodes[e.node.Ino()%dlhtBuckets]
	e.sameBucket, *chain = *chain, e
	e.slot = uint32(len(c.slots))
	c.slots = append(c.slots, e)
	head := c.bucket(&e.signature)
	e.next.Store(head.Load())
	head.Store(e)
}

// drop takes e out of everything. A reader who stands on it finds the rest of
// the chain behind it. Preconditions: mu is held; where e is a directory with
// something cached below, another entry takes that over.
func (c *fullPathCache[N]) drop(e *fdentry[N]) {
	e.prefix.Store(invalidPrefix)
	link := c.bucket(&e.signature)
	for link.Load() != e {
		link = &link.Load().next
	}
	link.Store(e.next.Load())

	if e.younger != nil {
		e.younger.older = e.older
	} else {
		e.parent.children = e.older
	}
	if e.older != nil {
		e.older.younger = e.younger
	}

	chain := &c.nodes[e.node.Ino()%dlhtBuckets]
	for *chain != e {
		chain = &(*chain).sameBucket
	}
	*chain = e.sameBucket

	last := len(c.slots) - 1
	c.slots[e.slot] = c.slots[last]
	c.slots[e.slot].slot = e.slot
	c.slots[last] = nil
	c.slots = c.slots[:last]
}

// maxSpared bounds how many used entries one eviction passes over.
const maxSpared = 64

// evict drops one entry other than keep that has nothing cached below. It
// reports false if there is none. Preconditions: mu is held.
func (c *fullPathCache[N]) evict(keep *fdentry[N]) bool {
	spared := 0
	for range 2 * len(c.slots) { // twice round: the first may only clear bits
		c.hand = (c.hand + 1) % len(c.slots)
		e := c.slots[c.hand]
		if e == keep || e.dir != nil && e.dir.children != nil {
			continue
		}
		if spared < maxSpared && e.prefix.Load() != invalidPrefix && e.used.Load() != 0 {
			e.used.Store(0)
			spared++
			continue
		}
		c.drop(e)
		return true
	}
	return false
}
