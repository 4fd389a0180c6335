//go:build linux

package twin

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
)

// RootCases are about the confinement of a Root.
var RootCases = []Case{
	{"root/escapes", InRoot, Privilege, rootEscapes},
	{"root/closed", InRoot, Nothing, rootClosed},
	{"root/moved", InRoot, Nothing, rootMoved},
	{"root/nested", Anywhere, Nothing, rootNested},
	{"root/pairs", InRoot, Privilege, rootPairs},
	{"root/modes", InRoot, Nothing, rootModes},
	{"root/mkdirall", InRoot, Privilege, rootMkdirAll},
	{"root/removeall", InRoot, Privilege, rootRemoveAll},
	{"root/steps", InRoot, Nothing, rootSteps},
	{"root/open", Anywhere, Nothing, rootOpen},
	{"root/file-names", InRoot, Nothing, rootFileNames},
	{"root/search-only", InRoot, Privilege, rootSearchOnly},
}

// escapes are ways out, and detours that stay inside.
var escapes = []string{
	"..", "../", "../.", "../..", "../outside", "../R", "../R/f", "../Rx/f", "d/../../outside", "d/../..", "d/../../R/f", "d/sub/../../../outside", "/", "/f", "/R/f", "/outside", "//f",
	"out", "out/", "out/x", "abs", "absin", "parent", "parent/outside", "parent/R/f", "self/..", "d/up", "d/up/f", "d/upup", "d/upup/outside", "d/upup/R/f", "sibling", "outnew", "deep/a/b/c/top", "deep/a/b/c/over",
	"f", "d/../f", "d/sub/../../f", "in", "indir/f", "d/back", "deep/a/../../f", "deep/a/b/c/top/f", "missing/../../x", "missing/..", "f/..", "f/../f", "f/../../outside", "out/..", "out/../f", "parent/../f", "indir/..", "indir/../f", "indir/../../outside",
}

var escapeLayout = []string{
	"f: inside", "d/f: d", "d/sub/g: g", "deep/a/b/c/x",
	"out -> ../outside", "abs -> /outside", "absin -> /R/f", "parent -> ..", "self -> .", "d/up -> ..", "d/upup -> ../..", "sibling -> ../Rx/f", "outnew -> ../new", "deep/a/b/c/top -> ../../../..", "deep/a/b/c/over -> ../../../../..",
	"in -> d/f", "indir -> d", "d/back -> ../f",
	"../outside: secret", "../Rx/f: sibling", "../dir/x",
}

func rootEscapes(t *T) {
	for _, c := range slices.Concat(reads, writes) {
		if c.fits(t) {
			isRead := slices.ContainsFunc(reads, func(r pathCall) bool { return r.name == c.name })
			t.Table(c.name, escapeLayout, len(escapes), func(i int) bool { return c.call(t, escapes[i]) == nil && !isRead })
		}
	}
}

func rootPairs(t *T) {
	names := []string{"f", "d", "d/f", "e", "missing", "../outside", "../new", "out", "outdir", "outdir/new", "/f", "d/../f", "d/../new", "e/", "new/", "f/", "in", "in/", "", ".", "d/..", "self/new", "nine/new", "d/../..", "dang/"}
	layout := []string{
		"f: inside", "d/f", "e/", "../outside: secret", "../dir/x", "out -> ../outside", "outdir -> ../dir", "in -> d", "self -> .", "dang -> new",
		"nine -> n8",
	}
	for i := 8; i > 0; i-- {
		to := fmt.Sprintf("n%d", i-1)
		if i == 1 {
			to = "d"
		}
		layout = append(layout, fmt.Sprintf("n%d -> %s", i, to))
	}
	for _, call := range []struct {
		name string
		do   func(t *T, from, to string) error
	}{{"Rename", (*T).Rename}, {"Link", (*T).Link}} {
		for _, from := range names {
			t.Table(call.name+" "+quote(from), layout, len(names), func(i int) bool { return call.do(t, from, names[i]) == nil })
		}
	}
	t.Table("Symlink", layout, len(names), func(i int) bool { return t.Symlink("../outside", names[i]) == nil })
}

func rootClosed(t *T) {
	t.Fresh("closed", "f: text", "d/x", "l -> f", "ldd -> d")
	root := t.tree.(Root)
	h := t.Open("f")
	fsys := root.FS()
	t.Logf("Name %q", root.Name())
	t.done(root.Close(), "Close")
	t.done(root.Close(), "Close again")
	for _, c := range slices.Concat(reads, writes) {
		if c.fits(t) {
			for _, p := range []string{"f", "d", "missing", "..", "", "d/x"} {
				c.call(t, p)
			}
		}
	}
	h.Read(2)
	h.Stat()
	_, err := fsys.Open("f")
	t.done(err, "FS().Open")
	t.Logf("Name %q", root.Name())
	t.Dump()
}

