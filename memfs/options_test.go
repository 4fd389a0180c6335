package memfs_test

import (
	"fmt"
	"io/fs"
	"math"
	"os"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"stagefs/memfs"
)

// fakeClock is a clock that each look moves on by one second.
type fakeClock struct{ seconds atomic.Int64 }

func (c *fakeClock) now() time.Time { return time.Unix(c.seconds.Add(1), 0) }

func TestClock(t *testing.T) {
	clock := &fakeClock{}
	clock.seconds.Store(1_000_000)
	fsys := newFS(memfs.WithClock(clock.now))
	last := stat(t, fsys, "/").Mtime
	if last != 1_000_001e9 {
		t.Errorf("the root is from %d", last)
	}
	for _, call := range []func() error{
		func() error { return fsys.WriteFile("/f", []byte("x"), 0o644) },
		func() error { return fsys.Mkdir("/d", 0o755) },
		func() error { return fsys.Rename("/f", "/d/f") },
		func() error { return fsys.Chmod("/d/f", 0o600) },
		func() error { return fsys.Link("/d/f", "/g") },
		func() error { return fsys.Remove("/g") },
	} {
		must(t, call())
		now := int64(0)
		for _, path := range []string{"/", "/d", "/d/f"} {
			var st memfs.Stat
			if err := fsys.StatInto(path, &st); err == nil {
				now = max(now, st.Ctime)
			}
		}
		if now <= last || now%1e9 != 0 || now > clock.seconds.Load()*1e9 {
			t.Errorf("a change at %d, the one before at %d, the clock is at %d s", now, last, clock.seconds.Load())
		}
		last = now
	}
}

// A clock that asks the file system itself must not find it locked.
func TestClockThatCallsBack(t *testing.T) {
	var fsys *memfs.FS
	var inside atomic.Bool
	calls := 0
	clock := func() time.Time {
		if fsys != nil && inside.CompareAndSwap(false, true) {
			defer inside.Store(false)
			calls++
			callBack(t, fsys)
		}
		return time.Unix(int64(calls), 0)
	}
	fsys = newFS(memfs.WithClock(clock))
	must(t, fsys.MkdirAll("/d/e", 0o755))
	must(t, fsys.WriteFile("/d/f", []byte("contents"), 0o666))
	must(t, fsys.Symlink("d/f", "/l"))
	for _, f := range []*memfs.File{
		got[*memfs.File](t)(fsys.OpenFile("/l", os.O_RDWR|os.O_APPEND, 0)), got[*memfs.File](t)(fsys.Open("/d")),
	} {
		_, _ = f.Write([]byte("more"))
		_, _ = f.Read(make([]byte, 3))
		_, _ = f.ReadAt(make([]byte, 3), 0)
		_, _ = f.WriteAt([]byte("x"), 0)
		_, _ = f.ReadDir(-1)
		_ = f.Truncate(3)
		must(t, f.Chmod(0o777))
		must(t, f.Chown(1, 1))
		must(t, f.Close())
	}
	must(t, fsys.Link("/d/f", "/d/g"))
	must(t, fsys.Rename("/d/g", "/d/f"))
	must(t, fsys.Rename("/d/f", "/d/h"))
	must(t, fsys.Rename("/d/e", "/e"))
	must(t, fsys.Chtimes("/d/h", time.Unix(1, 0), time.Unix(2, 0)))
	must(t, fsys.Truncate("/d/h", 100))
	got[string](t)(fsys.Readlink("/l"))
	got[*memfs.File](t)(fsys.CreateTemp("", "x")).Close()
	must(t, fsys.Remove("/e"))
	must(t, fsys.RemoveAll("/d"))
	if calls < 20 {
		t.Errorf("the clock was asked %d times", calls)
	}
	check(t, fsys)
}

// callBack touches what the call that asked for the time may hold.
func callBack(t *testing.T, fsys *memfs.FS) {
	for _, path := range []string{"/", "/d", "/d/f", "/l", "/e"} {
		_, _ = fsys.Stat(path)
		_, _ = fsys.ReadDir(path)
		_ = fsys.Chmod(path, 0o777)
		_, _ = fsys.ReadFile(path)
	}
	for _, dir := range []string{"/", "/d/"} {
		must(t, fsys.WriteFile(dir+"from the clock", []byte("x"), 0o644))
		must(t, fsys.Rename(dir+"from the clock", dir+"again"))
		must(t, fsys.Remove(dir+"again"))
		if dir == "/" {
			if _, err := fsys.Stat("/d"); err != nil {
				break
			}
		}
	}
}

