package memfs_test

import (
	"testing"

	"stagefs/memfs"
)

func BenchmarkLock(b *testing.B) {
	fsys := newFS()
	files := openLocked(b, fsys, 100)
	f := files[0]
	pair := func(take, give func() error) func(b *testing.B) {
		return func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if take() != nil || give() != nil {
					b.Fatal("not given")
				}
			}
		}
	}
	posix := pair(func() error { return f.SetLock(noCtx, 0, writeOf(0, 10), true) },
		func() error { return f.SetLock(noCtx, 0, unlockOf(0, 10), true) })
	b.Run("flock", pair(func() error { return f.Flock(noCtx, memfs.LockExclusive) },
		func() error { return f.Flock(noCtx, memfs.LockUnlock) }))
	b.Run("posix", posix)
	for i, other := range files[1:] {
		for at := range int64(100) {
			must(b, other.SetLock(noCtx, i, readOf(100+2*at, 1), false))
		}
	}
	b.Run("posix beside 9900", posix)
	b.Run("ReleaseLocks", pair(func() error { return f.ReleaseLocks("none") }, func() error { return nil }))
	closeAll(b, fsys, files)
}
