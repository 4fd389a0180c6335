package memfs_test

import (
	"io/fs"
	"testing"
	"time"

	"stagefs/memfs"
	"stagefs/stage"
)

// pivotPath leads through seven directories to a file; with the names of the tests before it, that makes eight.
const pivotPath = "1/2/3/4/5/6/7/f"

// stageFS is a file system whose stage counts every lookup and makes pools only when told so.
func stageFS(kind stage.Kind, options ...memfs.Option) *memfs.FS {
	options = append(options,
		memfs.WithStage(stage.Config{Sample: 1, Threshold: -1, Period: time.Hour, Pool: kind}))
	return newFS(options...)
}

// stageTree is stageFS with the file of pivotPath below /top/w, and its directory in the pool.
func stageTree(t *testing.T, kind stage.Kind) *memfs.FS {
	t.Helper()
	fsys := stageFS(kind)
	must(t, fsys.MkdirAll("/top/w/1/2/3/4/5/6/7", 0o755))
	must(t, fsys.WriteFile("/top/w/"+pivotPath, nil, 0o644))
	must(t, fsys.Promote("/top/w/1/2/3/4/5/6/7"))
	return fsys
}

// wantSkips looks a path up, and compares how many components were not walked.
func wantSkips(t *testing.T, what string, v *memfs.FS, path string, want int) {
	t.Helper()
	var st memfs.Stat
	before := v.Stage().Stats()
	if err := v.StatInto(path, &st); err != nil {
		t.Errorf("%s: %v", what, err)
		return
	}
	after := v.Stage().Stats()
	hits := uint64(0)
	if want > 0 {
		hits = 1
	}
	if skipped := after.Skipped - before.Skipped; skipped != uint64(want) || after.Hits-before.Hits != hits ||
		after.Lookups-before.Lookups != 1 {
		t.Errorf("%s: %s skipped %d components in %d hits of %d lookups, want %d", what, path, skipped,
			after.Hits-before.Hits, after.Lookups-before.Lookups, want)
	}
}

// eachKind runs test for each way to search the pivots.
func eachKind(t *testing.T, test func(t *testing.T, kind stage.Kind)) {
	for _, kind := range stageKinds {
		t.Run(kind.String(), func(t *testing.T) { test(t, kind) })
	}
}

// at is a view of fsys that stands in dir.
func at(t *testing.T, fsys *memfs.FS, cred memfs.Cred, dir string) *memfs.FS {
	t.Helper()
	v := fsys.As(cred)
	must(t, v.Chdir(dir))
	return v
}

// Paths skip as much from wherever they begin.
func TestStageSkips(t *testing.T) {
	eachKind(t, func(t *testing.T, kind stage.Kind) {
		fsys := stageTree(t, kind)
		must(t, fsys.MkdirAll("/other/1/2/3", 0o755))
		must(t, fsys.MkdirAll("/top/w/1/2/3/4/5/6/7/below/deeper", 0o755))
		must(t, fsys.WriteFile("/top/w/1/2/3/x", nil, 0o644))
		must(t, fsys.Symlink("/top/w/1/2", "/link"))
		const w, pivot = "/top/w", "/top/w/1/2/3/4/5/6/7"
		for _, c := range []struct {
			from, path string
			want       int
		}{
			{"/", "/top/w/" + pivotPath, 9},
			{"/", "top/w/" + pivotPath, 9},
			{w, "/top/w/" + pivotPath, 9},
			{w, pivotPath, 7},
			{w, "1/2/3/4/5/6/7", 7},  // the pivot itself
			{w, "1/2/3/4/5/6/7/", 6}, // the slash asks for a look at what it is
			{w, "1/2/3/4/5/6/7/below/deeper", 7},
			{w, "1/2/3/x", 3},
			{w, "1", 1},
			{w, ".", 0},
			{w, "./" + pivotPath, 0}, // begins with what is no name
			{w, "../w/" + pivotPath, 0},
			{"/top", "w/" + pivotPath, 8},
			{w + "/1/2/3", "4/5/6/7/f", 4},
			{w + "/1/2/3", "x", 0},
			{w + "/1/2/3/4/5/6", "7/f", 1},
			{pivot, "f", 0},
			{pivot, "below", 0},
			{pivot, ".", 0},
			{pivot + "/below", "deeper", 0},
			{pivot + "/below/deeper", "../../f", 0},
			{"/other", "1/2/3", 0}, // other directories with the same names
			{"/other/1", "2/3", 0},
			{"/", "/other/1/2/3", 0},
			{"/", "/link/3/4/5/6/7/f", 0},
		} {
			for _, cred := range []memfs.Cred{root, bob} {
				wantSkips(t, "from "+c.from, at(t, fsys, cred, c.from), c.path, c.want)
			}
		}
		wanderer := fsys.As(root) // whose place in the pool must not stay behind
		for _, c := range []struct {
			dir  string
			want int
		}{{w, 1}, {"/other", 0}, {w, 1}, {pivot, 0}, {w, 1}, {"/", 0}} {
			must(t, wanderer.Chdir(c.dir))
			if c.dir == pivot || c.dir == "/" {
				wantSkips(t, "in "+c.dir, wanderer, ".", c.want)
				continue
			}
			wantSkips(t, "in "+c.dir, wanderer, "1", c.want)
		}
	})
}

