//go:build linux

package twin

import (
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"syscall"
	"time"
)

// ReportCases are what people reported as faults of other file systems in
// memory or in user space. Each names its sources (project and issue number)
// and tries the whole kind: other calls, other types of files, through
// handles and links, and, as far as os.Root has the calls, in confined views.
var ReportCases = slices.Concat(reportPathCases, reportRenameCases, reportDirCases, reportFileCases, reportModeCases, reportIOFSCases)

// reportPathCases are about how paths are walked.
var reportPathCases = []Case{
	{"reports/trailing-slash-on-a-file", Anywhere, Nothing, trailingSlash},
	{"reports/trailing-slash-on-both-names", Anywhere, Nothing, trailingSlashPairs},
	{"reports/view-beside-a-longer-name", Anywhere, Privilege, viewBesideLongerName},
	{"reports/create-through-a-dangling-link", Anywhere, Nothing, createThroughDangling},
	{"reports/no-follow", Anywhere, Nothing, noFollow},
	{"reports/link-loops-and-chains", Anywhere, Nothing, loopsAndChains},
}

// special makes a fifo, socket or device in the tree that the calls go to;
// os.Root has no call for it.
func (t *T) special(name string, mode fs.FileMode) {
	if t.inRoot {
		name = path.Join(rootDir, name)
	}
	t.Mknod(name, mode|0o644, 0)
}

// renameOver is Rename without the check of package os that keeps it from
// replacing a directory, which os.Root has not.
func (t *T) renameOver(oldname, newname string) error {
	if t.inRoot {
		return t.Rename(oldname, newname)
	}
	return t.RenameFlags(oldname, newname, 0)
}

// calls are those of reads and writes that the tree has.
func (t *T) calls() []pathCall {
	return slices.DeleteFunc(slices.Concat(reads, writes), func(c pathCall) bool { return !c.fits(t) })
}

// changes tells whether a call, if it succeeds, changes the tree.
func (c pathCall) changes() bool {
	return !slices.ContainsFunc(reads, func(r pathCall) bool { return r.name == c.name })
}

// opensSpecial tells whether package os opens a fifo or socket as if it were a
// directory on its way to name: it waits for a writer of the one, and gets
// ENXIO for the other.
func (c pathCall) opensSpecial(name string) bool {
	return c.name == "RemoveAll" && (strings.Contains(name, "fifo/") || strings.HasPrefix(name, "socket/"))
}

// trailingSlash: a slash behind a name asks for a directory, whatever the call
// and the type of the file. emscripten-core/emscripten 26710;
// pytest-dev/pyfakefs 407 and 307.
func trailingSlash(t *T) {
	layout := []string{"f: text", "d/f", "e/", "lf -> f", "ld -> d", "llf -> lf", "le -> e", "dang -> none", "lslash -> f/", "newslash -> none/", "self -> self"}
	var names []string
	for _, n := range []string{"f", "fifo", "socket", "lf", "ld", "llf", "le", "lfifo", "dang", "lslash", "newslash", "self", "new", "d", "e", "d/f", "ld/f", "d/new"} {
		for _, end := range []string{"/", "//", "/.", "/./", "/..", "/x", "/../" + n + "/"} {
			if n == "fifo" && strings.HasPrefix(end, "/../") {
				continue
			}
			names = append(names, n+end)
		}
	}
	fill := func() {
		t.special("fifo", fs.ModeNamedPipe)
		t.special("socket", fs.ModeSocket)
		t.must(t.tree.Symlink("fifo", "lfifo"))
	}
	for _, c := range t.calls() {
		t.tableOf(c.name, layout, fill, len(names), func(i int) bool {
			return !c.opensSpecial(names[i]) && c.call(t, names[i]) == nil && c.changes()
		})
	}
	for _, flag := range []int{
		os.O_WRONLY, os.O_RDWR | os.O_CREATE, os.O_RDONLY | os.O_CREATE | os.O_EXCL, os.O_WRONLY | os.O_TRUNC, os.O_RDONLY | syscall.O_DIRECTORY,
		os.O_RDONLY | syscall.O_NOFOLLOW, os.O_RDONLY | syscall.O_NOFOLLOW | syscall.O_DIRECTORY, os.O_WRONLY | os.O_CREATE | os.O_APPEND,
	} {
		t.tableOf(flagText(flag), layout, fill, len(names), func(i int) bool {
			return opened(t.OpenFile(names[i], flag, 0o644)) == nil && flag&(os.O_CREATE|os.O_TRUNC) != 0
		})
	}
}

