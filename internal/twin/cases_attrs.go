//go:build linux

package twin

import (
	"fmt"
	"io/fs"
	"os"
	"strings"
)

// AttrCases are about extended attributes.
var AttrCases = []Case{
	{"attrs/names", InSystem, Privilege, attrNames},
	{"attrs/values", InSystem, Privilege, attrValues},
	{"attrs/arguments-first", InSystem, Privilege, attrArguments},
	{"attrs/kinds", InSystem, Privilege, attrKinds},
	{"attrs/users", InSystem, Privilege, attrUsers},
	{"attrs/capability", InSystem, Privilege, attrCaps},
	{"attrs/life", InSystem, Privilege, attrLife},
	{"attrs/times", InSystem, Privilege, attrTimes},
	{"attrs/list", InSystem, Privilege, attrList},
}

// attrSome are names of all namespaces, and of none.
func attrSome() []string {
	return []string{
		"user.a", "user.b", "user.", "user", "user.a/b", "User.a", "trusted.a", "trusted.", "trusted", "security.a", "security.",
		"security.capability", "security.selinux", "system.", "system.a", "system.posix_acl_access", "system.posix_acl_default",
		"system.posix_acl_accessx", "system.nfs4_acl", "os2.a", "foo.a", "foo", ".", "", "btrfs.a", "user.\xff\x01 \n",
		"user." + strings.Repeat("n", 250), "user." + strings.Repeat("n", 251), strings.Repeat("n", 255), strings.Repeat("n", 256),
		"user.a\x00b", "\x00",
	}
}

func attrNames(t *T) {
	for _, name := range attrSome() {
		t.Fresh("name "+quote(name), "f", "d/", "l -> f")
		for _, at := range []AttrOf{{Path: "f"}, {Path: "d"}, {Path: "l"}, {Path: "l", Link: true}} {
			t.GetAttr(at, name)
			t.RemoveAttr(at, name)
			for _, flags := range []int{2, 0, 1, 3, 0, 2} {
				t.SetAttr(at, name, fmt.Sprint("value", flags), flags)
				t.GetAttr(at, name)
			}
			t.SetAttr(at, name, "", 0)
			t.GetAttr(at, name)
			t.ListAttrs(at)
			t.RemoveAttr(at, name)
			t.RemoveAttr(at, name)
			t.ListAttrs(at)
		}
		t.Dump()
	}
}

func attrValues(t *T) {
	for _, n := range []int{0, 1, 4095, 4096, 65_535, 65_536, 65_537} {
		t.Fresh(fmt.Sprint(n), "f")
		for _, name := range []string{"user.a", "trusted.a", "security.a", "system.posix_acl_access", "foo.a", ""} {
			t.SetAttr(AttrOf{Path: "f"}, name, string(pattern(n)), 0)
			t.GetAttr(AttrOf{Path: "f"}, name)
		}
		t.Dump()
	}
}

func attrArguments(t *T) {
	t.Fresh("what comes first", "f", "d/ @0", "d/f", "loop -> loop")
	for _, path := range []string{"f", "missing", "", "f/", "f/x", "loop", "d/f", "a\x00b", strings.Repeat("x", 256), strings.Repeat("x/", 2048)} {
		for _, name := range []string{"user.a", "", "foo.a", "user.", strings.Repeat("n", 256), "system.posix_acl_access"} {
			for _, flags := range []int{0, 1, 2, 3, 4, -1} {
				for _, value := range []string{"v", strings.Repeat("v", 65_537)} {
					t.SetAttr(AttrOf{Path: path}, name, value, flags)
				}
			}
			t.GetAttr(AttrOf{Path: path}, name)
			t.RemoveAttr(AttrOf{Path: path}, name)
		}
		t.ListAttrs(AttrOf{Path: path})
	}
}

