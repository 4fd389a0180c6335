package bench

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"strings"
	"testing"

	"stagefs/memfs"
)

// twins are two file systems that differ in how they look up a path, and must
// answer alike. Each has views of several users.
type twins struct {
	views [2][]*memfs.FS
	inos  map[uint64]uint64 // of the first one's inodes, in the second
}

func newTwins(options ...memfs.Option) *twins {
	w := &twins{inos: map[uint64]uint64{}}
	for i := range w.views {
		with := []memfs.Option{memfs.WithCred(memfs.Cred{Uid: 1000, Gid: 1000}), memfs.WithRootMode(0o777)}
		if i == 0 {
			with = append(with, options...)
		} else {
			with = append(with, memfs.WithoutStage())
		}
		f := memfs.New(with...)
		w.views[i] = []*memfs.FS{f, f.As(memfs.Cred{Uid: 1001, Gid: 1001}), f.As(memfs.Cred{})}
	}
	return w
}

// do calls f on both, as one of the users, and compares the errors.
func (w *twins) do(t *testing.T, user int, what string, f func(*memfs.FS) error) error {
	t.Helper()
	errs := [2]string{}
	var err error
	for i := range w.views {
		err = f(w.views[i][user])
		errs[i] = fmt.Sprint(err)
	}
	if errs[0] != errs[1] {
		t.Fatalf("%s as user %d: %s, the twin: %s", what, user, errs[0], errs[1])
	}
	return err
}

// look compares what a path leads to.
func (w *twins) look(t *testing.T, user int, path string) {
	t.Helper()
	var stats [2]memfs.Stat
	i := 0
	if w.do(t, user, "stat "+path, func(f *memfs.FS) error { i++; return f.StatInto(path, &stats[i-1]) }) != nil {
		return
	}
	if twin, known := w.inos[stats[0].Ino]; known && twin != stats[1].Ino {
		t.Fatalf("stat %s: inode %d, the twin %d, not %d", path, stats[0].Ino, stats[1].Ino, twin)
	}
	w.inos[stats[0].Ino] = stats[1].Ino
}

// randomText is a path, not always a plain one.
func randomText(rnd *rand.Rand) string {
	var b strings.Builder
	for range 1 + rnd.IntN(5) {
		b.WriteString([]string{"/", "/", "/", "/", "/", "/", "//"}[rnd.IntN(7)])
		b.WriteString([]string{"a", "b", "c", "abcdefgh", ".git", ".", "..", "link"}[rnd.IntN(8)])
	}
	if rnd.IntN(4) == 0 {
		b.WriteByte('/')
	}
	return b.String()
}

// TestFullPathBelowMemfs: a file system with the cache of whole paths is none
// that a caller could tell from another.
func TestFullPathBelowMemfs(t *testing.T) {
	rnd := seededFullPath(t)
	for _, limit := range []int{2, 50, memfs.DefaultDcache} {
		var cache *fullPathCache[memfs.Node]
		w := newTwins(memfs.WithPathCache(func() memfs.PathCache {
			cache = newFullPathOf[memfs.Node](limit)
			return cache
		}))
		for range 4000 {
			user, path, other := rnd.IntN(3), randomText(rnd), randomText(rnd)
			mode := []fs.FileMode{0o777, 0o755, 0o700, 0o666}[rnd.IntN(4)]
			call := func(what string, f func(*memfs.FS) error) { t.Helper(); _ = w.do(t, user, what+" "+path, f) }
			switch rnd.IntN(16) {
			case 0, 1, 2:
				call("mkdir", func(f *memfs.FS) error { return f.Mkdir(path, 0o777) })
			case 3:
				call("write", func(f *memfs.FS) error { return f.WriteFile(path, nil, 0o666) })
			case 4:
				call("symlink", func(f *memfs.FS) error { return f.Symlink(other, path) })
			case 5:
				call("link", func(f *memfs.FS) error { return f.Link(other, path) })
			case 6, 7:
				call("rename", func(f *memfs.FS) error { return f.Rename(other, path) })
			case 8:
				call("remove", func(f *memfs.FS) error { return f.Remove(path) })
			case 9, 10:
				call("chmod", func(f *memfs.FS) error { return f.Chmod(path, mode) })
			}
			for range 4 {
				w.look(t, rnd.IntN(3), randomText(rnd))
			}
		}
		cache.mustHold(t)
		if limit > 50 && len(cache.slots) == 0 {
			t.Error("the cache was never told of a path")
		}
	}
}

// A hit needs neither a walk nor a lock, and each credential its own permission.
func TestFullPathHitsBelowMemfs(t *testing.T) {
	var cache *fullPathCache[memfs.Node]
	f := memfs.New(memfs.WithCred(memfs.Cred{Uid: 1000}), memfs.WithPathCache(func() memfs.PathCache {
		cache = newFullPathOf[memfs.Node](100)
		return cache
	}))
	if err := f.MkdirAll("/a/b/c", 0o755); err != nil {
		t.Fatal(err)
	}
	var st memfs.Stat
	if err := f.StatInto("/a/b/c", &st); err != nil {
		t.Fatal(err)
	}
	if len(cache.slots) != 3 {
		t.Errorf("%d entries after a walk of 3 components", len(cache.slots))
	}
	before := cache.lastSeq
	if n := testing.AllocsPerRun(100, func() { _ = f.StatInto("/a/b/c", &st) }); n != 0 {
		t.Errorf("a hit allocates %v times", n)
	}
	if cache.lastSeq != before {
		t.Error("a hit took a version")
	}
	if err := f.Chmod("/a", 0o700); err != nil {
		t.Fatal(err)
	}
	if err := f.As(memfs.Cred{Uid: 1001}).StatInto("/a/b/c", &st); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("a directory that may not be searched: %v", err)
	}
	if err := f.StatInto("/a/b/c", &st); err != nil {
		t.Error(err)
	}
}
