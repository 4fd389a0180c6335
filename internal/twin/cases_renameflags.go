//go:build linux

package twin

import (
	"fmt"
	"io/fs"
)

// RenameFlagCases are about renameat2.
var RenameFlagCases = []Case{
	{"renameflags/none", InSystem, Nothing, func(t *T) { renameFlagTable(t, 0) }},
	{"renameflags/noreplace", InSystem, Nothing, func(t *T) { renameFlagTable(t, 1) }},
	{"renameflags/exchange", InSystem, Nothing, func(t *T) { renameFlagTable(t, 2) }},
	{"renameflags/whiteout", InSystem, Privilege, func(t *T) { renameFlagTable(t, 4) }},
	{"renameflags/both", InSystem, Privilege, func(t *T) { renameFlagTable(t, 5) }},
	{"renameflags/invalid", InSystem, Nothing, renameInvalid},
	{"renameflags/trees", InSystem, Nothing, exchangeTrees},
	{"renameflags/users", InSystem, Privilege, renameFlagUsers},
	{"renameflags/whiteouts", InSystem, Privilege, whiteouts},
}

func renameFlagTable(t *T, flags uint) {
	pairTable(t, fmt.Sprint("RenameFlags ", flags), func(t *T, from, to string) error {
		return t.RenameFlags(from, to, flags)
	})
}

func renameInvalid(t *T) {
	t.Fresh("flags", "f", "g", "d/")
	for _, flags := range []uint{3, 6, 7, 8, 9, 16, 1 << 31} {
		t.RenameFlags("f", "g", flags)
		t.RenameFlags("missing", "", flags)
	}
	t.Dump()
}

func exchangeTrees(t *T) {
	t.Fresh("a directory and a file", "p/d/sub/x", "q/f: text", "r/")
	d, f := t.Open("p/d"), t.Open("q/f")
	t.RenameFlags("p/d", "q/f", 2)
	d.Stat()
	f.Stat()
	t.Lstat("p")
	t.Lstat("q")
	t.Lstat("q/f/..")
	t.Lstat("q/f/sub/../..")
	t.Dump()
	t.RenameFlags("q/f", "p/d", 2)
	t.Dump()
	t.RenameFlags("p/d", "q", 2)
	t.Lstat("q/sub/..")
	t.Lstat("p/d/f")
	t.Dump()
	for _, pair := range [][2]string{
		{"p", "p/d"}, {"p/d", "p"}, {"p", "p"}, {"p/d/f", "p"}, {"p", "p/d/f"}, {"p/.", "r"}, {"r", "p/.."}, {"r", "/"}, {"/", "r"},
		{"r", "missing"}, {"missing", "r"}, {"missing", "none"}, {"r/", "p/d/"}, {"r", "p/d/f/"}, {"p/d/f/", "r"}, {"p/d/f", "r/"},
	} {
		t.RenameFlags(pair[0], pair[1], 2)
	}
	t.Dump()

	t.Fresh("hard links and links", "f: text", "h == f", "s -> f", "d/g", "l -> d")
	for _, pair := range [][2]string{{"f", "h"}, {"s", "f"}, {"s", "h"}, {"l", "d"}, {"l", "s"}, {"d/g", "s"}} {
		t.RenameFlags(pair[0], pair[1], 2)
		t.Dump()
	}
}

func renameFlagUsers(t *T) {
	for _, mode := range []string{"755", "777", "1777", "555", "700"} {
		for flags := uint(0); flags <= 4; flags = max(1, flags*2) {
			t.Fresh(fmt.Sprintf("%s, flags %d", mode, flags), "a: @"+mode+" 1000:1000", "a/f: mine @644 1000:1000", "a/g: root's", "a/d/ @755 1000:1000",
				"a/e/ @755", "b/ @"+mode+" 1001:1001", "b/h: theirs @666 1001:1001", "b/k/ @777 1001:1001")
			for _, who := range []Cred{someUser, otherUser, rootUser} {
				t.As(who, func() {
					for _, pair := range [][2]string{
						{"a/f", "a/g"}, {"a/g", "a/f"}, {"a/f", "b/h"}, {"b/h", "a/f"}, {"a/d", "a/e"}, {"a/d", "b/k"}, {"b/k", "a/e"},
						{"a/f", "a/new"}, {"a/new", "b/new"}, {"a/d", "b/h"}, {"a/f", "b/k"},
					} {
						t.RenameFlags(pair[0], pair[1], flags)
					}
				})
			}
			t.Dump()
		}
	}
}

func whiteouts(t *T) {
	t.Fresh("whiteouts", "d/f: text", "d/sub/x", "e/")
	t.RenameFlags("d/f", "e/f", 4)
	t.Lstat("d/f")
	t.Lstat("d")
	t.RenameFlags("d/sub", "e/sub", 4)
	t.Lstat("d")
	t.Lstat("e")
	t.RenameFlags("d/f", "d/g", 4)
	t.RenameFlags("e/f", "d/f", 5)
	t.RenameFlags("e/f", "e/f", 4)
	t.Open("d/f")
	t.Remove("d/f")
	t.RenameFlags("e/sub", "d/f", 4)
	t.Dump()
	t.Mknod("mine", fs.ModeDevice|fs.ModeCharDevice, 0)
	t.Lstat("mine")
	t.RemoveAll("d")
	t.Dump()
}
