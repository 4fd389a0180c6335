package bench

import (
	"io"
	"io/fs"
	"path"
)

// target is one file system under test. Paths begin with root. The methods do
// what package os does under their names and add no work of their own, so that
// an adapter costs each rival the same: one call through the interface.
type target interface {
	impl() string
	root() string // "" in memory; the directory that was made for it in a kernel file system

	create(name string) error // an empty file, closed again
	writeFile(name string, data []byte) error
	mkdir(name string) error
	remove(name string) error
	rename(from, to string) error
	stat(name string) (fs.FileInfo, error)

	// newLookup returns the cheapest call that tells whether and what name is,
	// for use by one goroutine: into the caller's struct where there is such a
	// call, else stat.
	newLookup() func(name string) error

	// openRead opens name, reads once into buf and closes.
	openRead(name string, buf []byte) (int, error)

	listSorted(dir string) (int, error)      // all entries, by name
	list(dir string) (int, error)            // all entries, in the order that costs least
	pages(dir string, size int) (int, error) // pages of size entries, each from a new handle by cookie
	close() error                            // gives everything back
}

// cacheLine is the distance at which two goroutines' memory does not share a
// cache line, prefetched neighbours included.
const cacheLine = 128

// openers makes a fresh, empty target of each implementation.
var openers = map[string]func() (target, error){
	"memfs":   openMemfs,
	"list":    openList,
	"rwmutex": openRWMutex,
	"afero":   openAfero,
	"billy":   openBilly,
	"tmpfs":   openTmpfs,
	"os":      openTempDir,

	"stage":      opener("stage"),
	"stage-list": opener("stage-list"),
	"stage-hash": opener("stage-hash"),
	"original":   opener("original"),
	"full-path":  opener("full-path"),
}

func open(impl string) (target, error) {
	f, ok := openers[impl]
	if !ok {
		panic("bench: no implementation " + impl)
	}
	return f()
}

// The rivals of most experiments.
var (
	everyone   = []string{"memfs", "list", "afero", "billy", "tmpfs"}    // of directories
	everywhere = []string{"memfs", "rwmutex", "afero", "billy", "tmpfs"} // of walks
)

// fixtures opens a target of each impl and prepares it. One that fails gets a
// row with its error under param. The caller closes the rest with closeAll.
func (c *Context) fixtures(param string, impls []string, prepare func(target) error) []target {
	var ready []target
	for _, impl := range impls {
		if c.ctx.Err() != nil {
			break
		}
		c.step(impl, param, true)
		t, err := open(impl)
		if err == nil {
			if err = guard(func() error { return prepare(t) }); err != nil {
				_ = t.close() // the row tells the first error
			}
		}
		if err != nil {
			c.fail(impl, param, err)
			continue
		}
		ready = append(ready, t)
	}
	return ready
}

// closeAll closes the targets of an experiment and gives their memory back.
func (c *Context) closeAll(targets []target) {
	for i, t := range targets {
		if err := t.close(); err != nil {
			c.fail(t.impl(), "close", err)
		}
		targets[i] = nil
	}
	trim()
}

// fresh calls f with an empty target of impl and closes it.
func fresh(impl string, f func(target) error) error {
	t, err := open(impl)
	if err != nil {
		return err
	}
	err = f(t)
	if cerr := t.close(); err == nil {
		err = cerr
	}
	return err
}

func baseName(name string) string { return path.Base(name) }

// readClose reads once from f and closes it.
func readClose(f io.ReadCloser, buf []byte) (int, error) {
	n, err := f.Read(buf)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	return n, err
}
