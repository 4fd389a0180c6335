package memfs

import (
	"io/fs"
	"path"
	"strings"
)

// ioFS is the io/fs view of an FS: its names are relative to the view's root, and its errors bear them.
type ioFS struct{ f *FS }

// valid reports whether name may be asked for. A NUL, which no file's name has, is invalid for os.DirFS but not for
// os.Root.FS.
func (v ioFS) valid(name string) bool {
	return fs.ValidPath(name) && (v.f.confined || strings.IndexByte(name, 0) < 0) && !hasForeignSeparator(name)
}

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
	v := *f // with f's own working directory, which a File's Chdir changes as it would the process's
	v.fromRoot = true
	return ioFS{&v}
}

// Open implements fs.FS.
func (v ioFS) Open(name string) (fs.File, error) {
	if !v.valid(name) {
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
	if !v.valid(name) {
		return nil, wrapPath("stat", name, fs.ErrInvalid)
	}
	return v.f.Stat(name)
}

// Lstat implements fs.ReadLinkFS.
func (v ioFS) Lstat(name string) (fs.FileInfo, error) {
	if !v.valid(name) {
		return nil, wrapPath("lstat", name, fs.ErrInvalid)
	}
	return v.f.Lstat(name)
}

// ReadLink implements fs.ReadLinkFS.
func (v ioFS) ReadLink(name string) (string, error) {
	if !v.valid(name) {
		return "", wrapPath("readlink", name, fs.ErrInvalid)
	}
	return v.f.Readlink(name)
}

// ReadFile implements fs.ReadFileFS.
func (v ioFS) ReadFile(name string) ([]byte, error) {
	if !v.valid(name) {
		return nil, wrapPath("readfile", name, fs.ErrInvalid)
	}
	data, err := v.f.ReadFile(name)
	if err != nil && !v.f.confined { // a detail in which os.DirFS and os.Root.FS differ
		return nil, err
	}
	return data, err
}

// ReadDir implements fs.ReadDirFS.
func (v ioFS) ReadDir(name string) ([]fs.DirEntry, error) {
	if !v.valid(name) {
		return nil, wrapPath("readdir", name, fs.ErrInvalid)
	}
	return v.f.ReadDir(name)
}

// Sub implements fs.SubFS, as fs.Sub does it for os.DirFS: the names in dir are those of the whole tree with dir before
// them.
func (v ioFS) Sub(dir string) (fs.FS, error) {
	return fs.Sub(withoutSub{v, v}, dir)
}

// withoutSub hides Sub from fs.Sub, which would call it again.
type withoutSub struct {
	fs.ReadLinkFS
	v ioFS
}

func (w withoutSub) ReadDir(name string) ([]fs.DirEntry, error) { return w.v.ReadDir(name) }
func (w withoutSub) ReadFile(name string) ([]byte, error)       { return w.v.ReadFile(name) }
func (w withoutSub) Glob(pattern string) ([]string, error)      { return w.v.Glob(pattern) }

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
