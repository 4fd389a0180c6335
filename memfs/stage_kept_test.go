package memfs

import (
	"errors"
	"io/fs"
	"runtime"
	"slices"
	"syscall"
	"testing"
	"time"
	"weak"

	"stagefs/stage"
)

// A view that is not used any more keeps where its directories stood in a pool, but not the pool, which leads to
// directories that may be removed since.
func TestIdleViewKeepsNoPool(t *testing.T) {
	f := New(WithCred(Cred{}), WithStage(stage.Config{Period: time.Hour}))
	for _, dir := range []string{"/keep/x", "/gone/deep"} {
		if err := f.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	n, e := f.lookup("/gone/deep", walkFollow)
	if e != ok {
		t.Fatal(e)
	}
	gone := weak.Make(n)
	v := f.As(Cred{})
	root, err := f.OpenRoot("/keep")
	if err == nil {
		err = errors.Join(v.Chdir("/keep"), f.Promote("/gone/deep", "/keep/x"))
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, view := range []*FS{v, root} {
		if _, err := view.Stat("x"); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.RemoveAll("/gone"); err != nil {
		t.Fatal(err)
	}
	f.Stage().Step()
	runtime.GC()
	runtime.GC()
	if gone.Value() != nil {
		t.Error("a removed directory is kept")
	}
	runtime.KeepAlive(v)
	runtime.KeepAlive(root)
}

// A chmod to the mode that is there changes nothing that a pivot knows, not even the pointer.
func TestChmodToTheSameMode(t *testing.T) {
	f := New(WithCred(Cred{}), WithStage(stage.Config{Period: time.Hour}))
	err := errors.Join(f.MkdirAll("/a/b", 0o755), f.Chmod("/a", 0o700), f.Promote("/a/b"), f.Mkdir("/x", 0o700))
	for uid := range 200 { // other users' directories of that mode take the place in the table of modes
		err = errors.Join(err, f.Chown("/x", uid, 0), f.Chmod("/x", 0o700))
	}
	err = errors.Join(err, f.Chmod("/a", 0o700), f.Check())
	if err != nil {
		t.Fatal(err)
	}
	if st := f.Stage().Stats(); st.Pivots != 1 || st.Cut != 0 {
		t.Errorf("%+v", st)
	}
}

// The errors of Promote are those of the view's other calls.
func TestPromoteErrors(t *testing.T) {
	f := New(WithCred(Cred{}))
	root, err := f.OpenRoot("/")
	if err = errors.Join(err, f.Mkdir("/d", 0o755), f.WriteFile("/f", nil, 0o644)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		view *FS
		path string
		want error
	}{
		{f, "/d", nil}, {f, "/", nil}, {f, "/f", syscall.ENOTDIR}, {f, "/none", fs.ErrNotExist}, {f, "", fs.ErrNotExist},
		{root, "d", nil}, {root, "f", syscall.ENOTDIR}, {root, "../x", errPathEscapes}, {root, "/d", errPathEscapes},
		{root, "", errEmptyPath},
	} {
		err := c.view.Promote(c.path)
		if pe := new(fs.PathError); err != nil && (!errors.As(err, &pe) || pe.Op != "promote" || pe.Path != c.path) {
			t.Errorf("%q: %#v is no *fs.PathError of the call", c.path, err)
		}
		if !errors.Is(err, c.want) {
			t.Errorf("%q: %v, want %v", c.path, err, c.want)
		}
	}
	if err := root.Close(); err != nil {
		t.Fatal(err)
	}
	if err := root.Promote("d"); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
}

// What a rename replaces, what replaces it, and what only tries to.
func TestRenameOverPivot(t *testing.T) {
	f := New(WithCred(Cred{}), WithStage(stage.Config{Period: time.Hour}))
	err := f.WriteFile("/file", nil, 0o644)
	for _, dir := range []string{"/a/b/c", "/x/y", "/empty", "/full/f"} {
		err = errors.Join(err, f.MkdirAll(dir, 0o755))
	}
	if err := errors.Join(err, f.Promote("/a/b/c", "/empty", "/x/y", "/full/f")); err != nil {
		t.Fatal(err)
	}
	rename := func(from, to string) errno { return f.rename(placeAt(t, f, from), placeAt(t, f, to), renameKernel) }
	wantErrno(t, "over a file", rename("/a/b", "/file"), syscall.ENOTDIR)
	wantErrno(t, "over a full directory", rename("/a/b", "/full"), syscall.ENOTEMPTY)
	wantErrno(t, "below itself", rename("/a/b", "/a/b/c/d"), syscall.EINVAL)
	if st := f.Stage().Stats(); st.Invalidations != 0 {
		t.Errorf("renames that fail cut pivots: %+v", st)
	}
	moved, _ := f.lookup("/x/y", 0)
	wantErrno(t, "over an empty directory", rename("/x/y", "/empty"), ok)
	if n, e := f.lookup("/empty/.", 0); n != moved || e != ok {
		t.Errorf("/empty is %v, %v", n, e)
	}
	if _, e := f.lookup("/x/y/.", 0); e != syscall.ENOENT {
		t.Errorf("/x/y: %v", e)
	}
	if err := f.WriteFile("/empty/new", nil, 0o644); err != nil {
		t.Error(err)
	}
	if got, want := f.Stage().Pivots(), []string{"/a/b/c", "/full/f", "/x"}; !slices.Equal(got, want) {
		t.Errorf("pivots %q, want %q", got, want)
	}
	if err := f.Check(); err != nil {
		t.Error(err)
	}
}
