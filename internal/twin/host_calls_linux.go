package twin

import (
	"io/fs"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

func (hostSystem) Open(name string) (File, error)   { return hostFile(os.Open(name)) }
func (hostSystem) Create(name string) (File, error) { return hostFile(os.Create(name)) }
func (hostSystem) OpenFile(name string, flag int, perm fs.FileMode) (File, error) {
	return hostFile(os.OpenFile(name, flag, perm))
}
func (hostSystem) Mkdir(name string, perm fs.FileMode) error    { return os.Mkdir(name, perm) }
func (hostSystem) MkdirAll(name string, perm fs.FileMode) error { return os.MkdirAll(name, perm) }
func (hostSystem) Remove(name string) error                     { return os.Remove(name) }
func (hostSystem) RemoveAll(name string) error                  { return os.RemoveAll(name) }
func (hostSystem) Rename(oldname, newname string) error         { return os.Rename(oldname, newname) }
func (hostSystem) RenameFlags(oldname, newname string, flags uint) error {
	if err := unix.Renameat2(unix.AT_FDCWD, oldname, unix.AT_FDCWD, newname, flags); err != nil {
		return &os.LinkError{Op: "renameat2", Old: oldname, New: newname, Err: err}
	}
	return nil
}
func (hostSystem) LinkFile(f File, newname string) error {
	file := f.(*os.File)
	if err := unix.Linkat(int(file.Fd()), "", unix.AT_FDCWD, newname, unix.AT_EMPTY_PATH); err != nil {
		return &os.LinkError{Op: "link", Old: file.Name(), New: newname, Err: err}
	}
	return nil
}
func (hostSystem) Mknod(name string, mode fs.FileMode, dev uint64) error {
	if err := unix.Mknod(name, unixMode(mode), int(dev)); err != nil {
		return &fs.PathError{Op: "mknod", Path: name, Err: err}
	}
	return nil
}

// unixMode is mode as mknod takes it.
func unixMode(mode fs.FileMode) uint32 {
	bits := uint32(mode.Perm())
	for _, b := range []struct {
		mode fs.FileMode
		bits uint32
	}{{fs.ModeSetuid, unix.S_ISUID}, {fs.ModeSetgid, unix.S_ISGID}, {fs.ModeSticky, unix.S_ISVTX}} {
		if mode&b.mode != 0 {
			bits |= b.bits
		}
	}
	switch mode.Type() {
	case 0:
		bits |= unix.S_IFREG
	case fs.ModeNamedPipe:
		bits |= unix.S_IFIFO
	case fs.ModeSocket:
		bits |= unix.S_IFSOCK
	case fs.ModeDevice:
		bits |= unix.S_IFBLK
	case fs.ModeDevice | fs.ModeCharDevice:
		bits |= unix.S_IFCHR
	case fs.ModeDir:
		bits |= unix.S_IFDIR
	case fs.ModeSymlink:
		bits |= unix.S_IFLNK
	}
	return bits
}
func (hostSystem) Link(oldname, newname string) error        { return os.Link(oldname, newname) }
func (hostSystem) Symlink(oldname, newname string) error     { return os.Symlink(oldname, newname) }
func (hostSystem) Readlink(name string) (string, error)      { return os.Readlink(name) }
func (hostSystem) Stat(name string) (fs.FileInfo, error)     { return os.Stat(name) }
func (hostSystem) Lstat(name string) (fs.FileInfo, error)    { return os.Lstat(name) }
func (hostSystem) Chmod(name string, mode fs.FileMode) error { return os.Chmod(name, mode) }
func (hostSystem) Chown(name string, uid, gid int) error     { return os.Chown(name, uid, gid) }
func (hostSystem) Lchown(name string, uid, gid int) error    { return os.Lchown(name, uid, gid) }
func (hostSystem) Chtimes(name string, atime, mtime time.Time) error {
	return os.Chtimes(name, atime, mtime)
}
func (hostSystem) ReadFile(name string) ([]byte, error) { return os.ReadFile(name) }
func (hostSystem) WriteFile(name string, data []byte, perm fs.FileMode) error {
	return os.WriteFile(name, data, perm)
}
func (hostSystem) OpenRoot(name string) (Root, error) { return hostRootOf(os.OpenRoot(name)) }

// hostRoot is an [os.Root] whose files are [File]s.
type hostRoot struct{ *os.Root }

func hostRootOf(r *os.Root, err error) (Root, error) {
	if r == nil {
		return nil, err
	}
	return hostRoot{r}, err
}

func (r hostRoot) Open(name string) (File, error)   { return hostFile(r.Root.Open(name)) }
func (r hostRoot) Create(name string) (File, error) { return hostFile(r.Root.Create(name)) }
func (r hostRoot) OpenFile(name string, flag int, perm fs.FileMode) (File, error) {
	return hostFile(r.Root.OpenFile(name, flag, perm))
}
func (r hostRoot) OpenRoot(name string) (Root, error) { return hostRootOf(r.Root.OpenRoot(name)) }
