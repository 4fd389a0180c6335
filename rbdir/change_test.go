package rbdir_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"stagefs/rbdir"
)

// mustPanic calls f, which must panic.
func mustPanic(t *testing.T, what string, f func()) {
	t.Helper()
	defer func() {
		if recover() == nil {
			t.Errorf("%s: no panic", what)
		}
	}()
	f()
}

func TestChangeHoldsEachDirectoryOnce(t *testing.T) {
	var ds [4]rbdir.Dir[int]
	for i := range ds {
		ds[i].Init(uint64(10 - i))
	}
	var c rbdir.Change[int]
	for range 3 { // a Change can be used again
		for _, i := range []int{2, 0, 3, 1, 0, 2, 2} {
			c.Add(&ds[i], uint64(1+i))
			c.AddWhole(&ds[i])
		}
		c.Begin()
		for i := range ds {
			if _, err := ds[i].Insert(5, "n", i); err != nil {
				t.Error(err)
			}
			ds[i].Delete(5, "n")
		}
		c.End()
	}
	for i := range ds { // nothing is held any more
		add(t, &ds[i], constant, "n", 1)
	}
}

func TestEmptyChange(t *testing.T) {
	var c rbdir.Change[int]
	c.Begin()
	c.End()
}

func TestChangeMisused(t *testing.T) {
	var ds [5]rbdir.Dir[int]
	for i := range ds {
		ds[i].Init(uint64(i))
	}
	mustPanic(t, "fifth directory", func() {
		var c rbdir.Change[int]
		for i := range ds {
			c.Add(&ds[i], 1)
		}
	})
	mustPanic(t, "one ID twice", func() {
		var twin rbdir.Dir[int]
		twin.Init(2)
		var c rbdir.Change[int]
		c.Add(&ds[2], 1)
		c.Add(&twin, 1)
	})
	mustPanic(t, "End without Begin", func() {
		var c rbdir.Change[int]
		c.Add(&ds[0], 1)
		c.End()
	})
	var c rbdir.Change[int]
	c.Add(&ds[0], 1)
	c.Begin()
	mustPanic(t, "Add after Begin", func() { c.Add(&ds[0], 2) })
	mustPanic(t, "AddWhole after Begin", func() { c.AddWhole(&ds[1]) })
	mustPanic(t, "Begin twice", c.Begin)
	c.End()
}

// TestChangesInAnyOrderDoNotDeadlock moves names between directories from
// several goroutines that add them in random order. What was moved is counted.
func TestChangesInAnyOrderDoNotDeadlock(t *testing.T) {
	const dirs, names, rounds = 4, 12, 3000
	h := rbdir.NewHasher(12)
	var ds [dirs]rbdir.Dir[int]
	for i := range ds {
		ds[i].Init(uint64(i))
	}
	for n := range names {
		add(t, &ds[n%dirs], h, fmt.Sprint("n", n), n)
	}
	var wg sync.WaitGroup
	for g := range 4 {
		seed := uint64(time.Now().UnixNano())
		t.Logf("goroutine %d: seed %d", g, seed)
		r := rand.New(rand.NewPCG(seed, uint64(g)))
		wg.Go(func() {
			for range rounds {
				name := fmt.Sprint("n", r.IntN(names))
				sum := h.Sum(name)
				from, to := &ds[r.IntN(dirs)], &ds[r.IntN(dirs)]
				var c rbdir.Change[int]
				c.Add(from, sum)
				c.Add(to, sum)
				c.AddWhole(&ds[r.IntN(dirs)])
				c.Begin()
				if e, ok := from.Find(sum, name); ok && from != to {
					if _, err := to.Insert(sum, name, e.Value); err != nil {
						t.Errorf("%q in two directories: %v", name, err)
					}
					from.Delete(sum, name)
				}
				c.End()
			}
		})
	}
	wg.Wait()
	all := make(map[string]int)
	for i := range ds {
		check(t, &ds[i])
		for _, e := range listAll(&ds[i], 5) {
			all[e.Name]++
		}
	}
	for n := range names {
		if name := fmt.Sprint("n", n); all[name] != 1 {
			t.Errorf("%q is there %d times", name, all[name])
		}
	}
}

