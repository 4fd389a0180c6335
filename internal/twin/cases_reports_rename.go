//go:build linux

package twin

import (
	"fmt"
	"io/fs"
	"strings"
)

// reportRenameCases are about renaming.
var reportRenameCases = []Case{
	{"reports/directory-below-itself", Anywhere, Nothing, directoryBelowItself},
	{"reports/working-directory-below-itself", InSystem, Privilege, workingDirBelowItself},
	{"reports/rename-across-types", Anywhere, Privilege, renameAcrossTypes},
	{"reports/exchange-of-types", InSystem, Privilege, exchangeOfTypes},
	{"reports/exchange-links-and-parents", InSystem, Privilege, exchangeLinksAndParents},
	{"reports/no-replace", InSystem, Privilege, noReplace},
	{"reports/names-with-a-common-prefix", Anywhere, Nothing, commonPrefix},
}

// directoryBelowItself: a directory cannot become its own descendant, nor
// replace one of its ancestors. pytest-dev/pyfakefs 216; emscripten 15943.
func directoryBelowItself(t *T) {
	deep := strings.Repeat("n/", 40)
	layout := []string{"d/x/y/f: keep", "d/x/e/", "e/", "d/" + deep, "ld -> d", "lx -> d/x", "d/back -> ../d", "d/x/lup -> ../.."}
	targets := []string{
		"d/n2", "d/x", "d/x/n2", "d/x/y", "d/x/y/n2", "d/x/y/f", "d/x/y/f/n2", "d/x/e", "d/x/e/", "d/" + deep + "m", "ld/n2", "lx/n2", "d/back/n2", "d/back/x/n2",
		"d/x/lup/d/n2", "d/", "d/.", "d/x/..", "./d", "d//", "ld", "e/../d/n2", "d/missing/n2", "d/x/y/../../n2", "e", "e/d",
	}
	calls := map[string]func(from, to string) error{"Rename": t.Rename}
	order := []string{"Rename"}
	if !t.InRoot() {
		for flags := range uint(3) {
			name := fmt.Sprint("RenameFlags ", flags)
			order = append(order, name)
			calls[name] = func(from, to string) error { return t.RenameFlags(from, to, flags) }
		}
	}
	for _, name := range order {
		t.Table(name+" down", layout, len(targets), func(i int) bool { return calls[name]("d", targets[i]) == nil })
		t.Table(name+" by a link", layout, len(targets), func(i int) bool { return calls[name]("d/x/lup/d", targets[i]) == nil })
		t.Table(name+" up", layout, len(targets), func(i int) bool { return calls[name](targets[i], "d") == nil })
		t.Table(name+" up two", layout, len(targets), func(i int) bool { return calls[name](targets[i], ".") == nil })
	}
	t.Fresh("after a move", layout...)
	h := t.Open("d/x/y")
	t.Rename("d/x", "e/x") // so that e is above y now, and d is not
	t.Rename("e", "e/x/y/e")
	t.Rename("d", "e/x/y/d")
	t.Rename("e", "e/x/y/d/e")
	t.Rename("e/x/y/d", "d")
	t.Rename("e", "d/e")
	t.Rename("d", "d/e/x/y/d")
	h.Readdirnames(-1)
	t.Lstat("d/e/x/y/../../..")
	t.Dump()
}

// workingDirBelowItself: the same with names that begin inside the directory.
func workingDirBelowItself(t *T) {
	for _, wd := range []string{"d", "d/x", "d/x/y", "ld/x"} {
		t.Fresh("in "+wd, "d/x/y/f: keep", "e/", "ld -> d")
		t.Chdir(wd)
		for _, pair := range [][2]string{
			{"/d", "n"}, {"/d", "./n"}, {".", "n"}, {"../x", "n"}, {"../../d", "n"}, {"..", "n"}, {"/d", "../e"}, {"/d/x", "../x/n"}, {"/e", "."}, {"y", ".."}, {"y/", "../../d"},
			{"../../d", "/e/d"}, {"/e", "n"},
		} {
			t.Rename(pair[0], pair[1])
			t.RenameFlags(pair[0], pair[1], 2)
			t.Getwd()
		}
		t.Chdir("/")
		t.Dump()
	}
}

// typeLayout and typeSpecials make a file of each type under the names of
// typeNames, and once more with a 2 behind.
var (
	typeNames  = []string{"file", "hard", "empty", "full", "lfile", "lempty", "lfull", "dang", "fifo", "socket", "char"}
	typeLayout = []string{
		"file: text", "hard == file", "empty/", "full/x", "lfile -> file", "lempty -> empty", "lfull -> full", "dang -> none",
		"file2: other", "hard2 == file", "empty2/", "full2/x", "lfile2 -> file2", "lempty2 -> empty2", "lfull2 -> full2", "dang2 -> none2",
	}
)

