package memfs_test

import (
	"fmt"
	"testing"
	"time"

	"stagefs/memfs"
)

// What Stat returns is of one moment: attributes that one call changes together are seen together.
func TestStatIsOfOneMoment(t *testing.T) {
	fsys := newFS()
	must(t, fsys.WriteFile("/f", nil, 0o600))
	f := got[*memfs.File](t)(fsys.Open("/f"))
	look := func(stat func(st *memfs.Stat) error) func(int) {
		return func(int) {
			var st memfs.Stat
			if err := stat(&st); err != nil || st.Atime != st.Mtime || st.Uid != st.Gid {
				t.Errorf("%v: times %d and %d, owner %d:%d", err, st.Atime, st.Mtime, st.Uid, st.Gid)
			}
		}
	}
	must(t, fsys.Chtimes("/f", time.Unix(1, 0), time.Unix(1, 0)))
	stop := meanwhile(look(func(st *memfs.Stat) error { return fsys.StatInto("/f", st) }), look(f.StatInto))
	for i := range rounds(60_000) {
		at := time.Unix(int64(i), 0)
		must(t, fsys.Chtimes("/f", at, at))
		must(t, fsys.Chown("/f", i, i))
	}
	stop()
	must(t, f.Close())
}

// The link count and the size of a directory are those of before or after a change, never of neither.
func TestDirectoryCountsAgree(t *testing.T) {
	fsys := newFS()
	must(t, fsys.MkdirAll("/d/stays", 0o755))
	must(t, fsys.Mkdir("/e", 0o755))
	look := func(dir string) func(int) {
		return func(int) {
			var st memfs.Stat
			if err := fsys.StatInto(dir, &st); err != nil {
				t.Error(err)
			}
			if entries := (st.Size - 40) / 20; st.Size%20 != 0 || entries < 0 || entries > 2 || st.Nlink < 2 || st.Nlink > 4 {
				t.Errorf("%s: %d links, size %d", dir, st.Nlink, st.Size)
			}
		}
	}
	stop := meanwhile(look("/d"), look("/e"))
	for i := range rounds(3000) {
		must(t, fsys.Mkdir("/d/x", 0o755))
		must(t, fsys.Rename("/d/x", "/e/x"))
		must(t, fsys.Rename("/e/x", fmt.Sprintf("/e/y%d", i)))
		must(t, fsys.Remove(fmt.Sprintf("/e/y%d", i)))
	}
	stop()
	check(t, fsys)
}

// Times that the system's clock gives do not run backwards, however many change a file or a directory at once.
func TestTimesRunForwards(t *testing.T) {
	fsys := newFS()
	must(t, fsys.Mkdir("/d", 0o755))
	must(t, fsys.WriteFile("/d/f", nil, 0o644))
	look := func(path string) func(int) {
		var last memfs.Stat
		return func(int) {
			var st memfs.Stat
			if err := fsys.StatInto(path, &st); err != nil || st.Ctime < last.Ctime || st.Mtime < last.Mtime {
				t.Errorf("%s: %v, changed at %d, then at %d; modified at %d, then at %d", path, err, last.Ctime, st.Ctime,
					last.Mtime, st.Mtime)
			}
			last = st
		}
	}
	stop := meanwhile(look("/d"), look("/d/f"))
	change := func(name string) func() {
		return func() {
			for range rounds(10_000) {
				wantError(t, "create", fsys.WriteFile("/d/"+name, nil, 0o644), nil)
				wantError(t, "write", fsys.WriteFile("/d/f", []byte(name), 0o644), nil)
				wantError(t, "chmod", fsys.Chmod("/d/f", 0o600), nil)
				wantError(t, "remove", fsys.Remove("/d/"+name), nil)
			}
		}
	}
	together(change("a"), change("b"), change("c"))
	stop()
	check(t, fsys)
}
