//go:build linux

package twin

import (
	"fmt"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"time"
)

// PermCases are about what ordinary users may do.
var PermCases = []Case{
	{"perm/file-modes", Anywhere, Privilege, permFiles},
	{"perm/directory-modes", Anywhere, Protected, permDirs},
	{"perm/walk", Anywhere, Protected, permWalk},
	{"perm/owner-only", Anywhere, Privilege, permOwner},
	{"perm/exists-first", Anywhere, Protected, permExists},
	{"perm/sticky", Anywhere, Privilege, permSticky},
	{"perm/rename", Anywhere, Privilege, permRename},
	{"perm/link", Anywhere, Protected, permLink},
	{"perm/handle", Anywhere, Privilege, permHandle},
	{"perm/chdir", InSystem, Privilege, permChdir},
	{"perm/root", Anywhere, Protected, permRoot},
	{"perm/system", InSystem, Privilege, permSystem},
}

// The users of the cases: someUser owns what is "mine", the others share a
// group with it, or nothing.
var (
	someUser  = Cred{UID: 1000, GID: 1000}
	inGroup   = Cred{UID: 1001, GID: 1001, Groups: []uint32{40, 1000}}
	ofGroup   = Cred{UID: 1002, GID: 1000}
	otherUser = Cred{UID: 1003, GID: 1003, Groups: []uint32{41}}
	ownerToo  = Cred{UID: 1000, GID: 1005, Groups: []uint32{1000}}
	groupZero = Cred{UID: 1004, GID: 0, Groups: []uint32{0}}
	rootUser  = Cred{}
	everybody = []Cred{someUser, inGroup, ofGroup, otherUser, ownerToo, groupZero, rootUser}
)

// accessModes give each class of user each access, and the others all or
// nothing.
func accessModes() []uint32 {
	var modes []uint32
	for bits := range uint32(8) {
		modes = append(modes, bits*0o111, bits<<6, bits<<3, bits, bits<<6|0o077, bits<<3|0o707, bits|0o770)
	}
	return modes
}

func permFiles(t *T) {
	for _, m := range accessModes() {
		t.Fresh(fmt.Sprintf("%o", m), fmt.Sprintf("f: text @%o 1000:1000", m))
		for _, who := range everybody {
			t.As(who, func() {
				for _, flag := range []int{os.O_RDONLY, os.O_WRONLY, os.O_RDWR, syscall.O_ACCMODE, os.O_RDWR | os.O_CREATE, os.O_WRONLY | os.O_APPEND} {
					t.OpenFile("f", flag, 0o644).Close()
				}
				t.ReadFile("f")
				t.Lstat("f")
				t.OpenFile("f", os.O_RDONLY|os.O_TRUNC, 0).Close()
				t.WriteFile("f", "text", 0)
				t.Chtimes("f", time.Now(), time.Now())
			})
		}
		t.Dump()
	}
}

func permDirs(t *T) {
	for _, m := range accessModes() {
		t.Fresh(fmt.Sprintf("%o", m), "d/f: text @666", "d/sub/ @777", "d/l -> f", "g: g @666", fmt.Sprintf("d @%o 1000:1000", m), ". @777")
		for i, who := range everybody {
			t.As(who, func() {
				t.Stat("d")
				t.Open("d").Readdirnames(-1)
				t.Stat("d/f")
				t.Lstat("d/missing")
				t.ReadFile("d/l")
				t.Stat("d/sub/..")
				t.Stat("d/.")
				t.Stat("d/..")
				t.Readlink("d/l")
				t.Chmod("d/missing", 0o600)
				name := fmt.Sprintf("d/new%d", i)
				t.WriteFile(name, "x", 0o666)
				t.Mkdir(name+"d", 0o777)
				t.Symlink("x", name+"l")
				t.Rename(name, name+"r")
				t.Link("g", name+"h")
				t.Rename("g", "d/g")
				t.Rename("d/g", "g")
				t.Remove(name + "r")
				t.Remove(name + "d")
				t.Remove("d/missing")
				t.MkdirAll(name+"m/x", 0o755)
				t.RemoveAll(name + "m")
				t.OpenRoot("d", func() { t.Lstat("f"); t.Lstat("sub/x"); t.Open(".").Readdirnames(-1) })
			})
		}
		t.Dump()
	}
}

