package memfs

import (
	"fmt"
	"math/bits"
)

// contentsChecker holds the stores of all files against their counts, and against each other: what a file may change in
// place must belong to it alone.
type contentsChecker struct {
	nodes map[*pageNode]bool // with an owner; true once the owner was met
	pages map[*page]bool     // true: one node says that nobody else has it
}

func newContentsChecker() *contentsChecker {
	return &contentsChecker{nodes: map[*pageNode]bool{}, pages: map[*page]bool{zeroPage: false}}
}

// check returns the first fault of a store.
func (k *contentsChecker) check(st store, size int64) error {
	switch s := st.(type) {
	case *flat:
		return s.check(size)
	case *paged:
		return k.tree(s, size)
	}
	return nil
}

func (f *flat) check(size int64) error {
	if f.data&^f.have != 0 {
		return fmt.Errorf("pages %b written, %b allocated", f.data, f.have)
	}
	for i, b := range f.b[:cap(f.b)] {
		if b != 0 && (int64(i) >= size || i >= len(f.b) || f.data>>(i>>pageShift)&1 == 0) {
			return fmt.Errorf("byte %d is %d where nothing was written", i, b)
		}
	}
	return nil
}

func (k *contentsChecker) tree(s *paged, size int64) error {
	if s.root != nil && s.root.have == 0 {
		return fmt.Errorf("a tree without pages")
	}
	if err := k.node(s, s.root, s.height); err != nil {
		return err
	}
	if i := size >> pageShift; size%pageSize != 0 {
		if n := s.leaf(i); n != nil && n.pages[i&fanMask] != nil {
			for at, b := range n.pages[i&fanMask][size%pageSize:] {
				if b != 0 {
					return fmt.Errorf("byte %d beyond the end is %d", size+int64(at), b)
				}
			}
		}
	}
	return nil
}

func (k *contentsChecker) node(s *paged, n *pageNode, height int) error {
	switch {
	case n == nil:
		return nil
	case n.owner == sealed:
		if n != unwritten[height] && n != zeros[height] {
			return fmt.Errorf("a sealed node of height %d is at another height", height)
		}
		return nil
	}
	met, known := k.nodes[n]
	mine := n.owner == s.owner
	switch {
	case known && (mine || met):
		return fmt.Errorf("a node of one tree is part of another")
	case known:
		return nil
	}
	k.nodes[n] = mine
	if height == 0 {
		return k.leaf(n, mine)
	}
	have, data := int64(0), int64(0)
	for _, kid := range n.kids {
		if kid == nil {
			continue
		}
		if err := k.node(s, kid, height-1); err != nil {
			return err
		}
		have, data = have+kid.have, data+kid.data
	}
	if have != n.have || data != n.data {
		return fmt.Errorf("a node counts %d pages and %d written, below are %d and %d", n.have, n.data, have, data)
	}
	return nil
}

func (k *contentsChecker) leaf(n *pageNode, mine bool) error {
	data := int64(0)
	for i, p := range n.pages {
		there, own := n.there>>i&1 == 1, n.mine>>i&1 == 1
		switch {
		case p == nil && own, p != nil && !there:
			return fmt.Errorf("page %d of a node: there %v, allocated %v, its own %v", i, p != nil, there, own)
		case p == nil:
			continue
		}
		data++
		other, known := k.pages[p]
		own = own && mine
		if known && (own || other) {
			return fmt.Errorf("a page that one file may change is part of two")
		}
		k.pages[p] = own
	}
	if have := int64(bits.OnesCount64(n.there)); have != n.have || data != n.data {
		return fmt.Errorf("a node counts %d pages and %d written, it has %d and %d", n.have, n.data, have, data)
	}
	return nil
}
