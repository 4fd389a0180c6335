package rbdir_test

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"stagefs/rbdir"
)

// constant hashes every name alike.
var constant = rbdir.NewHasher(1).Narrowed(func(uint64) uint64 { return 77 })

// with calls f between Begin and End of a Change of all of d.
func with[V any](d *rbdir.Dir[V], f func()) {
	var c rbdir.Change[V]
	c.AddWhole(d)
	c.Begin()
	defer c.End()
	f()
}

// add inserts name, which must succeed, and returns its key.
func add[V any](t testing.TB, d *rbdir.Dir[V], h rbdir.Hasher, name string, v V) (key uint64) {
	t.Helper()
	with(d, func() {
		var err error
		if key, err = d.Insert(h.Sum(name), name, v); err != nil {
			t.Fatalf("Insert(%q): %v", name, err)
		}
	})
	return key
}

// remove deletes name, which must be there.
func remove[V any](t testing.TB, d *rbdir.Dir[V], h rbdir.Hasher, name string) {
	t.Helper()
	with(d, func() {
		if _, ok := d.Delete(h.Sum(name), name); !ok {
			t.Fatalf("Delete(%q): not there", name)
		}
	})
}

func check[V any](t testing.TB, d *rbdir.Dir[V]) {
	t.Helper()
	if err := d.Check(); err != nil {
		t.Fatal(err)
	}
}

func TestZeroAndEmptyDirectory(t *testing.T) {
	var d rbdir.Dir[int]
	d.Init(42)
	if d.ID() != 42 || d.Len() != 0 || d.Dead() {
		t.Fatal(d.ID(), d.Len(), d.Dead())
	}
	if _, ok := d.Get(1, "a"); ok {
		t.Fatal("found a name in an empty directory")
	}
	if es := d.Batch(nil, 0, 10); len(es) != 0 {
		t.Fatal(es)
	}
	with(&d, func() {
		if _, ok := d.Delete(1, "a"); ok {
			t.Fatal("deleted a name in an empty directory")
		}
		if _, ok := d.Replace(1, "a", 1); ok {
			t.Fatal("replaced a name in an empty directory")
		}
	})
	check(t, &d)
}

func TestKeysNeverChangeWhenNamesCollide(t *testing.T) {
	var d rbdir.Dir[int]
	keys := make(map[string]uint64)
	for i := range 40 {
		name := fmt.Sprint("n", i)
		keys[name] = add(t, &d, constant, name, i)
		if want := uint64(77<<16 | i); keys[name] != want {
			t.Fatalf("key %#x, want %#x", keys[name], want)
		}
		for name, key := range keys {
			with(&d, func() {
				if e, ok := d.Find(77, name); !ok || e.Key != key {
					t.Fatalf("key of %q was %#x, is %#x", name, key, e.Key)
				}
			})
		}
	}
	for i := range 40 {
		remove(t, &d, constant, fmt.Sprint("n", i))
		for _, e := range listAll(&d, 7) {
			if keys[e.Name] != e.Key {
				t.Fatalf("key of %q was %#x, is %#x", e.Name, keys[e.Name], e.Key)
			}
		}
	}
}

func TestLowestFreeOrdinalBetweenSurvivors(t *testing.T) {
	for _, size := range []int{6, 8, 9, 20, 200} { // slice, tree, side map
		var d rbdir.Dir[int]
		for i := range size {
			add(t, &d, constant, fmt.Sprint("n", i), i)
		}
		for _, i := range []int{4, 1, 3} {
			remove(t, &d, constant, fmt.Sprint("n", i))
		}
		for j, want := range []uint64{1, 3, 4, uint64(size)} {
			if key := add(t, &d, constant, fmt.Sprint("new", j), j); key != 77<<16|want {
				t.Fatalf("size %d: ordinal %d, want %d", size, key&0xffff, want)
			}
		}
		check(t, &d)
	}
}

func TestRenameAwayAndBackGivesTheSameKey(t *testing.T) {
	eachHasher(t, func(t *testing.T, h rbdir.Hasher) {
		w := newTwins(t, h)
		for i := range 50 {
			w.insert(fmt.Sprint("f", i), uint64(i))
		}
		for i := range 50 {
			name := fmt.Sprint("f", i)
			before := w.m.entries[name].Key
			w.rename(name, "elsewhere")
			w.rename("elsewhere", name)
			if after := w.m.entries[name].Key; after != before {
				t.Fatalf("key %#x, then %#x", before, after)
			}
			w.compare(1000)
		}
	})
}

func TestReplaceKeepsTheKeyWithALowerOrdinalFree(t *testing.T) {
	for _, size := range []int{5, 8, 12} {
		var d rbdir.Dir[int]
		for i := range size {
			add(t, &d, constant, fmt.Sprint("n", i), i)
		}
		remove(t, &d, constant, "n0")
		with(&d, func() {
			if old, ok := d.Replace(77, "n3", 333); !ok || old != 3 {
				t.Fatal(old, ok)
			}
			if e, ok := d.Find(77, "n3"); !ok || e != (rbdir.Entry[int]{Key: 77<<16 | 3, Name: "n3", Value: 333}) {
				t.Fatal(e, ok)
			}
		})
		if d.Len() != size-1 {
			t.Fatal(d.Len())
		}
	}
}