// Views from OpenRoot and of package io/fs skip from their roots on.
func TestStageViewsSkip(t *testing.T) {
	eachKind(t, func(t *testing.T, kind stage.Kind) {
		fsys := stageTree(t, kind)
		for _, cred := range []memfs.Cred{root, alice} {
			v := at(t, fsys, cred, "/top/w/1")
			confined := got[*memfs.FS](t)(v.OpenRoot("/top/w"))
			wantSkips(t, "confined", confined, pivotPath, 7)
			wantSkips(t, "confined by another", confined.As(bob), pivotPath, 7)
			deeper := got[*memfs.FS](t)(confined.OpenRoot("1/2"))
			wantSkips(t, "confined twice", deeper, "3/4/5/6/7/f", 5)
			wantSkips(t, "confined in a pivot", got[*memfs.FS](t)(deeper.OpenRoot("3/4/5/6/7")), "f", 0)
			must(t, confined.StatInto("1/../"+pivotPath, &memfs.Stat{})) // step by step, as os.Root
			wantSkips(t, "confined to all", got[*memfs.FS](t)(v.OpenRoot("/")), "top/w/"+pivotPath, 9)
			before := fsys.Stage().Stats()
			got[fs.FileInfo](t)(fs.Stat(v.FS(), "top/w/"+pivotPath))
			got[fs.FileInfo](t)(fs.Stat(confined.FS(), pivotPath))
			got[fs.FileInfo](t)(fs.Stat(got[fs.FS](t)(fs.Sub(v.FS(), "top/w/1")), "2/3/4/5/6/7/f"))
			if after := fsys.Stage().Stats(); after.Skipped-before.Skipped != 9+7+9 {
				t.Errorf("io/fs: %d components skipped, want 25", after.Skipped-before.Skipped)
			}
		}
	})
}

// A view that moves with its directory, or with one above that, walks until there is another pool.
func TestStageViewsMove(t *testing.T) {
	eachKind(t, func(t *testing.T, kind stage.Kind) {
		for _, move := range [][2]string{{"/top/w", "/top/v"}, {"/top", "/pot"}, {"/top/w", "/w"}} {
			fsys := stageTree(t, kind)
			want := stat(t, fsys, "/top/w/"+pivotPath).Ino
			standing := at(t, fsys, bob, "/top/w")
			confined := got[*memfs.FS](t)(standing.OpenRoot("."))
			deep := at(t, fsys, alice, "/top/w/1/2/3")
			views := func(what string, w, d int) {
				t.Helper()
				for range 2 {
					wantSkips(t, what+", working directory", standing, pivotPath, w)
					wantSkips(t, what+", root", confined, pivotPath, w)
					wantSkips(t, what+", deeper", deep, "4/5/6/7/f", d)
				}
				if st := stat(t, standing, pivotPath); st.Ino != want {
					t.Errorf("%s: inode %d, want %d", what, st.Ino, want)
				}
			}
			views("before", 7, 4)
			must(t, fsys.Rename(move[0], move[1]))
			views("moved", 0, 0)
			if !fsys.Stage().Step() {
				t.Error("no other pool after a rename")
			}
			views("after a step", 7, 4)
			must(t, fsys.Rename(move[1], move[0]))
			views("moved back", 0, 0)
			must(t, fsys.Promote("/top/w/1/2/3/4/5"))
			views("another pool", 5, 2)
			check(t, fsys)
		}
	})
}

