package rbdir

import (
	"cmp"

	rbt "github.com/emirpasic/gods/v2/trees/redblacktree"
)

// large is what a directory above smallMax entries is made of, or the structure
// that a benchmark put in place of it all.
type large[V any] struct {
	other  Index[V] // not nil: it alone is in use
	tree   rbt.Tree[uint64, item[V]]
	groups map[uint64]*group // by h: the groups above groupMax, and none of groupAgain or less
}

// item is the tree's value beside the key. A node is 64 bytes with an 8-byte V.
type item[V any] struct {
	name string
	v    V
}

type node[V any] = rbt.Node[uint64, item[V]]

// newLarge returns a tree of the given entries.
func newLarge[V any](es []Entry[V]) *large[V] {
	t := &large[V]{}
	t.tree.Comparator = compareKeys
	for _, e := range es {
		t.tree.Put(e.Key, item[V]{e.Name, e.Value})
	}
	return t
}

// compareKeys is the tree's comparator. gods calls it through a func value,
// which takes about as long as all the rest of a step.
func compareKeys(a, b uint64) int {
	countStep()
	return cmp.Compare(a, b)
}

// lowerBound returns the first node whose key is at least key, or nil. It is
// the tree's Ceiling with the comparison inline: half the time at 1,000 entries,
// the same where cache misses rule.
func (t *large[V]) lowerBound(key uint64) *node[V] {
	var best *node[V]
	for n := t.tree.Root; n != nil; {
		countStep()
		if key < n.Key {
			best, n = n, n.Left
		} else if key > n.Key {
			n = n.Right
		} else {
			return n
		}
	}
	return best
}

// next returns the node after n in key order, or nil.
func next[V any](n *node[V]) *node[V] {
	countStep()
	if n.Right != nil {
		n = n.Right
		for n.Left != nil {
			n = n.Left
		}
		return n
	}
	for n.Parent != nil && n == n.Parent.Right {
		n = n.Parent
	}
	return n.Parent
}

// locate returns the node of name, or nil.
func (t *large[V]) locate(h uint64, name string) *node[V] {
	key := h << OrdBits
	if g := t.group(h); g != nil {
		ord, ok := g.ords[name]
		if !ok {
			return nil
		}
		return t.lowerBound(key | uint64(ord))
	}
	for n := t.lowerBound(key); n != nil && n.Key>>OrdBits == h; n = next(n) {
		if n.Value.name == name {
			return n
		}
	}
	return nil
}

func (t *large[V]) find(h uint64, name string) (Entry[V], bool) {
	if n := t.locate(h, name); n != nil {
		return Entry[V]{n.Key, n.Value.name, n.Value.v}, true
	}
	return Entry[V]{}, false
}

func (t *large[V]) insert(h uint64, name string, v V) (uint64, error) {
	key := h << OrdBits
	if g := t.group(h); g != nil {
		if _, ok := g.ords[name]; ok {
			return 0, ErrExist
		}
		ord, ok := g.used.lowestFree()
		if !ok {
			return 0, ErrFull
		}
		g.add(name, ord)
		key |= uint64(ord)
		t.tree.Put(key, item[V]{name, v})
		return key, nil
	}
	size := 1 // of the group, with the new name
	for n := t.lowerBound(key); n != nil && n.Key>>OrdBits == h; n = next(n) {
		if n.Value.name == name {
			return 0, ErrExist
		}
		if n.Key == key {
			key++ // ascending keys: the first that is missing is the lowest free
		}
		size++
	}
	t.tree.Put(key, item[V]{name, v})
	if size > groupMax {
		t.formGroup(h, size)
	}
	return key, nil
}

func (t *large[V]) replace(h uint64, name string, v V) (old V, ok bool) {
	n := t.locate(h, name)
	if n == nil {
		return old, false
	}
	old, n.Value.v = n.Value.v, v
	return old, true
}

func (t *large[V]) delete(h uint64, name string) (old V, ok bool) {
	n := t.locate(h, name)
	if n == nil {
		return old, false
	}
	old = n.Value.v
	t.remove(h, n.Key, name)
	return old, true
}

// remove removes the entry with this key; a node of it may hold another one afterwards.
func (t *large[V]) remove(h, key uint64, name string) {
	t.tree.Remove(key)
	if g := t.group(h); g != nil {
		g.remove(name, uint16(key&ordMask))
		t.dissolveGroup(h, g)
	}
}

// entries returns a copy of all entries in key order.
func (t *large[V]) entries() []Entry[V] {
	es := make([]Entry[V], 0, t.tree.Size())
	for n := t.lowerBound(0); n != nil; n = next(n) {
		es = append(es, Entry[V]{n.Key, n.Value.name, n.Value.v})
	}
	return es
}
