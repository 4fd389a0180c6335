package memfs_test

import (
	"bytes"
	"os"
	"strings"
	"syscall"
	"testing"

	"stagefs/memfs"
)

const pageSize = 4096

// used returns what Statfs says is in use, after checking that it agrees with itself.
func used(t testing.TB, fsys *memfs.FS) (blocks, inodes int64) {
	t.Helper()
	s := fsys.Statfs()
	if s.Blocks > 0 && s.BlocksUsed+s.BlocksFree != s.Blocks || s.Inodes > 0 && s.InodesUsed+s.InodesFree != s.Inodes {
		t.Errorf("used and free are not all there is: %+v", s)
	}
	if s.Blocks > 0 && s.BlocksUsed > s.Blocks || s.Inodes > 0 && s.InodesUsed > s.Inodes {
		t.Errorf("more in use than there is: %+v", s)
	}
	return s.BlocksUsed, s.InodesUsed
}

// wantUsed compares what is in use.
func wantUsed(t testing.TB, fsys *memfs.FS, blocks, inodes int64) {
	t.Helper()
	if b, i := used(t, fsys); b != blocks || i != inodes {
		t.Errorf("%d blocks and %d inodes in use, want %d and %d", b, i, blocks, inodes)
	}
}

// unchanged makes a call that must fail with want and leave all as it was.
func unchanged(t testing.TB, fsys *memfs.FS, what string, call func() error, want error) {
	t.Helper()
	before := dump(t, fsys)
	wantError(t, what, call(), want)
	if after := dump(t, fsys); after != before {
		t.Errorf("%s failed, but changed\n%s\nto\n%s", what, before, after)
	}
	check(t, fsys)
}

func TestByteLimit(t *testing.T) {
	fsys := newFS(memfs.WithSize(10*pageSize-1), memfs.WithInodes(0)) // rounded up to 10 pages
	if s := fsys.Statfs(); s.Blocks != 10 || s.BlockSize != pageSize || s.Inodes != 0 {
		t.Fatalf("limits: %+v", s)
	}
	must(t, fsys.WriteFile("/a", make([]byte, 4*pageSize), 0o644))
	f := got[*memfs.File](t)(fsys.Create("/b"))
	n, err := f.Write(make([]byte, 7*pageSize))
	wantError(t, "write of 7 pages where 6 are left", err, syscall.ENOSPC)
	if n != 6*pageSize {
		t.Errorf("%d bytes written, want %d", n, 6*pageSize)
	}
	if size := stat(t, fsys, "/b").Size; size != 6*pageSize {
		t.Errorf("size %d after a write that stored %d bytes", size, 6*pageSize)
	}
	wantUsed(t, fsys, 10, 3)

	if n, err = f.Write([]byte{1}); n != 0 || errnoOf(err) != syscall.ENOSPC {
		t.Errorf("write into the full file system: %d, %v", n, err)
	}
	if n, err = f.WriteAt([]byte{1, 2}, 6*pageSize-1); n != 0 || errnoOf(err) != syscall.ENOSPC {
		t.Errorf("write over the end of the last page: %d, %v", n, err) // os's WriteAt drops the count, too
	}
	got[int](t)(f.WriteAt(make([]byte, pageSize), 0)) // pages that are there cost nothing
	must(t, f.Truncate(1<<40))                        // nor does a hole
	must(t, f.Truncate(5*pageSize+1))
	wantUsed(t, fsys, 10, 3)
	must(t, f.Truncate(5*pageSize))
	wantUsed(t, fsys, 9, 3)
	got[int](t)(f.WriteAt([]byte{1}, 1<<30))
	wantUsed(t, fsys, 10, 3)
	must(t, f.Close())
	check(t, fsys)
}

// A write that does not fit stores what lies in pages that are there, up to the first that is not.
func TestWriteHalfWay(t *testing.T) {
	for _, first := range []int64{0, 30 * pageSize} { // in one slice, and in pages
		fsys := newFS(memfs.WithSize(3 * pageSize))
		f := got[*memfs.File](t)(fsys.Create("/f"))
		got[int](t)(f.WriteAt([]byte{1}, first+1*pageSize))
		got[int](t)(f.WriteAt([]byte{1}, first+3*pageSize))
		got[int64](t)(f.Seek(first, 0))
		n, err := f.Write(bytes.Repeat([]byte{2}, 6*pageSize)) // page 0 is new, 1 there, 2 too much
		if n != 2*pageSize || errnoOf(err) != syscall.ENOSPC {
			t.Errorf("%d bytes, %v; want %d, ENOSPC", n, err, 2*pageSize)
		}
		data := make([]byte, 4*pageSize)
		_, _ = f.ReadAt(data, first)
		if got := bytes.Count(data, []byte{2}); got != n {
			t.Errorf("%d bytes are there, %d were reported", got, n)
		}
		wantUsed(t, fsys, 3, 2)
		must(t, f.Close())
		check(t, fsys)
	}
}

