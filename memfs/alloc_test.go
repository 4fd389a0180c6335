//go:build !race && !lockcheck && !invariants

package memfs_test

import (
	"fmt"
	"io"
	"io/fs"
	"strings"
	"testing"

	"stagefs/memfs"
)

// wantAllocs compares how many objects a call allocates on average.
func wantAllocs(t *testing.T, what string, most float64, call func()) {
	t.Helper()
	if n := testing.AllocsPerRun(200, call); n > most {
		t.Errorf("%s: %v allocations, want at most %v", what, n, most)
	}
}

func TestLookupAllocatesNothing(t *testing.T) {
	for depth := 1; depth <= 16; depth++ {
		fsys := newFS(memfs.WithDcache(memfs.DefaultDcache))
		path := deepPath(t, fsys, depth)
		must(t, fsys.Symlink(path, "/link"))
		var st memfs.Stat
		lookup := func(v *memfs.FS, path string) func() {
			return func() {
				if err := v.StatInto(path, &st); err != nil {
					t.Fatal(err)
				}
			}
		}
		what := func(s string) string { return fmt.Sprintf("%s, depth %d", s, depth) }
		wantAllocs(t, what("absolute"), 0, lookup(fsys, path))
		wantAllocs(t, what("odd"), 0, lookup(fsys, strings.ReplaceAll(path, "/", "//./")))
		wantAllocs(t, what("through a link"), 0, lookup(fsys, "/link"))
		wantAllocs(t, what("by bob"), 0, lookup(fsys.As(bob), path))
		relative := fsys.As(root)
		if depth > 1 {
			must(t, relative.Chdir("/dir0"))
			path = strings.TrimPrefix(path, "/dir0/")
		}
		wantAllocs(t, what("relative"), 0, lookup(relative, strings.TrimPrefix(path, "/")))
		confined := got[*memfs.FS](t)(relative.OpenRoot("."))
		wantAllocs(t, what("confined"), 0, lookup(confined, strings.TrimPrefix(path, "/")))
	}
}

// A name that is not there costs the error that says so.
func TestFailedLookupAllocates(t *testing.T) {
	fsys := newFS(memfs.WithDcache(memfs.DefaultDcache))
	must(t, fsys.MkdirAll("/a/b/c", 0o755))
	must(t, fsys.Mkdir("/a/closed", 0o700))
	var st memfs.Stat
	for path, want := range map[string]error{
		"/a/b/c/none": fs.ErrNotExist, "/a/none/c/d": fs.ErrNotExist, "/a/closed/x": fs.ErrPermission,
	} {
		v := fsys.As(bob)
		wantError(t, path, v.StatInto(path, &st), want)
		wantAllocs(t, path, 1, func() { _ = v.StatInto(path, &st) })
	}
}

func TestStatAllocatesOne(t *testing.T) {
	fsys := newFS(memfs.WithDcache(memfs.DefaultDcache))
	path := deepPath(t, fsys, 8)
	wantAllocs(t, "Stat", 1, func() { _, _ = fsys.Stat(path) })
	wantAllocs(t, "Lstat", 1, func() { _, _ = fsys.Lstat(path) })
	f := got[*memfs.File](t)(fsys.Open(path))
	defer f.Close()
	wantAllocs(t, "File.Stat", 1, func() { _, _ = f.Stat() })
	var st memfs.Stat
	wantAllocs(t, "File.StatInto", 0, func() { _ = f.StatInto(&st) })
}

func TestFileAllocates(t *testing.T) {
	fsys := newFS(memfs.WithDcache(memfs.DefaultDcache))
	must(t, fsys.WriteFile("/f", make([]byte, pageSize), 0o644))
	buf := make([]byte, pageSize)
	wantAllocs(t, "open, read, close", 2, func() {
		f, err := fsys.Open("/f")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(f, buf); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	})
	f := got[*memfs.File](t)(fsys.OpenFile("/f", 2, 0))
	defer f.Close()
	wantAllocs(t, "read and write in place", 0, func() {
		_, _ = f.ReadAt(buf, 0)
		_, _ = f.WriteAt(buf, 0)
		_, _ = f.Seek(0, io.SeekStart)
		_, _ = f.Read(buf)
	})
}

// A change of attributes, and a rename to and fro, cost a bounded few.
func TestChangeAllocates(t *testing.T) {
	fsys := newFS(memfs.WithDcache(memfs.DefaultDcache))
	must(t, fsys.MkdirAll("/d/e", 0o755))
	must(t, fsys.WriteFile("/d/f", nil, 0o644))
	wantAllocs(t, "chmod to and fro", 2, func() {
		_ = fsys.Chmod("/d/f", 0o600)
		_ = fsys.Chmod("/d/f", 0o644)
	})
	wantAllocs(t, "rename to and fro", 8, func() {
		_ = fsys.Rename("/d/f", "/d/e/f")
		_ = fsys.Rename("/d/e/f", "/d/f")
	})
	wantAllocs(t, "create, close, remove", 5, func() {
		f, err := fsys.Create("/d/n")
		if err != nil {
			t.Fatal(err)
		}
		_ = f.Close()
		_ = fsys.Remove("/d/n")
	})
}

// ACLs and attributes make no lookup allocate, and files that inherit an ACL share it.
func TestACLAllocates(t *testing.T) {
	fsys := newFS(memfs.WithDcache(memfs.DefaultDcache))
	must(t, fsys.MkdirAll("/d/e", 0o755))
	must(t, fsys.WriteFile("/d/e/f", nil, 0o644))
	for _, dir := range []string{"/", "/d", "/d/e"} {
		must(t, fsys.Setxattr(dir, aclAccess, aclBlob("u::rwx u:1001:rwx g::rx m::rwx o::-"), 0))
		must(t, fsys.Setxattr(dir, aclDefault, aclBlob("u::rwx u:1001:rwx g::rx m::rwx o::-"), 0))
		must(t, fsys.Setxattr(dir, "user.a", []byte("x"), 0))
	}
	var st memfs.Stat
	v := fsys.As(bob)
	wantAllocs(t, "lookup", 0, func() {
		if err := v.StatInto("/d/e/f", &st); err != nil {
			t.Fatal(err)
		}
	})
	wantAllocs(t, "create, close, remove", 5, func() {
		f, err := v.Create("/d/e/n")
		if err != nil {
			t.Fatal(err)
		}
		_ = f.Close()
		_ = v.Remove("/d/e/n")
	})
	wantAllocs(t, "get", 1, func() { _, _ = v.Getxattr("/d", "user.a") })
}
