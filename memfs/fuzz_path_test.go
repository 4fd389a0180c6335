package memfs_test

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"strings"
	"syscall"
	"testing"

	"stagefs/memfs"
)

// pathTree is one fixed tree, in a file system and in the model, with every oddity that a walk can meet.
type pathTree struct {
	model    *model
	fsys     *memfs.FS
	confined *memfs.FS        // of /d
	inos     map[*node]uint64 // of the file system, for the nodes of the model
	inside   map[uint64]bool  // inodes below /d
}

func newPathTree(t testing.TB, options ...memfs.Option) *pathTree {
	tree := &pathTree{model: newModel(), fsys: newFS(options...), inos: map[*node]uint64{}, inside: map[uint64]bool{}}
	for _, dir := range []string{"/d", "/d/e", "/d/e/g", "/closed", "/closed/in", "/...", "/d/" + strings.Repeat("n", 255)} {
		must(t, tree.fsys.Mkdir(dir, 0o755))
		tree.model.mkdir(dir)
	}
	for _, file := range []string{"/f", "/d/f", "/d/e/f", "/closed/f", "/.hidden", "/ß\xff", "/..x"} {
		must(t, tree.fsys.WriteFile(file, nil, 0o644))
		_, _ = tree.model.create(file, true)
	}
	links := map[string]string{
		"/l": "d", "/ll": "l", "/d/up": "..", "/d/e/self": ".", "/abs": "/d/e", "/tof": "d/f", "/slash": "d/", "/fslash": "f/",
		"/loop": "loop", "/tick": "tock", "/tock": "tick", "/none": "nothing", "/d/e/far": "../../d/./e//../up/l/e",
		"/root": "/", "/into": "closed/f", "/dots": "d/e/../..", "/d/out": "../f", "/d/same": "e", "/d/abs": "/f",
	}
	for i := range 45 { // c0 to c39 can be followed to the end
		links[fmt.Sprintf("/c%d", 44-i)] = fmt.Sprintf("c%d", 45-i)
	}
	links["/c45"] = "d"
	for name, target := range links {
		must(t, tree.fsys.Symlink(target, name))
		tree.model.symlink(target, name)
	}
	must(t, tree.fsys.Chmod("/closed", 0o700))
	tree.model.root.kids["closed"].mode |= 0o001
	tree.number(t, tree.model.root, "")
	tree.confined = got[*memfs.FS](t)(tree.fsys.OpenRoot("/d"))
	return tree
}

func (tree *pathTree) number(t testing.TB, n *node, path string) {
	ino := stat(t, tree.fsys, path+"/.")
	tree.inos[n] = ino.Ino
	tree.inside[ino.Ino] = strings.HasPrefix(path, "/d")
	for name, kid := range n.kids {
		if kid.isDir() {
			tree.number(t, kid, path+"/"+name)
			continue
		}
		st := stat(t, tree.fsys, path+"/"+name)
		tree.inos[kid] = st.Ino
		tree.inside[st.Ino] = strings.HasPrefix(path, "/d")
	}
}

// try compares what file system and model say of a path, for root and for bob.
func (tree *pathTree) try(t testing.TB, path string) {
	t.Helper()
	for _, user := range []memfs.Cred{root, bob} {
		v, privileged := tree.fsys.As(user), user.Uid == 0
		for _, cwd := range []string{"/", "/d/e"} {
			must(t, v.Chdir(cwd))
			tree.model.cwd, _ = tree.model.lookup(cwd, always, true)
			tree.tryIn(t, v, path, privileged)
		}
	}
	tree.tryConfined(t, path)
}

