//go:build linux

package twin

import (
	"fmt"
	"slices"
)

// RemoveCases are about Remove and RemoveAll.
var RemoveCases = []Case{
	{"remove/kinds", Anywhere, Nothing, removeKinds},
	{"remove/all", Anywhere, Nothing, removeAll},
	{"remove/all-open", Anywhere, Nothing, removeAllOpen},
	{"remove/all-denied", Anywhere, Privilege, removeAllDenied},
	{"remove/recreate", Anywhere, Nothing, removeRecreate},
	{"remove/large", Anywhere, Nothing, removeLarge},
}

var removeLayout = []string{
	"f", "d/f", "d/sub/g", "e/", "lf -> f", "ld -> d", "le -> e", "dang -> x", "self -> self", "hf == f", "deep/a/b/c/f", "d/l -> ../e", "e2/",
}

func removeKinds(t *T) {
	names := []string{
		"f", "f/", "d", "d/", "d/f", "d/sub", "e", "e/", "e/.", "e/..", "e//", "./e", "d/../e", ".", "./", "lf", "lf/", "ld", "ld/", "le", "le/", "le/.",
		"dang", "dang/", "self", "self/", "hf", "missing", "missing/", "f/x", "ld/f", "deep/a/b/c", "deep/a/b/c/..", "", "ld/sub/g", "...",
	}
	for _, call := range []struct {
		name string
		do   func(t *T, p string) error
	}{{"Remove", (*T).Remove}, {"RemoveAll", (*T).RemoveAll}} {
		for _, n := range names {
			t.Fresh(call.name+" "+quote(n), removeLayout...)
			call.do(t, n)
			t.Dump()
			call.do(t, n)
		}
	}
}

func removeAll(t *T) {
	t.Fresh("a tree", removeLayout...)
	t.RemoveAll("deep/a/b")
	t.RemoveAll("d")
	t.RemoveAll("hf")
	t.Dump()
	t.RemoveAll("e2")
	t.RemoveAll("missing/x/y")
	t.RemoveAll("f/x")
	t.RemoveAll("f/x/y")
	t.RemoveAll("self/x")
	t.RemoveAll("dang/x")
	t.RemoveAll("deep/a/")
	t.RemoveAll("deep//")
	t.RemoveAll("le/")
	t.Dump()
	t.Fresh("links inside", "out/keep", "d/l -> ../out", "d/ll -> ../out/", "d/self -> self", "l -> d")
	t.RemoveAll("l")
	t.RemoveAll("d")
	t.Dump()
}

func removeAllOpen(t *T) {
	t.Fresh("open inside", "d/f: text", "d/sub/g: g", "d/sub/e/")
	d, sub, f := t.Open("d"), t.Open("d/sub"), t.OpenFile("d/f", 2, 0)
	sub.Readdirnames(1)
	t.RemoveAll("d")
	for _, h := range []*Handle{d, sub, f} {
		h.Stat()
	}
	f.Write("TE")
	f.ReadAt(10, 0)
	d.SeekTo(0, 0)
	d.Readdirnames(-1)
	t.Mkdir("d", 0o755)
	d.Stat()
	d.Chmod(0o711)
	t.Dump()
}

func removeAllDenied(t *T) {
	layout := []string{
		"mine/a/f @- 1000:1000", "mine/a @755 1000:1000", "mine/locked/f", "mine/locked/g", "mine/locked @755 0:0", "mine/z @644 1000:1000",
		"mine/closed/f @- 1000:1000", "mine/closed @0 1000:1000", "mine/theirs/ @777 1001:1001", "mine @755 1000:1000",
		"root/f", "root/d/", "root/full/x", "sticky/theirs/f", "sticky/theirs @755 1001:1001", "sticky/mine/f @- 1000:1000", "sticky/mine @755 1000:1000",
		"sticky @1777", "nosearch/f @666", "nosearch/d/", "nosearch @766",
	}
	names := []string{
		"mine", "mine/a", "mine/locked", "mine/closed", "mine/theirs", "mine/locked/f", "root/f", "root/d", "root/full", "root", "root/full/x",
		"sticky/theirs", "sticky/mine", "sticky", "nosearch/f", "nosearch/d", "nosearch", "root/missing", "root/missing/x", "nosearch/missing",
	}
	for _, n := range names {
		t.Fresh(n, layout...)
		t.As(Cred{UID: 1000, GID: 1000}, func() {
			t.Remove(n)
			// Which error comes first depends on the order of the entries
			// where there is more than one that cannot be removed.
			if slices.Contains([]string{"mine", "mine/locked", "root", "nosearch"}, n) {
				t.Logf("RemoveAll fails: %v", t.tree.RemoveAll(n) != nil)
				return
			}
			t.RemoveAll(n)
		})
		t.Dump()
	}
}

func removeRecreate(t *T) {
	t.Fresh("again and again", "d/")
	t.Lstat("d")
	for i := range 3 {
		t.WriteFile("d/f", fmt.Sprint(i), 0o644)
		h := t.Open("d/f")
		t.Lstat("d/f")
		t.Remove("d/f")
		t.Lstat("d/f")
		t.Mkdir("d/f", 0o700)
		t.Lstat("d/f")
		t.Remove("d/f")
		t.Symlink("x", "d/f")
		t.Remove("d/f")
		h.Stat()
		h.Read(3)
	}
	t.Remove("d")
	t.WriteFile("d", "file now", 0o644)
	t.Lstat("d/f")
	t.Dump()
}

func removeLarge(t *T) {
	var layout []string
	for i := range 1500 {
		layout = append(layout, fmt.Sprintf("d/%d: ", i))
	}
	layout = append(layout, "d/sub/x", "keep")
	t.Fresh("large", layout...)
	t.cur.Layout = []string{"1500 files in d"}
	t.Lstat("d")
	t.Remove("d")
	t.RemoveAll("d")
	t.Dump()
}
