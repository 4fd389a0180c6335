package dcache

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
)

// TestTableFollowsTheEntries up and down.
func TestTableFollowsTheEntries(t *testing.T) {
	const n = 20_000
	c := New[int](n)
	start := c.buckets()
	v := new(int)
	for i := range n {
		c.Fill(1, fmt.Sprint(i), v)
		if b := c.buckets(); b < start || 4*(i+1) > 5*b {
			t.Fatalf("%d buckets for %d entries", b, i+1)
		}
	}
	for i := range n {
		want(t, c, 1, fmt.Sprint(i), v, true)
	}
	c.mustCheck(t)
	for i := range n {
		c.Drop(1, fmt.Sprint(i))
		if b, left := c.buckets(), n-i-1; b > start && left < b/8 {
			t.Fatalf("%d buckets for %d entries", b, left)
		}
	}
	if b := c.buckets(); b != start {
		t.Errorf("%d buckets for nothing, %d at the start", b, start)
	}
	c.mustCheck(t)
}

// TestReferencedSurvivesResize: a resize is no round of the clock.
func TestReferencedSurvivesResize(t *testing.T) {
	c := New[int](1000)
	c.Fill(1, "a", new(int))
	c.Get(1, "a")
	before := c.buckets()
	for i := range 500 {
		c.Fill(2, fmt.Sprint(i), new(int))
	}
	if c.buckets() == before {
		t.Fatal("the table did not grow")
	}
	if _, d := c.table.Load().find(c.hash.sum(1, "a"), 1, "a"); d.state.Load() != referenced {
		t.Errorf("state %#x after the resize", d.state.Load())
	}
}

// TestDropMeetsResize stops a resize while both tables stand. A Drop that
// starts then must wait, and afterwards neither the new copy nor the old one,
// on which a slow reader may stand, is believed.
func TestDropMeetsResize(t *testing.T) {
	for _, shrink := range []bool{false, true} {
		t.Run(fmt.Sprintf("shrink=%v", shrink), func(t *testing.T) {
			c := New[int](10_000)
			v := new(int)
			c.Fill(1, "victim", v)
			c.Fill(1, "other", v)
			if shrink {
				for i := range 1000 {
					c.Fill(2, fmt.Sprint(i), v)
				}
			}
			var dropped sync.WaitGroup
			var done atomic.Bool
			var slow []*dentry[int]
			c.onResize = func(old *table[int]) {
				for _, name := range []string{"victim", "other"} {
					want(t, c, 1, name, v, true)
					_, d := old.find(c.hash.sum(1, name), 1, name)
					slow = append(slow, d)
				}
				if len(slow) > 2 {
					return
				}
				dropped.Go(func() { c.Drop(1, "victim"); done.Store(true) })
				for range 100 {
					runtime.Gosched()
				}
				if done.Load() {
					t.Error("Drop returned in the middle of a resize")
				}
			}
			for i := range 1000 {
				if shrink {
					c.Drop(2, fmt.Sprint(i))
				} else {
					c.Fill(2, fmt.Sprint(i), v)
				}
				if len(slow) > 0 {
					c.onResize = nil
					break
				}
			}
			dropped.Wait()
			if len(slow) != 2 {
				t.Fatalf("%d resizes", len(slow)/2)
			}
			for _, d := range slow {
				if d.state.Load()&dead == 0 {
					t.Errorf("the old copy of %q is alive after the resize", d.name)
				}
			}
			want(t, c, 1, "victim", nil, false)
			want(t, c, 1, "other", v, true)
			c.mustCheck(t)
		})
	}
}

// stamped is a value that knows which fill of its name it comes from.
type stamped struct{ name, fill uint64 }

