package memfs_test

import (
	"fmt"
	"io/fs"
	"os"
	"slices"
	"testing"

	"stagefs/memfs"
)

func TestCred(t *testing.T) {
	groups := []uint32{2000}
	fsys := memfs.New(memfs.WithCred(memfs.Cred{Uid: 1000, Gid: 1000, Groups: groups}))
	groups[0] = 0 // is ours, not the file system's
	cred := fsys.Cred()
	if cred.Uid != 1000 || cred.Gid != 1000 || !slices.Equal(cred.Groups, []uint32{2000}) {
		t.Errorf("credentials: %+v", cred)
	}
	cred.Groups[0] = 0
	if !slices.Equal(fsys.Cred().Groups, []uint32{2000}) {
		t.Error("a caller changed the file system's groups")
	}
	if st := stat(t, fsys, "/"); st.Uid != 1000 || st.Gid != 1000 || st.Mode != 0o040755 {
		t.Errorf("the root belongs to %d:%d, mode %o", st.Uid, st.Gid, st.Mode)
	}
	must(t, fsys.WriteFile("/f", nil, 0o644))
	asBob := fsys.As(bob)
	wantError(t, "bob creates", asBob.Mkdir("/d", 0o755), fs.ErrPermission)
	wantError(t, "bob's chmod", asBob.Chmod("/f", 0), fs.ErrPermission)
	if asBob.Cred().Uid != 1001 || fsys.Cred().Uid != 1000 {
		t.Error("As changed its receiver")
	}
	must(t, fsys.As(root).Chown("/f", 1001, 1001))
	must(t, asBob.Chmod("/f", 0))
}

// Without an option, the calls act as the user of the process.
func TestProcessCred(t *testing.T) {
	fsys := memfs.New()
	want := func(id int) uint32 {
		if id < 0 {
			return 1000
		}
		return uint32(id)
	}
	cred := fsys.Cred()
	if cred.Uid != want(os.Geteuid()) || cred.Gid != want(os.Getegid()) {
		t.Errorf("%+v", cred)
	}
	must(t, fsys.WriteFile("/f", nil, 0o600))
	if st := stat(t, fsys, "/f"); st.Uid != cred.Uid || st.Gid != cred.Gid {
		t.Errorf("a new file belongs to %d:%d", st.Uid, st.Gid)
	}
}

// cached reports whether a lookup of path is answered by the cache, which it is after the first time.
func cached(t *testing.T, fsys *memfs.FS, path string) bool {
	t.Helper()
	_, _ = fsys.Lstat(path)
	before := fsys.Statfs().DcacheStats.Misses
	_, _ = fsys.Lstat(path)
	return fsys.Statfs().DcacheStats.Misses == before
}

func TestNegativeEntries(t *testing.T) {
	for _, on := range []bool{true, false} {
		fsys := newFS(memfs.WithNegative(on), memfs.WithDcache(memfs.DefaultDcache))
		must(t, fsys.WriteFile("/f", nil, 0o644))
		if !cached(t, fsys, "/f") {
			t.Error("a name that is there is not cached")
		}
		if cached(t, fsys, "/none") != on {
			t.Errorf("negative entries %v, a name that is not there is cached: %v", on, !on)
		}
		before := fsys.Statfs().DcacheStats
		for i := range 100 {
			must(t, fsys.WriteFile(fmt.Sprintf("/d%d", i), nil, 0o644))
			must(t, fsys.Remove(fmt.Sprintf("/d%d", i)))
		}
		if after := fsys.Statfs().DcacheStats; after.Entries != before.Entries {
			t.Errorf("creations and removals left %d entries", after.Entries-before.Entries)
		}
	}
}

func TestDcacheSize(t *testing.T) {
	for _, c := range []struct{ given, limit int }{{-5, 0}, {0, 0}, {1, 1}, {64, 64}, {1000, 1000}} {
		fsys := newFS(memfs.WithDcache(c.given))
		for i := range 2000 {
			path := fmt.Sprintf("/f%d", i)
			must(t, fsys.WriteFile(path, nil, 0o644))
			got[fs.FileInfo](t)(fsys.Stat(path))
			_, _ = fsys.Stat(path + "x")
			if s := fsys.Statfs().DcacheStats; s.Entries > c.limit || s.Limit != c.limit {
				t.Fatalf("limit %d: %+v", c.limit, s)
			}
		}
		s := fsys.Statfs().DcacheStats
		if c.limit > 0 && (s.Evictions == 0 || s.Fills == 0 || s.Misses < 2000 || s.Entries < c.limit/2) {
			t.Errorf("limit %d: %+v", c.limit, s)
		}
		check(t, fsys)
	}
	if s := newFS().Statfs().DcacheStats; s.Limit != *dcacheSize {
		t.Errorf("default: %+v", s)
	}
}

// Two file systems of one process share nothing, though their inode numbers are alike.
func TestTwoFileSystems(t *testing.T) {
	a, b := newFS(), newFS()
	for _, fsys := range []*memfs.FS{a, b} {
		must(t, fsys.WriteFile("/f", nil, 0o644))
		must(t, fsys.Link("/f", "/g"))
	}
	must(t, a.WriteFile("/only a", nil, 0o644))
	infoA, infoB := got[fs.FileInfo](t)(a.Stat("/f")), got[fs.FileInfo](t)(b.Stat("/f"))
	other := got[fs.FileInfo](t)(a.Stat("/g"))
	host, err := os.Stat(".")
	must(t, err)
	switch {
	case !a.SameFile(infoA, other) || !a.SameFile(infoA, infoA):
		t.Error("two names of one file are not the same")
	case a.SameFile(infoA, infoB) || b.SameFile(infoA, infoB):
		t.Error("files of two file systems are the same")
	case a.SameFile(infoA, host) || a.SameFile(host, host):
		t.Error("a file of the system is the same as one of this")
	}
	if stat(t, a, "/f").Dev == stat(t, b, "/f").Dev {
		t.Error("two file systems have one device number")
	}
	_, err = b.Stat("/only a")
	wantError(t, "stat", err, fs.ErrNotExist)
}

// Each view has its own working directory, user and root; they start with those of the view they come from.
func TestViews(t *testing.T) {
	fsys := newFS()
	must(t, fsys.MkdirAll("/home/alice/docs", 0o777))
	must(t, fsys.Chdir("/home"))
	view := fsys.As(root)
	must(t, view.Chdir("alice"))
	for v, want := range map[*memfs.FS]string{fsys: "/home", view: "/home/alice"} {
		if wd := got[string](t)(v.Getwd()); wd != want {
			t.Errorf("working directory %s, want %s", wd, want)
		}
	}
	confined := got[*memfs.FS](t)(fsys.OpenRoot("/home/alice"))
	must(t, confined.WriteFile("docs/f", []byte("x"), 0o644))
	must(t, fsys.Rename("/home/alice", "/elsewhere"))
	if data := got[[]byte](t)(confined.ReadFile("docs/../docs/f")); string(data) != "x" {
		t.Errorf("read %q", data)
	}
	if wd := got[string](t)(view.Getwd()); wd != "/elsewhere" {
		t.Errorf("the working directory moved to %s", wd)
	}
	_, err := confined.Stat("../home")
	if err == nil {
		t.Error("the confined view sees what is outside")
	}
	must(t, confined.Close())
	_, err = confined.Stat("docs/f")
	wantError(t, "stat in a closed view", err, fs.ErrClosed)
	must(t, fsys.Close())
	must(t, view.WriteFile("docs/g", nil, 0o644))
}
