package memfs_test

import (
	"slices"
	"testing"
	"time"

	"stagefs/memfs"
	"stagefs/stage"
)

// counted is a file system whose stage counts every lookup and makes a pool only when it is told to.
func counted(t *testing.T, dirs ...string) *memfs.FS {
	t.Helper()
	fsys := newFS(memfs.WithStage(stage.Config{Sample: 1, Threshold: -1, Period: time.Hour}))
	for _, dir := range dirs {
		must(t, fsys.MkdirAll(dir, 0o755))
	}
	fsys.Stage().Step()
	must(t, fsys.Promote()) // what making them has made popular
	return fsys
}

// TestHeatOfTargets: a lookup heats its target, or the directory of a target that is none: a file, a link, or nothing at
// all. What is passed on the way, and what a walk did not come to, stays cold.
func TestHeatOfTargets(t *testing.T) {
	for name, c := range map[string]struct {
		look func(fsys *memfs.FS) error
		want []string
	}{
		"directory": {func(fsys *memfs.FS) error { _, err := fsys.Stat("/a/b/c"); return err }, []string{"/a/b/c"}},
		"file":      {func(fsys *memfs.FS) error { _, err := fsys.Stat("/a/b/file"); return err }, []string{"/a/b"}},
		"open":      {func(fsys *memfs.FS) error { _, err := fsys.ReadFile("/a/b/file"); return err }, []string{"/a/b"}},
		"link":      {func(fsys *memfs.FS) error { _, err := fsys.Lstat("/a/b/link"); return err }, []string{"/a/b"}},
		"followed":  {func(fsys *memfs.FS) error { _, err := fsys.Stat("/a/b/link"); return err }, []string{"/d/e"}},
		"missing":   {func(fsys *memfs.FS) error { _, _ = fsys.Stat("/a/b/c/none"); return nil }, []string{"/a/b/c"}},
		"created":   {func(fsys *memfs.FS) error { return fsys.WriteFile("/d/e/new", nil, 0o644) }, []string{"/d/e"}},
		"no way":    {func(fsys *memfs.FS) error { _, _ = fsys.Stat("/a/b/none/x"); return nil }, nil},
		"no dir":    {func(fsys *memfs.FS) error { _, _ = fsys.Stat("/a/b/file/x"); return nil }, nil},
		"root":      {func(fsys *memfs.FS) error { _, err := fsys.Stat("/"); return err }, nil},
	} {
		fsys := counted(t, "/a/b/c", "/d/e")
		must(t, fsys.WriteFile("/a/b/file", nil, 0o644))
		must(t, fsys.Symlink("/d/e", "/a/b/link"))
		fsys.Stage().Step()
		must(t, fsys.Promote())
		before := fsys.Stage().Stats().Lookups
		for range 3 {
			must(t, c.look(fsys))
		}
		if n := fsys.Stage().Stats().Lookups - before; n < 3 {
			t.Errorf("%s: %d lookups counted of 3", name, n)
		}
		fsys.Stage().Step()
		if got := fsys.Stage().Pivots(); !slices.Equal(got, c.want) {
			t.Errorf("%s: pivots %q, want %q", name, got, c.want)
		}
		check(t, fsys)
	}
}

// TestCostlessChanges: a change that lets everybody pass, as before, concerns no pivot.
func TestCostlessChanges(t *testing.T) {
	fsys := counted(t, "/a/b/c")
	must(t, fsys.Promote("/a/b/c"))
	must(t, fsys.Chmod("/a/b", 0o775))
	must(t, fsys.Chmod("/a/b", 0o777))
	must(t, fsys.Chown("/a", 12, 34))
	must(t, fsys.Chmod("/a/b/c", 0o700)) // through which nobody passes
	if st := fsys.Stage().Stats(); st.Invalidations != 0 {
		t.Errorf("%+v", st)
	}
	must(t, fsys.Chmod("/a/b", 0o711))
	if st := fsys.Stage().Stats(); st.Invalidations != 1 || st.Cut != 1 {
		t.Errorf("%+v", st)
	}
	if got := fsys.Stage().Pivots(); !slices.Equal(got, []string{"/a/b"}) {
		t.Errorf("pivots %q", got)
	}
	check(t, fsys)
}

// TestStageOff: one that is off does nothing.
func TestStageOff(t *testing.T) {
	fsys := newFS(memfs.WithoutStage())
	must(t, fsys.MkdirAll("/a/b", 0o755))
	must(t, fsys.Promote("/a/b"))
	s := fsys.Stage()
	s.SetPeriod(time.Second)
	if s.Step() || s.Pivots() != nil || s.Stats() != (stage.Stats{}) {
		t.Error("it is not off")
	}
	on := newFS()
	on.Stage().SetPeriod(time.Minute)
	if p := on.Stage().Stats().Period; p != time.Minute {
		t.Errorf("period %v", p)
	}
}
