package rbdir

import "math/bits"

// Trees are split and joined by linking their nodes anew, in order: no node is
// allocated for an entry, none is left behind, and the trees are as flat as can be. Package
// redblacktree exports the links of a node but not its colour, which is copied
// together with a whole node from one that has it.

// colours are a red and a black node without a key and without links.
type colours[V any] struct {
	red, black node[V]
}

// newColours takes them from a tree of two, where the root is black and the
// other red by the rules of such trees.
func newColours[V any]() *colours[V] {
	t := tree[V]{Comparator: compareKeys}
	t.Put(0, item[V]{})
	t.Put(1, item[V]{})
	c := &colours[V]{red: *t.Root.Right, black: *t.Root}
	c.red.Parent, c.black.Right = nil, nil
	return c
}

// balanced makes a tree of the given nodes, which are in key order, and returns
// its root. All levels that are full are black; what is left is red.
func (c *colours[V]) balanced(nodes []*node[V]) *node[V] {
	return c.link(nodes, bits.Len(uint(len(nodes)+1))-1, nil)
}

// link makes the tree of nodes below parent, with the given number of full levels.
func (c *colours[V]) link(nodes []*node[V], full int, parent *node[V]) *node[V] {
	if len(nodes) == 0 {
		return nil
	}
	countStep()
	mid := len(nodes) / 2
	n := nodes[mid]
	made := c.black
	if full <= 0 {
		made = c.red
	}
	made.Key, made.Value, made.Parent = n.Key, n.Value, parent
	made.Left = c.link(nodes[:mid], full-1, n)
	made.Right = c.link(nodes[mid+1:], full-1, n)
	*n = made // in one piece: the collector's write barriers are the larger part of it
	return n
}

// appendNodes appends the nodes of s in key order.
func (s *shard[V]) appendNodes(nodes []*node[V]) []*node[V] {
	for n := s.lowerBound(0); n != nil; n = next(n) {
		nodes = append(nodes, n)
	}
	return nodes
}

// unite moves all entries of upper, which are above those of s, to s.
func (s *shard[V]) unite(upper *shard[V]) {
	switch {
	case upper.n == 0:
	case s.n == 0:
		s.root = upper.root
	default:
		var buf [shardMax + 1]*node[V]
		nodes := upper.appendNodes(s.appendNodes(buf[:0]))
		s.root = newColours[V]().balanced(nodes)
	}
	s.n += upper.n
	upper.moveGroups(s, 0)
}