// TestKillAgainstInsert races the removal of a directory with a create in it:
// one of the two fails, and no entry is left in a dead directory.
func TestKillAgainstInsert(t *testing.T) {
	killed := 0
	for range 2000 {
		var d rbdir.Dir[int]
		var err error
		var ok bool
		var wg sync.WaitGroup
		start := make(chan struct{})
		wg.Go(func() {
			var c rbdir.Change[int]
			<-start
			c.Add(&d, 1)
			c.Begin()
			_, err = d.Insert(1, "n", 1)
			c.End()
		})
		wg.Go(func() {
			var c rbdir.Change[int]
			<-start
			c.AddWhole(&d)
			c.Begin()
			ok = d.Kill()
			c.End()
		})
		close(start)
		wg.Wait()
		switch {
		case ok && (!errors.Is(err, rbdir.ErrDead) || d.Len() != 0 || !d.Dead()):
			t.Fatalf("killed; Insert: %v, %d entries", err, d.Len())
		case !ok && (err != nil || d.Len() != 1 || d.Dead()):
			t.Fatalf("not killed; Insert: %v, %d entries", err, d.Len())
		}
		if ok {
			killed++
		}
	}
	t.Logf("killed %d of 2,000", killed)
}

// TestOverwrittenNameIsNeverMissing renames one name onto another over and
// over: no lookup of the target misses it, and each listing has it once, with
// the same key, although lower ordinals are free.
func TestOverwrittenNameIsNeverMissing(t *testing.T) {
	var d rbdir.Dir[int]
	for i := range 12 {
		add(t, &d, constant, fmt.Sprint("n", i), i)
	}
	remove(t, &d, constant, "n0")
	remove(t, &d, constant, "n1")
	want := uint64(77<<16 | 5) // of n5
	var done atomic.Bool
	var wg sync.WaitGroup
	wg.Go(func() {
		for i := 0; !done.Load(); i++ {
			var c rbdir.Change[int]
			c.Add(&d, 77)
			c.Begin()
			_, _ = d.Insert(77, "source", i)
			c.End()
			c.Add(&d, 77)
			c.Begin()
			e, _ := d.Find(77, "source")
			d.Replace(77, "n5", e.Value)
			d.Delete(77, "source")
			c.End()
		}
	})
	for range 2000 {
		if _, ok := d.Get(77, "n5"); !ok {
			t.Error("Get misses the target of a rename")
			break
		}
		n := 0
		for _, e := range listAll(&d, 3) {
			if e.Name == "n5" && e.Key == want {
				n++
			}
		}
		if n != 1 {
			t.Errorf("the target of a rename listed %d times", n)
			break
		}
	}
	done.Store(true)
	wg.Wait()
	check(t, &d)
}

// TestViewExcludesChange fills a cache from a View: no Change comes between the
// answer and the fill.
func TestViewExcludesChange(t *testing.T) {
	var d rbdir.Dir[int]
	add(t, &d, constant, "n", 0)
	var cache atomic.Int64 // changed under the same hold as the entry
	var done atomic.Bool
	var wg sync.WaitGroup
	wg.Go(func() {
		for i := 1; !done.Load(); i++ {
			var c rbdir.Change[int]
			c.Add(&d, 77)
			c.Begin()
			d.Replace(77, "n", i)
			cache.Store(int64(i))
			c.End()
		}
	})
	for range 5000 {
		v := d.View(77)
		got, ok := v.Get("n")
		cached := cache.Load()
		v.End()
		if !ok || int64(got) != cached {
			t.Errorf("entry %d (%t), cached %d", got, ok, cached)
			break
		}
	}
	done.Store(true)
	wg.Wait()
}