func typeSpecials(t *T) {
	for _, end := range []string{"", "2"} {
		t.special("fifo"+end, fs.ModeNamedPipe)
		t.special("socket"+end, fs.ModeSocket)
		t.special("char"+end, fs.ModeDevice|fs.ModeCharDevice)
	}
}

// typeMatrix makes a call with each type, and each type of what is there.
func typeMatrix(t *T, title string, call func(from, to string) error) {
	for _, from := range typeNames {
		t.tableOf(title+" "+from, typeLayout, func() { typeSpecials(t) }, len(typeNames), func(i int) bool {
			return call(from, typeNames[i]+"2") == nil
		})
	}
}

// renameAcrossTypes: what is replaced must be of the same kind, and links are
// replaced, not followed. pytest-dev/pyfakefs 232; unikraft 1905.
func renameAcrossTypes(t *T) {
	typeMatrix(t, "Rename", t.Rename)
	typeMatrix(t, "Link", t.Link)
	if t.InRoot() {
		return
	}
	typeMatrix(t, "renameat2", func(from, to string) error { return t.RenameFlags(from, to, 0) })
	for _, kind := range []string{"file", "empty", "full", "lfull", "dang", "fifo"} {
		t.Fresh("handles of both, "+kind, typeLayout...)
		typeSpecials(t)
		for _, to := range []string{"lfull2", "empty2", "full2", "file2"} {
			was := t.Open(strings.TrimPrefix(to, "l"))
			t.RenameFlags(kind, to, 0)
			was.Stat()
			was.Readdirnames(-1)
			t.Lstat(to)
			t.Stat("full2/x")
		}
		t.Dump()
	}
}

// exchangeOfTypes: any two files can change places.
// google/gvisor 14221.
func exchangeOfTypes(t *T) {
	typeMatrix(t, "exchange", func(from, to string) error { return t.RenameFlags(from, to, 2) })
	t.Table("both flags", typeLayout, len(typeNames), func(i int) bool { return t.RenameFlags("file", typeNames[i], 3) == nil })
}

// exchangeLinksAndParents: an exchange between directories moves the links
// that subdirectories count for, and "..". google/gvisor 14221.
func exchangeLinksAndParents(t *T) {
	layout := []string{"p/d/sub/x: x", "p/d2/", "q/f: text", "q/e/", "q/deep/er/g: g", "lp -> p", "lq -> q/f"}
	for _, pair := range [][2]string{
		{"p/d", "q/f"}, {"q/f", "p/d"}, {"p/d", "q/e"}, {"p/d", "q/deep/er"}, {"p/d", "p/d2"}, {"p/d", "q/deep/er/g"}, {"p/d", "lq"}, {"p", "q"}, {"p", "lp"}, {"p/d/sub/x", "q/f"},
		{"p/d", "q/missing"}, {"q/missing", "p/d"}, {"p", "p/d/sub"}, {"p/d/sub", "p"}, {"p/d/sub/x", "p"}, {"q", "q/deep/er"}, {"p/d", "p/d"}, {"lp/d", "q/f"}, {"lp/d", "p/d2"},
	} {
		t.Fresh(pair[0]+" and "+pair[1], layout...)
		for _, n := range []string{"p/d/sub/x", "q/f", "q/e", "q/deep/er/g"} {
			t.Stat(n)
		}
		d, f, top := t.Open(pair[0]), t.Open(pair[1]), t.Open("p")
		top.Readdirnames(1)
		t.OpenRoot("p/d", func() {
			t.RenameFlags(pair[0], pair[1], 2)
			t.Lstat("sub/x")
			t.Lstat("..")
			t.WriteFile("made", "through the view", 0o644)
		})
		for _, n := range []string{"p", "q", "q/deep", "p/d", "p/d/..", "q/f/..", "q/e/..", "q/deep/er/..", "q/f/sub/../..", "p/d/sub/x", "q/f/sub/x", "q/deep/er/sub/../../..", "p/f", "lq"} {
			t.Stat(n)
		}
		d.Stat()
		d.Readdirnames(-1)
		f.Stat()
		f.Read(10)
		t.Dump()
		t.RenameFlags(pair[0], pair[1], 2)
		t.Dump()
	}
	t.Fresh("a working directory is exchanged", layout...)
	t.Chdir("p/d/sub")
	t.RenameFlags("/p/d", "/q/deep/er", 2)
	t.Getwd()
	t.Stat("../g")
	t.Stat("x")
	t.RenameFlags("..", "../../e", 2)
	t.RenameFlags("../../er", "../../../e", 2)
	t.Getwd()
	t.RenameFlags(".", "/q/f", 2)
	t.RenameFlags("/q/f", "../sub", 2)
	t.Getwd()
	t.Chdir("/")
	t.Dump()
}

