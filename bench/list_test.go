package bench

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"stagefs/rbdir"
)

// pair is a directory over a list and one over rbdir's own structures. They
// must answer alike.
type pair struct {
	list, tree rbdir.Dir[int]
	hasher     rbdir.Hasher
}

func newPair() *pair {
	p := &pair{hasher: rbdir.NewHasher(1)}
	p.list.InitIndex(1, newList[int]())
	p.tree.Init(2)
	return p
}

// change calls f with both directories under one hold.
func (p *pair) change(name string, f func(d *rbdir.Dir[int], h uint64) string) (list, tree string) {
	h := p.hasher.Sum(name)
	var c rbdir.Change[int]
	c.Add(&p.list, h)
	c.Add(&p.tree, h)
	c.Begin()
	defer c.End()
	return f(&p.list, h), f(&p.tree, h)
}

func TestListAnswersLikeTree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := newPair()
		kept := make(map[string]uint64) // the list's keys
		for range rapid.IntRange(0, 200).Draw(t, "calls") {
			name := fmt.Sprintf("n%d", rapid.IntRange(0, 40).Draw(t, "name"))
			v := rapid.Int().Draw(t, "value")
			var list, tree string
			switch rapid.IntRange(0, 3).Draw(t, "call") {
			case 0:
				list, tree = p.change(name, func(d *rbdir.Dir[int], h uint64) string {
					key, err := d.Insert(h, name, v)
					if err == nil && d == &p.list {
						kept[name] = key
					}
					return fmt.Sprint(err)
				})
			case 1:
				list, tree = p.change(name, func(d *rbdir.Dir[int], h uint64) string {
					return fmt.Sprint(d.Replace(h, name, v))
				})
			case 2:
				list, tree = p.change(name, func(d *rbdir.Dir[int], h uint64) string {
					return fmt.Sprint(d.Delete(h, name))
				})
			case 3:
				list, tree = p.change(name, func(d *rbdir.Dir[int], h uint64) string {
					e, ok := d.Find(h, name)
					if ok && d == &p.list && e.Key != kept[name] {
						return fmt.Sprintf("key of %s changed from %d to %d", name, kept[name], e.Key)
					}
					return fmt.Sprint(e.Name, e.Value, ok)
				})
			}
			if list != tree {
				t.Fatalf("%s: list answers %s, tree %s", name, list, tree)
			}
		}
		size := rapid.IntRange(1, 50).Draw(t, "batch")
		list, tree := listing(t, &p.list, size), listing(t, &p.tree, size)
		if len(list) != len(tree) || p.list.Len() != p.tree.Len() {
			t.Fatalf("list has %d entries (Len %d), tree %d (Len %d)", len(list), p.list.Len(), len(tree), p.tree.Len())
		}
		for name, v := range tree {
			if got, ok := list[name]; !ok || got != v {
				t.Fatalf("%s: list has %d, %v, tree %d", name, got, ok, v)
			}
		}
	})
}

// listing reads d in batches and fails on a name that comes twice, a key that
// does not ascend or one that is reserved.
func listing(t *rapid.T, d *rbdir.Dir[int], size int) map[string]int {
	all := make(map[string]int)
	after := uint64(0)
	for {
		batch := d.Batch(nil, after, size)
		if len(batch) > size {
			t.Fatalf("batch of %d entries, asked for %d", len(batch), size)
		}
		if len(batch) == 0 {
			return all
		}
		for _, e := range batch {
			if _, twice := all[e.Name]; twice || e.Key <= after || e.Key < rbdir.MinKey {
				t.Fatalf("entry %+v after key %d, seen before: %v", e, after, twice)
			}
			all[e.Name], after = e.Value, e.Key
		}
	}
}

// TestListOrder: entries come in the order of creation, and a cookie goes on
// behind its entry also when that is gone.
func TestListOrder(t *testing.T) {
	l := newList[int]()
	var keys []uint64
	for i := range 10 {
		key, err := l.Insert(0, fileName(i), i)
		if err != nil {
			t.Fatal(err)
		}
		keys = append(keys, key)
	}
	l.Delete(0, fileName(4))
	l.Delete(0, fileName(9))
	if _, err := l.Insert(0, fileName(4), 44); err != nil { // renamed to and fro: goes to the tail
		t.Fatal(err)
	}
	got := fmt.Sprint(values(l.Batch(nil, keys[4], 3)), values(l.Batch(nil, keys[7], 100)), values(l.Batch(nil, keys[9], 1)))
	if want := "[5 6 7] [8 44] [44]"; got != want {
		t.Errorf("batches %s, want %s", got, want)
	}
	for i := range 10 {
		l.Delete(0, fileName(i))
	}
	if l.head != nil || l.tail != nil {
		t.Error("an empty list has entries")
	}
}

func values(entries []rbdir.Entry[int]) []int {
	var vs []int
	for _, e := range entries {
		vs = append(vs, e.Value)
	}
	return vs
}