func permWalk(t *T) {
	layout := []string{
		"no/d/f @666", "no @600", "execonly/d/f @666", "execonly @711", "readonly/d/f @666", "readonly @744", "open/f @666",
		"lno -> no/d/f", "lin -> no", "lup -> no/../open/f", "f", "self -> self",
	}
	paths := []string{
		"no", "no/", "no/.", "no/..", "no/d", "no/missing", "no/d/f", "no/d/missing", "no/../f", "no/missing/x", "no/" + strings.Repeat("n", 256),
		"execonly", "execonly/", "execonly/d", "execonly/d/f", "execonly/missing", "execonly/..", "readonly", "readonly/.", "readonly/d", "readonly/missing", "readonly/../f",
		"lno", "lin", "lin/", "lin/d", "lup", "f/x", "self/x", "open/f/x", "no/self",
	}
	for _, who := range []Cred{someUser, rootUser} {
		for _, list := range [][]pathCall{reads, writes} {
			for _, c := range list {
				if !c.fits(t) || strings.HasPrefix(c.name, "Ch") || c.name == "CopyFS" {
					continue
				}
				t.Table(fmt.Sprintf("%s as %d", c.name, who.UID), append(layout, ". @777"), len(paths), func(i int) (changed bool) {
					t.As(who, func() { changed = c.call(t, paths[i]) == nil })
					return changed && list[0].name != "Open"
				})
			}
		}
	}
}

func permOwner(t *T) {
	layout := []string{"mine: m @644 1000:1000", "group: g @666 1001:1000", "theirs: t @666 1001:1001", "foreign: f @644 1000:77", "dir/ @777 1000:77", "mydir/ @755 1000:1000", "l -> theirs", "ml -> mine", ". @777"}
	for _, who := range everybody {
		for _, n := range []string{"mine", "group", "theirs", "foreign", "dir", "mydir", "l", "ml"} {
			t.Fresh(fmt.Sprintf("chmod %s by %v", n, who), layout...)
			t.As(who, func() {
				for _, m := range []uint32{0o600, 0o2755, 0o4755, 0o6777, 0o1777, 0o2644, 0o7777, 0o666} {
					t.Chmod(n, fileMode(m))
					t.Stat(n)
				}
			})
			t.Fresh(fmt.Sprintf("chown %s by %v", n, who), layout...)
			t.As(who, func() {
				for _, id := range [][2]int{{-1, -1}, {1000, -1}, {-1, 1000}, {-1, 40}, {1000, 1000}, {1000, 77}, {-1, 77}, {1001, -1}, {0, 0}, {1001, 1001}} {
					t.Chown(n, id[0], id[1])
					t.Lchown(n, id[0], id[1])
				}
				t.Stat(n)
				t.Lstat(n)
			})
			t.Fresh(fmt.Sprintf("chtimes %s by %v", n, who), layout...)
			t.As(who, func() {
				t.Chtimes(n, oldAtime, oldMtime)
				t.Chtimes(n, time.Time{}, oldMtime)
				t.Chtimes(n, time.Time{}, time.Time{})
				t.Chtimes(n, time.Now(), time.Now())
			})
			t.Dump()
		}
	}
}

func permExists(t *T) {
	layout := []string{"ro/mine: m @666 1000:1000", "ro/theirs: t @600 1001:1001", "ro/d/", "ro/l -> mine", "ro/dang -> new", "ro/full/x", "ro @755", "src: s @644 1000:1000", ". @777"}
	for _, who := range []Cred{someUser, rootUser} {
		t.Fresh(fmt.Sprintf("as %d", who.UID), layout...)
		t.As(who, func() {
			for _, n := range []string{"ro/mine", "ro/theirs", "ro/d", "ro/l", "ro/dang", "ro/full", "ro/new"} {
				t.OpenFile(n, os.O_CREATE|os.O_RDWR, 0o644)
				t.OpenFile(n, os.O_CREATE|os.O_RDONLY, 0o644)
				t.OpenFile(n, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o644)
				t.Mkdir(n, 0o755)
				t.Mkdir(n+"/", 0o755)
				t.MkdirAll(n, 0o755)
				t.Symlink("x", n)
				t.Link("src", n)
				t.Rename("src", n)
				t.Rename("ro/mine", n)
				t.Remove(n)
				t.RemoveAll(n)
			}
		})
		t.Dump()
	}
}

