//go:build linux

package twin

import (
	"encoding/binary"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// ACLCases are about POSIX access control lists.
var ACLCases = []Case{
	{"acl/formats", InSystem, Privilege, aclFormats},
	{"acl/orders", InSystem, Privilege, aclOrders},
	{"acl/owner-only", InSystem, Privilege, aclOwner},
	{"acl/permissions", InSystem, Privilege, aclPermissions},
	{"acl/directories", InSystem, Privilege, aclDirectories},
	{"acl/chmod", InSystem, Privilege, aclChmod},
	{"acl/inherit", InSystem, Privilege, aclInherit},
	{"acl/setgid", InSystem, Privilege, aclSetgid},
}

const (
	aclAccess  = "system.posix_acl_access"
	aclDefault = "system.posix_acl_default"
)

var aclTags = map[string]uint16{"u:": 1, "u": 2, "g:": 4, "g": 8, "m:": 16, "o:": 32}

// aclText makes the binary format of entries like "u::rwx u:7:r g::rx m::r o::-".
func aclText(entries string) string {
	b := binary.LittleEndian.AppendUint32(nil, 2)
	for _, entry := range strings.Fields(entries) {
		parts := strings.Split(entry, ":")
		tag, id := aclTags[parts[0]+":"], ^uint32(0)
		if parts[1] != "" {
			n, err := strconv.ParseUint(parts[1], 10, 32)
			if err != nil {
				panic(err)
			}
			tag, id = aclTags[parts[0]], uint32(n)
		}
		perm := uint16(0)
		for _, c := range parts[2] {
			perm |= map[rune]uint16{'r': 4, 'w': 2, 'x': 1, '?': 8}[c]
		}
		b = binary.LittleEndian.AppendUint16(b, tag)
		b = binary.LittleEndian.AppendUint16(b, perm)
		b = binary.LittleEndian.AppendUint32(b, id)
	}
	return string(b)
}

// aclSome are lists for the users of the cases.
var aclSome = []string{
	"u::rw g::r o::-",
	"u::rw g::r m::- o::rw",
	"u::rw g::rw m::r o::rw",
	"u::- u:1000:rwx g::rwx m::rwx o::rwx",
	"u::rw u:1001:rw g::- m::rw o::-",
	"u::rw u:1001:- g::rw m::rw o::rw",
	"u::rw u:1001:rw g::rw m::r o::rw",
	"u::rw u:1003:rwx u:1003:- g::- m::rwx o::-",
	"u::rw u:1003:rw g::rw m::- o::rw",
	"u::rw g::- g:41:rw m::rw o::-",
	"u::rw g::r g:40:w g:1000:x m::rwx o::rwx",
	"u::rw g::- g:41:- m::rwx o::rwx",
	"u::rw g::rwx g:41:rwx g:40:r m::w o::x",
	"u::rwx u:0:- g::x g:0:- m::x o::-",
	"u::- u:1000:x u:1001:x g::- m::x o::-",
	"u::- g::- o::-",
	"u::r u:1001:wx u:1002:rx u:1003:rw g::rwx g:41:rwx m::rwx o::rwx",
}

func aclFormats(t *T) {
	good := aclText("u::rwx u:7:r g::rx m::r o::x")
	blobs := []string{
		"", "\x02", "\x02\x00\x00\x00", "\x01\x00\x00\x00", "\x03\x00\x00\x00", good[:8], good + "x", good[:len(good)-8], good[:12],
		"\x02\x00\x00\x01" + good[4:], good + good[4:], "not an ACL", aclText("u::rwx? g::r o::r"), aclText("u:4294967295:r"),
		aclText("u::rw g:4294967295:r g::r m::r o::r"), good[:4] + "\x40\x00" + good[6:], good[:4] + "\x00\x00" + good[6:],
		good[:6] + "\x07\x01" + good[8:], good[:8] + "abcd" + good[12:],
	}
	for i, blob := range blobs {
		t.Fresh(fmt.Sprint("blob ", i), "f", "d/", "l -> f")
		for _, at := range []AttrOf{{Path: "f"}, {Path: "d"}, {Path: "l", Link: true}} {
			for _, name := range []string{aclAccess, aclDefault} {
				for _, flags := range []int{0, 1, 2, 3} {
					t.SetAttr(at, name, blob, flags)
				}
				t.GetAttr(at, name)
				t.SetAttr(at, name, good, 0)
				t.SetAttr(at, name, blob, 0)
				t.GetAttr(at, name)
			}
			t.ListAttrs(at)
		}
		t.Dump()
	}
}

// aclOrders tries lists of up to six entries in each order that a small alphabet gives.
func aclOrders(t *T) {
	kinds := []string{"u::r", "u:7:w", "g::x", "g:7:rw", "m::rx", "o::wx"}
	t.Fresh("all orders", "d/")
	var try func(list string, left int)
	try = func(list string, left int) {
		if t.SetAttr(AttrOf{Path: "d"}, aclDefault, aclText(list), 0) == nil {
			t.SetAttr(AttrOf{Path: "d"}, aclAccess, aclText(list), 0)
			t.Lstat("d")
			t.GetAttr(AttrOf{Path: "d"}, aclAccess)
		}
		if left == 0 {
			return
		}
		for _, kind := range kinds {
			try(list+" "+kind, left-1)
		}
	}
	try("", 4)
	for _, list := range []string{
		"u::r u:7:w u:7:x g::r m::rwx o::r", "u::r u:8:w u:7:x g::r g:3:r g:3:w m::rwx o::r", "u::r g::r g:3:r o::r", "u::r u:3:r g::r o::r",
		"u::r u:7:r g::r g:7:r m::r o::r", "u::r u:7:r g::r g:7:r m::r m::r o::r", "u::r u:7:r g::r g:7:r m::r o::r o::r",
		"u::r g:7:r g::r m::r o::r", "u::r g::r u:7:r m::r o::r", "u::r u::r g::r o::r",
	} {
		t.SetAttr(AttrOf{Path: "d"}, aclDefault, aclText(list), 0)
		t.SetAttr(AttrOf{Path: "d"}, aclAccess, aclText(list), 0)
		t.Dump()
	}
}

func aclOwner(t *T) {
	t.Fresh("who may", "f @666 1000:1000", "d/ @777 1000:1000", "f @666 1000:1000", "d @777 1000:1000", "l -> f", "l @- 1000:1000")
	list := aclText("u::rw u:7:r g::r m::rw o::rw")
	for _, who := range everybody {
		t.As(who, func() {
			for _, at := range []AttrOf{{Path: "f"}, {Path: "d"}, {Path: "l", Link: true}} {
				for _, name := range []string{aclAccess, aclDefault} {
					t.SetAttr(at, name, list, 0)
					t.GetAttr(at, name)
					t.SetAttr(at, name, "\x02\x00\x00\x00", 0)
					t.SetAttr(at, name, aclText("u::r"), 0)
					t.SetAttr(at, name, "bad", 0)
					t.SetAttr(at, name, list, 0)
					t.RemoveAttr(at, name)
					t.RemoveAttr(at, name)
					t.SetAttr(at, name, list, 0)
				}
				t.ListAttrs(at)
			}
		})
	}
	t.Dump()
}

func aclPermissions(t *T) {
	for _, list := range aclSome {
		t.Fresh(list, "f: text @666 1000:1000", "f2: text @640 1000:40")
		for _, name := range []string{"f", "f2"} {
			t.SetAttr(AttrOf{Path: name}, aclAccess, aclText(list), 0)
			for _, who := range everybody {
				t.As(who, func() {
					for _, flag := range []int{os.O_RDONLY, os.O_WRONLY, os.O_RDWR, syscall.O_ACCMODE, os.O_RDWR | os.O_CREATE} {
						t.OpenFile(name, flag, 0o644).Close()
					}
					t.Truncate(name, 4)
					t.Link(name, "linked")
					t.Remove("linked")
					t.GetAttr(AttrOf{Path: name}, "user.none")
					t.SetAttr(AttrOf{Path: name}, "user.none", "", 2)
				})
			}
		}
		t.Dump()
	}
}

func aclDirectories(t *T) {
	for _, list := range aclSome {
		for _, mode := range []uint32{0, 0o1000} {
			t.Fresh(fmt.Sprintf("%s, %o", list, mode), "d/f: text @666", "d/sub/g @666", "d @777 1000:1000")
			t.SetAttr(AttrOf{Path: "d"}, aclAccess, aclText(list), 0)
			if mode != 0 {
				t.Chmod("d", fs.ModeSticky|0o777)
			}
			for i, who := range everybody {
				t.As(who, func() {
					t.Stat("d/f")
					t.Stat("d/sub/g")
					t.Stat("d/missing")
					t.Open("d").Readdirnames(-1)
					t.WriteFile(fmt.Sprint("d/new", i), "x", 0o666)
					t.Mkdir(fmt.Sprint("d/dir", i), 0o777)
					t.Rename("d/f", "d/f")
					t.Remove(fmt.Sprint("d/dir", (i+1)%2))
					t.Chdir("d")
					t.Chdir("/")
					t.OpenRoot("d", func() { t.Stat("sub/g") })
				})
			}
			t.Dump()
		}
	}
}

func aclChmod(t *T) {
	for _, list := range aclSome {
		for _, mode := range []uint32{0, 0o777, 0o640, 0o1707, 0o2070, 0o6755} {
			t.Fresh(fmt.Sprintf("%s, %o", list, mode), "f @666 1000:41", "d/ @777", "d @777 1000:1000")
			for _, name := range []string{"f", "d"} {
				t.SetAttr(AttrOf{Path: name}, aclAccess, aclText(list), 0)
				t.SetAttr(AttrOf{Path: name}, aclDefault, aclText(list), 0)
				t.As(someUser, func() {
					t.Chmod(name, fileMode(mode))
					t.Lstat(name)
					t.GetAttr(AttrOf{Path: name}, aclAccess)
				})
				t.Chown(name, 1003, 41)
				t.Lstat(name)
				t.RemoveAttr(AttrOf{Path: name}, aclAccess)
				t.Lstat(name)
			}
			t.Dump()
		}
	}
}

func aclInherit(t *T) {
	for _, list := range aclSome {
		for _, owner := range []string{"1000:1000", "0:40"} {
			t.Fresh(list+" "+owner, "d/ @2777 "+owner, "d @2777 "+owner)
			t.SetAttr(AttrOf{Path: "d"}, aclDefault, aclText(list), 0)
			for i, who := range []Cred{rootUser, someUser, inGroup, otherUser} {
				t.As(who, func() {
					for _, mode := range []uint32{0, 0o666, 0o777, 0o600, 0o027, 0o6777} {
						for j := range 2 { // twice: what is made of a list may be kept
							name := fmt.Sprintf("d/%d-%o-%d", i, mode, j)
							t.OpenFile(name+"f", os.O_CREATE|os.O_WRONLY, fileMode(mode)).Write("x")
							t.Mkdir(name+"d", fileMode(mode)&0o777)
							t.Mkdir(name+"d/deeper", 0o777)
							t.Mknod(name+"p", fs.ModeNamedPipe|fileMode(mode), 0)
							t.Symlink("x", name+"l")
						}
					}
				})
			}
			t.Dump()
		}
	}
}

func aclSetgid(t *T) {
	for _, list := range []string{"u::rwx g::rwx o::x", "u::rwx u:7:r g::- m::rwx o::x", "u::rw g::r o::r"} {
		for _, group := range []int{1000, 41} {
			t.Fresh(fmt.Sprintf("%s, group %d", list, group), "f", "d/", fmt.Sprintf("f @6755 1000:%d", group), fmt.Sprintf("d @2755 1000:%d", group))
			t.As(someUser, func() {
				for _, name := range []string{"f", "d"} {
					t.SetAttr(AttrOf{Path: name}, aclDefault, aclText(list), 0)
					t.Lstat(name)
					t.SetAttr(AttrOf{Path: name}, aclAccess, aclText(list), 0)
					t.Lstat(name)
				}
			})
			t.Chmod("f", fs.ModeSetuid|fs.ModeSetgid|0o755)
			t.Chmod("d", fs.ModeSetgid|0o755)
			t.As(someUser, func() {
				t.RemoveAttr(AttrOf{Path: "f"}, aclAccess)
				t.RemoveAttr(AttrOf{Path: "d"}, aclAccess)
			})
			t.Dump()
		}
	}
}
