//go:build invariants

package rbdir_test

import (
	"fmt"
	"math/bits"
	"testing"

	"stagefs/rbdir"
)

// maxDirSize bounds an empty directory, in bytes.
const maxDirSize = 96

func TestCallsOutsideTheirChangePanic(t *testing.T) {
	var d, other rbdir.Dir[int]
	other.Init(1)
	calls := map[string]func(){
		"Find":    func() { d.Find(5, "n") },
		"Insert":  func() { _, _ = d.Insert(5, "n", 1) },
		"Replace": func() { d.Replace(5, "n", 1) },
		"Delete":  func() { d.Delete(5, "n") },
		"Remove":  func() { d.Remove(5, rbdir.Entry[int]{Key: 5 << rbdir.OrdBits, Name: "n"}) },
		"Kill":    func() { d.Kill() },
	}
	for name, call := range calls {
		mustPanic(t, name+" without a Change", call)
		var c rbdir.Change[int]
		c.Add(&d, 5)
		mustPanic(t, name+" before Begin", call)
		c.Begin()
		if name != "Kill" {
			call()
		}
		c.End()
		mustPanic(t, name+" after End", call)
		c.Add(&d, 6)
		c.AddWhole(&other)
		c.Begin()
		mustPanic(t, name+" beside what was added", call)
		c.End()
	}
	with(&d, func() {
		for name, call := range calls {
			if name != "Kill" {
				call()
			}
		}
		mustPanic(t, "hash 0", func() { d.Find(0, "n") })
		mustPanic(t, "hash too long", func() { d.Find(1<<47, "n") })
	})
}

// TestEqualHashesStayNearLinear counts what creating, finding and removing
// 10,000 names of one hash does, against the same with the real hash.
func TestEqualHashesStayNearLinear(t *testing.T) {
	const n = 10000
	work := func(h rbdir.Hasher) int64 {
		var d rbdir.Dir[int]
		names := make([]string, n)
		for i := range names {
			names[i] = fmt.Sprint("name", i)
		}
		before := rbdir.Steps()
		with(&d, func() {
			for i, name := range names {
				if _, err := d.Insert(h.Sum(name), name, i); err != nil {
					t.Fatal(err)
				}
			}
			for i, name := range names {
				if e, ok := d.Find(h.Sum(name), name); !ok || e.Value != i {
					t.Fatal(name, e, ok)
				}
				if _, ok := d.Find(h.Sum(name), name+"?"); ok {
					t.Fatal("found a name that is not there")
				}
			}
			// Out of the middle, and back: the lowest free ordinal moves.
			for i := 0; i < n; i += 3 {
				d.Delete(h.Sum(names[i]), names[i])
				if _, err := d.Insert(h.Sum(names[i]), names[i], i); err != nil {
					t.Fatal(err)
				}
			}
			for _, name := range names {
				if _, ok := d.Delete(h.Sum(name), name); !ok {
					t.Fatal(name)
				}
			}
		})
		return rbdir.Steps() - before
	}
	steps := work(constant)
	// The checks of this build walk the tree too, at some 50 steps a change.
	if limit := int64(6 * n * (2*bits.Len(n) + 100)); steps > limit {
		t.Errorf("%d steps, limit %d", steps, limit)
	}
	t.Logf("%d steps; with the real hash %d", steps, work(rbdir.NewHasher(1)))
}