func rootMoved(t *T) {
	t.Fresh("moved", "f: text", "d/x")
	t.must(t.sys.Rename(rootDir, "elsewhere"))
	t.must(t.sys.Mkdir(rootDir, 0o755))
	t.ReadFile("f")
	t.WriteFile("d/new", "x", 0o644)
	t.Mkdir("e", 0o755)
	t.Rename("d/x", "e/x")
	h := t.Open("f")
	h.Stat()
	for _, e := range t.Open(".").Entries() {
		fi, err := e.Info()
		t.Logf("%s %s", t.info(fi), t.errText(err))
	}
	t.Dump()
	t.Fresh("removed", "d/")
	t.must(t.sys.RemoveAll(rootDir))
	t.Lstat(".")
	t.Lstat("d")
	t.WriteFile("f", "x", 0o644)
	t.Mkdir("e", 0o755)
	t.MkdirAll("e/x", 0o755)
	t.Symlink("x", "l")
	t.Open(".").Readdirnames(-1)
	t.Dump()
	t.Fresh("a subdirectory moves out", "d/x", "../other/")
	t.OpenRoot("d", func() {
		t.must(t.sys.Rename("R/d", "other/d"))
		t.ReadFile("x")
		t.Lstat("..")
		t.WriteFile("new", "x", 0o644)
	})
	t.Dump()
}

func rootNested(t *T) {
	t.Fresh("nested", "f: top", "d/f: d", "d/sub/f: sub", "d/l -> ../f", "d/in -> sub/f", "ld -> d", "x -> d/sub")
	for _, p := range []string{"d", "ld", "ld/", "d/.", "d/sub/..", "x", ".", "f", "missing", "f/", "d/", "x/", "x/.."} {
		t.OpenRoot(p, func() {
			t.Lstat(".")
			t.Stat("f")
			t.ReadFile("l")
			t.ReadFile("in")
			t.ReadFile("../f")
			t.OpenRoot("sub", func() {
				t.ReadFile("f")
				t.ReadFile("../f")
				t.Open("f").Stat()
				t.Open("missing")
				t.Open(".").Readdir(-1)
			})
			t.OpenRoot(".", func() { t.ReadFile("f") })
			t.OpenRoot("l", nil)
			t.OpenRoot("missing", nil)
			t.OpenRoot("", nil)
			t.OpenRoot("..", nil)
		})
	}
	t.Dump()
}

func rootModes(t *T) {
	t.Fresh("unsupported mode bits", "f: x", "d/")
	for _, m := range []fs.FileMode{0, 0o777, 0o1777, fs.ModeSticky | 0o755, fs.ModeSetgid | 0o755, fs.ModeSetuid | 0o755, fs.ModeDir | 0o755, 1 << 31, 0o1000} {
		t.OpenFile("f", os.O_RDONLY, m)
		t.OpenFile("missing", os.O_RDONLY, m)
		t.OpenFile("../x", os.O_RDONLY, m)
		t.OpenFile(fmt.Sprintf("n%o", uint32(m)), os.O_CREATE|os.O_RDWR, m)
		t.Mkdir(fmt.Sprintf("d%o", uint32(m)), m)
		t.MkdirAll(fmt.Sprintf("a%o/b", uint32(m)), m)
		t.MkdirAll("d", m)
		t.WriteFile(fmt.Sprintf("w%o", uint32(m)), "x", m)
		t.Chmod("f", m)
		t.Lstat("f")
	}
	t.Dump()
}

func rootMkdirAll(t *T) {
	layout := []string{
		"f", "d/x", "l -> d", "dang -> new", "dangdeep -> d/new", "out -> ../outside", "outdir -> ../dir", "lf -> f", "self -> self",
		"../dir/x", "ro/ @555", "noexec/d/ @777", "noexec @666", ". @777",
	}
	paths := []string{
		"a", "a/b/c", "a/", "a//b/", "d", "d/", "d/new/x", "d/x", "d/x/y", "f", "f/", "f/x", "f/x/y", "l", "l/", "l/new", "l/new/x", "dang", "dang/", "dang/x", "dangdeep/x", "out", "out/x", "outdir", "outdir/new", "outdir/x",
		"lf", "lf/", "lf/x", "self", "self/x", "..", "../new", "d/..", "d/../new/x", "d/../../new", ".", "./", "./a/./b", "", "/a", "missing/../x", "missing/../../x", "a/..", "a/../b", "ro/new", "ro/new/x", "ro", "noexec/d", "noexec/new", "noexec/d/new",
		strings.Repeat("n", 256), strings.Repeat("n", 256) + "/x", "d/" + strings.Repeat("n", 256), "a\x00/b",
	}
	for _, who := range []Cred{rootUser, someUser} {
		t.Table(fmt.Sprintf("as %d", who.UID), layout, len(paths), func(i int) (changed bool) {
			t.As(who, func() { changed = t.MkdirAll(paths[i], 0o755) == nil })
			return true
		})
	}
}