func permSticky(t *T) {
	for _, dirOwner := range []int{0, 1000, 1001} {
		for _, sticky := range []uint32{0o1777, 0o777, 0o1775} {
			layout := []string{
				"s/mine: m @644 1000:1000", "s/theirs: t @666 1001:1001", "s/root: r @666 0:0", "s/mydir/ @755 1000:1000", "s/theirdir/ @777 1001:1001",
				"s/mylink -> mine @- 1000:1000", "s/theirlink -> theirs @- 1001:1001", "s/x: x @644 1000:1000", "s/y/ @755 1000:1000",
				"out: o @666 1000:1000", "outdir/ @777 1000:1000", fmt.Sprintf("s @%o %d:1000", sticky, dirOwner), ". @777",
			}
			// What fs.protected_symlinks and fs.protected_regular change is
			// left out: following links of others, and O_CREATE of their files.
			targets := []string{"s/mine", "s/theirs", "s/root", "s/mydir", "s/theirdir", "s/mylink", "s/theirlink", "s/missing"}
			title := func(what string) string { return fmt.Sprintf("%s in %o of %d", what, sticky, dirOwner) }
			for _, call := range []struct {
				name string
				do   func(p string) error
			}{
				{"remove", t.Remove},
				{"removeall", t.RemoveAll},
				{"rename away", func(p string) error { return t.Rename(p, "outdir/new") }},
				{"rename inside", func(p string) error { return t.Rename(p, "s/new") }},
				{"replace by file", func(p string) error { return t.Rename("s/x", p) }},
				{"replace by own from outside", func(p string) error { return t.Rename("out", p) }},
				{"replace by directory", func(p string) error { return t.Rename("s/y", p) }},
				{"create exclusive", func(p string) error {
					return opened(t.OpenFile(p, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644))
				}},
				{"write", func(p string) error { return opened(t.OpenFile(p, os.O_WRONLY, 0)) }},
				{"mkdir", func(p string) error { return t.Mkdir(p, 0o755) }},
			} {
				t.Table(title(call.name), layout, len(targets), func(i int) (changed bool) {
					if call.name == "write" && targets[i] == "s/theirlink" {
						return false
					}
					t.As(someUser, func() { changed = call.do(targets[i]) == nil })
					return changed
				})
			}
		}
	}
}

func permRename(t *T) {
	layout := []string{
		"a/own/ @755 1000:1000", "a/theirs/ @755 1001:1001", "a/theirsopen/ @777 1001:1001", "a/f: f @600 1001:1001", "a @777",
		"b/full/x", "b/empty/ @755 1001:1001", "b/g: g @600 1001:1001", "b @777", "ro/x", "ro/d/ @777 1000:1000", "ro @755", "noexec/x", "noexec @666", ". @777",
	}
	froms := []string{"a/own", "a/theirs", "a/theirsopen", "a/f", "ro/x", "ro/d", "noexec/x", "a/missing", "ro/missing"}
	tos := []string{"a/new", "b/new", "b/full", "b/empty", "b/g", "ro/new", "ro/x", "ro/d", "noexec/new", "a/own/new", "a/theirs/new", "b/missing/new"}
	for _, from := range froms {
		t.Table("from "+from, layout, len(tos), func(i int) (changed bool) {
			t.As(someUser, func() { changed = t.Rename(from, tos[i]) == nil })
			return changed
		})
	}
}

