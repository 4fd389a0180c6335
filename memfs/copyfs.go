package memfs

import (
	"io"
	"io/fs"
	"os"
	"strings"
)

// CopyFS copies the tree of src into the directory dir, which it creates if need be, as os.CopyFS does: directories get
// mode 0777 and files 0666 with the source's permissions added, both before the umask; symbolic links are copied as they
// are; a file that is there already is an error. It stops at the first error.
func (f *FS) CopyFS(dir string, src fs.FS) error {
	return fs.WalkDir(src, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if !fs.ValidPath(path) || strings.IndexByte(path, 0) >= 0 { // a source must not write elsewhere
			return wrapPath("CopyFS", path, fs.ErrInvalid)
		}
		to := joinPath(dir, path)
		switch d.Type() {
		case fs.ModeDir:
			return f.MkdirAll(to, 0o777)
		case fs.ModeSymlink:
			target, err := fs.ReadLink(src, path)
			if err != nil {
				return err
			}
			return f.Symlink(target, to)
		case 0:
			return f.copyFile(to, src, path)
		}
		return wrapPath("CopyFS", path, fs.ErrInvalid)
	})
}

func (f *FS) copyFile(to string, src fs.FS, path string) error {
	r, err := src.Open(path)
	if err != nil {
		return err
	}
	defer r.Close()
	info, err := r.Stat()
	if err != nil {
		return err
	}
	w, err := f.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666|info.Mode()&0o777)
	if err != nil {
		return err
	}
	if _, err := io.Copy(w, r); err != nil {
		w.Close()
		return wrapPath("Copy", to, err)
	}
	return w.Close()
}
