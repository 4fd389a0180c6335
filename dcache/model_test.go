package dcache

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// TestAgainstMap plays random calls against a map of what each name means. The
// cache may know less than the map, but never anything else, and it knows what
// was just filled in.
func TestAgainstMap(t *testing.T) {
	const fullHash = 99
	for _, limit := range []int{1, 2, 8, 100, 1000} {
		for _, bits := range []uint{0, 1, 4, fullHash} {
			if bits < fullHash && limit > 100 {
				continue // chains as long as the cache
			}
			t.Run(fmt.Sprintf("limit=%d/bits=%d", limit, bits), func(t *testing.T) {
				c := New[int](limit)
				if bits != fullHash {
					c.narrow(t, bits)
				}
				playAgainstMap(t, c, limit, 200+20*limit)
			})
		}
	}
}

// key is a name in a directory.
type key struct {
	dir  uint64
	name string
}

// playAgainstMap makes random calls on about twice as many names as fit.
func playAgainstMap(t *testing.T, c *Cache[int], limit, calls int) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	keys := make([]key, 2*limit+2)
	for i := range keys {
		keys[i] = key{uint64(i % 3), fmt.Sprint("name", i/3)}
	}
	model := make(map[key]*int) // nil: negative; no element: nothing filled in
	values := []*int{nil, new(int), new(int), new(int)}
	for call := range calls {
		k := keys[r.IntN(len(keys))]
		switch r.IntN(8) {
		case 0:
			c.Drop(k.dir, k.name)
			delete(model, k)
			if _, ok := c.Get(k.dir, k.name); ok {
				t.Fatalf("call %d: %v is there after Drop", call, k)
			}
		case 1, 2, 3:
			v := values[r.IntN(len(values))]
			c.Fill(k.dir, k.name, v)
			model[k] = v
			if got, ok := c.Get(k.dir, k.name); got != v || ok != (v != nil || limit >= 8) {
				t.Fatalf("call %d: %v is %v, %v after Fill(%v)", call, k, got, ok, v)
			}
		default:
			got, ok := c.Get(k.dir, k.name)
			if v, known := model[k]; ok && (!known || got != v) {
				t.Fatalf("call %d: %v is %v, the model has %v, %v", call, k, got, v, known)
			}
		}
		if call%64 == 0 {
			c.mustCheck(t)
		}
	}
	c.mustCheck(t)
	n := 0
	for e := range c.All() {
		n++
		if v, known := model[key{e.Dir, e.Name}]; !known || e.Value != v {
			t.Errorf("All yields %+v, the model has %v, %v", e, v, known)
		}
	}
	if n != c.Len() {
		t.Errorf("All yields %d entries, Len is %d", n, c.Len())
	}
}

// TestEqualHashIsNotEnough: with one hash for all names and directories every
// name still leads to its own value.
func TestEqualHashIsNotEnough(t *testing.T) {
	c := New[int](1000)
	c.narrow(t, 0)
	values := make(map[key]*int)
	for dir := range uint64(5) {
		for _, name := range []string{"", "a", "b", "ab", "ba", "abcdefgh", "abcdefghi"} {
			values[key{dir, name}] = new(int)
			c.Fill(dir, name, values[key{dir, name}])
		}
	}
	for k, v := range values {
		want(t, c, k.dir, k.name, v, true)
	}
	c.mustCheck(t)
}

// TestClockKeepsTheHot: names that are read all the time survive a flood of
// names that are seen once.
func TestClockKeepsTheHot(t *testing.T) {
	const limit, hot, reads = 1000, 300, 4
	c := New[int](limit)
	r := rand.New(rand.NewPCG(1, 2))
	v := new(int)
	var missed, asked int
	for i := range 30_000 {
		c.Fill(2, fmt.Sprint(i), v)
		for range reads {
			name := fmt.Sprint(r.IntN(hot))
			asked++
			if _, ok := c.Get(1, name); !ok {
				missed++
				c.Fill(1, name, v)
			}
		}
	}
	// The hand takes some 700 fills for a round, in which a hot name is read nine
	// times on average. Chance would evict three of ten hot names a round.
	if missed -= hot; missed > asked/500 {
		t.Errorf("%d of %d reads of hot names missed", missed, asked)
	}
	c.mustCheck(t)
}

// TestEvictionIsBounded: a fill into a cache where all is hot passes over a
// bounded number of entries.
func TestEvictionIsBounded(t *testing.T) {
	const limit = 5000
	c := New[int](limit)
	v := new(int)
	for i := range limit {
		c.Fill(1, fmt.Sprint(i), v)
	}
	count := func() (bits int) {
		for i := range limit {
			if _, d := c.table.Load().find(c.hash.sum(1, fmt.Sprint(i)), 1, fmt.Sprint(i)); d != nil {
				bits += int(d.state.Load() & referenced / referenced)
			}
		}
		return bits
	}
	for i := range limit {
		c.Get(1, fmt.Sprint(i))
	}
	for i := range 10 {
		before := count()
		c.Fill(2, fmt.Sprint(i), v)
		if lost := before - count(); lost > maxSpared+20 {
			t.Errorf("one fill cleared %d referenced bits", lost)
		}
	}
	c.mustCheck(t)
}
