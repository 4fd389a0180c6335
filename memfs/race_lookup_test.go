package memfs_test

import (
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"stagefs/memfs"
)

// While some look names up all the time, and so fill the cache at every moment there is, the one who makes and removes
// a name sees it as soon as the call returned, and no more as soon as it is gone.
func TestNoStaleLookup(t *testing.T) {
	for name, c := range map[string]struct {
		make, unmake func(fsys *memfs.FS, path string) error
	}{
		"file": {
			func(fsys *memfs.FS, path string) error { return fsys.WriteFile(path, nil, 0o644) },
			func(fsys *memfs.FS, path string) error { return fsys.Remove(path) },
		},
		"directory": {
			func(fsys *memfs.FS, path string) error { return fsys.Mkdir(path, 0o755) },
			func(fsys *memfs.FS, path string) error { return fsys.Remove(path) },
		},
		"rename": {
			func(fsys *memfs.FS, path string) error {
				if err := fsys.WriteFile(path+".tmp", nil, 0o644); err != nil {
					return err
				}
				return fsys.Rename(path+".tmp", path)
			},
			func(fsys *memfs.FS, path string) error { return fsys.Rename(path, "/elsewhere/x") },
		},
		"link": {
			func(fsys *memfs.FS, path string) error { return fsys.Link("/elsewhere/x", path) },
			func(fsys *memfs.FS, path string) error { return fsys.RemoveAll(path) },
		},
	} {
		t.Run(name, func(t *testing.T) {
			for _, v := range variants[:5] {
				fsys := newFS(v.options...)
				must(t, fsys.Mkdir("/d", 0o755))
				must(t, fsys.Mkdir("/elsewhere", 0o755))
				must(t, fsys.WriteFile("/elsewhere/x", nil, 0o644))
				storm(t, fsys, c.make, c.unmake)
				check(t, fsys)
			}
		})
	}
}

func storm(t *testing.T, fsys *memfs.FS, create, remove func(*memfs.FS, string) error) {
	look := func(i int) {
		_, err := fsys.Lstat(fmt.Sprintf("/d/%d", i%2))
		wantError(t, "lookup", err, nil, fs.ErrNotExist)
	}
	stop := meanwhile(look, look)
	owner := func(path string) func() {
		return func() {
			for range rounds(2000) {
				if err := create(fsys, path); err != nil {
					t.Errorf("create: %v", err)
					return
				}
				var st memfs.Stat
				if err := fsys.StatInto(path, &st); err != nil {
					t.Errorf("after it was made: %v", err)
				}
				if err := remove(fsys, path); err != nil {
					t.Errorf("remove: %v", err)
					return
				}
				if err := fsys.StatInto(path, &st); errnoOf(err) == 0 {
					t.Errorf("after it was removed: %v", err)
				}
			}
		}
	}
	together(owner("/d/0"), owner("/d/1"))
	stop()
}

