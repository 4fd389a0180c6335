//go:build linux

package twin

import (
	"io/fs"
	"time"

	"stagefs/memfs"
)

// memWorld is the world of memfs.
type memWorld struct {
	options []memfs.Option
}

func (w memWorld) Enter(f func(fresh func() System)) error {
	f(func() System {
		return memSystem{memTree: memTree{memfs.New(append([]memfs.Option{memfs.WithUmask(0o022)}, w.options...)...)}}
	})
	return nil
}

func (memWorld) Tick() {
	for start := time.Now(); !time.Now().After(start); {
	}
}

func (memWorld) As(sys System, tree Tree, c Cred) (System, Tree, func()) {
	cred := memfs.Cred{Uid: c.UID, Gid: c.GID, Groups: c.Groups}
	newSys := memSystem{memTree: memTree{sys.(memSystem).view.As(cred)}}
	var newTree Tree = newSys
	if root, ok := tree.(memRoot); ok {
		newTree = memRoot{memTree{root.view.As(cred)}}
	}
	return newSys, newTree, func() {}
}

// memTree turns the files of a memfs into [File]s.
type memTree struct{ *view }

// view gives the embedded field a name other than that of the method FS.
type view = memfs.FS

func memFile(f *memfs.File, err error) (File, error) {
	if f == nil {
		return nil, err
	}
	return f, err
}

func (m memTree) Open(name string) (File, error)   { return memFile(m.view.Open(name)) }
func (m memTree) Create(name string) (File, error) { return memFile(m.view.Create(name)) }
func (m memTree) OpenFile(name string, flag int, perm fs.FileMode) (File, error) {
	return memFile(m.view.OpenFile(name, flag, perm))
}
func (m memTree) OpenRoot(name string) (Root, error) {
	r, err := m.view.OpenRoot(name)
	if r == nil {
		return nil, err
	}
	return memRoot{memTree{r}}, err
}

type memSystem struct{ memTree }

func (m memSystem) CreateTemp(dir, pattern string) (File, error) {
	return memFile(m.view.CreateTemp(dir, pattern))
}
func (m memSystem) RenameFlags(oldname, newname string, flags uint) error {
	return m.view.RenameFlags(oldname, newname, memfs.RenameFlag(flags))
}
func (m memSystem) LinkFile(f File, newname string) error {
	return m.view.LinkFile(f.(*memfs.File), newname)
}
func (m memSystem) DirFS(string) fs.FS             { return m.view.FS() }
func (m memSystem) SameFile(a, b fs.FileInfo) bool { return m.view.SameFile(a, b) }

func (m memSystem) Usage() (Usage, error) {
	s := m.view.Statfs()
	return Usage{
		BlockSize: s.BlockSize, Blocks: s.Blocks, BlocksFree: s.BlocksFree,
		Inodes: s.Inodes, InodesFree: s.InodesFree, NameMax: s.NameMax,
	}, nil
}

// memRoot is a view from OpenRoot.
type memRoot struct{ memTree }
