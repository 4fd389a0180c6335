//go:build linux

package twin

import (
	"io/fs"
	"os"
	"strings"
	"testing/fstest"
	"time"
)

// PathCases make every call that takes one path with paths of every form to
// targets of every kind.
var PathCases = []Case{
	{"path/relative", Anywhere, Nothing, func(t *T) { pathTable(t, relativePaths) }},
	{"path/dotdot", Anywhere, Privilege, func(t *T) { pathTable(t, dotdotPaths) }},
	{"path/absolute", Anywhere, Privilege, func(t *T) { pathTable(t, absolutePaths) }},
	{"path/long", Anywhere, Nothing, func(t *T) { pathTable(t, longPaths) }},
	{"path/chdir", InSystem, Privilege, chdirCase},
	{"path/chdir-removed", InSystem, Privilege, chdirRemovedCase},
}

// kinds is a small tree with a name of every kind.
var kinds = []string{
	"f: hello", "d/f", "d/sub/g", "e/", "hf == f",
	"lf -> f", "ld -> d", "le -> e", "lld -> ld", "ldf -> d/f", "lback -> d/../f",
	"dang -> nowhere", "deep -> no/such", "thru -> f/x",
	"self -> self", "ping -> pong", "pong -> ping",
	"ldot -> .", "lds -> d/", "lfs -> f/", "lns -> nowhere/",
}

// kindsAbs has links that leave a Root, or start at the root directory.
var kindsAbs = append([]string{
	"abs -> /d/f", "absd -> /", "absn -> /nowhere", "up -> ..", "upf -> ../f", "dup -> d/../..",
	"../f: outside", "../d/f: outside", "../outside: outside", "lout -> ../outside", "loutn -> ../new",
}, kinds...)

var relativePaths = []string{
	"f", "f/", "f//", "f/.", "f/..", "f/x", "f/x/",
	"missing", "missing/", "missing/.", "missing/..", "missing/x", "missing/../f",
	"d", "d/", "d//", "d/.", "d/f", "d//f", "d/./f", "d/f/", "d/sub", "d/sub/", "d/sub/..", "d/..", "d/../f", "d/../e/",
	"d/missing", "d/missing/", ".", "./", "./.", "./f", ".//f", "",
	"e", "e/", "e/.", "e/..", "e/../e",
	"lf", "lf/", "lf/.", "lf/x", "ld", "ld/", "ld/.", "ld/f", "ld/missing", "ld/..", "ld/../f", "le", "le/", "lld", "lld/", "ldf", "lback",
	"dang", "dang/", "dang/.", "dang/x", "deep", "deep/", "thru",
	"self", "self/", "self/x", "ping", "ping/",
	"ldot", "ldot/", "ldot/f", "lds", "lds/", "lds/f", "lfs", "lfs/", "lns", "lns/",
	"hf", "f\x00x", "\x00", "d/\x00", "\xff\xfe", "new\n", "d/...", "..x", "x..",
}

var dotdotPaths = []string{
	"..", "../", "../f", "../outside", "../missing", "d/../..", "d/../../f", "ld/../..", "e/../../outside",
	"up", "up/", "up/f", "upf", "dup", "lout", "lout/", "loutn", "loutn/", "../R/f", "../R", "../R/missing",
	"missing/../..", "f/../..", "lf/../..", "dang/../..",
}

var absolutePaths = []string{
	"/" + strings.Repeat("/", 4000) + "f",
	"/", "//", "/.", "/..", "/f", "/f/", "/d", "/d/", "/d/f", "/missing", "/missing/x", "//f", "/d/../f", "/lf", "/ld/f",
	"abs", "abs/", "absd", "absd/", "absd/f", "absd/missing", "absn", "absn/", "/absn",
}