// Times that 64 bits of nanoseconds do not hold are clamped, and none wraps.
func TestClockFarAway(t *testing.T) {
	for _, at := range []time.Time{{}, time.Unix(1<<40, 0), time.Unix(-1<<40, 0)} {
		fsys := newFS(memfs.WithClock(func() time.Time { return at }))
		want := int64(math.MaxInt64)
		if at.Before(time.Unix(0, 0)) {
			want = math.MinInt64
		}
		if mtime := stat(t, fsys, "/").Mtime; mtime != want {
			t.Errorf("clock at %v: %d", at, mtime)
		}
	}
}

// listing returns the names of 100 files in the order of the directory.
func listing(t *testing.T, options ...memfs.Option) []string {
	fsys := newFS(options...)
	for i := range 100 {
		must(t, fsys.WriteFile(fmt.Sprintf("/file%d", i), nil, 0o644))
	}
	f := got[*memfs.File](t)(fsys.Open("/"))
	defer f.Close()
	return got[[]string](t)(f.Readdirnames(-1))
}

func TestSeed(t *testing.T) {
	first := listing(t)
	if !slices.Equal(first, listing(t)) {
		t.Error("two file systems without a seed list differently")
	}
	one := listing(t, memfs.WithSeed(1))
	if !slices.Equal(one, listing(t, memfs.WithSeed(1))) {
		t.Error("two file systems with one seed list differently")
	}
	if slices.Equal(one, listing(t, memfs.WithSeed(2))) || slices.Equal(one, first) {
		t.Error("two seeds list alike")
	}
	if slices.IsSorted(one) {
		t.Error("the seed makes no difference: names are listed in their order")
	}
}

// The hash of WithHash is in force: all names collide, and are told apart by their ordinals in the order of creation.
func TestHash(t *testing.T) {
	order := listing(t, memfs.WithHash(func(uint64) uint64 { return 7 }))
	for i, name := range order {
		if want := fmt.Sprintf("file%d", i); name != want {
			t.Fatalf("entry %d is %s, want %s", i, name, want)
		}
	}
	fsys := newFS(memfs.WithHash(func(uint64) uint64 { return 7 }))
	must(t, fsys.WriteFile("/x", nil, 0o644))
	f := got[*memfs.File](t)(fsys.Open("/"))
	defer f.Close()
	entries := got[[]fs.DirEntry](t)(f.ReadDir(1))
	if cookie := entries[0].(*memfs.DirEntry).Cookie(); cookie>>16 != 7 {
		t.Errorf("cookie %#x, want hash 7", cookie)
	}
}

func TestUmaskAndRootMode(t *testing.T) {
	for _, c := range []struct {
		options          []memfs.Option
		file, dir, atTop uint32
	}{
		{nil, 0o644, 0o755, 0o755},
		{[]memfs.Option{memfs.WithUmask(0)}, 0o666, 0o777, 0o755},
		{[]memfs.Option{memfs.WithUmask(0o077), memfs.WithRootMode(0o700)}, 0o600, 0o700, 0o700},
		{[]memfs.Option{memfs.WithUmask(0o7777), memfs.WithRootMode(0o777 | fs.ModeSticky)}, 0, 0, 0o1777},
	} {
		fsys := newFS(c.options...)
		must(t, fsys.WriteFile("/f", nil, 0o666))
		must(t, fsys.Mkdir("/d", 0o777))
		must(t, fsys.Symlink("f", "/l"))
		for path, want := range map[string]uint32{
			"/f": 0o100000 | c.file, "/d": 0o040000 | c.dir, "/": 0o040000 | c.atTop, "/l": 0o120777,
		} {
			if mode := stat(t, fsys, path).Mode; mode != want {
				t.Errorf("%s has mode %o, want %o", path, mode, want)
			}
		}
	}
	fsys := newFS()
	masked := fsys.WithUmask(0o027)
	must(t, masked.Mkdir("/m", 0o777))
	must(t, fsys.Mkdir("/u", 0o777))
	if m, u := stat(t, fsys, "/m").Mode, stat(t, fsys, "/u").Mode; m != 0o040750 || u != 0o040755 {
		t.Errorf("modes %o and %o", m, u)
	}
}
