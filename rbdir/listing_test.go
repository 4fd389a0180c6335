package rbdir_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"stagefs/rbdir"
)

// TestRemovedCursorEntry unlinks the very entry that a batch ended with: the
// next batch begins with the one that follows it.
func TestRemovedCursorEntry(t *testing.T) {
	eachHasher(t, func(t *testing.T, h rbdir.Hasher) {
		w := newTwins(t, h)
		for i := range 1026 {
			w.insert(fmt.Sprint("f", i), 0)
		}
		want := w.m.list()
		for _, first := range []int{1, 2, 500, 1024, 1025} {
			got := w.dir.Batch(nil, 0, first)
			cursor := got[first-1]
			w.delete(cursor.Name)
			got = w.dir.Batch(got, cursor.Key, 2000)
			if !slices.Equal(got, want) {
				t.Fatalf("batch of %d, its last unlinked: not the listing of before", first)
			}
			w.insert(cursor.Name, 0) // the lowest free ordinal: where it was
		}
	})
}

func TestRemovedTailIsJustTheEnd(t *testing.T) {
	eachHasher(t, func(t *testing.T, h rbdir.Hasher) {
		for _, size := range []int{8, 100} {
			w := newTwins(t, h)
			for i := range size {
				w.insert(fmt.Sprint("f", i), 0)
			}
			cursor := w.dir.Batch(nil, 0, size/2)[size/2-1].Key
			for _, e := range w.m.list() {
				if e.Key > cursor {
					w.delete(e.Name)
				}
			}
			if es := w.dir.Batch(nil, cursor, 10); len(es) != 0 {
				t.Fatal(es)
			}
			for _, e := range w.m.list() { // and all before it as well
				w.delete(e.Name)
			}
			if es := w.dir.Batch(nil, cursor, 10); len(es) != 0 {
				t.Fatal(es)
			}
			w.insert("late", 1)
			if es := w.dir.Batch(nil, 0, 10); len(es) != 1 || es[0].Name != "late" {
				t.Fatalf("a new listing: %v", es)
			}
		}
	})
}

// TestRenameToAndFroWhileListing renames every entry away and back between two
// batches: each is returned once.
func TestRenameToAndFroWhileListing(t *testing.T) {
	eachHasher(t, func(t *testing.T, h rbdir.Hasher) {
		for _, batch := range []int{1, 2, 7, 29, 30} {
			w := newTwins(t, h)
			for i := range 30 {
				w.insert(fmt.Sprint("f", i), 0)
			}
			want := w.m.list()
			var got []rbdir.Entry[uint64]
			for after := uint64(0); ; after = got[len(got)-1].Key {
				n := len(got)
				got = w.dir.Batch(got, after, batch)
				if len(got) == n {
					break
				}
				for _, e := range want {
					w.rename(e.Name, "tmp")
					w.rename("tmp", e.Name)
				}
			}
			if !slices.Equal(got, want) {
				t.Fatalf("batches of %d: %d entries, want %d", batch, len(got), len(want))
			}
		}
	})
}

// TestRenameToFreshNamesEnds renames each entry that is returned to a new name.
// Those that go ahead of the reader come again, so there is a bound only on
// average: e-1 returns a file.
func TestRenameToFreshNamesEnds(t *testing.T) {
	eachHasher(t, func(t *testing.T, h rbdir.Hasher) {
		const n = 500
		w := newTwins(t, h)
		for i := range n {
			w.insert(fmt.Sprint("f", i), 0)
		}
		returned := 0
		var buf []rbdir.Entry[uint64]
		for after := uint64(0); ; after = buf[len(buf)-1].Key {
			buf = w.dir.Batch(buf[:0], after, 10)
			if len(buf) == 0 {
				break
			}
			for _, e := range buf {
				returned++
				w.rename(e.Name, fmt.Sprint("fresh", returned))
			}
			if returned > 3*n {
				t.Fatalf("%d returns for %d files", returned, n)
			}
		}
		if returned < n || w.dir.Len() != n {
			t.Fatalf("%d returns, %d entries", returned, w.dir.Len())
		}
	})
}