// longPaths are at the limits of names and paths.
var longPaths = []string{
	strings.Repeat("n", 255), strings.Repeat("n", 256), strings.Repeat("n", 255) + "/", strings.Repeat("n", 256) + "/",
	"d/" + strings.Repeat("n", 255), "d/" + strings.Repeat("n", 256), "f/" + strings.Repeat("n", 256), "missing/" + strings.Repeat("n", 256),
	strings.Repeat("n", 256) + "/..", strings.Repeat("n", 256) + "/../f",
	strings.Repeat("é", 127), strings.Repeat("é", 128),
	strings.Repeat("./", 2047) + "f", strings.Repeat("./", 2047) + ".f", strings.Repeat("./", 2048) + "f",
	strings.Repeat("./", 2045) + "d/n",
	strings.Repeat("d/../", 8) + "f", strings.Repeat("d/../", 200) + "f",
	strings.Repeat("d/../", 200) + "new", strings.Repeat("d/", 300), strings.Repeat("d/sub/../../", 80) + "d",
	strings.Repeat("ldot/", 7) + "f", strings.Repeat("ldot/", 8) + "f", strings.Repeat("ldot/", 9) + "f",
	strings.Repeat("ldot/", 40) + "f", strings.Repeat("ldot/", 41) + "f", strings.Repeat("ldot/", 40) + "new", strings.Repeat("ldot/", 39) + "lf",
	strings.Repeat("ldot/", 40) + "lf",
}

// pathCall is a call with one path.
type pathCall struct {
	name string
	mode Mode
	call func(t *T, p string) error
}

// small is what CopyFS copies in the path tables.
var small = fstest.MapFS{
	"c":   {Data: []byte("copied"), Mode: 0o751},
	"s/c": {Data: []byte("copied too"), Mode: 0o400},
}

// reads are the calls that change nothing but access times.
var reads = []pathCall{
	{"Open", Anywhere, func(t *T, p string) error {
		h := t.Open(p)
		h.Read(3)
		h.Stat()
		h.Readdirnames(-1)
		h.Close()
		return nil
	}},
	{"Stat", Anywhere, (*T).Stat},
	{"Lstat", Anywhere, (*T).Lstat},
	{"Readlink", Anywhere, (*T).Readlink},
	{"ReadFile", Anywhere, (*T).ReadFile},
	{"ReadDir", InSystem, (*T).ReadDir},
	{"OpenRoot", Anywhere, func(t *T, p string) error {
		return t.OpenRoot(p, func() {
			t.Lstat(".")
			t.Lstat("f")
			t.Lstat("..")
		})
	}},
}

// writes are the calls that change the tree if they succeed.
var writes = []pathCall{
	{"Create", Anywhere, func(t *T, p string) error { return opened(t.Create(p)) }},
	{"OpenFile-excl", Anywhere, func(t *T, p string) error {
		return opened(t.OpenFile(p, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o640))
	}},
	{"WriteFile", Anywhere, func(t *T, p string) error { return t.WriteFile(p, "written", 0o604) }},
	{"Mkdir", Anywhere, func(t *T, p string) error { return t.Mkdir(p, 0o777) }},
	{"MkdirAll", Anywhere, func(t *T, p string) error { return t.MkdirAll(p, 0o777) }},
	{"Remove", Anywhere, (*T).Remove},
	{"RemoveAll", Anywhere, (*T).RemoveAll},
	{"Chmod", Anywhere, func(t *T, p string) error { return t.Chmod(p, 0o700) }},
	{"Chown", Anywhere, func(t *T, p string) error { return t.Chown(p, os.Getuid(), os.Getgid()) }},
	{"Lchown", Anywhere, func(t *T, p string) error { return t.Lchown(p, -1, os.Getgid()) }},
	{"Chtimes", Anywhere, func(t *T, p string) error {
		if err := t.Chtimes(p, oldAtime, oldMtime); err != nil {
			return err
		}
		t.Times(p)
		return nil
	}},
	{"Symlink", Anywhere, func(t *T, p string) error { return t.Symlink("text", p) }},
	{"Link-to", Anywhere, func(t *T, p string) error { return t.Link("f", p) }},
	{"Link-from", Anywhere, func(t *T, p string) error { return t.Link(p, "made") }},
	{"Rename-from", Anywhere, func(t *T, p string) error { return t.Rename(p, "made") }},
	{"Rename-file-to", Anywhere, func(t *T, p string) error { return t.Rename("d/f", p) }},
	{"Rename-dir-to", Anywhere, func(t *T, p string) error { return t.Rename("e", p) }},
	{"Truncate", InSystem, func(t *T, p string) error { return t.Truncate(p, 3) }},
	{"MkdirTemp", InSystem, func(t *T, p string) error {
		if p == "" {
			return nil // the directory of the environment
		}
		if t.MkdirTemp(p, "a*b") == "" {
			return errFailed
		}
		return nil
	}},
	{"CreateTemp", InSystem, func(t *T, p string) error {
		if p == "" {
			return nil
		}
		return opened(t.CreateTemp(p, "a*b"))
	}},
	{"CopyFS", InSystem, func(t *T, p string) error {
		if p == "" && os.Geteuid() != 0 {
			return nil // which is the root directory
		}
		t.CopyFS(p, small)
		return nil
	}},
	{"OpenRoot-Mkdir", Anywhere, func(t *T, p string) error {
		return t.OpenRoot(p, func() { t.Mkdir("made", 0o755) })
	}},
}

