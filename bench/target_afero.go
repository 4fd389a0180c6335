package bench

import (
	"io/fs"
	"os"

	"github.com/spf13/afero"
)

// aferoTarget is afero's MemMapFs. It checks no permissions and creates
// missing parents.
type aferoTarget struct{ fs afero.Fs }

func openAfero() (target, error) { return &aferoTarget{afero.NewMemMapFs()}, nil }

func (t *aferoTarget) impl() string { return "afero" }
func (t *aferoTarget) root() string { return "" }

func (t *aferoTarget) create(name string) error {
	f, err := t.fs.Create(name)
	if err != nil {
		return err
	}
	return f.Close()
}

func (t *aferoTarget) writeFile(name string, data []byte) error {
	return afero.WriteFile(t.fs, name, data, 0o666)
}

func (t *aferoTarget) mkdir(name string) error               { return t.fs.Mkdir(name, 0o777) }
func (t *aferoTarget) remove(name string) error              { return t.fs.Remove(name) }
func (t *aferoTarget) rename(from, to string) error          { return t.fs.Rename(from, to) }
func (t *aferoTarget) stat(name string) (fs.FileInfo, error) { return t.fs.Stat(name) }

// newLookup is Stat: MemMapFs has nothing cheaper.
func (t *aferoTarget) newLookup() func(string) error {
	return func(name string) error {
		_, err := t.fs.Stat(name)
		return err
	}
}

func (t *aferoTarget) openRead(name string, buf []byte) (int, error) {
	f, err := t.fs.Open(name)
	if err != nil {
		return 0, err
	}
	return readClose(f, buf)
}

func (t *aferoTarget) listSorted(dir string) (int, error) {
	infos, err := afero.ReadDir(t.fs, dir)
	return len(infos), err
}

func (t *aferoTarget) list(dir string) (int, error) {
	f, err := t.fs.Open(dir)
	if err != nil {
		return 0, err
	}
	var infos []os.FileInfo
	infos, err = f.Readdir(-1)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	return len(infos), err
}

func (t *aferoTarget) pages(string, int) (int, error) {
	return 0, skipped("a listing cannot be resumed in another handle")
}

func (t *aferoTarget) close() error {
	t.fs = nil
	return nil
}
