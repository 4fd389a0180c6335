package dcache

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unsafe"
	"weak"
)

// want fails the test if Get does not answer v, ok.
func want(t *testing.T, c *Cache[int], dir uint64, name string, v *int, ok bool) {
	t.Helper()
	if gotV, gotOK := c.Get(dir, name); gotV != v || gotOK != ok {
		t.Fatalf("Get(%d, %q) = %v, %v, want %v, %v", dir, name, gotV, gotOK, v, ok)
	}
}

func TestGetFillDrop(t *testing.T) {
	c := New[int](100)
	v, w := new(int), new(int)
	want(t, c, 1, "a", nil, false)
	c.Drop(1, "a")
	c.Fill(1, "a", v)
	want(t, c, 1, "a", v, true)
	want(t, c, 2, "a", nil, false)
	want(t, c, 1, "", nil, false)
	want(t, c, 1, "ab", nil, false)
	c.Fill(1, "a", v) // the same: nothing
	c.Fill(1, "a", w) // another: replaced
	want(t, c, 1, "a", w, true)
	c.Fill(1, "a", nil) // gone
	want(t, c, 1, "a", nil, true)
	c.Fill(1, "a", nil)
	c.Fill(1, "a", v) // there again
	want(t, c, 1, "a", v, true)
	c.Drop(1, "a")
	want(t, c, 1, "a", nil, false)
	c.Fill(0, "", v)
	long := strings.Repeat("\xff\x00", 127) + "x"
	c.Fill(1<<64-1, long, w)
	want(t, c, 0, "", v, true)
	want(t, c, 1<<64-1, long, w, true)
	c.mustCheck(t)
	got := c.Stats()
	wantStats := Stats{Fills: 5, NegativeFills: 1, Drops: 4, Entries: 2, Limit: 100, Buckets: got.Buckets}
	if got != wantStats {
		t.Errorf("statistics %+v, want %+v", got, wantStats)
	}
}

// TestNoNegativeEntries: below a limit of 8 a negative fill leaves nothing, not
// even the entry that it contradicts.
func TestNoNegativeEntries(t *testing.T) {
	c := New[int](7)
	c.Fill(1, "a", new(int))
	c.Fill(1, "a", nil)
	c.Fill(1, "b", nil)
	want(t, c, 1, "a", nil, false)
	want(t, c, 1, "b", nil, false)
	if st := c.Stats(); st.NegativeFills != 0 || st.Drops != 1 || st.Entries != 0 {
		t.Errorf("statistics %+v", st)
	}
}

// TestNegativeShare: negative entries push out each other, never more than an
// eighth, and positive ones keep the rest.
func TestNegativeShare(t *testing.T) {
	for _, limit := range []int{8, 64, 1000, 4000} {
		c := New[int](limit)
		v := new(int)
		for i := range limit - limit/8 {
			c.Fill(1, fmt.Sprint(i), v)
		}
		for i := range 3 * limit {
			name := fmt.Sprint(i)
			c.Fill(2, name, nil)
			want(t, c, 2, name, nil, true)
			if n := c.Stats().Negative; n > limit/8 || n != min(i+1, limit/8) {
				t.Fatalf("limit %d: %d negative entries after %d fills", limit, n, i+1)
			}
		}
		for i := range limit - limit/8 {
			want(t, c, 1, fmt.Sprint(i), v, true)
		}
		c.mustCheck(t)
	}
}

func TestNewRefusesNoLimit(t *testing.T) {
	for _, limit := range []int{0, -1} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("New(%d) does not panic", limit)
				}
			}()
			New[int](limit)
		}()
	}
}

// TestLastFilledStays: the entry just filled in is not the victim of its own
// fill, whatever the limit.
func TestLastFilledStays(t *testing.T) {
	for _, limit := range []int{1, 2, 3, 64, 200} {
		c := New[int](limit)
		v := new(int)
		for i := range 5 * limit {
			name := fmt.Sprint(i)
			c.Fill(1, name, v)
			want(t, c, 1, name, v, true)
			if n := c.Len(); n != min(i+1, limit) {
				t.Fatalf("limit %d: %d entries after %d fills", limit, n, i+1)
			}
		}
		c.mustCheck(t)
	}
}

func TestAll(t *testing.T) {
	c := New[int](1000)
	v := new(int)
	var filled []string
	for i := range 300 {
		name := fmt.Sprintf("%03d", i)
		c.Fill(uint64(i%3), name, v)
		filled = append(filled, fmt.Sprint(i%3, name, true))
	}
	c.Fill(9, "none", nil)
	filled = append(filled, fmt.Sprint(9, "none", false))
	var seen []string
	for e := range c.All() {
		seen = append(seen, fmt.Sprint(e.Dir, e.Name, e.Value == v))
	}
	slices.Sort(filled)
	slices.Sort(seen)
	if !slices.Equal(seen, filled) {
		t.Errorf("All yields %v,\nwant %v", seen, filled)
	}
	for range c.All() {
		break
	}
}

