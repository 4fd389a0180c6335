package memfs_test

import (
	"math"
	"syscall"
	"testing"

	"stagefs/memfs"
)

func TestResize(t *testing.T) {
	fsys := newFS(memfs.WithSize(10*pageSize), memfs.WithInodes(5))
	must(t, fsys.WriteFile("/f", make([]byte, 4*pageSize), 0o644))
	want := func(blocks, inodes int64) {
		t.Helper()
		if s := fsys.Statfs(); s.Blocks != blocks || s.Inodes != inodes {
			t.Errorf("%d blocks and %d inodes, want %d and %d", s.Blocks, s.Inodes, blocks, inodes)
		}
		used(t, fsys)
		check(t, fsys)
	}
	must(t, fsys.Resize(3*pageSize+1, memfs.Keep))
	want(4, 5)
	must(t, fsys.Resize(memfs.Keep, 2))
	want(4, 2)
	for _, c := range [][2]int64{{3 * pageSize, 100}, {100 * pageSize, 1}, {1, 1}} {
		unchanged(t, fsys, "resize", func() error { return fsys.Resize(c[0], c[1]) }, syscall.EINVAL)
		want(4, 2)
	}
	must(t, fsys.Resize(math.MinInt64, math.MinInt64))
	want(4, 2)
	wantError(t, "create", fsys.Mkdir("/d", 0o755), syscall.ENOSPC)
	must(t, fsys.Resize(math.MaxInt64, math.MaxInt64))
	want(1<<51, 1<<53-1)
	must(t, fsys.Mkdir("/d", 0o755))
	must(t, fsys.Resize(0, memfs.Keep))
	want(0, 1<<53-1)
	unchanged(t, fsys, "a limit again", func() error { return fsys.Resize(1<<40, 3) }, syscall.EINVAL)
	want(0, 1<<53-1)
	must(t, fsys.Resize(0, 0))
	want(0, 0)
	wantError(t, "a limit again", fsys.Resize(memfs.Keep, 1000), syscall.EINVAL)
	for range 3000 { // more than the versions of a limit
		must(t, fsys.Resize(0, 0))
	}
	want(0, 0)
	wantUsed(t, fsys, 4, 3)
}

// A limit can be changed more often than its versions can be told apart.
func TestResizeOften(t *testing.T) {
	fsys := newFS(memfs.WithSize(10*pageSize), memfs.WithInodes(5))
	for i := range int64(5000) {
		must(t, fsys.Resize((1+i%7)*pageSize, 1+i%9))
	}
	must(t, fsys.Resize(2*pageSize, 2))
	must(t, fsys.WriteFile("/f", make([]byte, 2*pageSize), 0o644))
	wantError(t, "mkdir", fsys.Mkdir("/d", 0o755), syscall.ENOSPC)
	wantUsed(t, fsys, 2, 2)
	check(t, fsys)
}
