//go:build linux

package twin

import (
	"fmt"
	"io/fs"
	"os"
	"strings"
	"syscall"
)

// reportModeCases are about permissions and owners.
var reportModeCases = []Case{
	{"reports/deleting-looks-at-the-directory", Anywhere, Privilege, deletingDirectory},
	{"reports/sticky-directory", Anywhere, Privilege, stickyDirectory},
	{"reports/chmod-keeps-the-type", Anywhere, Nothing, chmodKeepsType},
	{"reports/modes-of-what-is-made", Anywhere, Nothing, madeModes},
	{"reports/set-id-after-writing", Anywhere, Privilege, setIDAfterWriting},
	{"reports/set-id-after-chown", Anywhere, Privilege, setIDAfterChown},
	{"reports/set-gid-outside-the-group", Anywhere, Privilege, setGIDOutside},
}

// namesIn are the entries that ownersIn makes in s.
var namesIn = []string{"mine", "ro", "theirs", "rootfile", "mylink", "theirlink", "mydir", "theirdir", "full", "fifo", "rootfifo"}

func ownersIn(mode string) []string {
	return []string{
		"s/mine: m @644 1000:1000", "s/ro: r @444 1001:1001", "s/theirs: t @0 1001:1001", "s/rootfile: r @666 0:0", "s/mylink -> mine @- 1000:1000", "s/theirlink -> mine @- 1001:1001",
		"s/mydir/ @755 1000:1000", "s/theirdir/ @777 1001:1001", "s/full/x @644 1000:1000", "s/full @777 1001:1001",
		"out/f: from outside @644 1000:1000", "out/e/ @755 1000:1000", "out @777 1000:1000", "s @" + mode, ". @777",
	}
}

func fifosIn(t *T) {
	t.special("s/fifo", fs.ModeNamedPipe)
	t.must(t.tree.Lchown("s/fifo", 1000, 1000))
	t.special("s/rootfifo", fs.ModeNamedPipe)
}

// nameCalls are all that take a name away or put one there.
func nameCalls(t *T) []pathCall {
	return []pathCall{
		{"Remove", Anywhere, (*T).Remove},
		{"Remove/", Anywhere, func(t *T, p string) error { return t.Remove(p + "/") }},
		{"RemoveAll", Anywhere, (*T).RemoveAll},
		{"Rename away", Anywhere, func(t *T, p string) error { return t.Rename(p, "out/new") }},
		{"Rename inside", Anywhere, func(t *T, p string) error { return t.Rename(p, "s/new") }},
		{"replace by a file", Anywhere, func(t *T, p string) error { return t.renameOver("out/f", p) }},
		{"replace by a directory", Anywhere, func(t *T, p string) error { return t.renameOver("out/e", p) }},
		{"replace by own", Anywhere, func(t *T, p string) error { return t.renameOver("s/mine", p) }},
		{"Link to", Anywhere, func(t *T, p string) error { return t.Link("out/f", p) }},
		{"Symlink", Anywhere, func(t *T, p string) error { return t.Symlink("x", p) }},
		{"Mkdir", Anywhere, func(t *T, p string) error { return t.Mkdir(p, 0o755) }},
		{"create", Anywhere, func(t *T, p string) error {
			return opened(t.OpenFile(p, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644))
		}},
		{"no-replace", InSystem, func(t *T, p string) error { return t.RenameFlags(p, "out/new", 1) }},
		{"no-replace onto", InSystem, func(t *T, p string) error { return t.RenameFlags("out/f", p, 1) }},
		{"exchange", InSystem, func(t *T, p string) error { return t.RenameFlags("out/f", p, 2) }},
		{"exchange from", InSystem, func(t *T, p string) error { return t.RenameFlags(p, "out/e", 2) }},
		{"exchange inside", InSystem, func(t *T, p string) error { return t.RenameFlags("s/mine", p, 2) }},
		{"whiteout", InSystem, func(t *T, p string) error { return t.RenameFlags(p, "out/new", 4) }},
	}
}

