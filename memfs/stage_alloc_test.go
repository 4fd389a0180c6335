//go:build !race && !lockcheck && !invariants

package memfs_test

import (
	"fmt"
	"io/fs"
	"testing"
	"time"

	"stagefs/memfs"
	"stagefs/stage"
)

// A lookup by way of a pivot allocates nothing, whoever makes it and however it ends, counted or not.
func TestStageAllocatesNothing(t *testing.T) {
	const dir, path = "/top/w/1/2/3/4/5/6", "/top/w/1/2/3/4/5/6/f"
	for _, kind := range stageKinds {
		for _, sample := range []int{1, stage.DefaultSample} {
			fsys := newFS(memfs.WithDcache(memfs.DefaultDcache), memfs.WithStage(stage.Config{
				Threshold: -1, Sample: sample, Period: time.Hour, Pool: kind}))
			must(t, fsys.MkdirAll(dir, 0o755))
			must(t, fsys.WriteFile(path, nil, 0o644))
			must(t, fsys.MkdirAll("/elsewhere/w/1/2/3/4/5", 0o755))
			must(t, fsys.MkdirAll("/top/w/1/2/3/fork/4/5/6", 0o755))
			must(t, fsys.MkdirAll("/top/u", 0o755))
			must(t, fsys.Promote(dir, "/top/u"))
			var st memfs.Stat
			none := func(what string, v *memfs.FS, path string, skipped bool) {
				t.Helper()
				what = fmt.Sprintf("%v, 1 in %d counted, %s", kind, sample, what)
				before := fsys.Stage().Stats().Hits
				wantAllocs(t, what, 0, func() {
					if err := v.StatInto(path, &st); err != nil {
						t.Fatal(err)
					}
				})
				if sample == 1 && fsys.Stage().Stats().Hits > before != skipped {
					t.Errorf("%s: skipped %v, want %v", what, !skipped, skipped)
				}
			}
			lookups := func(what string, cred memfs.Cred, whole bool) {
				t.Helper()
				v := fsys.As(cred)
				none(what, v, path, true)
				none(what+", the pivot", v, dir, true)
				none(what+", nothing to skip", v, "/elsewhere/w/1/2/3/4/5", false)
				none(what+", forked", v, "/top/w/1/2/3/fork/4/5/6", true)
				none(what+", relative", at(t, fsys, cred, "/top/w"), "1/2/3/4/5/6/f", whole)
				none(what+", from outside of the pool", at(t, fsys, cred, "/elsewhere"), "w/1/2/3/4/5", false)
				none(what+", from the pivot", at(t, fsys, cred, dir), "f", false)
			}
			lookups("root", root, true)
			lookups("bob", bob, true)
			none("confined", got[*memfs.FS](t)(fsys.As(bob).OpenRoot("/top/w")), "1/2/3/4/5/6/f", true)
			for i, closed := range []string{"/top", "/top/w/1", "/top/w/1/2/3/4", dir} {
				must(t, fsys.Chown(closed, int(alice.Uid), 2000))
				must(t, fsys.Chmod(closed, []fs.FileMode{0o750, 0o710, 0o711, 0o755}[i]))
			}
			lookups("cut", bob, false) // at /top: nothing is left for who stands below
			must(t, fsys.Promote(dir, "/top/u"))
			lookups("guards, group", bob, true)
			lookups("guards, owner", alice, true)
			lookups("guards, root", root, true)
			carols := at(t, fsys, root, "/top/w/1/2").As(carol)
			none("guards above the working directory", carols, "3/4/5/6/f", true)
			other := fsys.As(carol)
			wantAllocs(t, "denied", 1, func() { // the error
				if other.StatInto(path, &st) == nil {
					t.Fatal("carol may not")
				}
			})
		}
	}
}
