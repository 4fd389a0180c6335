package rbdir

import (
	"errors"
	"fmt"
	"math/bits"
)

// Check compares d with what must be true of it and returns the first thing
// that is not: keys in range and ascending, no name twice, the counter right,
// the tree in balance with sound links, side maps that agree with the tree. It
// takes a shared hold for all of it, so the caller must not have a Change on d.
func (d *Dir[V]) Check() error {
	d.beginShared()
	defer d.endShared()
	return d.check()
}

// changed checks d after a change, under the tag invariants.
func (d *Dir[V]) changed() {
	if !invariants || !d.guard.due(d.Len()) {
		return
	}
	if err := d.check(); err != nil {
		panic(fmt.Sprintf("rbdir: directory %d: %v", d.id, err))
	}
}

func (d *Dir[V]) check() error {
	var es []Entry[V]
	switch {
	case d.large == nil:
		if len(d.small) > smallMax {
			return fmt.Errorf("a slice of %d entries", len(d.small))
		}
		es = d.small
	case d.large.other != nil:
		es = d.large.other.Batch(nil, 0, d.Len()+1)
	default:
		if d.small != nil {
			return errors.New("a slice beside the tree")
		}
		if err := d.large.checkTree(); err != nil {
			return err
		}
		es = d.large.entries()
		if err := d.large.checkGroups(es); err != nil {
			return err
		}
	}
	if d.Dead() && len(es) > 0 {
		return fmt.Errorf("dead with %d entries", len(es))
	}
	if d.Len() != len(es) {
		return fmt.Errorf("counted %d entries, found %d", d.Len(), len(es))
	}
	return checkEntries(es)
}

// checkEntries checks the keys of es, and that no name is there twice. (Equal
// names have equal hashes, so only names with one hash are compared.)
func checkEntries[V any](es []Entry[V]) error {
	for i := 0; i < len(es); {
		h := es[i].Key >> OrdBits
		first := i
		for ; i < len(es) && es[i].Key>>OrdBits == h; i++ {
			e := es[i]
			if e.Key < MinKey || e.Key > maxKey {
				return fmt.Errorf("key %#x of %q out of range", e.Key, e.Name)
			}
			if i > 0 && es[i-1].Key >= e.Key {
				return fmt.Errorf("key %#x of %q after %#x", e.Key, e.Name, es[i-1].Key)
			}
		}
		if i-first == 1 {
			continue
		}
		seen := make(map[string]bool, i-first)
		for _, e := range es[first:i] {
			if seen[e.Name] {
				return fmt.Errorf("%q twice, again at %#x", e.Name, e.Key)
			}
			seen[e.Name] = true
		}
	}
	return nil
}

func (t *large[V]) checkTree() error {
	root := t.tree.Root
	if root != nil && root.Parent != nil {
		return errors.New("the root has a parent")
	}
	n, _, _, err := checkNode(root, 0)
	if err != nil {
		return err
	}
	if n != t.tree.Size() {
		return fmt.Errorf("tree says %d nodes, has %d", t.tree.Size(), n)
	}
	if n <= smallAgain {
		return fmt.Errorf("a tree of %d nodes", n)
	}
	return nil
}

// checkNode checks links, order and balance below n and returns the number of
// nodes there, and those on its shortest and its longest way down. gods does not
// show the colours; what they are for is that no way down from a node is more
// than twice as long as another, which bounds the depth by 2*log2(n+1).
func checkNode[V any](n *node[V], depth int) (count, shortest, longest int, err error) {
	if n == nil {
		return 0, 0, 0, nil
	}
	if depth > 2*64 {
		return 0, 0, 0, errors.New("tree without an end")
	}
	count = 1
	for i, child := range [2]*node[V]{n.Left, n.Right} {
		if child != nil && child.Parent != n {
			return 0, 0, 0, fmt.Errorf("a child of %#x has another parent", n.Key)
		}
		if child != nil && (child.Key < n.Key) != (i == 0) {
			return 0, 0, 0, fmt.Errorf("%#x on the wrong side of %#x", child.Key, n.Key)
		}
		c, s, l, err := checkNode(child, depth+1)
		if err != nil {
			return 0, 0, 0, err
		}
		count += c
		if i == 0 || s < shortest {
			shortest = s
		}
		longest = max(longest, l)
	}
	shortest++
	longest++
	if longest > 2*shortest {
		return 0, 0, 0, fmt.Errorf("ways of %d and %d nodes below %#x", shortest, longest, n.Key)
	}
	return count, shortest, longest, nil
}

// checkGroups compares the side maps with es, all entries in key order.
func (t *large[V]) checkGroups(es []Entry[V]) error {
	found := 0
	for i := 0; i < len(es); {
		h := es[i].Key >> OrdBits
		first := i
		g := t.group(h)
		for ; i < len(es) && es[i].Key>>OrdBits == h; i++ {
			ord := uint16(es[i].Key & ordMask)
			if g == nil {
				continue
			}
			if got, ok := g.ords[es[i].Name]; !ok || got != ord {
				return fmt.Errorf("side map of %#x: %q is at %d (%t), not %d", h, es[i].Name, got, ok, ord)
			}
			if !g.used.has(ord) {
				return fmt.Errorf("side map of %#x: ordinal %d is free", h, ord)
			}
		}
		size := i - first
		switch {
		case g == nil && size > groupMax:
			return fmt.Errorf("%d names with hash %#x and no side map", size, h)
		case g == nil:
			continue
		case size <= groupAgain:
			return fmt.Errorf("a side map for the %d names with hash %#x", size, h)
		case len(g.ords) != size || g.used.count() != size:
			return fmt.Errorf("side map of %#x: %d names, %d ordinals, %d entries", h, len(g.ords), g.used.count(), size)
		}
		found++
	}
	if found != len(t.groups) {
		return fmt.Errorf("%d side maps, %d of them in use", len(t.groups), found)
	}
	return nil
}

// count returns the number of ordinals in s, or -1 if its two levels disagree.
func (s *ordSet) count() int {
	n := 0
	for w := range len(s.full) * 64 {
		full := false
		if w < len(s.words) {
			n += bits.OnesCount64(s.words[w])
			full = s.words[w] == ^uint64(0)
		}
		if full != (s.full[w/64]>>(w%64)&1 == 1) {
			return -1
		}
	}
	return n
}