func TestOrdinalOverflowGivesErrFullAndChangesNothing(t *testing.T) {
	const all = 1 << rbdir.OrdBits
	var d rbdir.Dir[int32]
	with(&d, func() {
		for i := range int32(all) {
			if _, err := d.Insert(77, fmt.Sprint("n", i), i); err != nil {
				t.Fatal(err)
			}
		}
		for range 2 {
			if _, err := d.Insert(77, "one more", 0); !errors.Is(err, rbdir.ErrFull) {
				t.Fatalf("got %v, want ErrFull", err)
			}
			if _, err := d.Insert(77, "n5", 0); !errors.Is(err, rbdir.ErrExist) {
				t.Fatalf("got %v, want ErrExist", err)
			}
		}
		if _, ok := d.Find(77, "one more"); ok {
			t.Fatal("a refused name is there")
		}
		if key, err := d.Insert(78, "other hash", 0); err != nil || key != 78<<16 {
			t.Fatal(key, err)
		}
	})
	if d.Len() != all+1 {
		t.Fatal(d.Len())
	}
	check(t, &d)
	with(&d, func() {
		if v, ok := d.Delete(77, "n40000"); !ok || v != 40000 {
			t.Fatal(v, ok)
		}
		if key, err := d.Insert(77, "one more", 0); err != nil || key != 77<<16|40000 {
			t.Fatal(key, err)
		}
	})
	check(t, &d)
	es := d.Batch(nil, 77<<16|65534, 10)
	if len(es) != 2 || es[0].Key != 77<<16|65535 || es[1].Key != 78<<16 {
		t.Fatal(es)
	}
}

func TestCookiesAreNeverReservedNorNegative(t *testing.T) {
	for _, to := range []uint64{0, 1, 1<<47 - 1} {
		h := rbdir.NewHasher(1).Narrowed(func(uint64) uint64 { return to })
		var d rbdir.Dir[int]
		for i := range 30 {
			if key := add(t, &d, h, fmt.Sprint("n", i), i); key < rbdir.MinKey || int64(key) < 0 {
				t.Fatalf("key %#x", key)
			}
		}
		check(t, &d)
		// The reserved cookies are all before the first entry.
		for after := range rbdir.MinKey {
			if after > 3 && after < rbdir.MinKey-3 {
				continue
			}
			if es := d.Batch(nil, after, 1); len(es) != 1 || es[0].Name != "n0" {
				t.Fatalf("after %d: %v", after, es)
			}
		}
	}
}

func TestAnyNumberIsAValidCookie(t *testing.T) {
	eachHasher(t, func(t *testing.T, h rbdir.Hasher) {
		for _, size := range []int{3, 300} {
			w := newTwins(t, h)
			for i := range size {
				w.insert(fmt.Sprint("f", i), 0)
			}
			want := w.m.list()
			last := want[size-1].Key
			for _, after := range []uint64{last, last + 1, math.MaxInt64 - 1, math.MaxInt64, math.MaxInt64 + 1, math.MaxUint64} {
				if es := w.dir.Batch(nil, after, 10); len(es) != 0 {
					t.Fatalf("after %#x: %v", after, es)
				}
			}
			for i, e := range want {
				if es := w.dir.Batch(nil, e.Key-1, 1); len(es) != 1 || es[0] != e {
					t.Fatalf("after %#x: %v, want %v", e.Key-1, es, e)
				}
				if es := w.dir.Batch(nil, e.Key, math.MaxInt); len(es) != size-1-i {
					t.Fatalf("after %#x: %d entries, want %d", e.Key, len(es), size-1-i)
				}
			}
			for _, max := range []int{0, -1, math.MinInt} {
				if es := w.dir.Batch(nil, 0, max); len(es) != 0 {
					t.Fatalf("at most %d: %v", max, es)
				}
			}
			if es := w.dir.Batch(nil, 0, math.MaxInt); len(es) != size {
				t.Fatalf("no bound: %d entries", len(es))
			}
		}
	})
}

func TestBatchAppends(t *testing.T) {
	var d rbdir.Dir[int]
	for i := range 20 {
		add(t, &d, constant, fmt.Sprint("n", i), i)
	}
	buf := make([]rbdir.Entry[int], 1, 11)
	buf[0].Name = "kept"
	got := d.Batch(buf, 0, 10)
	if len(got) != 11 || got[0].Name != "kept" || got[1].Name != "n0" || &got[0] != &buf[0] {
		t.Fatal(got)
	}
}

func TestKillOnlyEmptyAndForGood(t *testing.T) {
	for _, size := range []int{1, 20} {
		var d rbdir.Dir[int]
		for i := range size {
			add(t, &d, constant, fmt.Sprint("n", i), i)
		}
		with(&d, func() {
			if d.Kill() || d.Dead() {
				t.Fatal("killed a directory with entries")
			}
		})
		for i := range size {
			remove(t, &d, constant, fmt.Sprint("n", i))
		}
		with(&d, func() {
			if !d.Kill() || !d.Dead() || !d.Kill() {
				t.Fatal("an empty directory lives on")
			}
			if _, err := d.Insert(77, "n", 1); !errors.Is(err, rbdir.ErrDead) {
				t.Fatalf("got %v, want ErrDead", err)
			}
			if _, ok := d.Find(77, "n"); ok || d.Len() != 0 {
				t.Fatal("a dead directory has entries")
			}
		})
		check(t, &d)
	}
}
