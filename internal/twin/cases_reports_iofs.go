//go:build linux

package twin

import (
	"io/fs"
	"strings"
	"testing/fstest"
)

// reportIOFSCases are about the contract of package fs.
var reportIOFSCases = []Case{
	{"reports/sorted-listing", Anywhere, Privilege, sortedListing},
	{"reports/end-of-a-listing", Anywhere, Privilege, endOfListing},
	{"reports/reading-at-the-end", Anywhere, Privilege, readingAtTheEnd},
	{"reports/fstest-with-links", Anywhere, Privilege, fstestWithLinks},
}

// oddNames are in an order that nobody would call sorted.
var oddNames = []string{"d/b", "d/B", "d/a.b", "d/a-b", "d/a", "d/\u00e9", "d/10", "d/9", "d/_", "d/ ", "d/~", "d/\xff", "d/a b", "d/A/", "d/lb -> b", "d/ldir -> A"}

// sortedListing: whole listings are in the order of the names' bytes.
// spf13/afero 372 and 365; nlepage/go-tarfs 3.
func sortedListing(t *T) {
	t.Fresh("names", append([]string{"l -> d", "f"}, oddNames...)...)
	for range 2 {
		for _, dir := range []string{"d", ".", "l", "d/A", "d/b", "missing", "f"} {
			list, err := fs.ReadDir(t.fsys(), dir)
			t.Logf("fs.ReadDir(%s) = %s, %s", dir, t.entries(list), t.errText(err))
			if !t.InRoot() {
				t.ReadDir(dir)
			}
			names, err := fs.Glob(t.fsys(), dir+"/*")
			t.Logf("Glob(%s/*) = %s, %s", dir, quoteAll(names), t.errText(err))
		}
		sub, err := fs.Sub(t.fsys(), "d")
		t.must(err)
		list, err := fs.ReadDir(sub, ".")
		t.Logf("in a Sub: %s, %s", t.entries(list), errnoText(err))
		fs.WalkDir(t.fsys(), ".", func(p string, d fs.DirEntry, err error) error {
			t.Logf("walk %s, %s", quote(p), t.errText(err))
			return nil
		})
		t.Remove("d/a.b")
		t.Rename("d/9", "d/b.9")
		t.WriteFile("d/0", "new", 0o644)
	}
}

// endOfListing: a batch never comes with an error, the end is io.EOF where a
// number was asked for and no error where not; a file is no directory.
// spf13/afero 372; hack-pad/hackpadfs 23.
func endOfListing(t *T) {
	for _, r := range readers {
		for _, dir := range []string{"d", "empty", "one", "l", "."} {
			for _, n := range []int{1, 2, 3, 16, 17, 100} {
				t.Fresh(r.name+" of "+dir, append([]string{"empty/", "one/x", "l -> d"}, oddNames...)...)
				for _, h := range []*Handle{t.Open(dir), t.openFS(t.fsys(), dir)} {
					for range 20/n + 2 {
						r.read(h, n)
					}
					r.read(h, 2)
					r.read(h, 0)
					r.read(h, -1)
					r.read(h, 1)
					h.SeekTo(0, 0)
					r.read(h, -1)
					r.read(h, -1)
					r.read(h, n)
				}
			}
		}
		t.Fresh(r.name+" of a file", "f: text", "l -> f")
		for _, name := range []string{"f", "l"} {
			for _, n := range []int{-1, 0, 1} {
				r.read(t.Open(name), n)
				r.read(t.openFS(t.fsys(), name), n)
			}
		}
	}
}

// readingAtTheEnd: ReadAt gives fewer bytes only with io.EOF, and Read gives
// io.EOF only without bytes. spf13/afero 353 and 352; golang/go 44113.
func readingAtTheEnd(t *T) {
	for _, f := range []string{"f: 7 bytes", "f*4096", "f*65537", "f: "} {
		t.Fresh(f, f, "l -> f")
		size := map[string]int{"f: 7 bytes": 7, "f*4096": 4096, "f*65537": 65537, "f: ": 0}[f]
		for _, name := range []string{"f", "l"} {
			for _, h := range []*Handle{t.Open(name), t.openFS(t.fsys(), name)} {
				for _, off := range []int{0, size / 2, size - 2, size - 1, size, size + 1, size + 9000} {
					for _, n := range []int{0, 1, 2, size, size + 1} {
						h.ReadAt(n, int64(max(off, 0)))
					}
				}
				h.Read(size)
				h.Read(1)
				h.Read(0)
				h.Read(10)
				h.SeekTo(0, 0)
				h.Read(size + 1)
				h.Read(1)
				h.WriteTo()
			}
		}
	}
}

// fstestWithLinks: the checks of package fstest pass for a tree with links, but
// for links to nothing, which they do not know. psanford/memfs 3;
// golang/go 44113 and 50401; spf13/afero 353.
func fstestWithLinks(t *T) {
	layout := []string{
		"f: 7 bytes", "zero: ", "big*70000", "empty/", "d/g: g", "d/sub/deep/h: h", "d/up -> ../f", "d/sub/dir -> ../../empty", "lf -> f", "ld -> d", "llf -> lf",
		"ldot -> .", "hard == f", "d/hard == f", "exec: x @755", "sticky/ @1777", "setid: s @6755", "d/ro: r @444",
	}
	t.Fresh("all", layout...)
	err := fstest.TestFS(t.fsys(), "f", "zero", "big", "empty", "d/g", "d/sub/deep/h", "d/up", "d/sub/dir", "lf", "ld", "llf", "ldot", "hard", "setid")
	t.Logf("TestFS = %v", err)
	for _, dir := range []string{"d", "d/sub/deep", "empty", "ld"} {
		sub, err := fs.Sub(t.fsys(), dir)
		t.must(err)
		t.Logf("TestFS of %s = %v", dir, fstest.TestFS(sub) == nil)
	}
	fs.WalkDir(t.fsys(), ".", func(p string, d fs.DirEntry, err error) error {
		fi, infoErr := d.Info()
		t.Logf("walk %s %v, %s, info %s, %s", quote(p), d.Type(), t.errText(err), t.info(fi), t.errText(infoErr))
		return nil
	})
	t.Fresh("a link to nothing", append(layout, "dang -> none")...)
	t.Logf("TestFS passes: %v", fstest.TestFS(t.fsys(), "f") == nil)
	t.Fresh("changed meanwhile", layout...)
	for i := range 3 {
		t.Rename("d", "moved"+strings.Repeat("x", i))
		t.Logf("TestFS = %v", fstest.TestFS(t.fsys(), "f"))
		t.Rename("moved"+strings.Repeat("x", i), "d")
		t.Remove("lf")
		t.Symlink("zero", "lf")
	}
}
