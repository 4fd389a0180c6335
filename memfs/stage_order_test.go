package memfs_test

import (
	"slices"
	"syscall"
	"testing"

	"stagefs/memfs"
)

// announced is a PathCache that knows nothing, and notes at each announcement what a lookup says just then.
type announced struct {
	view  *memfs.FS // nil: nothing is asked
	path  string
	ino   uint64 // of the directory whose changes are noted
	after bool   // ask after changes, too
	heard []string
}

func (a *announced) Get(string, *memfs.Cred) (n memfs.Node, known bool)                { return }
func (a *announced) Begin() uint64                                                     { return 0 }
func (a *announced) Add(uint64, *memfs.Cred, string, int, int, memfs.Node, memfs.Node) {}
func (a *announced) Change(n memfs.Node)                                               { a.note("before", n, true) }
func (a *announced) Changed(n memfs.Node)                                              { a.note("after", n, a.after) }

// note looks the path up. Latches are held, but the dentry cache knows all names on the way, so none is waited for.
func (a *announced) note(when string, n memfs.Node, ask bool) {
	if a.view == nil || n.Ino() != a.ino {
		return
	}
	if ask {
		switch e := errnoOf(a.view.StatInto(a.path, &memfs.Stat{})); e {
		case 0:
			when += ": found"
		case syscall.EACCES:
			when += ": denied"
		case syscall.ENOENT:
			when += ": none"
		default:
			when += ": " + e.Error()
		}
	}
	a.heard = append(a.heard, when)
}

// What stands in front of the walk is told of a change before anybody can see it, and once more when everybody can: in
// between no pivot leads there. The stage hears of the same changes at the same places as a PathCache.
func TestStageHearsOfChanges(t *testing.T) {
	const found, denied, none = ": found", ": denied", ": none"
	rename := func(to string) func(*memfs.FS) error {
		return func(fsys *memfs.FS) error { return fsys.Rename("/a/b", to) }
	}
	for _, c := range []struct {
		what, dir, path string // whose change it is, and where bob can see it
		change          func(fsys *memfs.FS) error
		before, after   string // no after: the name is gone from the cache, and who asks waits for the change's end
	}{
		{"chmod", "/a/b", "/a/b/c/f", func(fsys *memfs.FS) error { return fsys.Chmod("/a/b", 0o700) }, found, denied},
		{"chown", "/a/own", "/a/own/f", func(fsys *memfs.FS) error { return fsys.Lchown("/a/own", int(bob.Uid), -1) },
			denied, found},
		{"chmod of an open directory", "/a/b", "/a/b/c/f", func(fsys *memfs.FS) error {
			f := got[*memfs.File](t)(fsys.Open("/a/b"))
			defer f.Close()
			return f.Chmod(0)
		}, found, denied},
		{"rename, the old path", "/a/b", "/a/b/c/f", rename("/a/new"), found, ""},
		{"rename, the new path", "/a/b", "/a/new", rename("/a/new"), none, found},
		{"rename elsewhere", "/a/b", "/e/new", rename("/e/new"), none, found},
		{"rmdir", "/e", "/e", func(fsys *memfs.FS) error { return fsys.Remove("/e") }, found, ""},
		{"removeall", "/a/b/c", "/a/b/c", func(fsys *memfs.FS) error { return fsys.RemoveAll("/a/b") }, found, ""},
	} {
		t.Run(c.what, func(t *testing.T) {
			a := &announced{path: c.path, after: c.after != ""}
			fsys := newFS(memfs.WithPathCache(func() memfs.PathCache { return a }), memfs.WithDcache(memfs.DefaultDcache))
			must(t, fsys.MkdirAll("/a/b/c", 0o755))
			must(t, fsys.WriteFile("/a/b/c/f", nil, 0o644))
			must(t, fsys.Mkdir("/a/own", 0o700))
			must(t, fsys.WriteFile("/a/own/f", nil, 0o644))
			must(t, fsys.Mkdir("/e", 0o755))
			_, _ = fsys.Lstat(c.path) // now the cache knows what is there, or that nothing is
			a.ino = stat(t, fsys, c.dir).Ino
			a.view = fsys.As(bob)
			must(t, c.change(fsys))
			if want := []string{"before" + c.before, "after" + c.after}; !slices.Equal(a.heard, want) {
				t.Errorf("heard %q, want %q", a.heard, want)
			}
		})
	}
}
