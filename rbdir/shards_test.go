package rbdir_test

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"stagefs/rbdir"
)

// turns counts what happens to the table of a directory.
type turns struct {
	splits, merges, doubled, halved int
	largest, mostSlots              int
	shards, slots                   int
}

// see compares the table with how it was before.
func (c *turns) see(d *rbdir.Dir[uint64]) {
	shards, slots := rbdir.Shards(d), rbdir.Slots(d)
	if c.shards > 0 && shards > c.shards {
		c.splits++
	}
	if shards > 0 && shards < c.shards {
		c.merges++
	}
	if c.slots > 0 && slots > c.slots {
		c.doubled++
	}
	if slots > 0 && slots < c.slots {
		c.halved++
	}
	c.shards, c.slots = shards, slots
	c.largest = max(c.largest, rbdir.Largest(d))
	c.mostSlots = max(c.mostSlots, slots)
}

// TestShardsComeAndGo grows a directory to 5,000 entries and shrinks it to none,
// at random or in the order of the keys, which leaves the last shards of a table
// that has to become small.
func TestShardsComeAndGo(t *testing.T) {
	const size = 5000
	eachHasher(t, func(t *testing.T, h rbdir.Hasher) {
		seed := uint64(time.Now().UnixNano())
		t.Logf("order: seed %d", seed)
		r := rand.New(rand.NewPCG(seed, 0))
		for _, order := range []string{"random", "ascending"} {
			w := newTwins(t, h)
			var c turns
			for i := range size {
				w.insert(fmt.Sprint("file", i), uint64(i))
				if i%4 == 3 {
					c.see(&w.dir)
				}
			}
			w.compare(1000)
			left := w.m.list()
			apart := left[0].Key>>50 != left[size-1].Key>>50 // in the top bits
			hashes := make(map[uint64]bool)
			for _, e := range left {
				hashes[e.Key>>rbdir.OrdBits] = true
			}
			if order == "random" {
				r.Shuffle(size, func(i, j int) { left[i], left[j] = left[j], left[i] })
			}
			grown := c.largest
			for i, e := range left {
				if i%2 == 0 {
					w.delete(e.Name)
				} else {
					w.remove(e.Name)
				}
				if i%8 == 0 {
					c.see(&w.dir)
				}
				if i%999 == 0 {
					w.compare(1000)
				}
			}
			w.compare(1)
			t.Logf("%s: %+v", order, c)
			switch {
			case !apart:
				if c.splits+c.doubled != 0 || c.mostSlots != 1 || c.largest != size {
					t.Errorf("hashes that do not part: %+v", c)
				}
			case c.splits == 0 || c.merges == 0 || c.doubled == 0 || c.halved == 0:
				t.Errorf("%+v", c)
			case len(hashes) > 16 && (grown > rbdir.ShardMax || c.mostSlots < size/rbdir.ShardMax):
				t.Errorf("real hashes make a shard of %d: %+v", grown, c)
			case len(hashes) > 16 && order == "ascending" && c.largest <= rbdir.ShardMax:
				t.Error("the last shards were never made one before their time")
			case len(hashes) == 16 && c.mostSlots > 2*16:
				t.Errorf("16 hashes: %+v", c)
			}
		}
	})
}

// TestShardsToAndFro stays at the edges of a split and of a merge: the table
// does not follow each step.
func TestShardsToAndFro(t *testing.T) {
	h := rbdir.NewHasher(21)
	w := newTwins(t, h)
	for i := range rbdir.ShardMax {
		w.insert(fmt.Sprint("f", i), 0)
	}
	if rbdir.Shards(&w.dir) != 1 {
		t.Fatal("split too early")
	}
	edge := func() {
		for range 5 {
			w.insert("edge", 0)
			n := rbdir.Shards(&w.dir)
			w.delete("edge")
			if m := rbdir.Shards(&w.dir); m != n {
				t.Fatalf("%d shards, then %d", n, m)
			}
		}
	}
	edge()
	if rbdir.Shards(&w.dir) < 2 {
		t.Fatal("not split")
	}
	for i := range rbdir.ShardMax {
		w.delete(fmt.Sprint("f", i))
		if w.dir.Len() > rbdir.SmallMax {
			n := rbdir.Shards(&w.dir)
			edge()
			if m := rbdir.Shards(&w.dir); m > n {
				t.Fatalf("at %d: %d shards, then %d", w.dir.Len(), n, m)
			}
		}
	}
}

// headers returns the bytes that table and shards take for each entry.
func headers(d *rbdir.Dir[uint64]) float64 {
	table, shard := rbdir.Sizes[uint64]()
	bytes := int(table) + 8*rbdir.Slots(d) + int(shard)*rbdir.Shards(d)
	return float64(bytes) / float64(d.Len())
}

func TestTableTakesTwoBytesAnEntry(t *testing.T) {
	h := rbdir.NewHasher(22)
	var d rbdir.Dir[uint64]
	sum, seen := 0.0, 0
	for i := range 20000 {
		add(t, &d, h, fmt.Sprint("file", i), 0)
		if i >= 500 && i%500 == 0 {
			sum += headers(&d)
			seen++
		}
	}
	if average := sum / float64(seen); average > 2 {
		t.Errorf("%.2f bytes an entry", average)
	} else {
		t.Logf("%.2f bytes an entry", average)
	}
}

