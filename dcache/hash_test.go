package dcache

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// TestEveryByteCounts: with one hash for all, names that differ in a single
// byte or in length are told apart, at every length around the bounds between
// the ways of comparing them.
func TestEveryByteCounts(t *testing.T) {
	for n := range 2*shortName + 2 {
		c := New[int](100)
		c.narrow(t, 0)
		v := new(int)
		name := strings.Repeat("a", n)
		c.Fill(1, name, v)
		want(t, c, 1, strings.Clone(name), v, true)
		want(t, c, 1, name+"a", nil, false)
		if n > 0 {
			want(t, c, 1, name[1:], nil, false)
		}
		for i := range n {
			for _, other := range []string{"b", "\x00", "\xff", "\xe1"} {
				want(t, c, 1, name[:i]+other+name[i+1:], nil, false)
			}
		}
	}
}

// TestNamesSpread: names as programs make them, in one directory or the same
// one in many, fall into the buckets about as chance would have it.
func TestNamesSpread(t *testing.T) {
	const n = 1 << 14
	for shape, key := range map[string]func(i int) (uint64, string){
		"short":       func(i int) (uint64, string) { return 1, fmt.Sprintf("%x", i) },
		"8 bytes":     func(i int) (uint64, string) { return 1, fmt.Sprintf("f%07d", i) },
		"16 bytes":    func(i int) (uint64, string) { return 1, fmt.Sprintf("%06d-file.txt-x", i)[:16] },
		"long":        func(i int) (uint64, string) { return 1, fmt.Sprintf("longername%d-and-more", i) },
		"directories": func(i int) (uint64, string) { return uint64(i), "Makefile" },
		"far apart":   func(i int) (uint64, string) { return uint64(i) << 14, "Makefile" },
		"both":        func(i int) (uint64, string) { return uint64(i % 128), fmt.Sprint(i / 128) },
	} {
		c := New[int](2 * n)
		buckets := newTable[int](n)
		var used [n]bool
		for i := range n {
			dir, name := key(i)
			b := uint64(c.hash.sum(dir, name)) >> buckets.shift
			used[b] = true
		}
		var empty float64
		for _, u := range used {
			if !u {
				empty++
			}
		}
		// Chance leaves n/e buckets empty, give or take 50.
		if math.Abs(empty-n/math.E) > 500 {
			t.Errorf("%s: %.0f of %d buckets are empty, chance would leave %.0f", shape, empty, n, n/math.E)
		}
	}
}
