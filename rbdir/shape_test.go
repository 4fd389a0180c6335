package rbdir_test

import (
	"fmt"
	"testing"
	"unsafe"

	"stagefs/rbdir"
)

func TestRepresentations(t *testing.T) {
	var d rbdir.Dir[uint64]
	h := rbdir.NewHasher(6)
	// A slice grows by what it needs.
	caps := []int{0, 1, 2, 3, 4, 6, 6, 8, 8}
	for i := range rbdir.SmallMax {
		if rbdir.SmallCap(&d) != caps[i] || rbdir.IsTree(&d) {
			t.Fatalf("%d entries: %d places, tree: %t", i, rbdir.SmallCap(&d), rbdir.IsTree(&d))
		}
		add(t, &d, h, fmt.Sprint("n", i), 0)
	}
	// At the edge it does not go to and fro.
	for range 3 {
		add(t, &d, h, "edge", 0)
		if !rbdir.IsTree(&d) {
			t.Fatal("above 8 and no tree")
		}
		remove(t, &d, h, "edge")
		if !rbdir.IsTree(&d) {
			t.Fatal("no tree any more at 8")
		}
	}
	for i := range 4 {
		if !rbdir.IsTree(&d) {
			t.Fatalf("no tree any more at %d", d.Len())
		}
		remove(t, &d, h, fmt.Sprint("n", i))
	}
	if rbdir.IsTree(&d) || rbdir.SmallCap(&d) != rbdir.SmallAgain {
		t.Fatalf("at 4: tree: %t, %d places", rbdir.IsTree(&d), rbdir.SmallCap(&d))
	}
	for i := 4; i < 8; i++ {
		remove(t, &d, h, fmt.Sprint("n", i))
	}
	if c := rbdir.SmallCap(&d); c > 2 {
		t.Fatalf("%d places for nothing", c)
	}
}

func TestSideMapComesAndGoes(t *testing.T) {
	var d rbdir.Dir[int]
	two := rbdir.NewHasher(7).Narrowed(func(h uint64) uint64 { return 1 + h&1 })
	names := map[uint64][]string{}
	for i := 0; len(names[1]) < 9 || len(names[2]) < 9; i++ {
		n := fmt.Sprint("n", i)
		names[two.Sum(n)] = append(names[two.Sum(n)], n)
	}
	want := func(n int) {
		t.Helper()
		if got := rbdir.SideMaps(&d); got != n {
			t.Fatalf("%d side maps, want %d", got, n)
		}
		check(t, &d)
	}
	for i := range rbdir.GroupMax {
		add(t, &d, two, names[1][i], 0)
		add(t, &d, two, names[2][i], 0)
	}
	want(0)
	add(t, &d, two, names[1][8], 0)
	want(1)
	add(t, &d, two, names[2][8], 0)
	want(2)
	for i := range 9 - rbdir.GroupAgain - 1 {
		remove(t, &d, two, names[1][i])
	}
	want(2)
	remove(t, &d, two, names[1][8])
	want(1)
	for _, n := range names[2][:9] {
		remove(t, &d, two, n)
	}
	want(0)
}

func TestSizes(t *testing.T) {
	if s := unsafe.Sizeof(rbdir.Node[uint64]{}); s > 64 {
		t.Errorf("a node takes %d bytes", s)
	}
	if s := unsafe.Sizeof(rbdir.Entry[uint64]{}); s > 32 {
		t.Errorf("an entry takes %d bytes", s)
	}
	if s := unsafe.Sizeof(rbdir.Dir[uint64]{}); s > maxDirSize {
		t.Errorf("an empty directory takes %d bytes", s)
	}
}
