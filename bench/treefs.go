package bench

import (
	"io"
	"io/fs"
	"os"

	"stagefs/memfs"
)

// treeFS is what the experiment tree calls, with os's names and types.
type treeFS interface {
	Chmod(name string, mode fs.FileMode) error
	Lstat(name string) (fs.FileInfo, error)
	Mkdir(name string, perm fs.FileMode) error
	ReadDir(name string) ([]fs.DirEntry, error)
	Readlink(name string) (string, error)
	RemoveAll(path string) error
	Rename(oldpath, newpath string) error
	Symlink(oldname, newname string) error

	create(name string) (io.WriteCloser, error)
	open(name string) (io.ReadCloser, error)
	top() string // a path that does not exist yet, in an empty directory
	close() error
}

func openTree(impl string) (treeFS, error) {
	switch impl {
	case "memfs":
		return treeMem{memfs.New()}, nil
	case "tmpfs":
		dir, err := tmpfsDir()
		if err != nil {
			return nil, err
		}
		return newTreeOS(dir)
	}
	return newTreeOS(os.TempDir())
}

type treeMem struct{ *memfs.FS }

func (t treeMem) create(name string) (io.WriteCloser, error) {
	return t.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
}

func (t treeMem) open(name string) (io.ReadCloser, error) { return t.Open(name) }
func (t treeMem) top() string                             { return "/tree" }
func (t treeMem) close() error                            { return t.Close() }

type treeOS struct{ dir string }

func newTreeOS(parent string) (treeFS, error) {
	dir, err := os.MkdirTemp(parent, "stagefs-bench-")
	if err != nil {
		return nil, err
	}
	return treeOS{dir}, nil
}

func (treeOS) Chmod(name string, mode fs.FileMode) error  { return os.Chmod(name, mode) }
func (treeOS) Lstat(name string) (fs.FileInfo, error)     { return os.Lstat(name) }
func (treeOS) Mkdir(name string, perm fs.FileMode) error  { return os.Mkdir(name, perm) }
func (treeOS) ReadDir(name string) ([]fs.DirEntry, error) { return os.ReadDir(name) }
func (treeOS) Readlink(name string) (string, error)       { return os.Readlink(name) }
func (treeOS) RemoveAll(path string) error                { return os.RemoveAll(path) }
func (treeOS) Rename(oldpath, newpath string) error       { return os.Rename(oldpath, newpath) }
func (treeOS) Symlink(oldname, newname string) error      { return os.Symlink(oldname, newname) }
func (treeOS) open(name string) (io.ReadCloser, error)    { return os.Open(name) }

func (treeOS) create(name string) (io.WriteCloser, error) {
	return os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
}

func (t treeOS) top() string  { return t.dir + "/tree" }
func (t treeOS) close() error { return os.RemoveAll(t.dir) }