// While a directory is renamed to and fro, what lies below is found by the path that it has, by none that it has not,
// and by every view that stands in it.
func TestLookupBelowMovingDirectory(t *testing.T) {
	eachVariant(t, func(t *testing.T, fsys *memfs.FS) {
		must(t, fsys.MkdirAll("/m/x/y", 0o755))
		must(t, fsys.WriteFile("/m/x/y/f", []byte("contents"), 0o644))
		want := stat(t, fsys, "/m/x/y/f").Ino
		inside := fsys.As(root)
		must(t, inside.Chdir("/m/x"))
		confined := got[*memfs.FS](t)(fsys.OpenRoot("/m"))

		look := func(v *memfs.FS, path string, always bool) func(int) {
			return func(int) {
				var st memfs.Stat
				err := v.StatInto(path, &st)
				switch {
				case err == nil && st.Ino != want:
					t.Errorf("%s: inode %d, want %d", path, st.Ino, want)
				case err != nil && (always || errnoOf(err) == 0):
					t.Errorf("%s: %v", path, err)
				}
			}
		}
		stop := meanwhile(
			look(fsys, "/m/x/y/f", false), look(fsys, "/n/x/y/f", false), look(inside, "y/f", true),
			look(inside, "../x/y/../y/f", true), look(confined, "x/y/f", true),
			func(int) {
				if wd, err := inside.Getwd(); err != nil || wd != "/m/x" && wd != "/n/x" {
					t.Errorf("getwd: %q, %v", wd, err)
				}
			})
		names := [2]string{"/m", "/n"}
		for i := range rounds(1000) {
			from, to := names[i%2], names[(i+1)%2]
			must(t, fsys.Rename(from, to))
			var st memfs.Stat
			wantError(t, "the old path", fsys.StatInto(from+"/x/y/f", &st), fs.ErrNotExist)
			if err := fsys.StatInto(to+"/x/y/f", &st); err != nil || st.Ino != want {
				t.Errorf("the new path: %v, inode %d", err, st.Ino)
			}
		}
		stop()
	})
}

// A change of an ancestor's permissions holds from the next lookup on, for those whom it concerns and no others,
// whatever the cache has.
func TestPermissionChangesAtOnce(t *testing.T) {
	eachVariant(t, func(t *testing.T, fsys *memfs.FS) {
		must(t, fsys.MkdirAll("/p/q/r", 0o755))
		must(t, fsys.WriteFile("/p/q/r/f", nil, 0o644))
		must(t, fsys.Chown("/p/q", 1000, 2000))
		asAlice, asBob := fsys.As(alice), fsys.As(bob)
		var st memfs.Stat
		for _, c := range []struct {
			mode       fs.FileMode
			alice, bob error
		}{
			{0o777, nil, nil}, {0o700, nil, fs.ErrPermission}, {0o070, fs.ErrPermission, nil}, {0o755, nil, nil},
			{0o007, fs.ErrPermission, fs.ErrPermission}, {0o110, nil, nil}, {0, fs.ErrPermission, fs.ErrPermission},
		} {
			must(t, fsys.Chmod("/p/q", c.mode))
			for range 2 { // the second time from the cache
				must(t, fsys.StatInto("/p/q/r/f", &st))
				wantError(t, fmt.Sprintf("alice, mode %o", c.mode), asAlice.StatInto("/p/q/r/f", &st), c.alice)
				wantError(t, fmt.Sprintf("bob, mode %o", c.mode), asBob.StatInto("/p/q/r/f", &st), c.bob)
				wantError(t, fmt.Sprintf("bob, what is not there, mode %o", c.mode),
					asBob.StatInto("/p/q/r/none", &st), map[bool]error{true: fs.ErrNotExist, false: c.bob}[c.bob == nil])
			}
		}
	})
}

// Names that begin alike, or are put together alike, are not taken for each other.
func TestNamesAreNotConfused(t *testing.T) {
	eachVariant(t, func(t *testing.T, fsys *memfs.FS) {
		paths := []string{"/abcdefgh/ij", "/abcdefghij", "/a/b", "/a-b", "/a/bc", "/ab/c", "/lib/f", "/libs/f", "/lib-2/f"}
		for _, path := range paths {
			must(t, fsys.MkdirAll(path[:max(1, strings.LastIndexByte(path, '/'))], 0o755))
			must(t, fsys.WriteFile(path, []byte(path), 0o644))
		}
		for range 2 {
			for _, path := range paths {
				if data := got[[]byte](t)(fsys.ReadFile(path)); string(data) != path {
					t.Errorf("%s has the contents of %s", path, data)
				}
			}
			must(t, fsys.Rename("/lib", "/moved"))
			_, err := fsys.Stat("/lib/f")
			wantError(t, "the old path", err, fs.ErrNotExist)
			must(t, fsys.Rename("/moved", "/lib"))
		}
	})
}