// A change below takes from the pivots what is below it, and nothing else.
func TestStageViewsCut(t *testing.T) {
	eachKind(t, func(t *testing.T, kind stage.Kind) {
		fsys := stageTree(t, kind)
		v := at(t, fsys, root, "/top/w")
		must(t, fsys.WriteFile("/top/w/1/2/g", nil, 0o644))
		must(t, v.Chmod("1/2/3", 0o700))
		wantSkips(t, "closed", v, pivotPath, 3)
		wantSkips(t, "above what was closed", v, "1/2/g", 2)
		wantError(t, "closed, for bob", at(t, fsys, bob, "/top/w").StatInto(pivotPath, &memfs.Stat{}), fs.ErrPermission)
		fsys.Stage().Step()
		wantSkips(t, "another pool", v, pivotPath, 7)
		wantError(t, "closed in a pool, for bob", at(t, fsys, bob, "/top/w").StatInto(pivotPath, &memfs.Stat{}),
			fs.ErrPermission)
		wantSkips(t, "below what is closed", at(t, fsys, root, "/top/w/1/2/3/4").As(bob), "5/6/7/f", 3)
		must(t, v.Rename("1/2/3", "1/2/three"))
		wantSkips(t, "moved below", v, "1/2/g", 2)
		wantSkips(t, "the new name", v, "1/2/three/4/5/6/7/f", 2)
		_, err := v.Stat(pivotPath)
		wantError(t, "the old name", err, fs.ErrNotExist)
		fsys.Stage().Step()
		wantSkips(t, "the new name in a pool", v, "1/2/three/4/5/6/7/f", 7)
		_, err = v.Stat(pivotPath)
		wantError(t, "the old name", err, fs.ErrNotExist)
		check(t, fsys)
	})
}

// Who stands in a removed directory skips nothing, though a pool has led there.
func TestStageViewsRemoved(t *testing.T) {
	eachKind(t, func(t *testing.T, kind stage.Kind) {
		fsys := stageFS(kind)
		must(t, fsys.MkdirAll("/a/b/c", 0o755))
		must(t, fsys.Promote("/a/b/c"))
		inA, inB := at(t, fsys, root, "/a"), at(t, fsys, root, "/a/b")
		confined := got[*memfs.FS](t)(inB.OpenRoot("."))
		wantSkips(t, "before", inA, "b/c", 2)
		wantSkips(t, "before", inB, "c", 1)
		wantSkips(t, "before, confined", confined, "c", 1)
		must(t, fsys.RemoveAll("/a/b"))
		must(t, fsys.MkdirAll("/a/b/c", 0o755)) // others with the same names
		new := stat(t, fsys, "/a/b/c").Ino
		for _, step := range []func(){func() {}, func() { fsys.Stage().Step() }, func() { must(t, fsys.Promote("/a/b/c")) }} {
			step()
			if st := stat(t, inA, "b/c"); st.Ino != new {
				t.Errorf("inode %d, want %d", st.Ino, new)
			}
			for _, v := range []*memfs.FS{inB, confined} {
				_, err := v.Stat("c")
				wantError(t, "in what was removed", err, fs.ErrNotExist)
			}
			wantSkips(t, "what was removed", inB, ".", 0)
			if _, err := inB.Getwd(); errnoOf(err) == 0 {
				t.Error("what was removed has a path")
			}
		}
		wantSkips(t, "made again", inA, "b/c", 2)
		check(t, fsys)
	})
}

// As os.Root opens each directory on the way, a view from OpenRoot needs to read what others need to search only.
func TestStageViewsRead(t *testing.T) {
	eachKind(t, func(t *testing.T, kind stage.Kind) {
		for _, closed := range []string{"1", "1/2/3", "1/2/3/4/5/6/7"} {
			fsys := stageTree(t, kind)
			plain := at(t, fsys, carol, "/top/w")
			confined := got[*memfs.FS](t)(plain.OpenRoot("."))
			privileged := confined.As(root)
			must(t, fsys.Chmod("/top/w/"+closed, 0o711))
			for _, pool := range []func(){func() {}, func() { must(t, fsys.Promote("/top/w/1/2/3/4/5/6/7")) }} {
				pool()
				must(t, plain.StatInto(pivotPath, &memfs.Stat{}))
				must(t, privileged.StatInto(pivotPath, &memfs.Stat{}))
				wantError(t, "confined", confined.StatInto(pivotPath, &memfs.Stat{}), fs.ErrPermission)
				_, err := confined.Open(pivotPath)
				wantError(t, "confined open", err, fs.ErrPermission)
				must(t, confined.StatInto(closed, &memfs.Stat{})) // it is on the way to nothing
			}
			wantSkips(t, "search", plain, pivotPath, 7)
			wantSkips(t, "root", privileged, pivotPath, 7)
			must(t, fsys.Chmod("/top/w/"+closed, 0o755))
			must(t, fsys.Chmod("/top/w", 0o711)) // the root itself was opened before
			must(t, fsys.Promote("/top/w/1/2/3/4/5/6/7"))
			must(t, confined.StatInto(pivotPath, &memfs.Stat{}))
		}
	})
}
