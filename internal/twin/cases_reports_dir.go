//go:build linux

package twin

import (
	"io/fs"
	"os"
	"slices"
	"strings"
	"syscall"
)

// reportDirCases are about directories that lose their names, and about
// directories where files are expected and the other way round.
var reportDirCases = []Case{
	{"reports/replaced-directory-stays-open", Anywhere, Nothing, replacedDirectory},
	{"reports/replaced-working-directory", InSystem, Privilege, replacedWorkingDir},
	{"reports/unlinked-file-and-its-directory", Anywhere, Nothing, unlinkedFile},
	{"reports/directory-where-a-file-belongs", Anywhere, Nothing, directoryAsFile},
	{"reports/file-where-a-directory-belongs", Anywhere, Nothing, fileAsDirectory},
}

// losses are ways in which b loses its name, or is moved: then it lives on.
var losses = []struct {
	name string
	mode Mode
	do   func(t *T)
}{
	{"replaced", Anywhere, func(t *T) { t.renameOver("a", "b") }},
	{"replaced from elsewhere", Anywhere, func(t *T) { t.renameOver("c/d", "b") }},
	{"removed", Anywhere, func(t *T) { t.Remove("b") }},
	{"removed with all in it", Anywhere, func(t *T) { t.RemoveAll("b") }},
	{"removed and made again", Anywhere, func(t *T) { t.Remove("b"); t.Mkdir("b", 0o755) }},
	{"removed and made again as a file", Anywhere, func(t *T) { t.Remove("b"); t.WriteFile("b", "file", 0o644) }},
	{"moved", Anywhere, func(t *T) { t.Rename("b", "c/moved") }},
	{"moved over another", Anywhere, func(t *T) { t.renameOver("b", "a") }},
	{"exchanged", InSystem, func(t *T) { t.RenameFlags("b", "c/d", 2) }},
	{"exchanged with a file", InSystem, func(t *T) { t.RenameFlags("b", "f", 2) }},
	{"parent moved", Anywhere, func(t *T) { t.Rename("b", "c/b"); t.Rename("c", "e") }},
}

func eachLoss(t *T, do func(lose func())) {
	for _, l := range losses {
		if !(pathCall{mode: l.mode}).fits(t) {
			continue
		}
		t.Fresh(l.name, "a/", "b/", "c/d/", "f: text")
		do(func() { l.do(t) })
	}
}

// replacedDirectory: an open directory can be looked at when its name is gone,
// but is empty and takes nothing in. One that was only moved is fully usable.
// hanwen/go-fuse 55.
func replacedDirectory(t *T) {
	eachLoss(t, func(lose func()) {
		h, again := t.Open("b"), t.Open("b")
		h.Stat()
		tree, inRoot := t.tree, t.inRoot
		t.OpenRoot("b", func() {
			view := t.tree
			t.tree, t.inRoot = tree, inRoot
			lose()
			t.tree, t.inRoot = view, true
			t.useDirectory() // in the view the names are relative to the directory itself
		})
		h.Stat()
		h.Readdirnames(-1)
		h.Readdirnames(1)
		h.SeekTo(0, 0)
		h.ReadDir(1)
		h.Chmod(0o711)
		h.Chown(-1, os.Getgid())
		h.Sync()
		again.Stat()
		again.Readdir(-1)
		again.Truncate(0)
		again.Close()
		h.Close()
		t.Dump()
	})
}

// useDirectory makes all kinds of files in the working directory, or view.
func (t *T) useDirectory() {
	t.Lstat(".")
	t.Open(".").Readdirnames(-1)
	t.WriteFile("x", "x", 0o644)
	t.OpenFile("y", os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600).Write("y")
	t.Mkdir("m", 0o755)
	t.MkdirAll("n/o", 0o755)
	t.Symlink("x", "l")
	t.Link("x", "h")
	t.Rename("x", "z")
	t.Lstat("x")
	t.Lstat("z")
	t.Open("missing")
	t.Remove("missing")
	t.RemoveAll("missing")
	t.RemoveAll("m")
	t.Chmod(".", 0o750)
	t.Open(".").Readdirnames(-1)
}

// replacedWorkingDir: the same from within, where ".." still leads somewhere.
func replacedWorkingDir(t *T) {
	eachLoss(t, func(lose func()) {
		h := t.Open("b")
		lose()
		h.Chdir()
		t.Getwd()
		t.useDirectory()
		t.Lstat("..")
		t.Stat("../f")
		t.Rename("/f", "in")
		t.Link("/f", "in2")
		t.Mknod("p", fs.ModeNamedPipe|0o644, 0)
		t.RenameFlags("/c", "p", 2)
		t.MkdirTemp(".", "t")
		t.Chdir(".")
		t.Chdir("..")
		t.Getwd()
		t.Chdir("/")
		t.Dump()
	})
}

