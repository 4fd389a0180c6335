package memfs_test

import (
	"fmt"
	"io/fs"
	"testing"
	"testing/fstest"

	"stagefs/memfs"
)

// prepared makes a tree with something of each kind, and returns the paths of it.
func prepared(t *testing.T, fsys *memfs.FS, top string) (expected []string) {
	t.Helper()
	must(t, fsys.MkdirAll(top+"/dir/sub/deep", 0o755))
	must(t, fsys.MkdirAll(top+"/empty", 0o755))
	must(t, fsys.MkdirAll(top+"/many", 0o755))
	for path, contents := range map[string]string{
		"nothing": "", "file": "contents\n", "dir/large": string(make([]byte, 9000)), "dir/sub/deep/f": "deep",
		"dir/a": "a", "dir/a.b": "ab", "dir/a-b": "a-b", "dir/ä ö": "not ASCII",
	} {
		must(t, fsys.WriteFile(top+"/"+path, []byte(contents), 0o644))
		expected = append(expected, path)
	}
	for i := range 20 {
		path := fmt.Sprintf("many/%d", i)
		must(t, fsys.WriteFile(top+"/"+path, []byte(path), 0o600))
		expected = append(expected, path)
	}
	must(t, fsys.Link(top+"/file", top+"/dir/hard"))
	for link, target := range map[string]string{
		"to-file": "file", "to-dir": "dir/sub", "dir/sub/up": "../../file", "dir/sub/deep/top": "../../../empty",
		"chain": "to-file",
	} {
		must(t, fsys.Symlink(target, top+"/"+link))
		expected = append(expected, link)
	}
	return append(expected, "dir/hard", "empty", "dir/sub/deep", "many")
}

func TestFS(t *testing.T) {
	for _, v := range variants[:3] {
		fsys := newFS(v.options...)
		expected := prepared(t, fsys, "")
		must(t, fstest.TestFS(fsys.FS(), expected...))
		check(t, fsys)
	}
}

func TestSubFS(t *testing.T) {
	fsys := newFS()
	expected := prepared(t, fsys, "/a/b")
	must(t, fsys.Chdir("/a")) // is of no concern to the view
	sub := got[fs.FS](t)(fs.Sub(fsys.FS(), "a/b"))
	must(t, fstest.TestFS(sub, expected...))
	must(t, fstest.TestFS(got[fs.FS](t)(fs.Sub(sub, "many")), "0", "19"))
	must(t, fsys.Rename("/a/b", "/c")) // like a part of os.DirFS, it stays with the name
	_, err := fs.Stat(sub, "file")
	wantError(t, "stat after the directory moved", err, fs.ErrNotExist)
	must(t, fsys.Rename("/c", "/a/b"))
	must(t, fstest.TestFS(sub, expected...))
}

func TestRootFS(t *testing.T) {
	fsys := newFS()
	must(t, fsys.WriteFile("/secret", nil, 0o644))
	expected := prepared(t, fsys, "/top")
	confined := got[*memfs.FS](t)(fsys.OpenRoot("/top"))
	must(t, fstest.TestFS(confined.FS(), expected...))
	must(t, fstest.TestFS(got[fs.FS](t)(fs.Sub(confined.FS(), "many")), "0", "19"))
	must(t, fsys.Symlink("../secret", "/top/out"))
	_, err := fs.ReadFile(confined.FS(), "out")
	if err == nil {
		t.Error("a link leads out of the root")
	}
	must(t, fsys.Remove("/top/out"))
	bobs := got[*memfs.FS](t)(fsys.As(bob).OpenRoot("/top"))
	must(t, fsys.Chmod("/top/many", 0o700))
	_, err = fs.ReadDir(bobs.FS(), "many")
	wantError(t, "bob lists what is closed to him", err, fs.ErrPermission)
	must(t, fsys.Chmod("/top/many", 0o711)) // os.Root opens the directories on its way, so it must be able to read them
	_, err = fs.Stat(bobs.FS(), "many/0")
	wantError(t, "bob goes through what he cannot read", err, fs.ErrPermission)
}

// The io/fs interfaces that spare callers the long way are all there.
func TestInterfaces(t *testing.T) {
	fsys := newFS()
	prepared(t, fsys, "")
	view := fsys.FS()
	if target := got[string](t)(fs.ReadLink(view, "to-dir")); target != "dir/sub" {
		t.Errorf("link to %q", target)
	}
	if info := got[fs.FileInfo](t)(fs.Lstat(view, "to-dir")); info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("mode %v", info.Mode())
	}
	if names := got[[]string](t)(fs.Glob(view, "dir/a*")); len(names) != 3 {
		t.Errorf("glob: %q", names)
	}
	for _, bad := range []string{"", "/", "/file", "dir/", "./file", "dir//a", "dir/../file", ".."} {
		_, err := view.Open(bad)
		wantError(t, "open "+bad, err, fs.ErrInvalid)
		_, err = fs.Stat(view, bad)
		wantError(t, "stat "+bad, err, fs.ErrInvalid)
		_, err = fs.ReadFile(view, bad)
		wantError(t, "read "+bad, err, fs.ErrInvalid)
		_, err = fs.ReadDir(view, bad)
		wantError(t, "list "+bad, err, fs.ErrInvalid)
		_, err = fs.Sub(view, bad)
		wantError(t, "sub "+bad, err, fs.ErrInvalid)
		_, err = fs.ReadLink(view, bad)
		wantError(t, "readlink "+bad, err, fs.ErrInvalid)
	}
	seen := map[string]bool{}
	must(t, fs.WalkDir(view, ".", func(path string, d fs.DirEntry, err error) error {
		if seen[path] {
			t.Errorf("%s twice", path)
		}
		seen[path] = true
		return err
	}))
	if seen["to-dir/deep"] || !seen["dir/sub/deep/top"] {
		t.Error("the walk follows links")
	}
}
