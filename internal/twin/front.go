//go:build linux

package twin

import (
	"io"
	"io/fs"
	"os"
	"time"
)

// Tree has the methods that package os and [os.Root] have in common, with
// their signatures.
type Tree interface {
	Open(name string) (File, error)
	Create(name string) (File, error)
	OpenFile(name string, flag int, perm fs.FileMode) (File, error)
	Mkdir(name string, perm fs.FileMode) error
	MkdirAll(name string, perm fs.FileMode) error
	Remove(name string) error
	RemoveAll(name string) error
	Rename(oldname, newname string) error
	Link(oldname, newname string) error
	Symlink(oldname, newname string) error
	Readlink(name string) (string, error)
	Stat(name string) (fs.FileInfo, error)
	Lstat(name string) (fs.FileInfo, error)
	Chmod(name string, mode fs.FileMode) error
	Chown(name string, uid, gid int) error
	Lchown(name string, uid, gid int) error
	Chtimes(name string, atime, mtime time.Time) error
	ReadFile(name string) ([]byte, error)
	WriteFile(name string, data []byte, perm fs.FileMode) error
	OpenRoot(name string) (Root, error)
}

// Root is a tree confined to a directory, as [os.Root].
type Root interface {
	Tree
	Name() string
	Close() error
	FS() fs.FS
}

// System is a whole file system, with the functions of package os as methods.
type System interface {
	Tree
	Attrs
	Truncate(name string, size int64) error
	ReadDir(name string) ([]fs.DirEntry, error)
	MkdirTemp(dir, pattern string) (string, error)
	CreateTemp(dir, pattern string) (File, error)
	CopyFS(dir string, fsys fs.FS) error
	Chdir(dir string) error
	Getwd() (string, error)
	// RenameFlags is renameat2, Mknod is mknod.
	RenameFlags(oldname, newname string, flags uint) error
	Mknod(name string, mode fs.FileMode, dev uint64) error
	// LinkFile is linkat of an open file.
	LinkFile(f File, newname string) error
	SameFile(a, b fs.FileInfo) bool
	// DirFS is [os.DirFS].
	DirFS(dir string) fs.FS
	// Usage is statfs.
	Usage() (Usage, error)
}

// Usage is what a file system holds and may hold.
type Usage struct {
	BlockSize, Blocks, BlocksFree, Inodes, InodesFree, NameMax int64
}

// File has the methods of [*os.File].
type File interface {
	fs.ReadDirFile
	io.ReaderAt
	io.ReaderFrom
	io.WriterTo
	io.Writer
	io.WriterAt
	io.StringWriter
	io.Seeker
	Readdir(n int) ([]fs.FileInfo, error)
	Readdirnames(n int) ([]string, error)
	Sync() error
	Truncate(size int64) error
	Chmod(mode fs.FileMode) error
	Chown(uid, gid int) error
	Chdir() error
	Name() string
}

var _ File = (*os.File)(nil)

// Cred is who makes a call.
type Cred struct {
	UID, GID uint32
	Groups   []uint32
}

// World makes systems and knows how to act for somebody else in them.
type World interface {
	// Enter calls f where the systems of the world may be used. Fresh makes an
	// empty system: its root directory has mode 0755 and belongs to the caller,
	// the umask is 022, the working directory is the root. A system is good
	// until the next call of fresh or the return of f.
	Enter(f func(fresh func() System)) error

	// Tick returns when the clock of the world has moved on, so that what is
	// done next gets another time than what was done before.
	Tick()

	// As gives the two trees as seen by c, and a function that ends it.
	As(sys System, tree Tree, c Cred) (System, Tree, func())
}
