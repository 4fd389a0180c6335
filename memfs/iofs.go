package memfs

import (
	"io/fs"
	"path"
)

// ioFS is the io/fs view of an FS: its names are relative to the view's root, and its errors bear them.
type ioFS struct{ f *FS }

var (
	_ fs.StatFS     = ioFS{}
	_ fs.ReadFileFS = ioFS{}
	_ fs.ReadDirFS  = ioFS{}
	_ fs.ReadLinkFS = ioFS{}
	_ fs.SubFS      = ioFS{}
	_ fs.GlobFS     = ioFS{}
)

// FS returns the files as an fs.FS, rooted where the view is: like os.DirFS, or like os.Root.FS for a view from
// OpenRoot. It also is an fs.StatFS, ReadFileFS, ReadDirFS, SubFS, GlobFS and ReadLinkFS.
func (f *FS) FS() fs.FS {
	v := f.view()
	v.cwd.Store(v.root)
	return ioFS{v}
}

// Open implements fs.FS.
func (v ioFS) Open(name string) (fs.File, error) {
	if !fs.ValidPath(name) {
		return nil, wrapPath("open", name, fs.ErrInvalid)
	}
	file, err := v.f.Open(name)
	if err != nil {
		return nil, err // and no *File that is nil
	}
	return file, nil
}

// Stat implements fs.StatFS.
func (v ioFS) Stat(name string) (fs.FileInfo, error) {
	if !fs.ValidPath(name) {
		return nil, wrapPath("stat", name, fs.ErrInvalid)
	}
	return v.f.Stat(name)
}

// Lstat implements fs.ReadLinkFS.
func (v ioFS) Lstat(name string) (fs.FileInfo, error) {
	if !fs.ValidPath(name) {
		return nil, wrapPath("lstat", name, fs.ErrInvalid)
	}
	return v.f.Lstat(name)
}

// ReadLink implements fs.ReadLinkFS.
func (v ioFS) ReadLink(name string) (string, error) {
	if !fs.ValidPath(name) {
		return "", wrapPath("readlink", name, fs.ErrInvalid)
	}
	return v.f.Readlink(name)
}

// ReadFile implements fs.ReadFileFS.
func (v ioFS) ReadFile(name string) ([]byte, error) {
	if !fs.ValidPath(name) {
		return nil, wrapPath("readfile", name, fs.ErrInvalid)
	}
	return v.f.ReadFile(name)
}

// ReadDir implements fs.ReadDirFS.
func (v ioFS) ReadDir(name string) ([]fs.DirEntry, error) {
	if !fs.ValidPath(name) {
		return nil, wrapPath("readdir", name, fs.ErrInvalid)
	}
	return v.f.ReadDir(name)
}

// Sub implements fs.SubFS. The directory is looked up once: the view follows it when it is moved.
func (v ioFS) Sub(dir string) (fs.FS, error) {
	if !fs.ValidPath(dir) {
		return nil, wrapPath("sub", dir, fs.ErrInvalid)
	}
	if dir == "." {
		return v, nil
	}
	sub := v.f.view()
	if v.f.confined {
		confined, err := v.f.OpenRoot(dir)
		if err != nil {
			return nil, err
		}
		sub = confined
	} else if err := sub.Chdir(dir); err != nil {
		return nil, err
	}
	return ioFS{sub}, nil
}

// Glob implements fs.GlobFS.
func (v ioFS) Glob(pattern string) ([]string, error) {
	if _, err := path.Match(pattern, ""); err != nil {
		return nil, err
	}
	return fs.Glob(withoutGlob{v}, pattern)
}

// withoutGlob hides Glob from fs.Glob, which would call it again.
type withoutGlob struct{ v ioFS }

func (w withoutGlob) Open(name string) (fs.File, error)          { return w.v.Open(name) }
func (w withoutGlob) ReadDir(name string) ([]fs.DirEntry, error) { return w.v.ReadDir(name) }
func (w withoutGlob) Stat(name string) (fs.FileInfo, error)      { return w.v.Stat(name) }