// unlinkedFile: an open file does not keep the directory of its last name, and
// is another one than what has that name next. littlefs-fuse 79; filerjs/filer
// 314.
func unlinkedFile(t *T) {
	for _, l := range []struct {
		name string
		mode Mode
		do   func()
	}{
		{"removed", Anywhere, func() { t.Remove("d/f") }},
		{"removed with its directory", Anywhere, func() { t.RemoveAll("d") }},
		{"replaced", Anywhere, func() { t.Rename("g", "d/f"); t.Remove("d/f") }},
		{"replaced by a link", Anywhere, func() { t.Rename("l", "d/f"); t.Remove("d/f") }},
		{"both names removed", Anywhere, func() { t.Link("d/f", "h"); t.Remove("d/f"); t.Remove("h") }},
		{"one name removed", Anywhere, func() { t.Link("d/f", "h"); t.Remove("d/f") }},
		{"moved, then removed", Anywhere, func() { t.Rename("d/f", "e/f"); t.Remove("e/f") }},
		{"exchanged, then removed", InSystem, func() { t.RenameFlags("d/f", "g", 2); t.Remove("g"); t.Remove("d/f") }},
	} {
		if !(pathCall{mode: l.mode}).fits(t) {
			continue
		}
		for _, layout := range [][]string{{"d/f: hello"}, {"d/f*5000"}, {"d/f*70000"}} {
			t.Fresh(l.name+" "+layout[0], append(layout, "g: other", "l -> g", "e/")...)
			h, r, a := t.OpenFile("d/f", os.O_RDWR, 0), t.Open("d/f"), t.OpenFile("d/f", os.O_WRONLY|os.O_APPEND, 0)
			l.do()
			h.Stat()
			t.Remove("d")
			t.Lstat("d")
			h.Read(3)
			h.Write("LO!")
			a.Write("appended")
			r.ReadAt(12, 4990)
			r.SeekTo(-4, 2)
			r.Read(10)
			h.Truncate(7)
			h.Truncate(12)
			h.Chmod(0o600)
			h.Chown(-1, os.Getgid())
			h.Sync()
			h.Stat()
			t.Mkdir("d", 0o755)
			t.WriteFile("d/f", "new", 0o644)
			t.Lstat("d/f")
			n := t.OpenFile("d/f", os.O_RDWR, 0)
			n.WriteAt("N", 0)
			h.WriteAt("H", 0)
			r.ReadAt(20, 0)
			n.ReadAt(20, 0)
			n.Stat()
			h.Close()
			r.ReadAt(20, 0)
			r.Stat()
			t.RemoveAll("d")
			n.ReadAt(20, 0)
			t.Dump()
		}
	}
}

// directoryAsFile: a directory cannot be written, read or cut, nor unlinked as
// a file. streamich/memfs 1278; spf13/afero 201 and 610.
func directoryAsFile(t *T) {
	layout := []string{"d/f: x", "e/", "ld -> d", "le -> e", "lld -> ld", "f: text"}
	names := []string{"d", "d/", "d/.", "e", "e/", "ld", "ld/", "le", "le/", "lld", ".", "d/.."}
	for _, access := range []int{os.O_RDONLY, os.O_WRONLY, os.O_RDWR, syscall.O_ACCMODE} {
		for _, extra := range flagSets(os.O_CREATE, os.O_EXCL, os.O_TRUNC, os.O_APPEND, syscall.O_DIRECTORY) {
			flag := access | extra
			t.Table(flagText(flag), layout, len(names), func(i int) bool { return opened(t.OpenFile(names[i], flag, 0o644)) == nil && extra != 0 })
		}
	}
	for _, c := range t.calls() {
		if strings.HasPrefix(c.name, "Remove") || strings.HasSuffix(c.name, "File") || slices.Contains([]string{"Create", "Truncate", "Link-from", "Rename-file-to", "Readlink"}, c.name) {
			t.Table(c.name, layout, len(names), func(i int) bool { return c.call(t, names[i]) == nil && c.changes() })
		}
	}
	t.Fresh("through handles", layout...)
	out := t.Create("out")
	for _, n := range names {
		h := t.Open(n)
		h.Read(10)
		h.Read(0)
		h.ReadAt(10, 0)
		h.Write("x")
		h.WriteAt("x", 0)
		h.Truncate(0)
		h.WriteTo()
		h.CopyTo(out)
		h.ReadFrom("reader", strings.NewReader("x"))
		h.Stat()
	}
	t.Dump()
}

// fileAsDirectory: what is no directory cannot be listed, opened as one,
// removed as one or looked into. streamich/memfs 1278; spf13/afero 610 and 365.
func fileAsDirectory(t *T) {
	layout := []string{"f: text", "h == f", "lf -> f", "dang -> none", "d/f"}
	names := []string{"f", "h", "lf", "dang", "f/", "lf/", "f/.", "f/..", "f/x", "lf/x", "fifo/", "fifo/x", "socket/x", "d/f", "d/f/..", "lfifo/"}
	fill := func() {
		t.special("fifo", fs.ModeNamedPipe)
		t.special("socket", fs.ModeSocket)
		t.must(t.tree.Symlink("fifo", "lfifo"))
	}
	for _, extra := range []int{syscall.O_DIRECTORY, syscall.O_DIRECTORY | syscall.O_NOFOLLOW, syscall.O_DIRECTORY | os.O_TRUNC, syscall.O_DIRECTORY | os.O_RDWR, syscall.O_DIRECTORY | os.O_WRONLY | os.O_APPEND} {
		t.tableOf(flagText(extra), layout, fill, len(names), func(i int) bool { return opened(t.OpenFile(names[i], extra, 0)) == nil })
	}
	for _, c := range t.calls() {
		t.tableOf(c.name, layout, fill, len(names), func(i int) bool {
			return !c.opensSpecial(names[i]) && c.call(t, names[i]) == nil && c.changes()
		})
	}
	t.Fresh("through handles", layout...)
	for _, flag := range []int{os.O_RDONLY, os.O_WRONLY, os.O_RDWR, os.O_RDWR | os.O_APPEND} {
		h := t.OpenFile("f", flag, 0)
		for _, r := range readers {
			for _, n := range []int{-1, 0, 1} {
				r.read(h, n)
			}
		}
		if !t.InRoot() {
			h.Chdir()
		}
	}
	t.Dump()
}