// tableOf is Table for trees that have more in them than a layout can say.
func (t *T) tableOf(title string, layout []string, fill func(), n int, call func(i int) (changed bool)) {
	clean := false
	for i := 0; i < n; i += tableStep() {
		if !clean {
			t.Fresh(title, layout...)
			fill()
		}
		clean = !t.Choose(call(i))
		if !clean {
			t.Dump()
		}
	}
	if clean {
		t.Dump()
	}
}

// trailingSlashPairs: the same where a call takes two names.
func trailingSlashPairs(t *T) {
	layout := []string{"f: text", "g: other", "d/x", "e/", "lf -> f", "ld -> d", "le -> e", "dang -> none"}
	names := []string{"f", "f/", "g/", "fifo", "fifo/", "d", "d/", "d/.", "e/", "e/.", "lf", "lf/", "ld/", "le", "le/", "dang", "dang/", "new", "new/", "new/."}
	type pairCall struct {
		name string
		mode Mode
		call func(from, to string) error
	}
	for _, c := range []pairCall{
		{"Rename", Anywhere, t.Rename},
		{"Link", Anywhere, t.Link},
		{"Symlink", Anywhere, t.Symlink},
		{"RenameFlags 0", InSystem, func(from, to string) error { return t.RenameFlags(from, to, 0) }},
		{"RenameFlags no-replace", InSystem, func(from, to string) error { return t.RenameFlags(from, to, 1) }},
		{"RenameFlags exchange", InSystem, func(from, to string) error { return t.RenameFlags(from, to, 2) }},
	} {
		if !(pathCall{mode: c.mode}).fits(t) {
			continue
		}
		for _, from := range names {
			t.tableOf(c.name+" from "+from, layout, func() { t.special("fifo", fs.ModeNamedPipe) }, len(names), func(i int) bool {
				return c.call(from, names[i]) == nil
			})
		}
	}
}

// viewBesideLongerName: a view of "box" is confined by the directory, not by
// the text of its path, so that "box-2" beside it is out of reach.
// spf13/afero 513 and 88 (BasePathFs).
func viewBesideLongerName(t *T) {
	layout := []string{
		"box/f: inside", "box/d/g: deeper", "box/out -> ../box-2/s", "box/outdir -> ../box-2", "box/outnew -> ../box-2/new", "box/abs -> /box/f",
		"box/abs2 -> /box-2/s", "box/in -> f", "box/indir -> d", "box/back -> ../box/f", "box/d/up -> ../f", "box/d/upup -> ../../box-2/s",
		"box-2/s: secret", "box-2/f: secret f", "boxes/s: another", "box2 -> box", "b/s: shorter",
	}
	names := []string{
		"../box-2/s", "../box-2", "../box", "../box/f", "../boxes/s", "../box2/f", "../b/s", "..", "../", "../.", "-2/s", "out", "outdir", "outdir/s", "outnew", "abs", "abs2",
		"/f", "/box/f", "/box-2/s", "/", "d/../../box-2/s", "d/../../box/f", "d/up", "d/upup", "d/../f", "in", "indir/g", "indir/../f", "indir/../../box-2/s", "back", "f", "d/g", "new",
	}
	for _, view := range []string{"box", "box/", "box2", "box/d/.."} {
		for _, c := range slices.Concat(reads, writes) {
			if c.mode&InRoot == 0 {
				continue
			}
			t.Table(c.name+" in "+view, layout, len(names), func(i int) (changed bool) {
				t.OpenRoot(view, func() { changed = c.call(t, names[i]) == nil && c.changes() })
				return changed
			})
		}
	}
	for _, from := range []string{"f", "out", "../box-2/s", "in"} {
		t.Table("Rename and Link "+from, layout, len(names), func(i int) (changed bool) {
			t.OpenRoot("box", func() {
				changed = t.Link(from, names[i]) == nil
				changed = t.Rename(from, names[i]) == nil || changed
			})
			return changed
		})
	}
	t.Fresh("the names change places", layout...)
	base := ""
	if t.InRoot() {
		base = rootDir + "/"
	}
	t.OpenRoot("box", func() {
		t.must(t.sys.Rename(base+"box", base+"box-3"))
		t.must(t.sys.Rename(base+"box-2", base+"box"))
		for _, n := range names {
			t.ReadFile(n)
			t.Lstat(n)
		}
		t.WriteFile("made", "in box-3", 0o644)
		t.WriteFile("../made", "outside", 0o644)
	})
	t.Dump()
}