func permLink(t *T) {
	// Links to files of others are not allowed with the kernel's usual
	// setting of fs.protected_hardlinks, but to those one may read and write.
	layout := []string{"mine: m @400 1000:1000", "theirs: t @666 1001:1001", "d/ @777", "ro/ @755", "nosearch/f @666 1000:1000", "nosearch @600", "l -> mine @- 1000:1000", ". @777"}
	names := []string{"mine", "theirs", "d", "l", "missing", "nosearch/f"}
	for _, who := range []Cred{someUser, rootUser} {
		for _, to := range []string{"new", "d/new", "ro/new", "nosearch/new", "mine", "missing/new"} {
			t.Table(fmt.Sprintf("to %s as %d", to, who.UID), layout, len(names), func(i int) (changed bool) {
				t.As(who, func() { changed = t.Link(names[i], to) == nil })
				return changed
			})
		}
	}
}

func permHandle(t *T) {
	t.Fresh("a handle keeps its rights", "f: text @666 1000:1000", "d/x @666", "d @777 1000:1000")
	t.As(someUser, func() {
		r, w, d := t.Open("f"), t.OpenFile("f", os.O_RDWR, 0), t.Open("d")
		t.Chmod("f", 0)
		t.Open("f")
		r.Read(2)
		w.Write("TE")
		w.Truncate(3)
		t.Chmod("d", 0)
		d.Readdirnames(-1)
		t.Lstat("d/x")
		w.Chmod(0o600)
		w.Chown(-1, 1000)
		w.Chown(-1, 7)
		w.Chown(5, -1)
		w.Stat()
		d.Chmod(0o700)
		t.Lstat("d/x")
	})
	t.Dump()
	t.Fresh("a handle of another's file", "f: text @666 1001:1001", "d/x", "d @777 1001:1001")
	t.As(someUser, func() {
		w, d := t.OpenFile("f", os.O_RDWR, 0), t.Open("d")
		w.Chmod(0o777)
		w.Chown(1000, 1000)
		w.Chown(-1, -1)
		w.Chown(1001, 1001)
		d.Chmod(0o755)
		d.Chown(1000, -1)
		w.Write("x")
	})
	t.Dump()
}

func permChdir(t *T) {
	t.Fresh("chdir needs search", "d/x", "d @744", "e/ @711", "f @777")
	t.As(someUser, func() {
		t.Open("d").Chdir()
		t.Open("e").Chdir()
		t.Open("f").Chdir()
		t.Chdir("d")
		t.Chdir("e")
		t.Getwd()
	})
}

func permRoot(t *T) {
	t.Fresh("root passes", "d/f: text @0 1000:1000", "d/x: x @111", "d @0 1000:1000", "s/f @600 1001:1001", "s @1000 1002:1002")
	t.As(rootUser, func() {
		t.ReadFile("d/f")
		t.WriteFile("d/f", "new", 0)
		t.Mkdir("d/new", 0)
		t.WriteFile("d/new/f", "x", 0)
		t.Remove("s/f")
		t.Chmod("d/f", fs.ModeSetuid|0o755)
		t.Chtimes("d/f", oldAtime, oldMtime)
		t.Open("d").Readdirnames(-1)
		t.Chown("d/x", 3, 4)
		t.Link("d/f", "d/h")
		t.Rename("d/f", "s/g")
	})
	t.Dump()
}

func permSystem(t *T) {
	layout := []string{"f: text @644 1000:1000", "ro: text @444 1000:1000", "wo: text @222 1001:1001", "theirs: text @644 1001:1001", "d/x", "d @711", "r/x", "r @744", "w/ @733", "ld -> d", ". @777"}
	for _, who := range []Cred{someUser, otherUser, rootUser} {
		t.Fresh(fmt.Sprintf("as %d", who.UID), layout...)
		t.As(who, func() {
			for _, n := range []string{"f", "ro", "wo", "theirs", "d", "d/x"} {
				t.Truncate(n, 2)
				t.Truncate(n, 10)
				t.Truncate(n, -1)
			}
			for _, n := range []string{"d", "r", "w", "ld", "."} {
				t.ReadDir(n)
				t.MkdirTemp(n, "t")
				t.CreateTemp(n, "f").Stat()
				if t.Chdir(n) == nil {
					t.Getwd()
					t.Lstat("x")
					t.Chdir("/")
				}
			}
		})
	}
}