// A write at the position, or at the end, moves the position by what was written.
func TestPositionAfterShortWrite(t *testing.T) {
	for _, flag := range []int{0, os.O_APPEND} {
		fsys := newFS(memfs.WithSize(pageSize))
		f := got[*memfs.File](t)(fsys.OpenFile("/f", os.O_RDWR|os.O_CREATE|flag, 0o644))
		n, err := f.Write(make([]byte, pageSize+1))
		wantError(t, "write", err, syscall.ENOSPC)
		if at := got[int64](t)(f.Seek(0, 1)); n != pageSize || at != pageSize {
			t.Errorf("%d bytes written, position %d", n, at)
		}
		must(t, f.Truncate(pageSize-5))
		got[int64](t)(f.Seek(pageSize-5, 0))
		got[int](t)(f.Write([]byte("12345")))
		must(t, f.Close())
	}
}

// What a full file system has already can be opened, and is in the way, as in one that is not full.
func TestFullAndThere(t *testing.T) {
	for _, v := range variants {
		fsys := newFS(append(v.options, memfs.WithInodes(4))...)
		must(t, fsys.WriteFile("/f", nil, 0o666))
		must(t, fsys.Symlink("f", "/l"))
		must(t, fsys.Mkdir("/d", 0o755))
		for _, path := range []string{"/f", "/l"} {
			must(t, closeOf(fsys.Create(path)))
			must(t, closeOf(fsys.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)))
			unchanged(t, fsys, "exclusive", func() error {
				return closeOf(fsys.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600))
			}, syscall.EEXIST)
			unchanged(t, fsys, "mkdir", func() error { return fsys.Mkdir(path, 0o755) }, syscall.EEXIST)
			unchanged(t, fsys, "symlink", func() error { return fsys.Symlink("x", path) }, syscall.EEXIST)
			unchanged(t, fsys, "link", func() error { return fsys.Link("/f", path) }, syscall.EEXIST)
		}
		unchanged(t, fsys, "create", func() error { return closeOf(fsys.Create("/d")) }, syscall.EISDIR)
		must(t, fsys.MkdirAll("/d", 0o755))
		unchanged(t, fsys, "create by bob", func() error { return closeOf(fsys.As(bob).Create("/f")) }, syscall.EACCES)
		must(t, fsys.Chmod("/f", 0o666))
		must(t, closeOf(fsys.As(bob).OpenFile("/f", os.O_RDWR|os.O_CREATE, 0o600))) // in a directory closed to him
	}
}

