//go:build !invariants && !race

package rbdir_test

import (
	"fmt"
	"testing"

	"stagefs/rbdir"
)

func TestHotPathsAllocateNothing(t *testing.T) {
	h := rbdir.NewHasher(13)
	for _, c := range []struct {
		name string
		size int
		hash rbdir.Hasher
	}{
		{"slice", 8, h}, {"tree", 1000, h}, {"side map", 100, constant},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := new(rbdir.Dir[uint64])
			d.Init(1)
			for i := range c.size {
				add(t, d, c.hash, fmt.Sprint("n", i), uint64(i))
			}
			other := new(rbdir.Dir[uint64])
			other.Init(2)
			sum, none := c.hash.Sum("n3"), c.hash.Sum("none")
			buf := make([]rbdir.Entry[uint64], 0, 100)
			for what, f := range map[string]func(){
				"Get":  func() { d.Get(sum, "n3"); d.Get(none, "none") },
				"View": func() { v := d.View(sum); v.Get("n3"); v.End() },
				"Batch": func() {
					es := d.Batch(buf, 0, 100)
					d.Batch(buf, es[len(es)-1].Key, 100)
				},
				"Change": func() {
					var c rbdir.Change[uint64]
					c.Add(d, sum)
					c.Add(other, none)
					c.AddWhole(other)
					c.Begin()
					d.Find(sum, "n3")
					d.Replace(sum, "n3", 5)
					other.Find(none, "none")
					c.End()
				},
			} {
				if n := testing.AllocsPerRun(100, f); n != 0 {
					t.Errorf("%s: %v allocations", what, n)
				}
			}
		})
	}
}

func TestCreateAndRemoveAllocateOnlyTheNode(t *testing.T) {
	h := rbdir.NewHasher(14)
	for _, c := range []struct{ size, allocs int }{{0, 0}, {3, 0}, {1000, 1}} {
		d := new(rbdir.Dir[uint64])
		for i := range c.size {
			add(t, d, h, fmt.Sprint("n", i), uint64(i))
		}
		sum := h.Sum("new")
		if n := testing.AllocsPerRun(100, func() {
			var ch rbdir.Change[uint64]
			ch.Add(d, sum)
			ch.Begin()
			_, _ = d.Insert(sum, "new", 1)
			ch.End()
			ch.Add(d, sum)
			ch.Begin()
			d.Delete(sum, "new")
			ch.End()
		}); int(n) != c.allocs {
			t.Errorf("%d entries: %v allocations, want %d", c.size, n, c.allocs)
		}
	}
}