func attrKinds(t *T) {
	for _, who := range []Cred{rootUser, someUser} {
		t.Fresh(fmt.Sprint("as ", who), ". @777", "l -> f")
		names := append(specialFiles(t, 0o666), "l")
		t.Mkdir("dir", 0o777)
		for _, name := range names {
			t.Lchown(name, 1000, 1000)
		}
		names = append(names, "dir")
		t.As(who, func() {
			for _, name := range names {
				for _, attr := range []string{"user.a", "trusted.a", "security.a", "foo.a", "system.posix_acl_access", "system.posix_acl_default"} {
					at := AttrOf{Path: name, Link: true}
					t.SetAttr(at, attr, aclText("u::rw u:7:r g::r m::rw o::-"), 0)
					t.GetAttr(at, attr)
					t.RemoveAttr(at, attr)
					t.SetAttr(at, attr, aclText("u::rwx g::rx o::x"), 0)
				}
				t.ListAttrs(AttrOf{Path: name, Link: true})
			}
		})
		t.Dump()
	}
}

func attrUsers(t *T) {
	for _, m := range []uint32{0o700, 0o750, 0o640, 0o604, 0o622, 0o1777, 0o1770, 0} {
		t.Fresh(fmt.Sprintf("%o", m), "f", "d/", fmt.Sprintf("f @%o 1000:1000", m), fmt.Sprintf("d @%o 1000:1000", m))
		for _, name := range []string{"f", "d"} {
			for _, attr := range []string{"user.a", "trusted.a", "security.a", "foo.a"} {
				t.SetAttr(AttrOf{Path: name}, attr, "root's", 0)
			}
			for _, who := range everybody {
				t.As(who, func() {
					for _, attr := range []string{"user.a", "trusted.a", "security.a", "foo.a", "system.a"} {
						t.GetAttr(AttrOf{Path: name}, attr)
						t.SetAttr(AttrOf{Path: name}, attr, fmt.Sprint(who.UID), 2)
						t.SetAttr(AttrOf{Path: name}, attr+"b", fmt.Sprint(who.UID), 0)
						t.RemoveAttr(AttrOf{Path: name}, attr+"b")
					}
					t.ListAttrs(AttrOf{Path: name})
				})
			}
		}
		t.Dump()
	}
}

// capsText are file capabilities in a version's format.
func capsText(version byte, size int) string {
	b := append([]byte{1, 0, 0, version}, make([]byte, 40)...)
	b[5] = 4
	return string(b[:size])
}

func attrCaps(t *T) {
	const caps = "security.capability"
	changes := []func(){
		func() { t.WriteFile("f", "x", 0) },
		func() { t.Truncate("f", 0) },
		func() { t.Truncate("f", 100) },
		func() { t.OpenFile("f", os.O_WRONLY|os.O_TRUNC, 0).Close() },
		func() { t.Chown("f", -1, -1) },
		func() { t.Chown("f", 1000, 5) },
		func() { t.Chmod("f", fs.ModeSetuid|0o755) },
		func() { t.Rename("f", "g"); t.Rename("g", "f") },
		func() { t.Link("f", "g") },
		func() { t.OpenFile("f", os.O_RDWR, 0).Write("") },
		func() { t.OpenFile("f", os.O_RDWR, 0).Write("x") },
		func() { t.Chown("d", 5, 5) },
		func() { t.Lchown("l", 5, 5) },
	}
	for i, change := range changes {
		t.Fresh(fmt.Sprint("change ", i), ". @777", "f: text @666", "d/", "l -> none")
		for _, name := range []string{"f", "d", "l"} {
			t.SetAttr(AttrOf{Path: name, Link: true}, caps, capsText(2, 20), 0)
			t.SetAttr(AttrOf{Path: name, Link: true}, "security.other", "stays", 0)
		}
		if i%2 == 0 {
			change()
		} else {
			t.As(someUser, change)
		}
		t.Dump()
	}
	for _, version := range []byte{0, 1, 2, 3, 4} {
		for _, size := range []int{0, 3, 4, 12, 20, 21, 24, 28} {
			t.Fresh(fmt.Sprintf("version %d of %d bytes", version, size), "f @666")
			for _, who := range []Cred{someUser, rootUser, someUser} {
				t.As(who, func() {
					t.SetAttr(AttrOf{Path: "f"}, caps, capsText(version, size), 0)
					t.GetAttr(AttrOf{Path: "f"}, caps)
					t.RemoveAttr(AttrOf{Path: "f"}, caps)
					t.SetAttr(AttrOf{Path: "f"}, caps, capsText(version, size), 0)
				})
			}
			t.ListAttrs(AttrOf{Path: "f"})
		}
	}
	t.Fresh("of another root", "f")
	t.SetAttr(AttrOf{Path: "f"}, caps, capsText(3, 20)+"\x05\x00\x00\x00", 0)
	t.GetAttr(AttrOf{Path: "f"}, caps)
}

