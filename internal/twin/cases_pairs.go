//go:build linux

package twin

import "strings"

// PairCases make the calls that take two paths, with all pairs of kinds.
var PairCases = []Case{
	{"rename/matrix", Anywhere, Nothing, func(t *T) { pairTable(t, "Rename", (*T).Rename) }},
	{"link/matrix", Anywhere, Nothing, func(t *T) { pairTable(t, "Link", (*T).Link) }},
	{"rename/own-subtree", Anywhere, Nothing, renameSubtree},
	{"rename/hard-links", Anywhere, Nothing, renameHardLinks},
	{"rename/open", Anywhere, Nothing, renameOpen},
	{"rename/directories", Anywhere, Nothing, renameDirectories},
	{"rename/prefix", Anywhere, Nothing, renamePrefix},
	{"link/many", Anywhere, Nothing, linkMany},
}

// pairs are names of all kinds, in two directories.
var pairs = []string{
	"f", "g", "f/", "hf", "d", "d/", "d/f", "d/sub", "d/.", "e", "e/", "e2", "d/e", "full",
	"lf", "lf/", "ld", "ld/", "ld/f", "dang", "dang/", "self",
	"missing", "missing/", "missing/x", "d/missing", "d/missing/", "f/x", ".", "d/..", "", "ld/missing", "d/hf",
}

func pairTable(t *T, name string, call func(t *T, from, to string) error) {
	layout := []string{
		"f: hello", "g: other", "hf == f", "d/f", "d/sub/g", "d/e/", "d/hf == f", "e/", "e2/", "full/in",
		"lf -> f", "ld -> d", "dang -> nowhere", "self -> self",
	}
	for _, from := range pairs {
		t.Table(name+" from "+quote(from), layout, len(pairs), func(i int) bool {
			return call(t, from, pairs[i]) == nil
		})
	}
}

func renameSubtree(t *T) {
	t.Fresh("below itself", "d/x/y/f: keep", "e/", "ld -> d", "lx -> d/x")
	for _, to := range []string{"d/n", "d/x", "d/x/n", "d/x/y", "d/x/y/n", "d/x/y/f", "ld/n", "lx/n", "d/", "d/.", "d/x/..", "./d", "d//", "ld", "e/../d/n"} {
		t.Rename("d", to)
	}
	for _, from := range []string{"d/x/y", "d/x", "d/x/y/f", "ld/x"} {
		for _, to := range []string{"d", "d/x", "ld", "d/", "."} {
			t.Rename(from, to)
		}
	}
	t.Rename("d/x/y/n", "d")
	t.Rename("missing", "missing/x")
	t.Dump()
}

func renameHardLinks(t *T) {
	t.Fresh("same inode", "f: text", "h == f", "d/h == f", "s -> f", "hs == s")
	for _, p := range [][2]string{{"f", "h"}, {"f", "d/h"}, {"d/h", "h"}, {"f", "f"}, {"f", "./f"}, {"s", "hs"}, {"s", "s"}, {"s", "f"}} {
		t.Rename(p[0], p[1])
		t.Dump()
	}
	t.Fresh("over one of two", "a: a", "b: b", "hb == b")
	h := t.Open("hb")
	t.Rename("a", "b")
	h.Stat()
	t.SameFile("a", "b")
	t.SameFile("b", "hb")
	t.Dump()
}

func renameOpen(t *T) {
	t.Fresh("over an open file", "a: new", "b: old contents")
	b := t.OpenFile("b", 2, 0)
	a := t.Open("a")
	t.Rename("a", "b")
	b.Stat()
	b.Read(50)
	b.Write(" and more")
	b.ReadAt(50, 0)
	b.Truncate(4)
	b.Stat()
	a.Read(50)
	a.Stat()
	t.Dump()

	t.Fresh("an open file", "a: text", "d/")
	a = t.OpenFile("a", 2, 0)
	t.Rename("a", "d/b")
	a.Write("TE")
	a.Stat()
	a.Chmod(0o600)
	t.Dump()

	t.Fresh("over an open directory", "a/f", "b/")
	b = t.Open("b")
	t.Rename("b", "c")
	b.Stat()
	t.Mkdir("b", 0o755)
	t.WriteFile("c/x", "x", 0o644)
	b.Readdirnames(-1)
	t.Dump()
}

func renameDirectories(t *T) {
	t.Fresh("between directories", "a/d/sub/f", "b/", "c/")
	h := t.Open("a/d")
	t.Rename("a/d", "b/d")
	t.Lstat("b/d/..")
	t.Lstat("b/d/sub/../..")
	h.Stat()
	h.Readdirnames(-1)
	t.SameFile("b", "b/d/..")
	t.Rename("b/d/", "c/d/")
	t.Dump()
	t.Rename("c/d/sub", "sub")
	t.Rename("sub", "c/d/sub")
	t.Dump()

	t.Fresh("own checks of Rename", "a/", "b/", "full/x", "f", "l -> a", "lm -> missing")
	for _, p := range [][2]string{
		{"a", "b"}, {"a", "full"}, {"full", "a"}, {"f", "a"}, {"l", "a"}, {"missing", "a"}, {"missing/x", "a"}, {"f/x", "a"},
		{"a", "a"}, {"a", "a/"}, {"a", "a/."}, {"a/.", "a"}, {"a/", "a"}, {"full/..", "a"}, {"a", "l"}, {"a", "l/"}, {"a", "lm"}, {"a", "lm/"}, {"l/", "c"}, {"f", "lm/"},
	} {
		t.Rename(p[0], p[1])
	}
	t.Dump()
}

func renamePrefix(t *T) {
	t.Fresh("names with a common prefix", "r: r", "r.x: r.x", "r.x.y: r.x.y", "lib/a", "lib/sub/a", "libs/a", "lib-2/a")
	for _, n := range []string{"r.x", "r", "r.x.y"} {
		t.Rename(n, "t-"+n)
	}
	t.Rename("lib", "lib.old")
	t.ReadFile("libs/a")
	t.Lstat("lib/a")
	t.Lstat("lib.old/sub/a")
	t.Rename("lib.old", "lib")
	t.RemoveAll("lib")
	t.Dump()
}

func linkMany(t *T) {
	t.Fresh("one file, many names", "d/e/", "f: one")
	names := []string{"a", "d/a", "d/e/a", "b", strings.Repeat("n", 255)}
	for _, n := range names {
		t.Link("f", n)
		t.SameFile("f", n)
	}
	t.WriteFile("d/e/a", "two", 0)
	t.Chmod("b", 0o600)
	t.Dump()
	for _, n := range append(names, "f") {
		t.Remove(n)
		t.Lstat("d/a")
	}
	t.Dump()
	t.Fresh("to a symbolic link", "f", "d/", "l -> f", "ld -> d", "dang -> x")
	for _, n := range []string{"l", "ld", "dang"} {
		t.Link(n, "h"+n)
		t.SameFile(n, "h"+n)
	}
	t.Link("l/", "x")
	t.Link("ld/", "x")
	t.Dump()
}
