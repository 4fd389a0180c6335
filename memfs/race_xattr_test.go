package memfs_test

import (
	"bytes"
	"fmt"
	"testing"

	"stagefs/memfs"
)

// Attributes and ACLs are changed while others read them, use the files, and remove them. Each reader sees a list and
// values that were there, and in the end nothing is charged any more.
func TestXattrRace(t *testing.T) {
	fsys := newFS(memfs.WithUmask(0), memfs.WithInodes(200))
	must(t, fsys.Mkdir("/d", 0o777))
	lists := [][]byte{aclBlob("u::rwx u:1001:rx g::rx m::rwx o::rx"), aclBlob("u::rwx u:1001:rwx g::- m::rwx o::rwx"), nil}
	path := func(i int) string { return fmt.Sprintf("/d/f%d", i%3) }
	caps := append([]byte{1, 0, 0, 2}, make([]byte, 16)...)
	stop := meanwhile(
		func(i int) { _ = fsys.WriteFile(path(i), []byte("x"), 0o666) },
		func(i int) { _ = fsys.Remove(path(i)) },
		func(i int) { _ = fsys.Setxattr(path(i), "user.a", bytes.Repeat([]byte{byte(i)}, 1+i%300), 0) },
		func(i int) { _ = fsys.Setxattr(path(i), "security.capability", caps, 0) },
		func(i int) { _ = fsys.Chown(path(i), i%5, i%5) },
		func(i int) { _ = fsys.Setxattr(path(i), aclAccess, lists[i%3], 0) },
		func(i int) { _ = fsys.Setxattr("/d", []string{aclAccess, aclDefault}[i%2], lists[i/2%3], 0) },
		func(i int) { _ = fsys.Setxattr("/d", "user.a", []byte("x"), memfs.XattrFlags(i%3)) },
	)
	v := fsys.As(bob)
	for i := range rounds(20_000) {
		if b, err := fsys.Getxattr(path(i), "user.a"); err == nil && !bytes.Equal(b, bytes.Repeat(b[:1], len(b))) {
			t.Fatalf("a value that was never set: %x", b)
		}
		if _, err := v.Stat(path(i)); err != nil && errnoOf(err) == 0 {
			t.Fatal(err)
		}
		if st := stat(t, fsys, "/d"); st.Mode&^0o177777 != 0 {
			t.Fatalf("mode %o", st.Mode)
		}
		if i%16 == 0 {
			_ = fsys.Removexattr(path(i/16), "user.a")
			_ = fsys.Chmod(path(i/16), 0o640)
		}
	}
	stop()
	check(t, fsys)
	must(t, fsys.RemoveAll("/d"))
	wantUsed(t, fsys, 0, 1)
	check(t, fsys)
}

// TestXattrOrRemove removes a file while it gets an attribute: one is first, and nothing stays charged.
func TestXattrOrRemove(t *testing.T) {
	r := &race{fsys: newFS()}
	r.prepare = func(dir string) { must(t, r.fsys.WriteFile(dir+"/f", nil, 0o644)) }
	r.calls = []func(dir string) error{
		func(dir string) error { return r.fsys.Setxattr(dir+"/f", "user.a", make([]byte, 2000), 0) },
		func(dir string) error { return r.fsys.Setxattr(dir+"/f", "user.b", make([]byte, 2000), 0) },
		func(dir string) error { return r.fsys.Remove(dir + "/f") },
	}
	r.judge = func(dir string, errs []error) { must(t, errs[2]) }
	r.run(t, rounds(20_000))
}
