//go:build linux

package twin

import (
	"fmt"
	"os"
	"strings"
)

// SetIDCases are about set-id bits: who inherits them and what clears them.
var SetIDCases = []Case{
	{"set-id/inherit", Anywhere, Privilege, setgidInherit},
	{"set-id/cleared", Anywhere, Privilege, setIDCleared},
	{"set-id/create", Anywhere, Privilege, setIDCreate},
}

func setgidInherit(t *T) {
	for _, dirMode := range []uint32{0o2777, 0o777, 0o6777, 0o3777} {
		for _, who := range []Cred{someUser, {UID: 1000, GID: 1000, Groups: []uint32{50}}, rootUser} {
			t.Fresh(fmt.Sprintf("%o by %v", dirMode, who), fmt.Sprintf("d/ @%o 5:50", dirMode), ". @777")
			t.As(who, func() {
				t.WriteFile("d/f", "x", 0o755)
				t.OpenFile("d/g", os.O_CREATE|os.O_RDWR, 0o2755&0o777).Stat()
				t.Mkdir("d/sub", 0o755)
				t.MkdirAll("d/a/b/c", 0o777)
				t.Symlink("x", "d/l")
				t.WriteFile("d/sub/f", "x", 0o640)
				t.Mkdir("d/sub/sub", 0o700)
				t.WriteFile("out", "x", 0o644)
				t.Rename("out", "d/moved")
				t.Mkdir("outdir", 0o755)
				t.Rename("outdir", "d/movedir")
				t.Link("d/moved", "d/linked")
				t.Chmod("d/sub", 0o755)
				t.Lstat("d/sub")
				t.Chmod("d/f", fileMode(0o2755))
				t.Lstat("d/f")
			})
			t.Dump()
		}
	}
}

// setIDCreate gives set-id bits to new files.
func setIDCreate(t *T) {
	for _, who := range []Cred{someUser, {UID: 1000, GID: 1000, Groups: []uint32{50}}, rootUser} {
		for _, dirMode := range []uint32{0o2777, 0o777} {
			t.Fresh(fmt.Sprintf("in %o by %v", dirMode, who), fmt.Sprintf("d/ @%o 5:50", dirMode))
			t.As(who, func() {
				for _, m := range []uint32{0o2755, 0o4755, 0o6777, 0o2744, 0o2654, 0o1777, 0o7777} {
					t.WriteFile(fmt.Sprintf("d/f%o", m), "x", fileMode(m))
					t.Mkdir(fmt.Sprintf("d/d%o", m), fileMode(m))
					t.MkdirAll(fmt.Sprintf("d/a%o/b", m), fileMode(m))
					t.OpenFile(fmt.Sprintf("d/o%o", m), os.O_CREATE|os.O_RDWR, fileMode(m)).Stat()
				}
			})
			t.Dump()
		}
	}
}

func setIDCleared(t *T) {
	type act struct {
		name string
		do   func(t *T, h *Handle)
	}
	acts := []act{
		{"Write", func(t *T, h *Handle) { h.Write("x") }},
		{"Write nothing", func(t *T, h *Handle) { h.Write("") }},
		{"WriteAt", func(t *T, h *Handle) { h.WriteAt("x", 2) }},
		{"ReadFrom", func(t *T, h *Handle) { h.ReadFrom("reader", strings.NewReader("abc")) }},
		{"Truncate", func(t *T, h *Handle) { h.Truncate(2) }},
		{"Truncate same", func(t *T, h *Handle) { h.Truncate(4) }},
		{"Truncate longer", func(t *T, h *Handle) { h.Truncate(9) }},
		{"open with truncation", func(t *T, h *Handle) { t.OpenFile("f", os.O_WRONLY|os.O_TRUNC, 0) }},
		{"WriteFile", func(t *T, h *Handle) { t.WriteFile("f", "new", 0) }},
		{"Read", func(t *T, h *Handle) { h.Read(1) }},
		{"Chmod", func(t *T, h *Handle) { h.Chmod(0o755) }},
		{"Chown nothing", func(t *T, h *Handle) { h.Chown(-1, -1) }},
		{"Chown to own group", func(t *T, h *Handle) { h.Chown(-1, 1000) }},
		{"Link", func(t *T, h *Handle) { t.Link("f", "g") }},
		{"Rename", func(t *T, h *Handle) { t.Rename("f", "g") }},
		{"Chtimes", func(t *T, h *Handle) { t.Chtimes("f", oldAtime, oldMtime) }},
	}
	for _, who := range []Cred{someUser, {UID: 1000, GID: 1000, Groups: []uint32{60}}, otherUser, rootUser} {
		for _, mode := range []uint32{0o6777, 0o4766, 0o2776, 0o2767, 0o2766, 0o6666, 0o1777} {
			for _, owner := range []string{"1000:1000", "1000:60"} {
				for _, a := range acts {
					t.Fresh(fmt.Sprintf("%s %o of %s by %v", a.name, mode, owner, who), fmt.Sprintf("f: text @%o %s", mode, owner), ". @777")
					t.As(who, func() {
						h := t.OpenFile("f", os.O_RDWR, 0)
						a.do(t, h)
						h.Stat()
					})
				}
			}
		}
	}
}
