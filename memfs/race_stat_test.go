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