// TestTableOfNamesThatShareTopBits bounds the memory of the table when it cannot
// tell all names apart: it grows with the number of entries at most.
func TestTableOfNamesThatShareTopBits(t *testing.T) {
	const size = 5000
	shared := func(bits int, h uint64) uint64 { return 0xabcde<<27>>(47-bits)<<(47-bits) | h&(1<<(47-bits)-1) }
	for _, c := range []struct {
		name   string
		narrow func(h uint64) uint64
		slots  int // 0: any number within the bound
	}{
		{"20 bits", func(h uint64) uint64 { return shared(20, h) }, 1},
		{"11 bits", func(h uint64) uint64 { return shared(11, h) }, 0},
		{"8 bits", func(h uint64) uint64 { return shared(8, h) }, 0},
		{"each second 20 bits", func(h uint64) uint64 {
			if h%2 == 0 {
				return shared(20, h)
			}
			return h
		}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := rbdir.NewHasher(23).Narrowed(c.narrow)
			w := newTwins(t, h)
			worst := 0.0
			for i := range size {
				w.insert(fmt.Sprint("f", i), 0)
				if i%100 != 99 {
					continue
				}
				n := rbdir.Slots(&w.dir)
				if n > 1 && n*rbdir.SlotsGrow > w.dir.Len() || c.slots != 0 && n != c.slots {
					t.Fatalf("%d slots for %d entries", n, w.dir.Len())
				}
				worst = max(worst, headers(&w.dir))
			}
			if worst > 4 {
				t.Errorf("%.2f bytes an entry", worst)
			}
			w.compare(1000)
			for i := range size {
				w.remove(fmt.Sprint("f", i))
				if n := rbdir.Slots(&w.dir); n > 1 && n*rbdir.SlotsShrink > w.dir.Len() {
					t.Fatalf("%d slots for %d entries", n, w.dir.Len())
				}
			}
			w.compare(1)
		})
	}
}

// TestWaitingLookupsFindTheirNames holds a directory while it splits, and again
// while it merges: lookups and listings that wait meanwhile find what is there.
func TestWaitingLookupsFindTheirNames(t *testing.T) {
	const stay, come = 50, 2000
	h := rbdir.NewHasher(24)
	var d rbdir.Dir[uint64]
	for i := range uint64(stay) {
		add(t, &d, h, fmt.Sprint("stay", i), i)
	}
	meanwhile := func(f func()) {
		var asking, readers sync.WaitGroup
		var c rbdir.Change[uint64]
		c.AddWhole(&d)
		c.Begin()
		for i := range uint64(stay) {
			asking.Add(1)
			readers.Go(func() {
				name := fmt.Sprint("stay", i)
				sum := h.Sum(name)
				asking.Done()
				if i%2 == 0 {
					if v, ok := d.Get(sum, name); !ok || v != i {
						t.Errorf("%q: %d, %t", name, v, ok)
					}
				} else if es := d.Batch(nil, 0, 2*come); len(es) < stay {
					t.Errorf("%d entries", len(es))
				}
			})
		}
		asking.Wait()
		f()
		c.End()
		readers.Wait()
	}
	meanwhile(func() {
		for i := range come {
			name := fmt.Sprint("come", i)
			if _, err := d.Insert(h.Sum(name), name, 0); err != nil {
				t.Error(err)
			}
		}
	})
	if n := rbdir.Shards(&d); n < come/rbdir.ShardMax {
		t.Fatalf("%d shards", n)
	}
	meanwhile(func() {
		for i := range come {
			name := fmt.Sprint("come", i)
			d.Delete(h.Sum(name), name)
		}
	})
	if n := rbdir.Shards(&d); n > stay/rbdir.SlotsShrink {
		t.Fatalf("%d shards", n)
	}
	check(t, &d)
}

// TestListingsWhileShardsComeAndGo reads while a writer makes the table large
// and small: what stays is found each time, and listed once.
func TestListingsWhileShardsComeAndGo(t *testing.T) {
	const stay, come = 200, 800
	h := rbdir.NewHasher(25)
	var d rbdir.Dir[uint64]
	for i := range uint64(stay) {
		add(t, &d, h, fmt.Sprint("stay", i), i)
	}
	var c turns
	var done atomic.Bool
	var writer sync.WaitGroup
	writer.Go(func() {
		for waves := 0; waves < 2 || !done.Load(); waves++ {
			for i := range come {
				add(t, &d, h, fmt.Sprint("come", i), 0)
				c.see(&d) // reads beside other readers
			}
			for i := range come {
				remove(t, &d, h, fmt.Sprint("come", i))
				c.see(&d)
			}
		}
	})
	for round := range 50 {
		seen := make(map[string]int)
		last := uint64(0)
		for _, e := range listAll(&d, 10+10*round) {
			if e.Key <= last {
				t.Fatalf("key %#x after %#x", e.Key, last)
			}
			last = e.Key
			seen[e.Name]++
		}
		for i := range uint64(stay) {
			name := fmt.Sprint("stay", i)
			if v, ok := d.Get(h.Sum(name), name); !ok || v != i || seen[name] != 1 {
				t.Errorf("%q: %d, %t, listed %d times", name, v, ok, seen[name])
			}
		}
	}
	done.Store(true)
	writer.Wait()
	if c.splits == 0 || c.merges == 0 || c.doubled == 0 || c.halved == 0 {
		t.Errorf("%+v", c)
	}
	check(t, &d)
}