func nameTable(t *T, mode string, who Cred) {
	for _, c := range nameCalls(t) {
		if !c.fits(t) {
			continue
		}
		t.tableOf(fmt.Sprintf("%s in %s as %d", c.name, mode, who.UID), ownersIn(mode), func() { fifosIn(t) }, len(namesIn)+1, func(i int) (changed bool) {
			name := "missing"
			if i < len(namesIn) {
				name = namesIn[i]
			}
			t.As(who, func() { changed = c.call(t, "s/"+name) == nil })
			return changed
		})
	}
}

// deletingDirectory: whether a name may be removed is the directory's affair,
// whatever the mode and the owner of the file. pytest-dev/pyfakefs 27, 543 and
// 959.
func deletingDirectory(t *T) {
	for _, mode := range []string{"755 1000:1000", "755 0:0", "777 0:0", "666 0:0", "333 1001:1001", "775 1001:1000", "600 1000:1000", "300 1000:1000"} {
		nameTable(t, mode, someUser)
	}
	nameTable(t, "0 1001:1001", rootUser)
	t.Fresh("opening with create what is there", "s/open: o @666", "s/closed: c @600", "s/ro: r @444", "s/d/ @777", "s/l -> open", "s @755")
	t.As(someUser, func() {
		for _, n := range []string{"open", "closed", "ro", "l", "d", "missing"} {
			for _, flag := range []int{os.O_CREATE | os.O_RDWR, os.O_CREATE, os.O_CREATE | os.O_WRONLY | os.O_APPEND, os.O_CREATE | os.O_EXCL | os.O_WRONLY} {
				t.OpenFile("s/"+n, flag, 0o644)
			}
			t.WriteFile("s/"+n, "written", 0o644)
		}
	})
	t.Dump()
}

// stickyDirectory: in a directory with that bit only the owner of a file, the
// directory's owner and root take names away. pytest-dev/pyfakefs 543;
// cahirwpz/mimiker 946.
func stickyDirectory(t *T) {
	for _, mode := range []string{"1777 0:0", "1777 1000:1000", "1775 1001:1000", "1777 1001:1001", "3777 0:0", "1755 0:0"} {
		nameTable(t, mode, someUser)
	}
	nameTable(t, "1777 0:0", otherUser)
	nameTable(t, "1777 1001:1001", rootUser)
}

// chmodKeepsType: all twelve bits are set as they are asked for, and nothing
// else. spf13/afero 249, 108 and 209; streamich/memfs 41.
func chmodKeepsType(t *T) {
	t.Fresh("modes", "f: text", "h == f", "d/x", "e/", "lf -> f", "ld -> d", "dang -> none")
	t.special("fifo", fs.ModeNamedPipe)
	t.special("socket", fs.ModeSocket)
	t.must(t.tree.Symlink("fifo", "lfifo"))
	h, d := t.OpenFile("f", os.O_RDWR, 0), t.Open("e")
	for _, m := range []uint32{0, 0o1777, 0o2755, 0o4711, 0o7777, 0o6000, 0o111, 0o644} {
		for _, bits := range []fs.FileMode{0, fs.ModeDir, fs.ModeSymlink, fs.ModeNamedPipe, fs.ModeDevice | fs.ModeCharDevice, fs.ModeSocket, fs.ModeIrregular, fs.ModeAppend | fs.ModeExclusive | fs.ModeTemporary} {
			mode := fileMode(m) | bits
			for _, n := range []string{"f", "h", "d", "e", "lf", "ld", "dang", "fifo", "socket", "lfifo"} {
				t.Chmod(n, mode)
				t.Lstat(n)
			}
			h.Chmod(mode)
			h.Stat()
			d.Chmod(mode)
			d.Stat()
			t.Lstat("f")
		}
		t.Chmod("f", fs.FileMode(m)) // with the bits of chmod(2), which are not those of package fs
		t.Lstat("f")
	}
	t.Chmod("d", 0o755)
	t.Dump()
}

