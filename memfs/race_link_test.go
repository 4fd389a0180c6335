package memfs_test

import (
	"os"
	"sync"
	"syscall"
	"testing"

	"stagefs/memfs"
)

// A link to a file whose last name is being removed either comes first, and keeps the file, or finds nothing.
func TestLinkAgainstLastUnlink(t *testing.T) {
	for _, held := range []bool{false, true} {
		for _, v := range variants[:4] {
			raceLink(t, newFS(v.options...), held)
		}
	}
}

// raceLink keeps the files open if held: then an inode without names is still there to be linked by mistake.
func raceLink(t *testing.T, fsys *memfs.FS, held bool) {
	files := map[string]*memfs.File{}
	linked, lost := 0, 0
	r := race{fsys: fsys,
		prepare: func(dir string) {
			must(t, fsys.WriteFile(dir+"/f", []byte("contents"), 0o644))
			if held {
				files[dir] = got[*memfs.File](t)(fsys.Open(dir + "/f"))
			}
		},
		calls: []func(dir string) error{
			func(dir string) error { return fsys.Link(dir+"/f", dir+"/g") },
			func(dir string) error { return fsys.Remove(dir + "/f") },
		},
		judge: func(dir string, errs []error) {
			must(t, errs[1])
			var st memfs.Stat
			if f := files[dir]; f != nil {
				must(t, f.StatInto(&st))
				must(t, f.Close())
				if want := map[bool]uint32{true: 1}[errs[0] == nil]; st.Nlink != want {
					t.Errorf("link: %v, then %d links", errs[0], st.Nlink)
				}
			}
			if errs[0] == nil {
				linked++
				if st = stat(t, fsys, dir+"/g"); st.Nlink != 1 || st.Blocks != 8 {
					t.Errorf("%d links, %d blocks", st.Nlink, st.Blocks)
				}
				return
			}
			lost++
			wantError(t, "link", errs[0], syscall.ENOENT)
			wantError(t, "stat of the failed link", fsys.StatInto(dir+"/g", &st), syscall.ENOENT)
		},
	}
	r.run(t, rounds(2000))
	t.Logf("linked %d times, lost %d times", linked, lost)
}

// Of two goroutines that remove one name, or make it, one succeeds.
func TestOnlyOneSucceeds(t *testing.T) {
	for name, c := range map[string]struct {
		call func(fsys *memfs.FS, dir string) error
		want syscall.Errno // of the other
	}{
		"remove": {func(fsys *memfs.FS, dir string) error { return fsys.Remove(dir + "/f") }, syscall.ENOENT},
		"rmdir":  {func(fsys *memfs.FS, dir string) error { return fsys.Remove(dir + "/d") }, syscall.ENOENT},
		"rename": {func(fsys *memfs.FS, dir string) error { return fsys.Rename(dir+"/f", dir+"/d/f") }, syscall.ENOENT},
		"mkdir":  {func(fsys *memfs.FS, dir string) error { return fsys.Mkdir(dir+"/n", 0o755) }, syscall.EEXIST},
		"link":   {func(fsys *memfs.FS, dir string) error { return fsys.Link(dir+"/f", dir+"/n") }, syscall.EEXIST},
		"symlink": {func(fsys *memfs.FS, dir string) error { return fsys.Symlink("f", dir+"/n") },
			syscall.EEXIST},
		"exclusive": {func(fsys *memfs.FS, dir string) error {
			f, err := fsys.OpenFile(dir+"/n", os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o644)
			if err == nil {
				err = f.Close()
			}
			return err
		}, syscall.EEXIST},
	} {
		t.Run(name, func(t *testing.T) {
			fsys := newFS()
			r := race{fsys: fsys,
				prepare: func(dir string) {
					must(t, fsys.Mkdir(dir+"/d", 0o755))
					must(t, fsys.WriteFile(dir+"/f", nil, 0o644))
				},
				judge: func(dir string, errs []error) {
					if (errs[0] == nil) == (errs[1] == nil) {
						t.Errorf("%v and %v", errs[0], errs[1])
					}
					wantError(t, "the first", errs[0], nil, c.want)
					wantError(t, "the second", errs[1], nil, c.want)
				},
			}
			call := func(dir string) error { return c.call(fsys, dir) }
			r.calls = []func(dir string) error{call, call}
			r.run(t, rounds(1000))
		})
	}
}

// Goroutines that create one file without O_EXCL all open the same.
func TestCreateTogether(t *testing.T) {
	fsys := newFS()
	files := map[string]*memfs.File{}
	var mu sync.Mutex
	create := func(key string) func(dir string) error {
		return func(dir string) error {
			f, err := fsys.OpenFile(dir+"/f", os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o644)
			if err != nil {
				return err
			}
			_, err = f.WriteString(key)
			mu.Lock()
			files[dir+key] = f
			mu.Unlock()
			return err
		}
	}
	r := race{fsys: fsys,
		prepare: func(string) {},
		calls:   []func(dir string) error{create("A"), create("B"), create("C")},
		judge: func(dir string, errs []error) {
			data := got[[]byte](t)(fsys.ReadFile(dir + "/f"))
			if len(data) != 3 {
				t.Errorf("three files in one, with %q", data)
			}
			for _, key := range []string{"A", "B", "C"} {
				must(t, files[dir+key].Close())
			}
			for _, err := range errs {
				must(t, err)
			}
		},
	}
	r.run(t, rounds(1000))
}
