package memfs_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"stagefs/memfs"
)

const (
	aclAccess  = "system.posix_acl_access"
	aclDefault = "system.posix_acl_default"
)

// aclLine is one entry of an ACL: who ("u", "g", "m" or "o"), an id or -1, and permissions.
type aclLine struct {
	who  string
	id   int
	perm int
}

func parseACLLines(text string) []aclLine {
	var lines []aclLine
	for _, entry := range strings.Fields(text) {
		parts := strings.Split(entry, ":")
		l := aclLine{parts[0], -1, 0}
		if parts[1] != "" {
			id, err := strconv.Atoi(parts[1])
			if err != nil {
				panic(err)
			}
			l.id = id
		}
		for _, c := range parts[2] {
			l.perm |= map[rune]int{'r': 4, 'w': 2, 'x': 1}[c]
		}
		lines = append(lines, l)
	}
	return lines
}

// aclBlob makes the binary format of entries like "u::rwx u:7:r g::rx m::r o::-".
func aclBlob(text string) []byte {
	b := []byte{2, 0, 0, 0}
	for _, l := range parseACLLines(text) {
		tag := map[string]uint16{"u": 1, "g": 4, "m": 16, "o": 32}[l.who]
		if l.id >= 0 {
			tag *= 2
		}
		b = binary.LittleEndian.AppendUint16(b, tag)
		b = binary.LittleEndian.AppendUint16(b, uint16(l.perm))
		b = binary.LittleEndian.AppendUint32(b, uint32(l.id))
	}
	return b
}

// aclModel says who gets what, class by class as the standard does, and with one peculiarity of Linux: where the mask is
// empty, an ACL says nothing.
func aclModel(lines []aclLine, c memfs.Cred, uid, gid uint32, want int) bool {
	find := func(who string) (perm int, found bool) {
		for _, l := range lines {
			if l.who == who && l.id < 0 {
				return l.perm, true
			}
		}
		return 0, false
	}
	in := func(g uint32) bool { return c.Gid == g || slices.Contains(c.Groups, g) }
	allows := func(perm int) bool { return perm&want == want }
	owner, _ := find("u")
	group, _ := find("g")
	other, _ := find("o")
	mask, hasMask := find("m")
	if c.Uid == uid {
		return allows(owner)
	}
	if !hasMask {
		if in(gid) {
			return allows(group)
		}
		return allows(other)
	}
	if mask == 0 {
		return allows(other) && !(in(gid) && want != 0)
	}
	for _, l := range lines {
		if l.who == "u" && l.id == int(c.Uid) {
			return allows(l.perm & mask)
		}
	}
	member := false
	for _, l := range lines {
		if l.who != "g" || !in(uint32(max(l.id, 0))) && l.id >= 0 || l.id < 0 && !in(gid) {
			continue
		}
		if member = true; allows(l.perm) {
			return allows(mask)
		}
	}
	return !member && allows(other)
}

// randomACL makes a valid list for the users of the tests.
func randomACL(pick func(n int) int) string {
	perm := func() string {
		return []string{"-", "r", "w", "x", "rw", "rx", "wx", "rwx", "rwx", "rx"}[pick(10)]
	}
	list, named := "u::"+perm(), false
	for _, id := range []int{1000, 1001, 1002, 1003} {
		if pick(4) == 0 {
			list, named = list+fmt.Sprintf(" u:%d:%s", id, perm()), true
		}
	}
	list += " g::" + perm()
	for _, id := range []int{1001, 2000, 1002, 0} {
		if pick(4) == 0 {
			list, named = list+fmt.Sprintf(" g:%d:%s", id, perm()), true
		}
	}
	if named || pick(2) == 0 {
		list += " m::" + perm()
	}
	return list + " o::" + perm()
}

