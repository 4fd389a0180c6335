package bench

import (
	"io/fs"
	"os"
)

// osTarget is package os in a fresh directory of a kernel file system. Its
// paths are longer than those of the others by that directory.
type osTarget struct{ name, dir string }

// openTempDir is the file system of temporary files, whichever that is.
func openTempDir() (target, error) { return newOSTarget("os", os.TempDir()) }

// openTmpfs is a kernel tmpfs.
func openTmpfs() (target, error) {
	dir, err := tmpfsDir()
	if err != nil {
		return nil, err
	}
	return newOSTarget("tmpfs", dir)
}

func newOSTarget(name, parent string) (target, error) {
	dir, err := os.MkdirTemp(parent, "stagefs-bench-")
	if err != nil {
		return nil, err
	}
	return &osTarget{name, dir}, nil
}

func (t *osTarget) impl() string { return t.name }
func (t *osTarget) root() string { return t.dir }

func (t *osTarget) create(name string) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	return f.Close()
}

func (t *osTarget) writeFile(name string, data []byte) error { return os.WriteFile(name, data, 0o666) }
func (t *osTarget) mkdir(name string) error                  { return os.Mkdir(name, 0o777) }
func (t *osTarget) remove(name string) error                 { return os.Remove(name) }
func (t *osTarget) rename(from, to string) error             { return os.Rename(from, to) }
func (t *osTarget) stat(name string) (fs.FileInfo, error)    { return os.Stat(name) }
func (t *osTarget) newLookup() func(string) error            { return newStatCall() }

func (t *osTarget) openRead(name string, buf []byte) (int, error) {
	f, err := os.Open(name)
	if err != nil {
		return 0, err
	}
	return readClose(f, buf)
}

func (t *osTarget) listSorted(dir string) (int, error) {
	entries, err := os.ReadDir(dir)
	return len(entries), err
}

func (t *osTarget) list(dir string) (int, error) {
	f, err := os.Open(dir)
	if err != nil {
		return 0, err
	}
	entries, err := f.ReadDir(-1)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	return len(entries), err
}

func (t *osTarget) pages(dir string, size int) (int, error) { return kernelPages(dir, size) }

func (t *osTarget) close() error { return os.RemoveAll(t.dir) }
