package rbdir_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cespare/xxhash/v2"

	"stagefs/rbdir"
)

func TestSumIsTheTopOfSeededXXH64(t *testing.T) {
	for _, n := range []int{0, 1, 3, 4, 8, 14, 31, 32, 33, 64, 255} {
		name := strings.Repeat("x", n)
		if got, want := rbdir.NewHasher(0).Sum(name), xxhash.Sum64String(name)>>17; got != want {
			t.Errorf("length %d: %#x, want %#x", n, got, want)
		}
		if rbdir.NewHasher(1).Sum(name) == rbdir.NewHasher(2).Sum(name) {
			t.Errorf("length %d: the seed does not matter", n)
		}
	}
}

func TestNarrowedIsMaskedAndNeverZero(t *testing.T) {
	h := rbdir.NewHasher(3)
	for _, c := range []struct{ to, want uint64 }{
		{0, 1}, {1, 1}, {5, 5}, {1 << 47, 1}, {1<<47 + 2, 2}, {^uint64(0), 1<<47 - 1},
	} {
		if got := h.Narrowed(func(uint64) uint64 { return c.to }).Sum("n"); got != c.want {
			t.Errorf("narrowed to %#x: %#x, want %#x", c.to, got, c.want)
		}
	}
	var seen uint64
	if got := h.Narrowed(func(s uint64) uint64 { seen = s; return s }).Sum("n"); got != h.Sum("n") || seen != got {
		t.Errorf("identity: %#x of %#x, want %#x", got, seen, h.Sum("n"))
	}
}

func TestSumAllocatesNothing(t *testing.T) {
	h, long := rbdir.NewHasher(4), strings.Repeat("long", 60)
	if n := testing.AllocsPerRun(100, func() { h.Sum("longername1234"); h.Sum(long) }); n != 0 {
		t.Fatalf("%v allocations", n)
	}
}

func BenchmarkSum(b *testing.B) {
	h := rbdir.NewHasher(5)
	for _, n := range []int{8, 14, 64, 255} {
		name := strings.Repeat("n", n)
		b.Run(fmt.Sprint("len=", n), func(b *testing.B) {
			for b.Loop() {
				h.Sum(name)
			}
		})
	}
}
