package bench

import (
	"io"
	"io/fs"

	"stagefs/memfs"
	"stagefs/rbdir"
)

// memTarget is memfs or one of its variants.
type memTarget struct {
	name string
	fs   *memfs.FS
}

func openMemfs() (target, error) { return newMemTarget("memfs") }

// openMemfsCached is memfs with room in its dentry cache for n names.
func openMemfsCached(n int) (target, error) { return newMemTarget("memfs", memfs.WithDcache(n)) }

// openRWMutex is memfs without a dentry cache: each step of a walk takes the
// directory's latch, an RWMutex, shared.
func openRWMutex() (target, error) {
	return newMemTarget("rwmutex", memfs.WithDcache(0), memfs.WithoutStage())
}

// openList is memfs whose directories are linked lists.
func openList() (target, error) {
	return newMemTarget("list", memfs.WithDirectoryIndex(func() rbdir.Index[memfs.Ref] { return newList[memfs.Ref]() }))
}

func newMemTarget(name string, opts ...memfs.Option) (target, error) {
	return &memTarget{name, memfs.New(opts...)}, nil
}

func (t *memTarget) impl() string { return t.name }
func (t *memTarget) root() string { return "" }

func (t *memTarget) create(name string) error {
	f, err := t.fs.Create(name)
	if err != nil {
		return err
	}
	return f.Close()
}

func (t *memTarget) writeFile(name string, data []byte) error {
	return t.fs.WriteFile(name, data, 0o666)
}
func (t *memTarget) mkdir(name string) error               { return t.fs.Mkdir(name, 0o777) }
func (t *memTarget) remove(name string) error              { return t.fs.Remove(name) }
func (t *memTarget) rename(from, to string) error          { return t.fs.Rename(from, to) }
func (t *memTarget) stat(name string) (fs.FileInfo, error) { return t.fs.Stat(name) }

// newLookup keeps the caller's struct apart from that of another goroutine.
func (t *memTarget) newLookup() func(string) error {
	padded := new(struct {
		_  [cacheLine]byte
		st memfs.Stat
		_  [cacheLine]byte
	})
	return func(name string) error { return t.fs.StatInto(name, &padded.st) }
}

func (t *memTarget) openRead(name string, buf []byte) (int, error) {
	f, err := t.fs.Open(name)
	if err != nil {
		return 0, err
	}
	return readClose(f, buf)
}

func (t *memTarget) listSorted(dir string) (int, error) {
	entries, err := t.fs.ReadDir(dir)
	return len(entries), err
}

func (t *memTarget) list(dir string) (int, error) {
	f, err := t.fs.Open(dir)
	if err != nil {
		return 0, err
	}
	entries, err := f.ReadDir(-1)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	return len(entries), err
}

func (t *memTarget) pages(dir string, size int) (int, error) {
	total, cookie := 0, int64(0)
	for {
		n, next, err := t.page(dir, size, cookie)
		if err != nil || n == 0 {
			return total, err
		}
		total, cookie = total+n, next
	}
}

// page reads up to size entries after cookie in a new handle and returns their
// number and the cookie of the last.
func (t *memTarget) page(dir string, size int, cookie int64) (int, int64, error) {
	f, err := t.fs.Open(dir)
	if err != nil {
		return 0, 0, err
	}
	defer f.Close()
	if cookie != 0 {
		if _, err := f.Seek(cookie, io.SeekStart); err != nil {
			return 0, 0, err
		}
	}
	entries, err := f.ReadDir(size)
	if err == io.EOF {
		return 0, 0, nil
	}
	if err != nil {
		return 0, 0, err
	}
	next, err := f.Seek(0, io.SeekCurrent)
	return len(entries), next, err
}

// close drops the reference; the garbage collector does the rest.
func (t *memTarget) close() error {
	err := t.fs.Close()
	t.fs = nil
	return err
}
