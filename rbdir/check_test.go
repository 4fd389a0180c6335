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

// redden makes n red.
func redden(n *node[int]) {
	was := *n
	*n = newColours[int]().red
	n.Key, n.Value, n.Left, n.Right, n.Parent = was.Key, was.Value, was.Left, was.Right, was.Parent
}

// wide returns a directory of n names with hashes that are spread evenly.
func wide(n uint64) *Dir[int] {
	d := new(Dir[int])
	var c Change[int]
	c.AddWhole(d)
	c.Begin()
	defer c.End()
	for i := range n {
		h := (i + 1) * 0x9e3779b97f4a7c15 >> (64 - hashBits)
		if _, err := d.Insert(h, fmt.Sprint("n", i), 0); err != nil {
			panic(err)
		}
	}
	return d
}

// TestCheckFindsDamageOfTheTable damages a table of 16 slots, a shard in each.
func TestCheckFindsDamageOfTheTable(t *testing.T) {
	for _, c := range []struct {
		want   string
		damage func(t *large[int])
	}{
		{"a table of 15", func(t *large[int]) { t.slots = t.slots[:15] }},
		{"a table of 1 ", func(t *large[int]) { t.slots = t.slots[:1] }},
		{"a table of 128", func(t *large[int]) { t.double(); t.double(); t.double() }},
		{"first shard", func(t *large[int]) { t.slots[0] = t.slots[1] }},
		{"depth 5 in", func(t *large[int]) { t.slots[3].depth++ }},
		{"belongs to slot 4, not to 3", func(t *large[int]) { t.slots[3] = t.slots[4] }},
		{"another one in slot 3", func(t *large[int]) { t.slots[2].depth-- }},
		{"slots 2 to 4, met in 3", func(t *large[int]) { t.slots[3].depth-- }},
		{"entries that part", func(t *large[int]) {
			for i := 0; i < 16; i += 4 {
				t.slots[i].unite(t.slots[i+1])
				t.slots[i+2].unite(t.slots[i+3])
				t.slots[i].unite(t.slots[i+2])
				t.slots[i].depth = 2
				t.slots[i+1], t.slots[i+2], t.slots[i+3] = t.slots[i], t.slots[i], t.slots[i]
			}
		}},
		{"entries before and from", func(t *large[int]) {
			for i := range 2 {
				s := t.slots[6+i]
				for s.n > shardFill/2 {
					s.remove(s.root)
				}
			}
		}},
	} {
		d := wide(330)
		if len(d.large.slots) != 16 {
			t.Fatalf("%d slots", len(d.large.slots))
		}
		if err := d.Check(); err != nil {
			t.Fatalf("a sound directory: %v", err)
		}
		c.damage(d.large)
		if err := d.Check(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("want %q: %v", c.want, err)
		}
	}
}

// TestCheckFindsDamage damages a sound directory in one place at a time.
func TestCheckFindsDamage(t *testing.T) {
	const n = 40 // 20 names with hash 9
	key := func(d *Dir[int], i uint64) *node[int] { return d.large.first.lowerBound(9<<OrdBits | i) }
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
		{n, "wrong side", func(d *Dir[int]) { r := d.large.first.root; r.Left, r.Right = r.Right, r.Left }},
		{n, "another parent", func(d *Dir[int]) { d.large.first.root.Left.Parent = nil }},
		{n, "root has a parent", func(d *Dir[int]) { d.large.first.root.Parent = d.large.first.root.Left }},
		{n, "ways of", func(d *Dir[int]) { d.large.first.root.Left = nil }},
		{n, "are red", func(d *Dir[int]) {
			redden(d.large.first.root.Left)
			redden(d.large.first.root.Left.Left)
		}},
		{n, "root is red", func(d *Dir[int]) { redden(d.large.first.root) }},
		{n, "shard says", func(d *Dir[int]) { d.large.first.n++ }},
		{n, "no side map", func(d *Dir[int]) { d.large.first.groups = nil }},
		{n, "is at", func(d *Dir[int]) { key(d, 5).Value.name = "other" }},
		{n, "is at", func(d *Dir[int]) { d.large.first.groups[9].ords["n0"] = 6 }},
		{n, "is free", func(d *Dir[int]) { d.large.first.groups[9].used.remove(4) }},
		{n, "21 ordinals", func(d *Dir[int]) { d.large.first.groups[9].used.add(30) }},
		{n, "-1 ordinals", func(d *Dir[int]) { d.large.first.groups[9].used.full[3] = 1 }},
		{n, "21 names", func(d *Dir[int]) { d.large.first.groups[9].ords["more"] = 30 }},
		{n, "a side map for the 1", func(d *Dir[int]) { d.large.first.formGroup(101, 1) }},
		{n, "2 side maps, 1 of them", func(d *Dir[int]) { d.large.first.formGroup(200, 1) }},
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