// madeModes: every directory on the way gets the mode asked for, and a handle
// keeps the rights it was made with. spf13/afero 249, 108 and 209.
func madeModes(t *T) {
	t.Fresh("directories", "have/ @700", "l -> have", "f")
	for _, m := range []uint32{0o751, 0o700, 0o777, 0o1777, 0o2755, 0o4711, 0o311} {
		for _, p := range []string{"a/b/c", "have/b/c", "l/x/y", "d", "f/x/y", "a/../z/y"} {
			t.MkdirAll(fmt.Sprintf("%s%o", p, m), fileMode(m)|fs.ModeDir)
		}
		t.Mkdir(fmt.Sprintf("m%o", m), fileMode(m)|fs.ModeNamedPipe)
		t.MkdirAll(fmt.Sprintf("two%o/three", m), fileMode(m))
	}
	t.Dump()
	t.Fresh("files of mode 0", "d/")
	for i, flag := range []int{os.O_RDWR, os.O_WRONLY, os.O_RDONLY, os.O_RDWR | os.O_EXCL, os.O_RDWR | os.O_APPEND, os.O_RDONLY | os.O_TRUNC} {
		for _, m := range []uint32{0, 0o200, 0o4000, 0o111} {
			name := fmt.Sprintf("d/f%d-%o", i, m)
			h := t.OpenFile(name, flag|os.O_CREATE, fileMode(m))
			h.Write("written")
			h.ReadAt(10, 0)
			h.Truncate(3)
			h.Stat()
		}
		t.WriteFile(fmt.Sprintf("d/w%d", i), "text", 0)
	}
	t.Dump()
}

// setIDAfterWriting: a change of contents by another than root takes the
// set-id bits away. google/gvisor 13072 and 13063; SerenityOS 1624; fuser 723.
func setIDAfterWriting(t *T) {
	acts := []pathCall{
		{"Write", Anywhere, func(t *T, p string) error { t.OpenFile(p, os.O_WRONLY, 0).Write("x"); return nil }},
		{"Write nothing", Anywhere, func(t *T, p string) error { t.OpenFile(p, os.O_WRONLY, 0).Write(""); return nil }},
		{"append", Anywhere, func(t *T, p string) error { t.OpenFile(p, os.O_WRONLY|os.O_APPEND, 0).Write("x"); return nil }},
		{"WriteAt", Anywhere, func(t *T, p string) error { t.OpenFile(p, os.O_RDWR, 0).WriteAt("x", 5000); return nil }},
		{"ReadFrom", Anywhere, func(t *T, p string) error {
			t.OpenFile(p, os.O_RDWR, 0).ReadFrom("reader", strings.NewReader("x"))
			return nil
		}},
		{"copy", Anywhere, func(t *T, p string) error { t.Open("src").CopyTo(t.OpenFile(p, os.O_RDWR, 0)); return nil }},
		{"WriteFile", Anywhere, func(t *T, p string) error { return t.WriteFile(p, "x", 0o644) }},
		{"Truncate", InSystem, func(t *T, p string) error { return t.Truncate(p, 2) }},
		{"Truncate to the same", InSystem, func(t *T, p string) error { return t.Truncate(p, 4) }},
		{"Truncate of the handle", Anywhere, func(t *T, p string) error { t.OpenFile(p, os.O_RDWR, 0).Truncate(2); return nil }},
		{"open with truncation", Anywhere, func(t *T, p string) error { return opened(t.OpenFile(p, os.O_WRONLY|os.O_TRUNC, 0)) }},
		{"read", Anywhere, (*T).ReadFile},
		{"Chtimes", Anywhere, func(t *T, p string) error { return t.Chtimes(p, oldAtime, oldMtime) }},
	}
	for _, mode := range []uint32{0o6777, 0o4777, 0o2777, 0o2767, 0o6666, 0o7777} {
		for _, owner := range []string{"1000:1000", "1001:1000", "0:0", "1000:77"} {
			for _, who := range []Cred{rootUser, someUser} {
				for _, p := range []string{"f", "lf"} {
					for _, a := range acts {
						if !a.fits(t) {
							continue
						}
						t.Fresh(fmt.Sprintf("%s %o of %s by %d, %s", a.name, mode, owner, who.UID, p), fmt.Sprintf("f: text @%o %s", mode, owner), "lf -> f", "src: source")
						t.As(who, func() { a.call(t, p) })
						t.Lstat("f")
					}
				}
			}
		}
	}
}

