package memfs_test

import (
	"fmt"
	"io/fs"
	"slices"
	"testing"

	"stagefs/memfs"
)

// whole reports a file that is not one whole version: all bytes alike, and of the size that version has.
func whole(t *testing.T, what string, data []byte, err error) {
	t.Helper()
	if err != nil || len(data) == 0 {
		t.Errorf("%s: %d bytes, %v", what, len(data), err)
		return
	}
	if v := data[0]; len(data) != versionSize(v) || slices.ContainsFunc(data, func(b byte) bool { return b != v }) {
		t.Errorf("%s: %d bytes that begin with %d, want %d alike", what, len(data), v, versionSize(v))
	}
}

func versionSize(v byte) int { return 1 + int(v)*700 }

// Whoever opens a file that is replaced again and again, by a rename or an exchange, finds one of its versions: through a
// path, a link, the working directory, a confined view and io/fs. On a kernel's tmpfs it is so too. libfuse 637; ydb-platform/nbs 7151.
func TestReportReplacedFileIsAlwaysThere(t *testing.T) {
	for name, replace := range map[string]func(fsys *memfs.FS) error{
		"rename":    func(fsys *memfs.FS) error { return fsys.Rename("/d/tmp", "/d/target") },
		"elsewhere": func(fsys *memfs.FS) error { return fsys.Rename("/e/tmp", "/d/target") },
		"exchange": func(fsys *memfs.FS) error {
			return fsys.RenameFlags("/e/tmp", "/d/target", memfs.RenameExchange)
		},
	} {
		t.Run(name, func(t *testing.T) {
			for _, v := range variants[:6] {
				fsys := newFS(v.options...)
				must(t, fsys.Mkdir("/d", 0o755))
				must(t, fsys.Mkdir("/e", 0o755))
				must(t, fsys.Symlink("d/target", "/link"))
				must(t, fsys.WriteFile("/d/target", make([]byte, versionSize(0)), 0o644))
				inside := fsys.As(root)
				must(t, inside.Chdir("/d"))
				confined := got[*memfs.FS](t)(fsys.OpenRoot("/d"))
				view := fsys.FS()
				stop := meanwhile(
					func(int) { data, err := fsys.ReadFile("/link"); whole(t, "link", data, err) },
					func(int) { data, err := inside.ReadFile("./target"); whole(t, "working directory", data, err) },
					func(int) { data, err := confined.ReadFile("target"); whole(t, "confined view", data, err) },
					func(int) { data, err := fs.ReadFile(view, "d/target"); whole(t, "io/fs", data, err) })
				for i := range rounds(300) {
					version := byte(i % 20)
					tmp := "/e/tmp"
					if name == "rename" {
						tmp = "/d/tmp"
					}
					must(t, fsys.RemoveAll(tmp)) // after an exchange, the version before: it may be open
					must(t, fsys.WriteFile(tmp, slices.Repeat([]byte{version}, versionSize(version)), 0o644))
					must(t, replace(fsys))
				}
				stop()
				must(t, confined.Close())
				check(t, fsys)
			}
		})
	}
}

// A listing by one call shows each file once while they change places or are renamed over each other: all names are
// there all the time. iowarp/clio-core 889; a kernel's getdents with a large buffer sees one state as well.
func TestReportListingDuringExchanges(t *testing.T) {
	const files = 12
	eachVariant(t, func(t *testing.T, fsys *memfs.FS) {
		must(t, fsys.MkdirAll("/d/sub", 0o755))
		name := func(i int) string { return fmt.Sprintf("/d/f%02d", i%files) }
		for i := range files {
			must(t, fsys.WriteFile(name(i), nil, 0o644))
			must(t, fsys.WriteFile(fmt.Sprintf("/d/sub/f%02d", i), nil, 0o644))
		}
		confined := got[*memfs.FS](t)(fsys.OpenRoot("/d"))
		stop := meanwhile(func(i int) {
			wantError(t, "exchange", fsys.RenameFlags(name(i), name(i*5+1), memfs.RenameExchange), nil)
		}, func(i int) {
			wantError(t, "exchange", fsys.RenameFlags(name(i), fmt.Sprintf("/d/sub/f%02d", i*7%files), memfs.RenameExchange), nil)
		}, func(i int) {
			wantError(t, "create", fsys.WriteFile("/d/sub/tmp", nil, 0o644), nil)
			wantError(t, "replace", fsys.Rename("/d/sub/tmp", name(i)), nil)
		})
		for i := range rounds(300) {
			var names []string
			var err error
			switch i % 3 {
			case 0:
				names, err = namesOf(fsys.ReadDir("/d"))
			case 1:
				names, err = namesOf(fs.ReadDir(confined.FS(), "."))
			default:
				f := got[*memfs.File](t)(fsys.Open("/d"))
				names, err = f.Readdirnames(-1)
				must(t, f.Close())
			}
			slices.Sort(names)
			if err != nil || len(names) != files+1 || len(slices.Compact(names)) != files+1 {
				t.Fatalf("%d names, want %d: %q, %v", len(names), files+1, names, err)
			}
		}
		stop()
		must(t, confined.Close())
	})
}
