package bench

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// treeRounds bounds the rounds of tree, which take seconds each.
const treeRounds = 4

func runTree(c *Context) error {
	dir := c.cfg.TreeDir
	if dir == "" {
		var err error
		if dir, err = defaultTree(); err != nil {
			return err
		}
	}
	src, err := scanTree(c, dir)
	if err != nil {
		return fmt.Errorf("the tree to copy cannot be read: %w", err)
	}
	if src.special > 0 {
		c.fail("memfs", "step=copy", skipped(fmt.Sprintf("%d devices, sockets or pipes are left out", src.special)))
	}
	var subjects []subject
	for _, impl := range []string{"memfs", "tmpfs", "os"} {
		subjects = append(subjects, subject{impl, "step=copy", func(m *meter) error {
			t, err := openTree(impl)
			if err == nil {
				err = treeRound(m, t, src)
			}
			if errno := syscall.Errno(0); impl != "memfs" && errors.As(err, &errno) {
				return skipped(err.Error()) // this machine has no room for it, or no right; no tree differs
			}
			return err
		}})
	}
	c.compareRounds(min(c.cfg.Count, treeRounds), subjects...)
	trim()
	return nil
}

// defaultTree returns the directory of Go's standard library.
func defaultTree() (string, error) {
	out, err := exec.Command("go", "env", "GOROOT").Output()
	root := strings.TrimSpace(string(out))
	if err != nil || root == "" {
		return "", fmt.Errorf("no directory was given, and \"go env GOROOT\" names none: %w", err)
	}
	return filepath.Join(root, "src"), nil
}

// source is the directory tree to copy.
type source struct {
	dir     string
	items   []item // parents before their children; the first is dir itself
	files   int    // regular files
	dirs    int
	bytes   int64 // in regular files
	special int   // left out

	aside string // a name that nothing in the tree has
}

type item struct {
	rel    string // slash-separated, "" for the top
	mode   fs.FileMode
	size   int64
	target string // of a symbolic link
}

// scanTree lists dir and reads every file once, so that no rival has to wait
// for a disk that the next finds in the page cache.
func scanTree(c *Context, dir string) (*source, error) {
	src := &source{dir: dir, aside: ".stagefs-bench-renamed"}
	root, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil, err
	}
	err = filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err == nil {
			err = c.ctx.Err()
		}
		if err != nil {
			return err
		}
		return src.add(root, name, d)
	})
	src.dir = root
	for slices.ContainsFunc(src.items, func(it item) bool { return path.Base(it.rel) == src.aside }) {
		src.aside += "_"
	}
	return src, err
}

func (s *source) add(root, name string, d fs.DirEntry) error {
	info, err := d.Info()
	if err != nil {
		return err
	}
	it := item{mode: info.Mode()}
	if name != root {
		rel, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		it.rel = "/" + filepath.ToSlash(rel)
	}
	switch {
	case it.mode.IsDir():
		s.dirs++
	case it.mode.IsRegular():
		if it.size, err = discard(name); err != nil {
			return err
		}
		s.files++
		s.bytes += it.size
	case it.mode&fs.ModeSymlink != 0:
		if it.target, err = os.Readlink(name); err != nil {
			return err
		}
	default:
		s.special++
		return nil
	}
	s.items = append(s.items, it)
	return nil
}

func (s *source) path(it item) string { return s.dir + filepath.FromSlash(it.rel) }

// discard reads the file and returns its length.
func discard(name string) (int64, error) {
	f, err := os.Open(name)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	return io.Copy(io.Discard, f)
}

// sameContents compares two streams to their ends.
func sameContents(a, b io.Reader, bufA, bufB []byte) (bool, error) {
	for {
		n, errA := io.ReadFull(a, bufA)
		m, errB := io.ReadFull(b, bufB)
		if !bytes.Equal(bufA[:n], bufB[:m]) {
			return false, nil
		}
		endA, endB := atEnd(errA), atEnd(errB)
		switch {
		case errA != nil && !endA:
			return false, errA
		case errB != nil && !endB:
			return false, errB
		case endA || endB:
			return endA && endB, nil
		}
	}
}

func atEnd(err error) bool { return err == io.EOF || err == io.ErrUnexpectedEOF }
