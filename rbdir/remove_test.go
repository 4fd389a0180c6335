package rbdir_test

import (
	"fmt"
	"testing"

	"stagefs/rbdir"
)

// TestRemoveWhatFindReturned in all representations, one name after the other.
func TestRemoveWhatFindReturned(t *testing.T) {
	eachHasher(t, func(t *testing.T, h rbdir.Hasher) {
		for _, size := range []int{1, 8, 9, 60, 700} {
			w := newTwins(t, h)
			for i := range size {
				w.insert(fmt.Sprint("f", i), uint64(i))
			}
			for i := range size {
				w.remove(fmt.Sprint("f", i))
				if size < 100 {
					w.compare(100)
				}
			}
			w.compare(100)
		}
	})
}

// TestRemoveOfWhatIsGoneDoesNothing removes an entry twice, and one whose key
// another name has by now.
func TestRemoveOfWhatIsGoneDoesNothing(t *testing.T) {
	for _, size := range []int{5, 12} {
		var d rbdir.Dir[int]
		for i := range size {
			add(t, &d, constant, fmt.Sprint("n", i), i)
		}
		var e rbdir.Entry[int]
		with(&d, func() {
			e, _ = d.Find(77, "n3")
			d.Remove(e.Key>>rbdir.OrdBits, e)
			d.Remove(e.Key>>rbdir.OrdBits, e)
		})
		if d.Len() != size-1 {
			t.Fatalf("%d entries", d.Len())
		}
		add(t, &d, constant, "other", 1) // with the key of e
		with(&d, func() { d.Remove(e.Key>>rbdir.OrdBits, e) })
		if v, ok := d.Get(77, "other"); !ok || v != 1 || d.Len() != size {
			t.Fatal(v, ok, d.Len())
		}
		remove(t, &d, constant, "n1")
		add(t, &d, constant, "n3", 3) // with another key
		with(&d, func() { d.Remove(e.Key>>rbdir.OrdBits, e) })
		if _, ok := d.Get(77, "n3"); !ok || d.Len() != size {
			t.Fatal(ok, d.Len())
		}
		check(t, &d)
	}
}

func TestRemoveFromAnIndex(t *testing.T) {
	h := rbdir.NewHasher(9)
	var d rbdir.Dir[uint64]
	d.InitIndex(1, sorted{newModel(h)})
	add(t, &d, h, "n", 1)
	with(&d, func() {
		e, _ := d.Find(h.Sum("n"), "n")
		d.Remove(e.Key>>rbdir.OrdBits, rbdir.Entry[uint64]{Key: e.Key + 1, Name: "n"})
		if d.Len() != 1 {
			t.Fatal(d.Len())
		}
		d.Remove(e.Key>>rbdir.OrdBits, e)
	})
	if _, ok := d.Get(h.Sum("n"), "n"); ok || d.Len() != 0 {
		t.Fatal(ok, d.Len())
	}
}