// noReplace: with that flag a name that is there stays, whatever it is.
// google/gvisor 14221.
func noReplace(t *T) {
	typeMatrix(t, "no-replace", func(from, to string) error { return t.RenameFlags(from, to, 1) })
	t.tableOf("onto nothing", typeLayout, func() { typeSpecials(t) }, len(typeNames), func(i int) bool {
		return t.RenameFlags(typeNames[i], "new", 1) == nil
	})
	t.tableOf("onto itself", typeLayout, func() { typeSpecials(t) }, len(typeNames), func(i int) bool {
		return t.RenameFlags(typeNames[i], typeNames[i], 1) == nil
	})
}

// commonPrefix: a call on a name leaves alone names that begin with it.
// src-d/go-billy 73; spf13/afero 329; spf13/afero 513.
func commonPrefix(t *T) {
	layout := []string{
		"report: r", "report.md: rm", "report.md.sig: rms", "lib/a: a", "lib/sub/b: b", "libs/a: s", "lib-2/a: 2", "lib.d/sub/b: d", "li/a: i", "lib x/a: x", "lib\xff/a: ff",
		"deep/lib/a: da", "deep/libs/a: ds", "l -> lib", "ls -> libs",
	}
	warm := []string{"lib/a", "lib/sub/b", "libs/a", "lib-2/a", "lib.d/sub/b", "li/a", "lib x/a", "lib\xff/a", "deep/lib/a", "deep/libs/a", "l/a", "ls/a", "report", "report.md"}
	for _, c := range []struct {
		name string
		do   func()
	}{
		{"rename files", func() {
			for _, n := range []string{"report", "report.md", "report.md.sig"} {
				t.Rename(n, "old-"+n)
				t.ReadFile("old-" + n)
			}
		}},
		{"rename files backwards", func() {
			for _, n := range []string{"report.md.sig", "report.md", "report"} {
				t.Rename(n, n+".old")
			}
		}},
		{"rename to and fro", func() { t.Rename("lib", "lib.old"); t.Lstat("lib/a"); t.Rename("lib.old", "lib") }},
		{"rename to a longer name that is there", func() { t.renameOver("lib", "libs") }},
		{"rename to a shorter name", func() { t.RemoveAll("li"); t.Rename("lib", "li") }},
		{"rename into one that begins alike", func() { t.Rename("lib", "libs/lib"); t.Rename("libs/lib", "lib-2/lib") }},
		{"exchange", func() {
			if !t.InRoot() {
				t.RenameFlags("lib", "libs", 2)
				t.RenameFlags("libs", "deep/lib", 2)
			}
		}},
		{"remove", func() { t.Remove("lib/a"); t.RemoveAll("lib/sub"); t.Remove("lib") }},
		{"remove all", func() { t.RemoveAll("lib") }},
		{"remove all with a slash", func() { t.RemoveAll("lib/") }},
		{"remove all of a file", func() { t.RemoveAll("report") }},
		{"remove all of a missing shorter name", func() { t.RemoveAll("lib-"); t.RemoveAll("rep"); t.RemoveAll("lib/su") }},
		{"make again", func() { t.RemoveAll("lib"); t.Mkdir("lib", 0o700); t.WriteFile("lib/a", "again", 0o600) }},
		{"make all", func() { t.MkdirAll("lib-/x", 0o755); t.MkdirAll("lib/sub-/x", 0o755); t.MkdirAll("report/x", 0o755) }},
		{"chmod", func() { t.Chmod("lib", 0o711); t.Chmod("report", 0o600) }},
		{"link", func() { t.Link("report", "report."); t.Link("report", "repor") }},
		{"view", func() { t.OpenRoot("lib", func() { t.RemoveAll("sub"); t.Rename("a", "aa"); t.Lstat("../libs/a") }) }},
	} {
		t.Fresh(c.name, layout...)
		for _, n := range warm {
			t.Stat(n)
		}
		c.do()
		for _, n := range warm {
			t.Stat(n)
		}
		t.Dump()
	}
}