// TestListingsUnderConcurrentChange lists while other goroutines create, remove
// and rename: each listing is ascending, returns what stays exactly once, and
// of the rest nothing that was never there.
func TestListingsUnderConcurrentChange(t *testing.T) {
	eachHasher(t, func(t *testing.T, h rbdir.Hasher) {
		const stay, come = 60, 40
		var d rbdir.Dir[uint64]
		d.Init(1)
		for i := range stay {
			add(t, &d, h, fmt.Sprint("stay", i), 0)
		}
		var done atomic.Bool
		var writers sync.WaitGroup
		for g := range 2 {
			seed := uint64(time.Now().UnixNano())
			t.Logf("writer %d: seed %d", g, seed)
			r := rand.New(rand.NewPCG(seed, uint64(g)))
			writers.Go(func() {
				for !done.Load() {
					churn(&d, h, r, g, stay, come)
				}
			})
		}
		for batch := 1; batch <= stay+2*come; batch += 1 + batch/4 {
			for range 3 {
				seen := make(map[string]int)
				last := uint64(0)
				for _, e := range listAll(&d, batch) {
					if e.Key <= last {
						t.Fatalf("key %#x after %#x", e.Key, last)
					}
					last = e.Key
					seen[e.Name]++
				}
				for i := range stay {
					if name := fmt.Sprint("stay", i); seen[name] != 1 {
						t.Fatalf("batches of %d: %q returned %d times", batch, name, seen[name])
					}
				}
				if len(seen) > stay+2*come {
					t.Fatalf("%d names", len(seen))
				}
			}
		}
		done.Store(true)
		writers.Wait()
		check(t, &d)
	})
}

// churn makes one change with the names of goroutine g, or renames a name that
// stays onto itself and back through an exchange of payloads.
func churn(d *rbdir.Dir[uint64], h rbdir.Hasher, r *rand.Rand, g, stay, come int) {
	a := fmt.Sprintf("come%d-%d", g, r.IntN(come))
	b := fmt.Sprintf("come%d-%d", g, r.IntN(come))
	s := fmt.Sprint("stay", r.IntN(stay))
	ha, hb, hs := h.Sum(a), h.Sum(b), h.Sum(s)
	var c rbdir.Change[uint64]
	c.Add(d, ha)
	c.Add(d, hb)
	c.Add(d, hs)
	c.Begin()
	defer c.End()
	switch r.IntN(4) {
	case 0:
		_, _ = d.Insert(ha, a, r.Uint64()) // may be there
	case 1:
		d.Delete(ha, a)
	case 2: // rename
		if e, ok := d.Find(ha, a); ok && a != b {
			if _, ok := d.Replace(hb, b, e.Value); !ok {
				_, _ = d.Insert(hb, b, e.Value)
			}
			d.Delete(ha, a)
		}
	case 3: // overwrite what stays, by a rename
		if e, ok := d.Find(ha, a); ok {
			d.Replace(hs, s, e.Value)
			d.Delete(ha, a)
		}
	}
}

// TestBatchLeavesNothingHeld changes the directory while it goes through a
// batch, as a caller's callback may.
func TestBatchLeavesNothingHeld(t *testing.T) {
	var d rbdir.Dir[int]
	for i := range 100 {
		add(t, &d, constant, fmt.Sprint("n", i), i)
	}
	n := 0
	for _, e := range d.Batch(nil, 0, 1024) {
		if want := fmt.Sprint("n", e.Value); e.Name != want {
			t.Fatalf("%q, want %q", e.Name, want)
		}
		remove(t, &d, constant, e.Name)
		n++
	}
	if n != 100 || d.Len() != 0 {
		t.Fatal(n, d.Len())
	}
}

// TestNamesSharingTheTopBits keeps the tree in balance (Check bounds its depth)
// and the listing in order.
func TestNamesSharingTheTopBits(t *testing.T) {
	h := rbdir.NewHasher(11).Narrowed(func(h uint64) uint64 { return 0xabcde<<27 | h&(1<<27-1) })
	w := newTwins(t, h)
	for i := range 3000 {
		w.insert(fmt.Sprint("f", i), 0)
	}
	w.compare(100)
	if w.m.list()[0].Key>>43 != 0xabcde {
		t.Fatal("the hash is not narrowed")
	}
}