// TestACLPermissions asks for all that each kind of user may do with files and directories whose ACLs are made up at
// random, and compares with the model. The twins compare the same with the kernel.
func TestACLPermissions(t *testing.T) {
	rng := seeded(t)
	fsys := newFS(memfs.WithUmask(0), memfs.WithRootMode(0o777))
	must(t, fsys.WriteFile("/f", nil, 0o777))
	must(t, fsys.Mkdir("/d", 0o777))
	must(t, fsys.WriteFile("/d/in", nil, 0o777))
	for i := range rounds(3000) {
		list := randomACL(rng.IntN)
		uid, gid := uint32(1000+rng.IntN(3)), []uint32{1000, 1001, 2000}[rng.IntN(3)]
		for _, path := range []string{"/f", "/d"} {
			must(t, fsys.Chown(path, int(uid), int(gid)))
			must(t, fsys.Setxattr(path, aclAccess, aclBlob(list), 0))
		}
		for _, u := range permUsers[:4] {
			v := fsys.As(u.cred)
			may := func(want int) bool { return aclModel(parseACLLines(list), u.cred, uid, gid, want) }
			for _, c := range []struct {
				what string
				want int
				call func() error
			}{
				{"read", 4, func() error { return openClose(v, "/f", os.O_RDONLY) }},
				{"write", 2, func() error { return openClose(v, "/f", os.O_WRONLY) }},
				{"read and write", 6, func() error { return openClose(v, "/f", os.O_RDWR) }},
				{"list", 4, func() error { return openClose(v, "/d", os.O_RDONLY) }},
				{"search", 1, func() error { _, err := v.Stat("/d/in"); return err }},
				{"create", 3, func() error { return v.WriteFile("/d/new", nil, 0o666) }},
			} {
				_ = fsys.Remove("/d/new")
				if err := c.call(); (err == nil) != may(c.want) || err != nil && errnoOf(err) != syscall.EACCES {
					t.Fatalf("round %d: %s, owner %d:%d: %s by %s: %v", i, list, uid, gid, c.what, u.name, err)
				}
			}
		}
	}
	check(t, fsys)
}

func openClose(v *memfs.FS, path string, flag int) error {
	f, err := v.OpenFile(path, flag, 0)
	_ = f.Close() // of nil, too
	return err
}

// An ACL and the mode say the same, whichever is set.
func TestACLAndMode(t *testing.T) {
	fsys := newFS()
	must(t, fsys.WriteFile("/f", nil, 0o644))
	set := func(list string) { t.Helper(); must(t, fsys.Setxattr("/f", aclAccess, aclBlob(list), 0)) }
	wantMode := func(mode fs.FileMode) {
		t.Helper()
		if fi := got[fs.FileInfo](t)(fsys.Stat("/f")); fi.Mode() != mode {
			t.Errorf("mode %v, want %v", fi.Mode(), mode)
		}
	}
	wantACL := func(list string) {
		t.Helper()
		if b, err := fsys.Getxattr("/f", aclAccess); err != nil || !bytes.Equal(b, aclBlob(list)) {
			t.Errorf("%x, %v; want %s", b, err, list)
		}
	}
	set("u::rw u:7:rwx g::r m::rw o::-")
	wantMode(0o660)
	must(t, fsys.Chmod("/f", 0o751|fs.ModeSetuid))
	wantMode(0o751 | fs.ModeSetuid)
	wantACL("u::rwx u:7:rwx g::r m::rx o::x")
	set("u::r g::w o::x") // says no more than a mode does
	wantMode(0o421 | fs.ModeSetuid)
	_, err := fsys.Getxattr("/f", aclAccess)
	if err == nil {
		t.Error("an ACL that is a mode is kept")
	}
	set("u::rw u:7:rwx g::r m::rw o::-")
	must(t, fsys.Removexattr("/f", aclAccess))
	wantMode(0o660 | fs.ModeSetuid)
	must(t, fsys.Removexattr("/f", aclAccess))
	check(t, fsys)
}

