package memfs_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"strings"
	"syscall"
	"testing"

	"stagefs/memfs"
)

// Attributes are charged where tmpfs charges them, all comes back, and what does not fit changes nothing.
func TestXattrCharges(t *testing.T) {
	const limit = 8
	fsys := newFS(memfs.WithInodes(limit))
	must(t, fsys.WriteFile("/f", nil, 0o644))
	must(t, fsys.Mkdir("/d", 0o755))
	wantUsed(t, fsys, 0, 3)
	must(t, fsys.Setxattr("/f", "user.a", make([]byte, 1024-40-len("user.a")), 0))
	wantUsed(t, fsys, 0, 4)
	must(t, fsys.Setxattr("/f", "user.b", nil, 0)) // a KiB begun
	wantUsed(t, fsys, 0, 5)
	must(t, fsys.Setxattr("/f", "user.a", []byte("small"), 0))
	wantUsed(t, fsys, 0, 4)
	unchanged(t, fsys, "too much", func() error { return fsys.Setxattr("/d", "user.x", make([]byte, 5<<10), 0) }, syscall.ENOSPC)
	unchanged(t, fsys, "there", func() error { return fsys.Setxattr("/f", "user.b", nil, memfs.XattrCreate) }, syscall.EEXIST)
	must(t, fsys.Link("/f", "/g"))
	must(t, fsys.Rename("/f", "/d/f"))
	if names := got[[]string](t)(fsys.Listxattr("/g")); !slices.Equal(names, []string{"user.b", "user.a"}) {
		t.Errorf("attributes %q", names)
	}
	must(t, fsys.Remove("/g"))
	must(t, fsys.Setxattr("/d/f", aclAccess, aclBlob("u::rw u:7:r g::r m::rw o::r"), 0)) // costs nothing
	wantUsed(t, fsys, 0, 4)
	h := got[*memfs.File](t)(fsys.Open("/d/f"))
	must(t, fsys.Remove("/d/f"))
	must(t, h.Setxattr("user.c", make([]byte, 2000), 0))
	wantUsed(t, fsys, 0, 6)
	must(t, h.Removexattr("user.a"))
	must(t, h.Close())
	wantUsed(t, fsys, 0, 2)
	must(t, fsys.Setxattr("/d", "user.x", make([]byte, 5<<10), 0))
	wantError(t, "create where attributes are", fsys.WriteFile("/new", nil, 0o644), syscall.ENOSPC)
	must(t, fsys.Removexattr("/d", "user.x"))
	must(t, fsys.WriteFile("/new", nil, 0o644))
	must(t, fsys.Setxattr("/d", "user.x", []byte("x"), 0))
	must(t, fsys.Remove("/d"))
	wantUsed(t, fsys, 0, 2)
	check(t, fsys)
}

// What somebody stands in, or has open, can have attributes after it was removed; a File that is closed has none.
func TestXattrOfWhatIsGone(t *testing.T) {
	eachVariant(t, func(t *testing.T, fsys *memfs.FS) {
		must(t, fsys.Mkdir("/d", 0o755))
		must(t, fsys.Setxattr("/d", "user.a", []byte("1"), 0))
		v := at(t, fsys, root, "/d")
		must(t, fsys.Remove("/d"))
		must(t, v.Setxattr(".", "user.b", []byte("2"), 0))
		must(t, v.Removexattr(".", "user.a"))
		if names := got[[]string](t)(v.Listxattr(".")); !slices.Equal(names, []string{"user.b"}) {
			t.Errorf("attributes %q", names)
		}
		must(t, v.Chown(".", 1, 1))
		must(t, v.Chmod(".", 0o700))
		wantUsed(t, fsys, 0, 1)
		must(t, fsys.WriteFile("/f", nil, 0o644))
		f := got[*memfs.File](t)(fsys.Open("/f"))
		must(t, f.Close())
		wantError(t, "set", f.Setxattr("user.a", nil, 0), fs.ErrClosed)
		wantError(t, "remove", f.Removexattr("user.a"), fs.ErrClosed)
		_, err := f.Getxattr("user.a")
		wantError(t, "get", err, fs.ErrClosed)
		_, err = f.Listxattr()
		wantError(t, "list", err, fs.ErrClosed)
		var none *memfs.File
		wantError(t, "of nil", none.Setxattr("user.a", nil, 0), fs.ErrInvalid)
	})
}

// Neither what is given nor what is returned is shared with the caller.
func TestXattrCopies(t *testing.T) {
	fsys := newFS()
	must(t, fsys.WriteFile("/f", nil, 0o644))
	value := []byte("value")
	must(t, fsys.Setxattr("/f", "user.a", value, 0))
	value[0] = 'X'
	first := got[[]byte](t)(fsys.Getxattr("/f", "user.a"))
	first[1] = 'X'
	if again := got[[]byte](t)(fsys.Getxattr("/f", "user.a")); string(again) != "value" {
		t.Errorf("%q", again)
	}
	must(t, fsys.Setxattr("/f", "user.empty", nil, 0))
	if empty, err := fsys.Getxattr("/f", "user.empty"); err != nil || empty == nil || len(empty) != 0 {
		t.Errorf("%v, %v; want an empty value", empty, err)
	}
}

