package rbdir

import (
	"cmp"

	rbt "github.com/emirpasic/gods/v2/trees/redblacktree"
)

// shard is one red-black tree: all entries of a directory whose hashes begin
// with the same depth bits. The tree is one of package redblacktree, of which the
// root is all that has to be kept: put and remove give it to a Tree for as long
// as a change takes. The zero shard is empty.
type shard[V any] struct {
	root   *node[V]
	groups map[uint64]*group // by h: the groups above groupMax, and none of groupAgain or less
	n      int32
	depth  uint8
}

// item is the tree's value beside the key. A node is 64 bytes with an 8-byte V.
type item[V any] struct {
	name string
	v    V
}

type (
	node[V any] = rbt.Node[uint64, item[V]]
	tree[V any] = rbt.Tree[uint64, item[V]]
)

// compareKeys is the comparator of the trees. They call it through a func value,
// which takes about as long as all the rest of a step.
func compareKeys(a, b uint64) int {
	countStep()
	return cmp.Compare(a, b)
}

// seek goes down the tree once. It returns the first node whose key is at least
// key, or nil, and the last node on the way: below that one belongs key, if it
// is not there.
func (s *shard[V]) seek(key uint64) (bound, last *node[V]) {
	for n := s.root; n != nil; {
		countStep()
		last = n
		if n.Key < key {
			n = n.Right
		} else {
			bound, n = n, n.Left
		}
	}
	return bound, last
}

// lowerBound returns the first node whose key is at least key, or nil.
func (s *shard[V]) lowerBound(key uint64) *node[V] {
	n, _ := s.seek(key)
	return n
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
func (s *shard[V]) locate(h uint64, name string) *node[V] {
	key := h << OrdBits
	if g := s.group(h); g != nil {
		ord, ok := g.ords[name]
		if !ok {
			return nil
		}
		return s.lowerBound(key | uint64(ord))
	}
	for n := s.lowerBound(key); n != nil && n.Key>>OrdBits == h; n = next(n) {
		if n.Value.name == name {
			return n
		}
	}
	return nil
}

func (s *shard[V]) find(h uint64, name string) (Entry[V], bool) {
	if n := s.locate(h, name); n != nil {
		return entryOf(n), true
	}
	return Entry[V]{}, false
}

func entryOf[V any](n *node[V]) Entry[V] { return Entry[V]{n.Key, n.Value.name, n.Value.v} }

// insert adds name, with the item that item returns once it is known that the name is not there.
func (s *shard[V]) insert(h uint64, name string, item func() (item[V], error)) (uint64, error) {
	key := h << OrdBits
	if g := s.group(h); g != nil {
		return s.insertGrouped(g, key, name, item)
	}
	n, last := s.seek(key)
	if n == nil || n.Key>>OrdBits != h { // nearly always
		it, err := item()
		if err != nil {
			return 0, err
		}
		s.put(last, key, it)
		return key, nil
	}
	size := 1 // of the group, with the new name
	for ; n != nil && n.Key>>OrdBits == h; n = next(n) {
		if n.Value.name == name {
			return 0, ErrExist
		}
		if n.Key == key {
			key++ // ascending keys: the first that is missing is the lowest free
		}
		size++
	}
	it, err := item()
	if err != nil {
		return 0, err
	}
	s.put(s.root, key, it)
	if size > groupMax {
		s.formGroup(h, size)
	}
	return key, nil
}

// insertGrouped is insert for a hash with side map g and lowest key key.
func (s *shard[V]) insertGrouped(g *group, key uint64, name string, item func() (item[V], error)) (uint64, error) {
	if _, ok := g.ords[name]; ok {
		return 0, ErrExist
	}
	ord, ok := g.used.lowestFree()
	if !ok {
		return 0, ErrFull
	}
	it, err := item()
	if err != nil {
		return 0, err
	}
	g.add(it.name, ord)
	key |= uint64(ord)
	s.put(s.root, key, it)
	return key, nil
}

// put adds a key that is not there, somewhere below the node from. Put searches
// downwards from Root and repairs upwards along the parents, so it is given the
// place that seek found as its Root and does not go down the tree again.
func (s *shard[V]) put(from *node[V], key uint64, it item[V]) {
	t := tree[V]{Root: from, Comparator: compareKeys}
	t.Put(key, it)
	if s.root == nil {
		s.root = t.Root
	}
	s.climb()
	s.n++
}

// remove removes the node n from the tree, in the same way, and its name from
// its group. n may hold another entry afterwards.
func (s *shard[V]) remove(n *node[V]) {
	if s.groups != nil {
		s.leaveGroup(n.Key, n.Value.name)
	}
	t := tree[V]{Root: n, Comparator: compareKeys}
	t.Remove(n.Key)
	if n == s.root {
		s.root = t.Root
	}
	s.climb()
	s.n--
}

// climb makes the root the root again, which a rotation has put below another.
func (s *shard[V]) climb() {
	for s.root != nil && s.root.Parent != nil {
		s.root = s.root.Parent
	}
}

// delete removes name, if it is there, and returns its payload.
func (s *shard[V]) delete(h uint64, name string) (old V, ok bool) {
	n := s.locate(h, name)
	if n == nil {
		return old, false
	}
	old = n.Value.v
	s.remove(n)
	return old, true
}

func (s *shard[V]) replace(h uint64, name string, v V) (old V, ok bool) {
	n := s.locate(h, name)
	if n == nil {
		return old, false
	}
	old, n.Value.v = n.Value.v, v
	return old, true
}