func TestInodeLimit(t *testing.T) {
	fsys := newFS(memfs.WithInodes(6), memfs.WithSize(2*pageSize))
	must(t, fsys.Mkdir("/d", 0o755))
	must(t, fsys.WriteFile("/f", []byte("x"), 0o644))
	must(t, fsys.Link("/f", "/d/g"))
	must(t, fsys.Symlink("f", "/s"))
	must(t, fsys.Mkdir("/d/e", 0o755))
	wantUsed(t, fsys, 1, 6)
	long := strings.Repeat("x", 200)
	for what, call := range map[string]func() error{
		"create": func() error { _, err := fsys.Create("/n"); return err },
		"exclusive": func() error {
			_, err := fsys.OpenFile("/n", os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
			return err
		},
		"writefile":  func() error { return fsys.WriteFile("/n", []byte("x"), 0o644) },
		"mkdir":      func() error { return fsys.Mkdir("/d/n", 0o755) },
		"mkdirall":   func() error { return fsys.MkdirAll("/d/e/n/m", 0o755) },
		"symlink":    func() error { return fsys.Symlink("f", "/n") },
		"long link":  func() error { return fsys.Symlink(long, "/n") },
		"link":       func() error { return fsys.Link("/f", "/n") },
		"createtemp": func() error { _, err := fsys.CreateTemp("/d", "t"); return err },
		"mkdirtemp":  func() error { _, err := fsys.MkdirTemp("/d", "t"); return err },
		"default":    func() error { _, err := fsys.CreateTemp("", "t"); return err },
		"copyfs":     func() error { return fsys.CopyFS("/n", smallTree) },
	} {
		unchanged(t, fsys, what, call, syscall.ENOSPC)
	}
	must(t, fsys.Rename("/f", "/d/e/f")) // needs nothing
	must(t, fsys.Rename("/d/e", "/e"))
	must(t, fsys.Remove("/d/g"))
	wantUsed(t, fsys, 1, 5)
	must(t, fsys.Link("/e/f", "/n"))
	wantUsed(t, fsys, 1, 6)
	check(t, fsys)
}

// The text of a link takes a page from 128 bytes on, as on tmpfs; if there is none, its inode comes back.
func TestLinkTextLimit(t *testing.T) {
	fsys := newFS(memfs.WithSize(pageSize))
	must(t, fsys.Symlink(strings.Repeat("s", 127), "/short"))
	wantUsed(t, fsys, 0, 2)
	must(t, fsys.Symlink(strings.Repeat("l", 128), "/long"))
	wantUsed(t, fsys, 1, 3)
	unchanged(t, fsys, "symlink", func() error { return fsys.Symlink(strings.Repeat("l", 128), "/n") }, syscall.ENOSPC)
	must(t, fsys.Remove("/long"))
	wantUsed(t, fsys, 0, 2)
}

// What fails for another reason than a limit changes nothing either.
func TestFailuresChangeNothing(t *testing.T) {
	eachVariant(t, func(t *testing.T, fsys *memfs.FS) {
		must(t, fsys.MkdirAll("/d/sub/x", 0o755))
		must(t, fsys.Mkdir("/e", 0o755))
		must(t, fsys.WriteFile("/f", []byte("x"), 0o644))
		must(t, fsys.Symlink("nowhere/at/all", "/s"))
		asBob := fsys.As(bob)
		for _, c := range []struct {
			what string
			call func() error
			want error
		}{
			{"rename below itself", func() error { return fsys.Rename("/d", "/d/sub/d") }, syscall.EINVAL},
			{"rename over a full directory", func() error { return fsys.Rename("/e", "/d") }, syscall.EEXIST},
			{"rename of a directory over a file", func() error { return fsys.Rename("/d", "/f") }, syscall.ENOTDIR},
			{"rename over an ancestor", func() error { return fsys.Rename("/d/sub/x", "/d") }, syscall.EEXIST},
			{"rename of nothing", func() error { return fsys.Rename("/none", "/e/x") }, syscall.ENOENT},
			{"rename by bob", func() error { return asBob.Rename("/f", "/g") }, syscall.EACCES},
			{"rename of the root", func() error { return fsys.Rename("/", "/e/r") }, syscall.EBUSY},
			{"link over a name", func() error { return fsys.Link("/f", "/s") }, syscall.EEXIST},
			{"link to a directory", func() error { return fsys.Link("/d", "/n") }, syscall.EPERM},
			{"link to what bob may not write", func() error { return asBob.Link("/f", "/n") }, syscall.EPERM},
			{"mkdir over a name", func() error { return fsys.Mkdir("/s", 0o755) }, syscall.EEXIST},
			{"mkdir by bob", func() error { return asBob.Mkdir("/e/n", 0o755) }, syscall.EACCES},
			{"symlink over a name", func() error { return fsys.Symlink("x", "/f") }, syscall.EEXIST},
			{"create through a link to nowhere", func() error { _, err := fsys.Create("/s"); return err }, syscall.ENOENT},
			{"create below a file", func() error { _, err := fsys.Create("/f/n"); return err }, syscall.ENOTDIR},
			{"create of a long name", func() error { _, err := fsys.Create("/" + strings.Repeat("n", 256)); return err },
				syscall.ENAMETOOLONG},
			{"create of a name with NUL", func() error { _, err := fsys.Create("/a\x00b"); return err }, syscall.EINVAL},
			{"rmdir of a full directory", func() error { return fsys.Remove("/d") }, syscall.ENOTEMPTY},
			{"removal by bob", func() error { return asBob.Remove("/f") }, syscall.EACCES},
			{"RemoveAll by bob", func() error { return asBob.RemoveAll("/d") }, syscall.EACCES},
			{"RemoveAll below a file", func() error { return fsys.RemoveAll("/f/x") }, syscall.ENOTDIR},
			{"truncate by bob", func() error { return asBob.Truncate("/f", 0) }, syscall.EACCES},
			{"truncate to less than nothing", func() error { return fsys.Truncate("/f", -1) }, syscall.EINVAL},
			{"chmod by bob", func() error { return asBob.Chmod("/f", 0) }, syscall.EPERM},
			{"chown by bob", func() error { return asBob.Chown("/f", 1001, -1) }, syscall.EPERM},
		} {
			unchanged(t, fsys, c.what, c.call, c.want)
		}
	})
}
