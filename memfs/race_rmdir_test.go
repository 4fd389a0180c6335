package memfs_test

import (
	"io/fs"
	"os"
	"syscall"
	"testing"

	"stagefs/memfs"
)

// A directory that is being removed while something is put into it is either not empty, or takes nothing any more.
func TestRmdirAgainstCreate(t *testing.T) {
	for name, create := range map[string]func(fsys *memfs.FS, dir string) error{
		"create": func(fsys *memfs.FS, dir string) error {
			f, err := fsys.Create(dir + "/d/x")
			if err == nil {
				err = f.Close()
			}
			return err
		},
		"mkdir":   func(fsys *memfs.FS, dir string) error { return fsys.Mkdir(dir+"/d/x", 0o755) },
		"symlink": func(fsys *memfs.FS, dir string) error { return fsys.Symlink("y", dir+"/d/x") },
		"link":    func(fsys *memfs.FS, dir string) error { return fsys.Link(dir+"/file", dir+"/d/x") },
		"rename file": func(fsys *memfs.FS, dir string) error {
			return fsys.Rename(dir+"/file", dir+"/d/x")
		},
		"rename directory": func(fsys *memfs.FS, dir string) error {
			return fsys.Rename(dir+"/dir", dir+"/d/x")
		},
	} {
		t.Run(name, func(t *testing.T) {
			for _, v := range variants[:4] {
				raceRmdir(t, newFS(v.options...), create)
			}
		})
	}
}

func raceRmdir(t *testing.T, fsys *memfs.FS, create func(fsys *memfs.FS, dir string) error) {
	kept, removed := 0, 0
	r := race{fsys: fsys,
		prepare: func(dir string) {
			must(t, fsys.Mkdir(dir+"/d", 0o755))
			must(t, fsys.Mkdir(dir+"/dir", 0o755))
			must(t, fsys.WriteFile(dir+"/file", nil, 0o644))
		},
		calls: []func(dir string) error{
			func(dir string) error { return fsys.Remove(dir + "/d") },
			func(dir string) error { return create(fsys, dir) },
		},
		judge: func(dir string, errs []error) {
			gone, created := errs[0], errs[1]
			switch {
			case created == nil && errnoOf(gone) == syscall.ENOTEMPTY:
				kept++
				stat(t, fsys, dir+"/d/x")
			case errnoOf(created) == syscall.ENOENT && gone == nil:
				removed++
				_, err := fsys.Lstat(dir + "/d")
				wantError(t, "stat of the removed directory", err, fs.ErrNotExist)
			default:
				t.Errorf("creation: %v, removal of the directory: %v", created, gone)
			}
		},
	}
	r.run(t, rounds(3000))
	t.Logf("kept %d times, removed %d times", kept, removed)
}

// A removed directory that is still open, or the working directory, takes nothing, and nothing can be moved out of it.
func TestRemovedDirectoryIsDead(t *testing.T) {
	eachVariant(t, func(t *testing.T, fsys *memfs.FS) {
		must(t, fsys.MkdirAll("/a/d", 0o755))
		must(t, fsys.MkdirAll("/b/d", 0o755))
		must(t, fsys.WriteFile("/f", nil, 0o644))
		open := got[*memfs.File](t)(fsys.Open("/a/d"))
		confined := got[*memfs.FS](t)(fsys.OpenRoot("/a/d"))
		inside := fsys.As(root)
		must(t, inside.Chdir("/a/d"))
		other := fsys.As(root)
		must(t, other.Chdir("/b/d"))
		must(t, fsys.Remove("/a/d"))
		must(t, fsys.Rename("/a", "/b/d/..a")) // the last parent moves
		for _, v := range []*memfs.FS{inside, confined} {
			_, err := v.Create("x")
			wantError(t, "create", err, fs.ErrNotExist)
			wantError(t, "mkdir", v.Mkdir("x", 0o755), fs.ErrNotExist)
			wantError(t, "symlink", v.Symlink("y", "x"), fs.ErrNotExist)
			wantError(t, "rename", v.Rename("x", "y"), fs.ErrNotExist)
			wantError(t, "stat", func() error { _, err := v.Stat("x"); return err }(), fs.ErrNotExist)
		}
		_, err := inside.Getwd()
		wantError(t, "getwd", err, fs.ErrNotExist)
		wantError(t, "link", inside.Link("/f", "x"), fs.ErrNotExist)
		wantError(t, "rename into", inside.Rename("/f", "x"), fs.ErrNotExist)
		_, err = open.ReadDir(-1)
		wantError(t, "list", err, fs.ErrNotExist)
		if st := got[os.FileInfo](t)(open.Stat()); st.Size() != 40 {
			t.Errorf("size of a removed directory: %d", st.Size())
		}
		must(t, open.Close())
	})
}

// Two removed trees that hang below each other's last parents do not keep a rename between them waiting.
func TestRenameBetweenRemovedDirectories(t *testing.T) {
	fsys := newFS()
	inside := map[string]*memfs.FS{}
	r := race{fsys: fsys,
		prepare: func(dir string) {
			for _, sub := range []string{"/a", "/b"} {
				must(t, fsys.MkdirAll(dir+sub+"/x", 0o755))
				inside[dir+sub] = fsys.As(root)
				must(t, inside[dir+sub].Chdir(dir+sub))
			}
		},
		calls: []func(dir string) error{
			func(dir string) error { return inside[dir+"/a"].Rename("x", dir+"/b/x/y") },
			func(dir string) error { return inside[dir+"/b"].Rename("x", dir+"/a/x/y") },
			func(dir string) error { return ignoreNotEmpty(fsys.RemoveAll(dir + "/a")) },
			func(dir string) error { return ignoreNotEmpty(fsys.RemoveAll(dir + "/b")) },
		},
		judge: func(dir string, errs []error) {
			wantError(t, "rename", errs[0], nil, syscall.ENOENT, syscall.EINVAL)
			wantError(t, "rename", errs[1], nil, syscall.ENOENT, syscall.EINVAL)
			wantError(t, "removal", errs[2], nil)
			wantError(t, "removal", errs[3], nil)
		},
	}
	r.run(t, rounds(1500))
}

// ignoreNotEmpty leaves out what RemoveAll may answer while entries come in.
func ignoreNotEmpty(err error) error {
	if errnoOf(err) == syscall.ENOTEMPTY {
		return nil
	}
	return err
}
