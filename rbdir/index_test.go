package rbdir_test

import (
	"errors"
	"fmt"
	"testing"

	"stagefs/rbdir"
)

// sorted is the plainest Index there could be.
type sorted struct{ m *model }

func (s sorted) Find(h uint64, name string) (rbdir.Entry[uint64], bool) {
	e, ok := s.m.entries[name]
	return e, ok
}
func (s sorted) Insert(h uint64, name string, v uint64) (uint64, error) { return s.m.insert(name, v) }
func (s sorted) Replace(h uint64, name string, v uint64) (uint64, bool) { return s.m.replace(name, v) }
func (s sorted) Delete(h uint64, name string) (uint64, bool)            { return s.m.delete(name) }
func (s sorted) Batch(dst []rbdir.Entry[uint64], after uint64, max int) []rbdir.Entry[uint64] {
	for _, e := range s.m.list() {
		if e.Key > after && max > 0 {
			dst = append(dst, e)
			max--
		}
	}
	return dst
}

func TestIndexInPlaceOfTheTree(t *testing.T) {
	h := rbdir.NewHasher(8)
	var d rbdir.Dir[uint64]
	d.InitIndex(9, sorted{newModel(h)})
	keys := make(map[string]uint64)
	for i := range 30 {
		name := fmt.Sprint("n", i)
		keys[name] = add(t, &d, h, name, uint64(i))
	}
	with(&d, func() {
		if _, err := d.Insert(h.Sum("n3"), "n3", 1); !errors.Is(err, rbdir.ErrExist) {
			t.Fatal(err)
		}
		if old, ok := d.Replace(h.Sum("n3"), "n3", 33); !ok || old != 3 {
			t.Fatal(old, ok)
		}
		if e, ok := d.Find(h.Sum("n3"), "n3"); !ok || e.Key != keys["n3"] || e.Value != 33 {
			t.Fatal(e, ok)
		}
	})
	if v, ok := d.Get(h.Sum("n4"), "n4"); !ok || v != 4 {
		t.Fatal(v, ok)
	}
	if d.Len() != 30 || len(listAll(&d, 7)) != 30 {
		t.Fatal(d.Len(), listAll(&d, 7))
	}
	check(t, &d)
	for name := range keys {
		with(&d, func() {
			if d.Kill() {
				t.Fatal("killed a directory with entries")
			}
		})
		remove(t, &d, h, name)
	}
	with(&d, func() {
		if !d.Kill() {
			t.Fatal("an empty directory lives on")
		}
		if _, err := d.Insert(h.Sum("n"), "n", 1); !errors.Is(err, rbdir.ErrDead) {
			t.Fatal(err)
		}
	})
	check(t, &d)
}