// Views from OpenRoot have attributes, too, and stay below their root.
func TestXattrConfined(t *testing.T) {
	fsys := newFS(memfs.WithUmask(0))
	must(t, fsys.MkdirAll("/d/e", 0o777))
	must(t, fsys.WriteFile("/d/f", nil, 0o666))
	must(t, fsys.Symlink("f", "/d/l"))
	must(t, fsys.Symlink("../out", "/d/out"))
	must(t, fsys.WriteFile("/out", nil, 0o666))
	r := got[*memfs.FS](t)(fsys.OpenRoot("/d"))
	must(t, r.Setxattr("l", "user.a", []byte("1"), memfs.XattrCreate))
	must(t, r.Lsetxattr("l", "trusted.a", []byte("2"), 0))
	must(t, r.Setxattr("e", aclDefault, aclBlob("u::rwx u:7:r g::r m::r o::-"), 0))
	for _, c := range []struct {
		what  string
		names []string
		err   error
		want  []string
	}{
		{"file", got[[]string](t)(r.Listxattr("f")), nil, []string{"user.a"}},
		{"link", got[[]string](t)(r.Llistxattr("l")), nil, []string{"trusted.a"}},
		{"directory", got[[]string](t)(fsys.Listxattr("/d/e")), nil, []string{aclDefault}},
	} {
		if !slices.Equal(c.names, c.want) {
			t.Errorf("%s: %q, want %q", c.what, c.names, c.want)
		}
	}
	for _, path := range []string{"out", "../out", "/d/f"} {
		if err := r.Setxattr(path, "user.a", nil, 0); err == nil || !strings.HasPrefix(err.Error(), "setxattrat "+path+": ") {
			t.Errorf("%s: %v", path, err)
		}
	}
	wantError(t, "name", r.Removexattr("f", ""), syscall.ERANGE)
	must(t, r.Removexattr("f", "user.a"))
	must(t, r.Lremovexattr("l", "trusted.a"))
	_, err := r.Lgetxattr("l", "trusted.a")
	if err == nil || err.Error() != "lgetxattrat l: "+errnoOf(err).Error() {
		t.Errorf("%v", err)
	}
	must(t, r.Close())
	wantError(t, "closed", r.Setxattr("f", "user.a", nil, 0), fs.ErrClosed)
	check(t, fsys)
}

// Odd flags and sizes fail, and nothing else.
func TestXattrBounds(t *testing.T) {
	fsys := newFS()
	must(t, fsys.WriteFile("/f", nil, 0o644))
	for _, flags := range []memfs.XattrFlags{-1, 4, 5, math.MaxInt, math.MinInt, 1 << 30} {
		wantError(t, fmt.Sprint("flags ", flags), fsys.Setxattr("/f", "user.a", nil, flags), syscall.EINVAL)
	}
	must(t, fsys.Setxattr("/f", "user.a", make([]byte, 65536), 0))
	wantError(t, "size", fsys.Setxattr("/f", "user.a", make([]byte, 65537), 0), syscall.E2BIG)
	if b := got[[]byte](t)(fsys.Getxattr("/f", "user.a")); len(b) != 65536 {
		t.Errorf("%d bytes", len(b))
	}
	check(t, fsys)
}

// FuzzXattrName sets and removes attributes of any name on a file, a directory and a link, by root and by others.
func FuzzXattrName(f *testing.F) {
	for _, name := range []string{"user.a", "user.", "", "trusted.x", "security.capability", "system.a", "foo", strings.Repeat("n", 256), "user.\x00", "user.\xff"} {
		f.Add(name, []byte("value"), 0)
	}
	f.Fuzz(func(t *testing.T, name string, value []byte, flags int) {
		fsys := newFS(memfs.WithUmask(0), memfs.WithInodes(64))
		must(t, fsys.Mkdir("/d", 0o777))
		must(t, fsys.WriteFile("/f", nil, 0o666))
		must(t, fsys.Symlink("f", "/l"))
		for _, cred := range []memfs.Cred{bob, root} {
			v := fsys.As(cred)
			for _, path := range []string{"/d", "/f", "/l"} {
				before := dump(t, fsys)
				if err := v.Lsetxattr(path, name, value, memfs.XattrFlags(flags)); err != nil {
					if after := dump(t, fsys); after != before {
						t.Errorf("%v, but\n%s\nbecame\n%s", err, before, after)
					}
					continue
				}
				check(t, fsys)
				if strings.HasPrefix(name, "system.") || name == "security.capability" {
					continue // not bytes that come back as they are
				}
				back, err := v.Lgetxattr(path, name)
				names, errList := v.Llistxattr(path)
				if err != nil || errList != nil || !bytes.Equal(back, value) || !slices.Contains(names, name) {
					t.Errorf("%q of %s: %q, %v; list %q, %v", name, path, back, err, names, errList)
				}
				must(t, v.Lremovexattr(path, name))
			}
		}
		check(t, fsys)
	})
}