// errFailed stands for a failure that was written down already.
var errFailed = fs.ErrInvalid

// opened closes h and tells whether it was open.
func opened(h *Handle) error {
	if !h.OK() {
		return errFailed
	}
	h.Close()
	return nil
}

func (c pathCall) fits(t *T) bool {
	if t.InRoot() {
		return c.mode&InRoot != 0
	}
	return c.mode&InSystem != 0
}

func pathTable(t *T, paths []string) {
	layout := kinds
	if paths[0][0] == '/' || strings.HasPrefix(paths[0], "..") {
		layout = kindsAbs
	}
	for _, c := range reads {
		if c.fits(t) {
			t.Table(c.name, layout, len(paths), func(i int) bool { c.call(t, paths[i]); return false })
		}
	}
	for _, c := range writes {
		if c.fits(t) {
			t.Table(c.name, layout, len(paths), func(i int) bool { return c.call(t, paths[i]) == nil })
		}
	}
}

func chdirCase(t *T) {
	for _, p := range append(append([]string{}, relativePaths...), absolutePaths...) {
		t.Fresh("chdir "+quote(p), kindsAbs...)
		if t.Chdir(p) != nil {
			continue
		}
		t.Getwd()
		t.Lstat(".")
		t.Lstat("..")
		t.Stat("f")
		t.Mkdir("here", 0o755)
		t.Lstat("/d/here")
		t.Chdir("..")
		t.Getwd()
	}
	t.Fresh("handle", "d/sub/f", "f", "ld -> d")
	t.Open("d/sub").Chdir()
	t.Getwd()
	t.ReadFile("f")
	t.Open("f").Chdir()
	t.Open("/ld").Chdir()
	t.Getwd()
	t.OpenRoot("sub", func() { t.Lstat("f"); t.Lstat(".") })
	t.Rename("/d", "/moved")
	t.Getwd()
	t.ReadDir(".")
	t.WriteFile("new", "x", 0o644)
	t.Chdir("/")
	t.Dump()
}

func chdirRemovedCase(t *T) {
	t.Fresh("removed", "d/sub/", "f")
	t.Chdir("d/sub")
	t.Remove("/d/sub")
	t.Getwd()
	t.Lstat(".")
	t.Lstat("..")
	t.Stat("../../f")
	t.ReadDir(".")
	t.WriteFile("x", "x", 0o644)
	t.Mkdir("x", 0o755)
	t.Symlink("x", "x")
	t.Link("/f", "x")
	t.Rename("/f", "x")
	t.Lstat("x")
	t.Remove("x")
	t.Remove(".")
	t.Open(".").Readdirnames(-1)
	t.Chtimes(".", time.Time{}, oldMtime)
	t.Chmod(".", 0o700)
	t.Lstat(".")
	t.Chdir("..")
	t.Getwd()
	t.Chdir("/")
	t.Dump()
}