// A new file takes after its directory's default ACL, whatever the umask, and shares what it gets with those like it.
func TestACLInheritance(t *testing.T) {
	fsys := newFS(memfs.WithUmask(0o077))
	must(t, fsys.Mkdir("/d", 0o755))
	const list = "u::rwx u:1001:rwx g::rx m::rwx o::r"
	must(t, fsys.Setxattr("/d", aclDefault, aclBlob(list), 0))
	must(t, fsys.Mkdir("/d/e", 0o750))
	must(t, fsys.WriteFile("/d/e/f", nil, 0o666))
	must(t, fsys.Symlink("f", "/d/e/l"))
	for _, c := range []struct{ path, name, want string }{
		{"/d/e", aclAccess, "u::rwx u:1001:rwx g::rx m::rx o::-"},
		{"/d/e", aclDefault, list},
		{"/d/e/f", aclAccess, "u::rw u:1001:rwx g::rx m::rw o::r"},
	} {
		if b, err := fsys.Getxattr(c.path, c.name); err != nil || !bytes.Equal(b, aclBlob(c.want)) {
			t.Errorf("%s of %s: %x, %v; want %s", c.name, c.path, b, err, c.want)
		}
	}
	if names, err := fsys.Llistxattr("/d/e/l"); err != nil || len(names) != 0 {
		t.Errorf("link: %q, %v", names, err)
	}
	_, err := fsys.Getxattr("/d/e/f", aclDefault)
	wantError(t, "default ACL of a file", fsys.Setxattr("/d/e/f", aclDefault, aclBlob(list), 0), syscall.EACCES)
	if err == nil {
		t.Error("a file has a default ACL")
	}
	must(t, fsys.Setxattr("/d", aclDefault, nil, 0))
	must(t, fsys.WriteFile("/d/plain", nil, 0o666))
	if st := stat(t, fsys, "/d/plain"); st.Mode&0o777 != 0o600 {
		t.Errorf("mode %o without a default ACL", st.Mode)
	}
	check(t, fsys)
}

// FuzzACL takes any bytes for an ACL: what is refused changes nothing, what is taken comes back, and mode and ACL agree.
func FuzzACL(f *testing.F) {
	for _, list := range []string{"u::rw g::r o::-", "u::rw u:7:rwx g::r m::rw o::-", "u::rw g::r g:3:w m::rw o::-", "u::r u:1:r u:1:w g::r m::- o::r"} {
		f.Add(aclBlob(list), uint16(0o640))
	}
	f.Add([]byte{2, 0, 0, 0}, uint16(0))
	f.Add([]byte{1, 0, 0, 0, 1}, uint16(0o7777))
	f.Fuzz(func(t *testing.T, blob []byte, mode uint16) {
		fsys := newFS(memfs.WithUmask(0o027))
		must(t, fsys.Mkdir("/d", 0o755))
		must(t, fsys.WriteFile("/f", nil, 0o644))
		for _, c := range []struct{ path, name string }{{"/f", aclAccess}, {"/d", aclDefault}, {"/d", aclAccess}} {
			before := stat(t, fsys, c.path)
			err := fsys.Setxattr(c.path, c.name, blob, memfs.XattrFlags(mode&3))
			after := stat(t, fsys, c.path)
			if err != nil {
				if before != after {
					t.Errorf("%v, but %+v became %+v", err, before, after)
				}
				continue
			}
			back, err := fsys.Getxattr(c.path, c.name)
			switch {
			case len(blob) <= 4 || c.name == aclAccess && len(blob) == 4+3*8: // none, or one that is a mode
				if err == nil {
					t.Errorf("%x is kept", blob)
				}
			case err != nil || len(back) != len(blob):
				t.Errorf("%x came back as %x, %v", blob, back, err)
			default:
				must(t, fsys.Setxattr(c.path, c.name, back, 0))
			}
		}
		must(t, fsys.WriteFile("/d/f", nil, fs.FileMode(mode&0o777)))
		must(t, fsys.Mkdir("/d/d", fs.FileMode(mode&0o777)))
		if st := stat(t, fsys, "/d/f"); st.Mode&^uint32(mode&0o777)&0o777 != 0 {
			t.Errorf("asked for %o, got %o", mode&0o777, st.Mode)
		}
		must(t, fsys.Chmod("/d/f", fs.FileMode(mode&0o777)))
		must(t, fsys.Chmod("/d", fs.FileMode(mode&0o777)))
		if st := stat(t, fsys, "/d/f"); st.Mode&0o777 != uint32(mode&0o777) {
			t.Errorf("chmod to %o, got %o", mode&0o777, st.Mode)
		}
		for _, u := range permUsers {
			v := fsys.As(u.cred)
			_, _ = v.Stat("/d/d/.")
			_, _ = v.ReadFile("/f")
		}
		check(t, fsys)
	})
}