func rootRemoveAll(t *T) {
	layout := []string{
		"f", "d/x/y/z", "d/f", "l -> d", "out -> ../outside", "outdir -> ../dir", "dang -> x", "self -> self", "../dir/x", "../outside",
		"ro/f", "ro/d/x", "ro/e/", "ro @755", "closed/x", "closed @700", ". @777",
	}
	paths := []string{
		"f", "f/", "d", "d/", "d//", "d/.", "d/..", "d/x/..", "d/x/y", ".", "./", "", "/", "l", "l/", "out", "out/", "outdir", "outdir/", "outdir/x", "dang", "dang/", "self", "self/", "..", "../", "../dir", "missing", "missing/", "missing/x", "f/x",
		"ro", "ro/f", "ro/d", "ro/e", "ro/missing", "closed", "closed/x", "d\x00", strings.Repeat("n", 256), "l/x", "l/..", "d/../f",
	}
	for _, who := range []Cred{rootUser, someUser} {
		t.Table(fmt.Sprintf("as %d", who.UID), layout, len(paths), func(i int) bool {
			t.As(who, func() { t.RemoveAll(paths[i]) })
			return true
		})
	}
}

func rootSteps(t *T) {
	t.Fresh("limits of a walk", "f: f", "d/e/f: e", "d/up -> ..", "d/e/upup -> ../..", "self -> .")
	for _, n := range []int{1, 7, 8, 9, 50, 84, 85, 86, 126, 127, 128, 254, 255, 300} {
		t.ReadFile(strings.Repeat("d/../", n) + "f")
		t.ReadFile(strings.Repeat("./", n) + "f")
		t.ReadFile(strings.Repeat("d/e/../../", n) + "f")
		t.ReadFile(strings.Repeat("d/up/", min(n, 20)) + "f")
		t.ReadFile(strings.Repeat("d/e/upup/", min(n, 9)) + "f")
		t.ReadFile(strings.Repeat("self/", n) + "f")
		t.Mkdir(strings.Repeat("d/../", n)+fmt.Sprint("new", n), 0o755)
		t.ReadFile(strings.Repeat("d/", n) + strings.Repeat("../", n) + "f")
		t.ReadFile("d/e/" + strings.Repeat("../", min(n, 3)) + "f")
	}
	deep := strings.Repeat("x/", 300)
	t.MkdirAll(deep, 0o755)
	t.Lstat(deep)
	t.Lstat(deep + strings.Repeat("../", 300))
	t.Lstat(deep + strings.Repeat("../", 299))
	t.Lstat(deep + "../../x/../x")
	t.RemoveAll("x")
	t.Dump()
}

func rootOpen(t *T) {
	t.Fresh("OpenFile on a directory and its slash", "d/", "f: f", "ld -> d", "lf -> f", "ldd -> ld/", "dang -> x/")
	for _, flag := range []int{os.O_RDONLY, os.O_WRONLY, os.O_RDWR | os.O_CREATE, os.O_CREATE | os.O_EXCL | os.O_WRONLY} {
		for _, p := range []string{"d", "d/", "f/", "ld", "ld/", "lf/", "ldd", "ldd/", "dang", "dang/", "new/", "."} {
			t.OpenFile(p, flag, 0o644).Close()
		}
	}
	t.Dump()
}

func rootFileNames(t *T) {
	t.Fresh("names of files", "f: x", "d/sub/g", "l -> d/sub/g", "ld -> d")
	for _, p := range []string{"f", "./f", "d/sub/g", "d//sub/g", "l", "ld/sub", "d/", ".", "d/../f"} {
		h := t.Open(p)
		h.Stat()
		h.Write("x")
		h.Truncate(-1)
		h.Close()
		h.Close()
	}
	t.OpenRoot("d", func() {
		h := t.Open("sub")
		for _, e := range h.Entries() {
			fi, err := e.Info()
			t.Logf("%s %s", t.info(fi), t.errText(err))
		}
		t.OpenRoot("sub", func() { t.Open("g").Stat() })
	})
	info, err := t.tree.Stat("f")
	t.Logf("%v %v", info.Name(), errors.Is(err, nil))
}

// rootSearchOnly shows that a Root opens each directory on the way, which
// takes more than the right to search.
func rootSearchOnly(t *T) {
	t.Fresh("search only", "x/d/f: f @666", "x/d @755", "x @711", "r/d/f @666", "r @744", "lx -> x/d/f", ". @755")
	t.As(someUser, func() {
		for _, p := range []string{"x", "x/d", "x/d/f", "x/missing", "x/..", "x/../x", "x/.", "x/", "r", "r/d", "r/d/f", "lx"} {
			t.Lstat(p)
			t.Stat(p)
			t.Open(p).Close()
			t.OpenRoot(p, nil)
			t.MkdirAll(p, 0o755)
		}
	})
}
