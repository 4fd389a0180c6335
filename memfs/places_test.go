package memfs

import (
	"runtime"
	"sync"
	"syscall"
	"testing"

	"stagefs/locking"
)

// placeAt walks to a place whose name is going to change.
func placeAt(t *testing.T, f *FS, path string) *place {
	t.Helper()
	var p place
	if e := f.walk(path, walkParent, &p); e != ok {
		t.Fatalf("%s: %v", path, e)
	}
	return &p
}

func wantErrno(t *testing.T, what string, got, want errno) {
	t.Helper()
	if got != want {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

func makeDirs(t *testing.T, f *FS, paths ...string) {
	t.Helper()
	for _, path := range paths {
		if err := f.MkdirAll(path, 0o755); err != nil {
			t.Fatal(err)
		}
	}
}

// The kernel's rename, unlike os.Rename, replaces an empty directory. What was about to be put into that one finds it
// dead, although it was looked up before.
func TestRenameReplacesEmptyDirectory(t *testing.T) {
	f := New(WithCred(Cred{}))
	makeDirs(t, f, "/a/below", "/b", "/c/full", "/d")
	inOld, replaced := placeAt(t, f, "/b/x"), placeAt(t, f, "/b").child
	open, err := f.Open("/b")
	if err != nil {
		t.Fatal(err)
	}
	wantErrno(t, "rename over a full directory", f.rename(placeAt(t, f, "/a"), placeAt(t, f, "/c"), renameKernel), syscall.ENOTEMPTY)
	wantErrno(t, "rename over the parent", f.rename(placeAt(t, f, "/a/below"), placeAt(t, f, "/a"), renameKernel), syscall.ENOTEMPTY)
	wantErrno(t, "os's rename", f.rename(placeAt(t, f, "/a"), placeAt(t, f, "/b"), renameOS), syscall.EEXIST)
	wantErrno(t, "rename", f.rename(placeAt(t, f, "/a"), placeAt(t, f, "/b"), renameKernel), ok)

	if _, e := f.makeFile(inOld, 0o644); e != syscall.ENOENT {
		t.Errorf("creation in the replaced directory: %v", e)
	}
	wantErrno(t, "mkdir in the replaced directory", f.mkdir(inOld, 0o755), syscall.ENOENT)
	wantErrno(t, "rename into the replaced directory", f.rename(placeAt(t, f, "/d"), inOld, renameKernel), syscall.ENOENT)
	if links := replaced.nlink.Load(); links != 0 {
		t.Errorf("the replaced directory has %d links", links)
	}
	if links := f.root.nlink.Load(); links != 5 {
		t.Errorf("the root has %d links, want 5", links)
	}
	if _, err := open.ReadDir(-1); err == nil {
		t.Error("the replaced directory can be listed")
	}
	if err := open.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Stat("/b/below"); err != nil {
		t.Error(err)
	}
	if err := f.Check(); err != nil {
		t.Error(err)
	}
}

// A place that was found before others changed what is there is judged by what is there now.
func TestPlaceIsLookedAtAgain(t *testing.T) {
	f := New(WithCred(Cred{}))
	makeDirs(t, f, "/d", "/full/x", "/moved/x")
	write := func(path string) {
		if err := f.WriteFile(path, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	must := func(err error) {
		if err != nil {
			t.Helper()
			t.Fatal(err)
		}
	}
	file, dir, gone := placeAt(t, f, "/file"), placeAt(t, f, "/d"), placeAt(t, f, "/full/x")
	write("/file")
	wantErrno(t, "a name that was free", f.mkdir(file, 0o755), syscall.EEXIST)
	file = placeAt(t, f, "/file")
	must(f.Remove("/file"))
	must(f.Mkdir("/file", 0o755))
	wantErrno(t, "unlink of what became a directory", f.unlink(file), syscall.EISDIR)
	must(f.Remove("/d"))
	write("/d")
	wantErrno(t, "rmdir of what became a file", f.rmdir(dir), syscall.ENOTDIR)
	wantErrno(t, "unlink of a file that was a directory", f.unlink(placeAt(t, f, "/d")), ok)
	must(f.Remove("/full/x"))
	wantErrno(t, "rmdir of what is gone", f.rmdir(gone), syscall.ENOENT)
	wantErrno(t, "rename of what is gone", f.rename(gone, placeAt(t, f, "/n"), renameKernel), syscall.ENOENT)

	// The source was a file in the same directory and is a directory that moves; the target was free and is a directory.
	write("/s")
	from, to := placeAt(t, f, "/s"), placeAt(t, f, "/full/t")
	must(f.Remove("/s"))
	makeDirs(t, f, "/s/below", "/full/t")
	wantErrno(t, "rename", f.rename(from, to, renameKernel), ok)
	if path, found := from.dir.pathBelow(f.root); !found || path != "/" {
		t.Error("the place moved")
	}
	if _, err := f.Stat("/full/t/below"); err != nil {
		t.Error(err)
	}
	// The target lies below the source by now.
	from, to = placeAt(t, f, "/full"), placeAt(t, f, "/moved/x/full")
	must(f.Rename("/moved", "/full/moved"))
	wantErrno(t, "rename below itself", f.rename(from, to, renameKernel), syscall.EINVAL)
	if err := f.Check(); err != nil {
		t.Error(err)
	}
}

// Charges that come at once never exceed the limit, and none is lost.
func TestCharges(t *testing.T) {
	const limit = 5
	n := 400_000
	if locking.Checking || runtime.GOOS == "js" {
		n = 20_000
	}
	var l limits
	l.pages.max.Store(limit)
	l.inodes.max.Store(limit * inodeSpace)
	var group sync.WaitGroup
	for member := range int64(4) {
		group.Go(func() {
			for i := range n {
				if n := l.chargePages(1 + member); n > 0 {
					if used := l.pages.Load(); used > limit || n > 1+member {
						t.Errorf("%d pages in use, %d charged for %d", used, n, 1+member)
					}
					l.freePages(n)
				}
				if l.chargeInode() {
					if used := l.inodes.Load() / inodeSpace; used > limit {
						t.Errorf("%d inodes in use", used)
					}
					l.freeInode()
				}
				if i%1000 == 0 {
					runtime.Gosched()
				}
			}
		})
	}
	group.Wait()
	if l.pages.Load() != 0 || l.inodes.Load() != 0 {
		t.Errorf("%d pages and %d bytes for inodes left", l.pages.Load(), l.inodes.Load())
	}
}