func (tree *pathTree) tryIn(t testing.TB, v *memfs.FS, path string, privileged bool) {
	t.Helper()
	fail := func(what string, got, want any) {
		t.Errorf("%s of %q as user %d: %v, model %v", what, path, v.Cred().Uid, got, want)
	}
	var st memfs.Stat
	n, want := tree.model.lookup(path, always, privileged)
	if e := errnoOf(v.StatInto(path, &st)); e != want || e == noError && st.Ino != tree.inos[n] {
		fail("stat", e, want)
	}
	if want == noError && n.mode&0o001 != 0 && !privileged {
		want = syscall.EACCES // to read a directory is as much forbidden as to search it
	}
	f, err := v.Open(path)
	if e := errnoOf(err); e != want {
		fail("open", e, want)
	}
	_ = f.Close() // of nil, too
	if _, err := v.ReadDir(path); want == noError && !n.isDir() {
		wantError(t, "readdir", err, syscall.ENOTDIR)
	} else if errnoOf(err) != want {
		fail("readdir", err, want)
	}
	if _, err := v.OpenRoot(path); want == noError && !n.isDir() {
		if err == nil {
			fail("openroot", err, "an error")
		}
	} else if errnoOf(err) != want {
		fail("openroot", err, want)
	}
	n, want = tree.model.lookup(path, slashed, privileged)
	if e := errnoOf(v.LstatInto(path, &st)); e != want || e == noError && st.Ino != tree.inos[n] {
		fail("lstat", e, want)
	}
	if want == noError && !n.isLink() {
		want = syscall.EINVAL
	}
	if text, err := v.Readlink(path); errnoOf(err) != want || err == nil && text != n.target {
		fail("readlink", err, want)
	}
}

// tryConfined sees to it that no path leads out of a confined view.
func (tree *pathTree) tryConfined(t testing.TB, path string) {
	t.Helper()
	var st memfs.Stat
	if err := tree.confined.StatInto(path, &st); err == nil && !tree.inside[st.Ino] {
		t.Errorf("%q leads out of the confined view", path)
	}
	if err := tree.confined.LstatInto(path, &st); err == nil && !tree.inside[st.Ino] {
		t.Errorf("lstat of %q leads out of the confined view", path)
	}
	if v, err := tree.confined.OpenRoot(path); err == nil {
		if must(t, v.StatInto(".", &st)); !tree.inside[st.Ino] {
			t.Errorf("root at %q leads out of the confined view", path)
		}
	}
	f, err := tree.confined.Open(path)
	if err == nil {
		if must(t, f.StatInto(&st)); !tree.inside[st.Ino] {
			t.Errorf("open of %q leads out of the confined view", path)
		}
		must(t, f.Close())
	}
	if v := tree.fsys.FS(); fs.ValidPath(path) && !strings.ContainsRune(path, 0) {
		_, err := fs.Stat(v, path)
		tree.model.cwd = tree.model.root
		if _, want := tree.model.lookup(path, always, true); errnoOf(err) != want {
			t.Errorf("io/fs: stat of %q: %v, model %v", path, err, want)
		}
	}
}

// components are what random paths are made of.
var components = []string{"d", "e", "f", "l", "ll", "up", "self", "abs", "tof", "slash", "fslash", "loop", "tick", "none",
	"far", "root", "into", "closed", "in", "dots", "c0", "c5", "c6", "c7", "c44", "..", ".", "", "...", ".hidden", "..x",
	"missing", "out", "same", strings.Repeat("n", 255), strings.Repeat("n", 256), "ß\xff", "a\x00b"}

func randomPath(rng *rand.Rand) string {
	parts := make([]string, 1+rng.IntN(6))
	for i := range parts {
		parts[i] = components[rng.IntN(len(components))]
	}
	path := strings.Join(parts, "/")
	if rng.IntN(300) == 0 {
		path = strings.Repeat("./", 2050-rng.IntN(20)) + path
	}
	return path
}

func TestPathsAgainstModel(t *testing.T) {
	rng := seeded(t)
	for _, v := range variants {
		tree := newPathTree(t, v.options...)
		for i := 0; i < rounds(2000) && !t.Failed(); i++ {
			tree.try(t, randomPath(rng))
		}
		check(t, tree.fsys)
	}
}

func FuzzPath(f *testing.F) {
	for _, path := range []string{"", "/", "//", ".", "..", "/..", "d/e/far", "/c0/f", "/c4/f", "l/", "fslash", "tick/x",
		"/d//e/./..//f/", "into", "a\x00b", "\xff/\xfe", strings.Repeat("d/../", 900), strings.Repeat("x", 300)} {
		f.Add(path)
	}
	tree := newPathTree(f)
	f.Fuzz(func(t *testing.T, path string) { tree.try(t, path) })
}