// TestDroppedStaysDropped lets readers look for values that were dropped before
// they started, while owners fill and drop their names and another goroutine
// makes the table grow and shrink; once with room for all, once with evictions.
func TestDroppedStaysDropped(t *testing.T) {
	for _, limit := range []int{1, 40, 100_000} {
		t.Run(fmt.Sprintf("limit=%d", limit), func(t *testing.T) {
			const owners, readers, owned, rounds = 2, 2, 8, 300
			c := New[stamped](limit)
			names := make([]string, owners*owned)
			for i := range names {
				names[i] = fmt.Sprint("name", i)
			}
			var gone [owners * owned]atomic.Uint64 // last fill of the name that was dropped
			var working, reading sync.WaitGroup
			var stop atomic.Bool
			for o := range owners {
				working.Go(func() {
					for fill := uint64(1); fill <= rounds; fill++ {
						for n := o * owned; n < (o+1)*owned; n++ {
							c.Fill(7, names[n], &stamped{uint64(n), fill})
							if n%3 == 0 {
								runtime.Gosched()
							}
							c.Drop(7, names[n])
							gone[n].Store(fill)
							if n%5 == 0 {
								c.Fill(7, names[n], nil)
							}
						}
					}
				})
			}
			working.Go(func() {
				v := &stamped{}
				for range 3 {
					for i := range 2000 {
						c.Fill(8, fmt.Sprint(i), v)
					}
					for i := range 2000 {
						c.Drop(8, fmt.Sprint(i))
					}
				}
			})
			for range readers {
				reading.Go(func() {
					for !stop.Load() {
						for n, name := range names {
							floor := gone[n].Load()
							v, ok := c.Get(7, name)
							if ok && v != nil && (v.name != uint64(n) || v.fill <= floor) {
								t.Errorf("%q gave fill %d of name %d after fill %d was dropped", name, v.fill, v.name, floor)
								return
							}
						}
						runtime.Gosched()
					}
				})
			}
			working.Wait()
			stop.Store(true)
			reading.Wait()
			c.mustCheck(t)
		})
	}
}

// TestFillersTogether: several goroutines may fill in the same answer at once;
// it is there once, and the bound holds when they are done.
func TestFillersTogether(t *testing.T) {
	for _, limit := range []int{1, 2, 50, 500, 5000} {
		seed := rand.Uint64()
		t.Logf("limit %d, seed %d", limit, seed)
		c := New[int](limit)
		values := make([]*int, 1000)
		for i := range values {
			if i%4 != 0 {
				values[i] = new(int)
			}
		}
		var wg sync.WaitGroup
		for g := range uint64(4) {
			wg.Go(func() {
				r := rand.New(rand.NewPCG(seed, g))
				for range 3000 {
					i := r.IntN(len(values))
					c.Fill(1, fmt.Sprint(i), values[i])
					j := r.IntN(len(values))
					if v, ok := c.Get(1, fmt.Sprint(j)); ok && v != values[j] {
						t.Errorf("%d leads to another value", j)
					}
				}
			})
		}
		wg.Wait()
		c.mustCheck(t)
	}
}

// TestStormOfOtherNames: while other names of the directory come and go, a
// cached name stays a hit, without one exception as long as nothing resizes.
func TestStormOfOtherNames(t *testing.T) {
	c := New[int](10_000)
	v := new(int)
	for i := range 500 {
		c.Fill(1, fmt.Sprint("ballast", i), v) // far from a resize in both directions
	}
	c.Fill(1, "stays", v)
	c.onResize = func(*table[int]) { t.Error("resized") }
	var wg sync.WaitGroup
	for g := range 2 {
		wg.Go(func() {
			for i := range 5000 {
				name := fmt.Sprint("storm", g, i%20)
				c.Fill(1, name, v)
				c.Drop(1, name)
			}
		})
	}
	var misses int
	wg.Go(func() {
		for range 50_000 {
			if got, ok := c.Get(1, "stays"); !ok || got != v {
				misses++
			}
		}
	})
	wg.Wait()
	if misses > 0 {
		t.Errorf("%d misses", misses)
	}
	c.mustCheck(t)
}
