package rbdir

import (
	"fmt"
	"strings"
	"testing"
)

// broken returns a directory of n names, of which every second has one hash.
func broken(n uint64) *Dir[int] {
	d := new(Dir[int])
	var c Change[int]
	c.AddWhole(d)
	c.Begin()
	defer c.End()
	for i := range n {
		h := uint64(9)
		if i%2 == 1 {
			h = 100 + i
		}
		if _, err := d.Insert(h, fmt.Sprint("n", i), 0); err != nil {
			panic(err)
		}
	}
	return d
}

// TestCheckFindsDamage damages a sound directory in one place at a time.
func TestCheckFindsDamage(t *testing.T) {
	const n = 40 // 20 names with hash 9
	key := func(d *Dir[int], i uint64) *node[int] { return d.large.lowerBound(9<<OrdBits | i) }
	for _, c := range []struct {
		size   uint64
		want   string
		damage func(d *Dir[int])
	}{
		{6, "counted", func(d *Dir[int]) { d.state.Add(1) }},
		{n, "counted", func(d *Dir[int]) { d.state.Add(1) }},
		{6, "out of range", func(d *Dir[int]) { d.small[0].Key = 3 }},
		{6, "out of range", func(d *Dir[int]) { d.small[5].Key |= 1 << 63 }},
		{6, "after", func(d *Dir[int]) { d.small[1].Key, d.small[2].Key = d.small[2].Key, d.small[1].Key }},
		{6, "twice", func(d *Dir[int]) { d.small[1].Name = d.small[0].Name }},
		{8, "a slice of 9", func(d *Dir[int]) { d.small = append(d.small, Entry[int]{Key: maxKey}) }},
		{6, "dead", func(d *Dir[int]) { d.state.Or(deadBit) }},
		{n, "beside", func(d *Dir[int]) { d.small = []Entry[int]{} }},
		{n, "wrong side", func(d *Dir[int]) { r := d.large.tree.Root; r.Left, r.Right = r.Right, r.Left }},
		{n, "another parent", func(d *Dir[int]) { d.large.tree.Root.Left.Parent = nil }},
		{n, "root has a parent", func(d *Dir[int]) { d.large.tree.Root.Parent = d.large.tree.Root.Left }},
		{n, "ways of", func(d *Dir[int]) { d.large.tree.Root.Left = nil }},
		{n, "tree says", func(d *Dir[int]) {
			leaf := next(d.large.lowerBound(0))
			for leaf.Left != nil || leaf.Right != nil {
				leaf = next(leaf)
			}
			if leaf.Parent.Left == leaf {
				leaf.Parent.Left = nil
			} else {
				leaf.Parent.Right = nil
			}
		}},
		{n, "no side map", func(d *Dir[int]) { d.large.groups = nil }},
		{n, "is at", func(d *Dir[int]) { key(d, 5).Value.name = "other" }},
		{n, "is at", func(d *Dir[int]) { d.large.groups[9].ords["n0"] = 6 }},
		{n, "is free", func(d *Dir[int]) { d.large.groups[9].used.remove(4) }},
		{n, "21 ordinals", func(d *Dir[int]) { d.large.groups[9].used.add(30) }},
		{n, "-1 ordinals", func(d *Dir[int]) { d.large.groups[9].used.full[3] = 1 }},
		{n, "21 names", func(d *Dir[int]) { d.large.groups[9].ords["more"] = 30 }},
		{n, "a side map for the 1", func(d *Dir[int]) { d.large.formGroup(101, 1) }},
		{n, "2 side maps, 1 of them", func(d *Dir[int]) { d.large.formGroup(200, 1) }},
	} {
		d := broken(c.size)
		if err := d.Check(); err != nil {
			t.Fatalf("a sound directory: %v", err)
		}
		c.damage(d)
		if err := d.Check(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%d entries, want %q: %v", c.size, c.want, err)
		}
	}
}

func TestCheckFindsATreeOfTooFew(t *testing.T) {
	d := new(Dir[int])
	d.large = newLarge([]Entry[int]{{Key: MinKey, Name: "a"}})
	d.state.Store(1)
	if err := d.Check(); err == nil || !strings.Contains(err.Error(), "a tree of 1") {
		t.Error(err)
	}
}