// createThroughDangling: creation goes through a link to nothing unless it is
// exclusive; exclusive without create means nothing. emscripten 23001;
// pytest-dev/pyfakefs 263; spf13/afero 415 and 244.
func createThroughDangling(t *T) {
	layout := []string{
		"f: kept", "d/f: in d", "lf -> f", "llf -> lf", "ld -> d", "dang -> target", "two -> dang", "far -> d/target", "deep -> none/target", "viadir -> ld/target",
		"d/up -> ../target", "slash -> target/", "dot -> target/.", "self -> self", "through -> f/target",
	}
	names := []string{"dang", "two", "far", "deep", "viadir", "d/up", "ld/up", "slash", "dot", "self", "through", "f", "lf", "llf", "ld", "d", "new"}
	for _, access := range []int{os.O_RDONLY, os.O_WRONLY, os.O_RDWR} {
		for _, extra := range flagSets(os.O_CREATE, os.O_EXCL, os.O_TRUNC, syscall.O_NOFOLLOW) {
			flag := access | extra
			t.Table(flagText(flag), layout, len(names), func(i int) bool {
				h := t.OpenFile(names[i], flag, 0o640)
				h.Write("new")
				h.Stat()
				h.Close()
				return h.OK() && flag != os.O_RDONLY
			})
		}
	}
	for _, c := range t.calls() {
		t.Table(c.name, layout, len(names), func(i int) bool { return c.call(t, names[i]) == nil && c.changes() })
	}
	if !t.InRoot() {
		t.Table("Mknod", layout, len(names), func(i int) bool { return t.Mknod(names[i], 0o644, 0) == nil })
		t.Table("Mkfifo", layout, len(names), func(i int) bool { return t.Mknod(names[i], fs.ModeNamedPipe|0o644, 0) == nil })
	}
}

// noFollow: the flag concerns the last name only, and a link found there is
// ELOOP, or ENOTDIR where a directory is asked for. pytest-dev/pyfakefs 972.
func noFollow(t *T) {
	layout := []string{"f: text", "d/f: in d", "d/l -> f", "lf -> f", "ld -> d", "lld -> ld", "dang -> none", "self -> self", "lds -> d/", "e/"}
	names := []string{
		"lf", "ld", "lld", "dang", "self", "lds", "lf/", "ld/", "ld/.", "ld/..", "lld/", "dang/", "self/", "lds/", "ld/f", "ld/l", "d/l", "lld/f", "ld/../lf", "ld/../f", "f", "d", "f/", "d/", "new", "ld/new", ".", "d/..",
	}
	for _, extra := range flagSets(os.O_CREATE, os.O_EXCL, os.O_TRUNC, os.O_APPEND, syscall.O_DIRECTORY) {
		for _, access := range []int{os.O_RDONLY, os.O_RDWR} {
			flag := access | extra | syscall.O_NOFOLLOW
			t.Table(flagText(flag), layout, len(names), func(i int) bool {
				h := t.OpenFile(names[i], flag, 0o644)
				h.Stat()
				h.Close()
				return h.OK() && extra != 0
			})
		}
	}
}

// loopsAndChains: forty links are followed and not one more, in whatever place
// they are, and a loop is no obstacle for calls about the link itself.
// pytest-dev/pyfakefs 972.
func loopsAndChains(t *T) {
	layout := slices.Concat([]string{"f: end", "d/f: in d", "a -> b", "b -> a", "self -> self", "three -> four", "four -> five", "five -> three", "d/out -> ../d/out/x"}, chain("c", "f", 42), chain("k", "d", 42))
	names := []string{"a", "b", "self", "three", "d/out", "c39", "c40", "c41", "c42", "k39/f", "k40/f", "k41/f", "k40", "k41", "k40/", "k41/", "k20/../c20", "k20/../c21", "k39/../c1", "k40/../c1", "k40/new", "k41/new", "self/new"}
	for _, c := range t.calls() {
		t.Table(c.name, layout, len(names), func(i int) bool { return c.call(t, names[i]) == nil && c.changes() })
	}
	t.Fresh("the link itself", layout...)
	for _, n := range []string{"a", "self", "three", "c41"} {
		t.Link(n, "h"+n)
		t.Lchown(n, -1, os.Getgid())
		t.Rename(n, "r"+n)
		t.Readlink("r" + n)
		t.Lstat("h" + n)
		t.Remove("r" + n)
		t.Remove("h" + n)
	}
	t.Dump()
	t.Fresh("texts", "d/")
	for _, n := range []int{0, 1, 4094, 4095, 4096, 8192} {
		for _, name := range []string{"l", "d/l", "missing/l", "l/l"} {
			t.Symlink(strings.Repeat("x", n), name)
			t.Readlink(name)
			t.Lstat(name)
			t.Stat(name)
			t.Remove(name)
		}
	}
	t.Chtimes("d", time.Time{}, oldMtime)
	t.Dump()
}
