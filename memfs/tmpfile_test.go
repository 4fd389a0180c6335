package memfs_test

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"

	"stagefs/memfs"
)

// TestTmpFileGivesBack: a file without a name is charged like any other, and what it held is given back at its last close,
// when it was never named, when it was, and when it did not fit.
func TestTmpFileGivesBack(t *testing.T) {
	eachVariant(t, func(t *testing.T, _ *memfs.FS) {
		fsys := newFS(memfs.WithInodes(3), memfs.WithSize(2*4096))
		must(t, fsys.Mkdir("/d", 0o755))
		f := openFile(t, fsys, "/d", os.O_RDWR|memfs.O_TMPFILE)
		if _, err := f.Write(make([]byte, 3*4096)); !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("write: %v", err)
		}
		if _, err := fsys.OpenFile("/d", os.O_RDWR|memfs.O_TMPFILE, 0o600); !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("second file: %v", err)
		}
		must(t, fsys.LinkFile(f, "/d/first")) // takes no inode: it has been charged
		if err := fsys.LinkFile(f, "/d/second"); !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("second name: %v", err)
		}
		must(t, fsys.Remove("/d/first"))
		if err := fsys.LinkFile(f, "/d/again"); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("name after the last: %v", err)
		}
		if use := fsys.Statfs(); use.InodesUsed != 3 || use.BlocksUsed != 2 {
			t.Errorf("open: %+v", use)
		}
		must(t, f.Close())
		if use := fsys.Statfs(); use.InodesUsed != 2 || use.BlocksUsed != 0 {
			t.Errorf("closed: %+v", use)
		}
		check(t, fsys)
	})
}

// TestLinkFileErrors: what is refused leaves the file as it was, and it may still be named.
func TestLinkFileErrors(t *testing.T) {
	fsys, other := newFS(), newFS()
	must(t, fsys.WriteFile("/taken", nil, 0o644))
	f := openFile(t, fsys, "/", os.O_WRONLY|memfs.O_TMPFILE)
	root, err := fsys.OpenRoot("/")
	must(t, err)
	for name, err := range map[string]error{
		"taken":     fsys.LinkFile(f, "/taken"),
		"nowhere":   fsys.LinkFile(f, "/none/x"),
		"other fs":  other.LinkFile(f, "/x"),
		"nil":       fsys.LinkFile(nil, "/x"),
		"no access": fsys.As(alice).LinkFile(f, "/x"),
		"escape":    root.LinkFile(f, "../x"),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	var st memfs.Stat
	must(t, f.StatInto(&st))
	if st.Nlink != 0 {
		t.Errorf("%d links", st.Nlink)
	}
	must(t, root.LinkFile(f, "named"))
	must(t, f.Close())
	if err := fsys.LinkFile(f, "/late"); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("closed: %v", err)
	}
	if st := stat(t, fsys, "/named"); st.Nlink != 1 {
		t.Errorf("%d links", st.Nlink)
	}
	check(t, fsys)
}

// TestRaceFirstName: of those that name a file at once each gets a name, unless the last one has been removed before; the
// count is right in the end.
func TestRaceFirstName(t *testing.T) {
	for range rounds(300) {
		fsys := newFS()
		f := openFile(t, fsys, "/", os.O_WRONLY|memfs.O_TMPFILE)
		var all sync.WaitGroup
		for i := range 3 {
			all.Go(func() {
				name := "/" + string(rune('a'+i))
				err := fsys.LinkFile(f, name)
				if err == nil && i > 0 {
					err = fsys.Remove(name)
				}
				if err != nil && !errors.Is(err, fs.ErrNotExist) {
					t.Error(err)
				}
			})
		}
		all.Wait()
		must(t, f.Close())
		check(t, fsys)
	}
}

// TestConfinedNames: what a confined view is asked to make gets no name that os.Root would refuse, and slashes at the end
// mean what they mean elsewhere.
func TestConfinedNames(t *testing.T) {
	fsys := newFS()
	must(t, fsys.WriteFile("/f", nil, 0o644))
	root, err := fsys.OpenRoot("/")
	must(t, err)
	f := openFile(t, fsys, "/", os.O_WRONLY|memfs.O_TMPFILE)
	for what, c := range map[string]struct {
		err  error
		want error
	}{
		"long name":       {root.LinkFile(f, strings.Repeat("x", 256)), syscall.ENAMETOOLONG},
		"NUL":             {root.LinkFile(f, "a\x00b"), syscall.EINVAL},
		"slash":           {root.LinkFile(f, "new/"), syscall.ENOENT},
		"fifo/":           {root.Mkfifo("new/", 0o644), syscall.ENOENT},
		"fifo, long":      {root.Mkfifo(strings.Repeat("x", 256), 0o644), syscall.ENAMETOOLONG},
		"rename to slash": {root.RenameFlags("f", "new/", memfs.RenameNoReplace), syscall.ENOTDIR},
		"rename, NUL":     {root.RenameFlags("f", "a\x00b", 0), syscall.EINVAL},
	} {
		if !errors.Is(c.err, c.want) {
			t.Errorf("%s: %v, want %v", what, c.err, c.want)
		}
	}
	entries, err := fsys.ReadDir("/")
	if len(entries) != 1 || err != nil {
		t.Errorf("%v, %v", entries, err)
	}
	must(t, f.Close())
	check(t, fsys)
}

// TestSecondFirstName: a file has one first name; when that is gone there is no other, whoever tries meanwhile.
func TestSecondFirstName(t *testing.T) {
	for range rounds(300) {
		fsys := newFS(memfs.WithInodes(4))
		f := openFile(t, fsys, "/", os.O_WRONLY|memfs.O_TMPFILE)
		var all sync.WaitGroup
		all.Go(func() { _ = fsys.LinkFile(f, "/a"); _ = f.Close() })
		all.Go(func() { _ = fsys.Remove("/a") })
		all.Go(func() { _ = fsys.Link("/a", "/b"); _ = fsys.Link("/a", "/c") })
		all.Wait()
		check(t, fsys)
		for _, name := range []string{"/a", "/b", "/c"} {
			if err := fsys.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
				t.Error(err)
			}
		}
		if used := fsys.Statfs().InodesUsed; used != 1 {
			t.Fatalf("%d inodes in use", used)
		}
	}
}
