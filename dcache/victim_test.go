package dcache

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// TestVictimInAnotherStripe: where the stripe of the new entry has no other, the
// victim comes from elsewhere.
func TestVictimInAnotherStripe(t *testing.T) {
	for _, v := range []*int{new(int), nil} {
		c := New[int](128) // two stripes, 16 negative entries
		bound := 128
		if v == nil {
			bound = 16
		}
		full, other := &c.stripes[0], &c.stripes[1]
		for i := 0; full.entries < bound; i++ {
			name := fmt.Sprint(i)
			if c.Fill(1, name, v); other.entries > 0 {
				c.Drop(1, name)
			}
		}
		name := ""
		for i := 0; other.entries == 0; i++ {
			name = fmt.Sprint("other", i)
			c.Fill(1, name, v)
		}
		want(t, c, 1, name, v, true)
		if full.entries != bound-1 || c.Len() != bound {
			t.Errorf("%d and %d entries with a bound of %d", full.entries, other.entries, bound)
		}
		c.mustCheck(t)
	}
}

// TestOnceHotLeave: what was read once, even by everybody, leaves a cache that
// other names need.
func TestOnceHotLeave(t *testing.T) {
	const limit, hot, reads = 1000, 300, 4
	c := New[int](limit)
	r := rand.New(rand.NewPCG(3, 4))
	v := new(int)
	for i := range limit {
		c.Fill(1, fmt.Sprint(i), v)
		c.Get(1, fmt.Sprint(i))
	}
	for i := range 5 * limit {
		c.Fill(2, fmt.Sprint(i), v)
		for range reads {
			name := fmt.Sprint(r.IntN(hot))
			if _, ok := c.Get(3, name); !ok {
				c.Fill(3, name, v)
			}
		}
	}
	var left int
	for e := range c.All() {
		if e.Dir == 1 {
			left++
		}
	}
	if left > limit/50 {
		t.Errorf("%d of %d entries that nobody reads any more are left", left, limit)
	}
	c.mustCheck(t)
}

// TestReaderInTheOldTable: a reader who found the table before a resize and
// comes late takes everything for a miss, above all what was dropped since.
func TestReaderInTheOldTable(t *testing.T) {
	c := New[int](1000)
	v := new(int)
	c.Fill(1, "victim", v)
	c.Fill(1, "a name of more than sixteen bytes", v)
	var before *table[int]
	c.onResize = func(old *table[int]) { before = old }
	for i := 0; before == nil; i++ {
		c.Fill(2, fmt.Sprint(i), v)
	}
	for _, name := range []string{"victim", "a name of more than sixteen bytes"} {
		c.Drop(1, name)
		now := c.table.Load()
		c.table.Store(before)
		want(t, c, 1, name, nil, false)
		c.table.Store(now)
		want(t, c, 1, name, nil, false)
	}
	c.mustCheck(t)
}