// TestHitsAllocateNothing: nor do misses, counted or not.
func TestHitsAllocateNothing(t *testing.T) {
	c := New[int](100)
	c.Fill(1, "positive", new(int))
	c.Fill(1, "negative", nil)
	for _, name := range []string{"positive", "negative", "absent"} {
		if n := testing.AllocsPerRun(100, func() { c.Get(1, name); c.CountHits(1); c.CountMiss() }); n != 0 {
			t.Errorf("Get of the %s name allocates %v times", name, n)
		}
	}
	if n := testing.AllocsPerRun(100, func() { c.Drop(1, "absent") }); n != 0 {
		t.Errorf("Drop of an absent name allocates %v times", n)
	}
}

// TestHotHitWritesNothing: only the first Get after the hand has passed sets
// the bit; a write per hit would be a contended one.
func TestHotHitWritesNothing(t *testing.T) {
	c := New[int](100)
	c.Fill(1, "a", new(int))
	_, d := c.table.Load().find(c.hash.sum(1, "a"), 1, "a")
	if s := d.state.Load(); s != 0 {
		t.Fatalf("a new entry has state %#x", s)
	}
	c.Get(1, "a")
	if s := d.state.Load(); s != referenced {
		t.Fatalf("a hit left state %#x", s)
	}
	c.Get(1, "b")
	c.Drop(1, "a")
	if s := d.state.Load(); s != referenced|dead {
		t.Fatalf("a dropped entry has state %#x", s)
	}
}

func TestCountsOfHitsAndMisses(t *testing.T) {
	c := New[int](100_000)
	const walks, each = 1000, 3
	for range walks {
		c.CountHits(each)
	}
	c.CountHits(0)
	for range 1000 {
		c.CountMiss()
	}
	st := c.Stats()
	if st.Hits != walks*each {
		t.Errorf("%d hits counted of %d", st.Hits, walks*each)
	}
	if st.Misses != 1000 {
		t.Errorf("%d misses counted of 1000", st.Misses)
	}
}

func TestSizes(t *testing.T) {
	size := unsafe.Sizeof(dentry[int]{})
	if want := map[uintptr]uintptr{8: 48, 4: 32}[unsafe.Sizeof(size)]; size > want {
		t.Errorf("an entry takes %d bytes, want %d", size, want)
	}
	if s := unsafe.Sizeof(stripe{}); s != cacheLines {
		t.Errorf("a stripe takes %d bytes, want %d", s, cacheLines)
	}
	for _, c := range []struct{ limit, procs, stripes int }{
		{1, 64, 1}, {127, 64, 1}, {128, 64, 2}, {65_536, 1, 4}, {65_536, 2, 8}, {65_536, 1000, 64},
	} {
		if n := stripesFor(c.limit, c.procs); n != c.stripes {
			t.Errorf("%d stripes for a limit of %d and %d processors, want %d", n, c.limit, c.procs, c.stripes)
		}
	}
}

// heap returns the bytes of live heap objects.
func heap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// TestBytesAnEntry: at most 64, buckets included, names and values not; and
// what is dropped is given back.
func TestBytesAnEntry(t *testing.T) {
	n := 300_000
	if checking {
		n = 30_000 // checking builds take their time
	}
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("f%07d", i)
	}
	v := new(int)
	before := heap()
	c := New[int](n)
	empty := heap() - before
	for _, name := range names {
		c.Fill(1, name, v)
	}
	if c.Len() != n {
		t.Fatalf("%d entries", c.Len())
	}
	full := heap() - before
	for _, name := range names {
		c.Drop(1, name)
	}
	left := heap() - before
	runtime.KeepAlive(names)
	t.Logf("empty %d bytes, %.1f an entry with %d entries, %d left after dropping them",
		empty, float64(full)/float64(n), n, left)
	if full > 64*int64(n) {
		t.Errorf("%d bytes for %d entries", full, n)
	}
	if empty > 16<<10 || left > 32<<10 {
		t.Errorf("an empty cache takes %d bytes when new and %d when emptied", empty, left)
	}
	c.mustCheck(t)
}

// TestVictimsAreNotKept: the collector frees the value of an entry that was
// evicted, replaced or dropped.
func TestVictimsAreNotKept(t *testing.T) {
	c := New[int](8)
	var gone []weak.Pointer[int]
	fill := func(name string) {
		v := new(int)
		gone = append(gone, weak.Make(v))
		c.Fill(1, name, v)
	}
	for i := range 100 {
		fill(fmt.Sprint(i)) // evicts
		fill("replaced")
	}
	for e := range c.All() {
		c.Drop(e.Dir, e.Name)
	}
	runtime.GC()
	runtime.GC()
	for i, w := range gone {
		if w.Value() != nil {
			t.Errorf("value %d is still reachable", i)
		}
	}
	runtime.KeepAlive(c)
}