// setIDAfterChown: so does a change of the owner, even by root and even if it
// changes nothing, but not of directories. google/gvisor 13072; fuser 723.
func setIDAfterChown(t *T) {
	ids := [][2]int{{-1, -1}, {1000, -1}, {-1, 1000}, {1000, 1000}, {0, 0}, {-1, 40}, {1001, 40}}
	for _, mode := range []uint32{0o6777, 0o6711, 0o2767, 0o4644, 0o7777} {
		for _, who := range []Cred{rootUser, {UID: 1000, GID: 1000, Groups: []uint32{40}}, otherUser} {
			for _, id := range ids {
				t.Fresh(fmt.Sprintf("%o to %v by %d", mode, id, who.UID), fmt.Sprintf("f: text @%o 1000:1000", mode), fmt.Sprintf("g: text @%o 1000:1000", mode), fmt.Sprintf("h: text @%o 1000:1000", mode),
					"lf -> f", fmt.Sprintf("d/ @%o 1000:1000", mode), "l -> f @- 1000:1000", "ld -> d")
				t.special("fifo", fs.ModeNamedPipe)
				t.must(t.tree.Chown("fifo", 1000, 1000))
				t.must(t.tree.Chmod("fifo", fileMode(mode)))
				h := t.OpenFile("h", os.O_RDONLY, 0)
				t.As(who, func() {
					t.Chown("lf", id[0], id[1])
					t.Lchown("g", id[0], id[1])
					t.Lchown("l", id[0], id[1])
					t.Chown("ld", id[0], id[1])
					t.Chown("fifo", id[0], id[1])
				})
				h.Chown(id[0], id[1])
				for _, n := range []string{"f", "g", "h", "l", "d", "fifo"} {
					t.Lstat(n)
				}
			}
		}
	}
}

// setGIDOutside: an owner that is not in the file's group cannot give it the
// set-gid bit. google/gvisor 13072; SerenityOS 1624.
func setGIDOutside(t *T) {
	for _, owner := range []string{"1000:1000", "1000:77", "1000:40", "1001:1000"} {
		for _, who := range []Cred{someUser, {UID: 1000, GID: 1000, Groups: []uint32{40}}, {UID: 1000, GID: 77}, rootUser} {
			t.Fresh(fmt.Sprintf("%s by %v", owner, who), "f: text @644 "+owner, "d/ @755 "+owner, "l -> f")
			t.special("fifo", fs.ModeNamedPipe)
			var uid, gid int
			fmt.Sscanf(owner, "%d:%d", &uid, &gid)
			t.must(t.tree.Chown("fifo", uid, gid))
			t.As(who, func() {
				h, d := t.Open("f"), t.OpenFile("d", os.O_RDONLY|syscall.O_DIRECTORY, 0)
				for _, m := range []uint32{0o2755, 0o6755, 0o7777, 0o2644, 0o4755, 0o1755} {
					for _, n := range []string{"f", "d", "l", "fifo"} {
						t.Chmod(n, fileMode(m))
						t.Stat(n)
					}
					h.Chmod(fileMode(m))
					d.Chmod(fileMode(m))
					h.Stat()
					d.Stat()
				}
			})
		}
	}
}
