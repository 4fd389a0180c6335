package bench

import (
	"fmt"
	"io/fs"

	"github.com/go-git/go-billy/v5"
	billymem "github.com/go-git/go-billy/v5/memfs"
)

// billyTarget is go-billy's memfs. It checks no permissions, creates missing
// parents, and may not be changed by two goroutines at once.
type billyTarget struct{ fs billy.Filesystem }

func openBilly() (target, error) { return &billyTarget{billymem.New()}, nil }

func (t *billyTarget) impl() string { return "billy" }
func (t *billyTarget) root() string { return "" }

func (t *billyTarget) create(name string) error {
	f, err := t.fs.Create(name)
	if err != nil {
		return err
	}
	return f.Close()
}

func (t *billyTarget) writeFile(name string, data []byte) error {
	f, err := t.fs.Create(name)
	if err != nil {
		return err
	}
	n, err := f.Write(data)
	if err == nil && n < len(data) {
		err = fmt.Errorf("%s: wrote %d bytes of %d", name, n, len(data))
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	return err
}

// mkdir is MkdirAll: there is no Mkdir.
func (t *billyTarget) mkdir(name string) error  { return t.fs.MkdirAll(name, 0o777) }
func (t *billyTarget) remove(name string) error { return t.fs.Remove(name) }

// rename adds the names to the error, which has none.
func (t *billyTarget) rename(from, to string) error {
	if err := t.fs.Rename(from, to); err != nil {
		return fmt.Errorf("rename %s %s: %w", from, to, err)
	}
	return nil
}

func (t *billyTarget) stat(name string) (fs.FileInfo, error) { return t.fs.Stat(name) }

// newLookup is Stat: there is nothing cheaper.
func (t *billyTarget) newLookup() func(string) error {
	return func(name string) error {
		_, err := t.fs.Stat(name)
		return err
	}
}

func (t *billyTarget) openRead(name string, buf []byte) (int, error) {
	f, err := t.fs.Open(name)
	if err != nil {
		return 0, err
	}
	return readClose(f, buf)
}

func (t *billyTarget) listSorted(dir string) (int, error) {
	infos, err := t.fs.ReadDir(dir)
	return len(infos), err
}

func (t *billyTarget) list(string) (int, error) {
	return 0, skipped("lists in the order of names only")
}

func (t *billyTarget) pages(string, int) (int, error) {
	return 0, skipped("a listing cannot be resumed in another handle")
}

func (t *billyTarget) close() error {
	t.fs = nil
	return nil
}