func attrLife(t *T) {
	t.Fresh("links, moves, the end", "f", "d/", "other: o")
	t.SetAttr(AttrOf{Path: "f"}, "user.a", "1", 0)
	t.SetAttr(AttrOf{Path: "d"}, "user.d", "1", 0)
	t.SetAttr(AttrOf{Path: "other"}, "user.o", "1", 0)
	t.Link("f", "g")
	t.SetAttr(AttrOf{Path: "g"}, "user.b", "2", 0)
	t.Dump()
	t.Rename("g", "d/g")
	t.Rename("d", "e")
	t.Rename("other", "f")
	t.Dump()
	h := t.OpenFile("e/g", os.O_RDONLY, 0)
	t.Remove("e/g")
	if h.OK() {
		at := AttrOf{File: h.f}
		t.SetAttr(at, "user.c", "3", 0)
		t.SetAttr(at, "user.c", "3", 1)
		t.ListAttrs(at)
		t.GetAttr(at, "user.a")
		t.GetAttr(at, "")
		t.RemoveAttr(at, "user.a")
		t.RemoveAttr(at, "user.a")
		t.ListAttrs(at)
	}
	h.Close()
	t.Create("e/g").Close()
	t.Dump()
	t.Mkdir("gone", 0o755)
	t.Chdir("gone")
	t.Remove("/gone")
	t.SetAttr(AttrOf{Path: "."}, "user.a", "1", 0)
	t.GetAttr(AttrOf{Path: "."}, "user.a")
	t.RemoveAttr(AttrOf{Path: "."}, "user.a")
	t.ListAttrs(AttrOf{Path: "."})
}

func attrTimes(t *T) {
	t.Fresh("what changes times", "f")
	at := AttrOf{Path: "f"}
	for _, call := range []func(){
		func() { t.SetAttr(at, "user.a", "1", 0) },
		func() { t.SetAttr(at, "user.a", "1", 0) },
		func() { t.SetAttr(at, "user.a", "1", 1) },
		func() { t.GetAttr(at, "user.a") },
		func() { t.ListAttrs(at) },
		func() { t.RemoveAttr(at, "user.b") },
		func() { t.RemoveAttr(at, "user.a") },
		func() { t.SetAttr(at, "system.posix_acl_access", aclText("u::rw u:7:r g::r m::rw o::-"), 0) },
		func() { t.GetAttr(at, "system.posix_acl_access") },
		func() { t.RemoveAttr(at, "system.posix_acl_access") },
		func() { t.RemoveAttr(at, "system.posix_acl_access") },
		func() { t.RemoveAttr(at, "system.posix_acl_default") },
	} {
		t.Chtimes("f", oldAtime, oldMtime)
		before := t.stamps([]string{"f"})["f"]
		t.world.Tick()
		call()
		after := t.stamps([]string{"f"})["f"]
		t.Logf("atime kept %v, mtime kept %v, ctime kept %v", before.atime.Equal(after.atime), before.mtime.Equal(after.mtime),
			before.ctime.Equal(after.ctime))
	}
}

func attrList(t *T) {
	t.Fresh("long", "f")
	at := AttrOf{Path: "f"}
	for i := range 400 {
		if t.SetAttr(at, fmt.Sprintf("user.%s%d", strings.Repeat("y", 160), i*7919%1000), "", 0) != nil {
			return
		}
		if i%50 == 0 || i > 370 {
			t.ListAttrs(at)
		}
	}
	t.RemoveAttr(at, "user."+strings.Repeat("y", 160)+"919")
	t.ListAttrs(at)
}
