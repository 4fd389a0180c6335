package bench

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// wrongFS is a treeFS with one fault.
type wrongFS struct {
	treeFS
	fault string
}

func (w wrongFS) Chmod(name string, mode fs.FileMode) error {
	if w.fault == "mode" && strings.HasSuffix(name, "/run") {
		return nil
	}
	return w.treeFS.Chmod(name, mode)
}

func (w wrongFS) Symlink(target, name string) error {
	if w.fault == "link" {
		target += "x"
	}
	return w.treeFS.Symlink(target, name)
}

func (w wrongFS) ReadDir(name string) ([]fs.DirEntry, error) {
	entries, err := w.treeFS.ReadDir(name)
	if w.fault == "list" && len(entries) > 0 {
		entries = entries[1:]
	}
	return entries, err
}

func (w wrongFS) RemoveAll(name string) error {
	if w.fault == "remove" {
		return nil
	}
	return w.treeFS.RemoveAll(name)
}

// TestTreeNotices: each kind of mismatch is an error of its step.
func TestTreeNotices(t *testing.T) {
	c := testContext(t.Context(), &Config{Seed: 1})
	src, err := scanTree(c, makeTree(t))
	if err != nil {
		t.Fatal(err)
	}
	changed := *src // the source's file was changed after it was listed
	changed.items = append([]item(nil), src.items...)
	for i := range changed.items {
		if changed.items[i].rel == "/a/big" {
			changed.items[i].size++
		}
	}
	for _, tc := range []struct {
		fault string
		src   *source
		want  string
	}{
		{"", src, ""},
		{"mode", src, "check: /tree/a/b/run: mode -rw------- instead of -rwxr-xr-x"},
		{"link", src, "check: /tree/a/link: link to"},
		{"list", src, "walk: "},
		{"remove", src, "remove: self-check: 1 entries left"},
		{"size", &changed, "check: /tree/a/big: 200000 bytes instead of 200001"},
	} {
		tfs, err := openTree("memfs")
		if err != nil {
			t.Fatal(err)
		}
		m := &meter{ctx: t.Context()}
		err = treeRound(m, wrongFS{tfs, tc.fault}, tc.src)
		switch {
		case tc.want == "" && (err != nil || len(m.values) != 7):
			t.Errorf("no fault: %v, %d rows", err, len(m.values))
		case tc.want != "" && (err == nil || !strings.HasPrefix(err.Error(), tc.want)):
			t.Errorf("%s: %v, want %s", tc.fault, err, tc.want)
		}
	}
}

func TestScanTree(t *testing.T) {
	root := makeTree(t)
	c := testContext(t.Context(), &Config{Seed: 1})
	src, err := scanTree(c, root)
	if err != nil {
		t.Fatal(err)
	}
	if src.files != 4 || src.dirs != 5 || src.bytes != 200_011 || src.items[0].rel != "" || !src.items[0].mode.IsDir() {
		t.Errorf("%d files, %d directories, %d bytes, first %+v", src.files, src.dirs, src.bytes, src.items[0])
	}
	if _, err := scanTree(c, filepath.Join(root, "missing")); err == nil {
		t.Error("a missing directory was listed")
	}
}

func TestSameContents(t *testing.T) {
	long := strings.Repeat("x", 100)
	for _, c := range []struct {
		a, b string
		want bool
	}{{"", "", true}, {"a", "", false}, {"", "a", false}, {long, long, true}, {long, long + "y", false},
		{long[:64], long[:64], true}, {long[:64], long, false}, {long[:99] + "y", long, false}} {
		same, err := sameContents(strings.NewReader(c.a), strings.NewReader(c.b), make([]byte, 32), make([]byte, 32))
		if err != nil || same != c.want {
			t.Errorf("%d and %d bytes: %v, %v", len(c.a), len(c.b), same, err)
		}
	}
}

// TestTreeLeavesNothing: a round that fails half-way removes what it made.
func TestTreeLeavesNothing(t *testing.T) {
	c := testContext(t.Context(), &Config{Seed: 1})
	src, err := scanTree(c, makeTree(t))
	if err != nil {
		t.Fatal(err)
	}
	parent := t.TempDir()
	tfs, err := newTreeOS(parent)
	if err != nil {
		t.Fatal(err)
	}
	if err := treeRound(&meter{ctx: t.Context()}, wrongFS{tfs, "list"}, src); err == nil {
		t.Error("the fault was not noticed")
	}
	left, err := os.ReadDir(parent)
	if err != nil || len(left) != 0 {
		t.Errorf("%d directories left, %v", len(left), err)
	}
}
