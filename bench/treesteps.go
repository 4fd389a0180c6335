package bench

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// treeRun is one round of tree on one file system.
type treeRun struct {
	treeFS
	ctx        context.Context
	src        *source
	bufA, bufB []byte
}

// treeRound takes all steps. An operation is a step over the whole tree; its
// param says how many files, directories and links it touched and how many
// bytes it moved.
func treeRound(m *meter, t treeFS, src *source) (err error) {
	r := &treeRun{treeFS: t, ctx: m.ctx, src: src, bufA: make([]byte, 64<<10), bufB: make([]byte, 64<<10)}
	defer func() {
		if err != nil {
			_ = r.makeWritable() // else it may not be possible to remove it
		}
		if cerr := t.close(); err == nil {
			err = cerr
		}
	}()
	all := len(src.items)
	steps := []struct {
		name  string
		files int
		bytes int64
		run   func() error
	}{
		{"copy", all, src.bytes, r.copy},
		{"check", all, src.bytes, r.check},
		{"walk", all, 0, r.walk},
		{"stat", all, 0, r.stat},
		{"read", src.files, src.bytes, r.read},
		{"rename", 2 * (src.dirs - 1), 0, r.rename},
		{"remove", all, 0, func() error { return r.RemoveAll(r.top()) }},
	}
	for _, s := range steps {
		if s.name == "rename" {
			if err := r.makeWritable(); err != nil {
				return err
			}
		}
		settle()
		elapsed, err := timed(s.run)
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		m.reportAs(param("step", s.name, "files", s.files, "bytes", s.bytes),
			metricTime, float64(elapsed.Nanoseconds()), unitTime)
	}
	if left, err := r.ReadDir(dirOf(r.top())); err != nil || len(left) != 0 {
		return fmt.Errorf("remove: self-check: %d entries left, %v", len(left), err)
	}
	return nil
}

// dirOf returns the parent of a path with a name in it.
func dirOf(name string) string {
	for i := len(name) - 1; i > 0; i-- {
		if name[i] == '/' {
			return name[:i]
		}
	}
	return "/"
}

// each calls do with every item that keep wants, until ctx ends.
func (r *treeRun) each(keep func(fs.FileMode) bool, do func(it item, name string) error) error {
	for _, it := range r.src.items {
		if !keep(it.mode) {
			continue
		}
		if err := r.ctx.Err(); err != nil {
			return err
		}
		if err := do(it, r.top()+it.rel); err != nil {
			return err
		}
	}
	return nil
}

func isAny(fs.FileMode) bool       { return true }
func isDir(m fs.FileMode) bool     { return m.IsDir() }
func isRegular(m fs.FileMode) bool { return m.IsRegular() }
func modeBits(m fs.FileMode) fs.FileMode {
	return m & (fs.ModePerm | fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky)
}

// copy makes the tree. Directories get their mode at the end, from the leaves
// up: a read-only one would take no files.
func (r *treeRun) copy() error {
	err := r.each(isAny, func(it item, name string) error {
		switch {
		case it.mode.IsDir():
			return r.Mkdir(name, 0o700)
		case it.mode.IsRegular():
			return r.copyFile(it, name)
		}
		return r.Symlink(it.target, name)
	})
	if err != nil {
		return err
	}
	for i := len(r.src.items) - 1; i >= 0; i-- {
		if it := r.src.items[i]; it.mode.IsDir() {
			if err := r.Chmod(r.top()+it.rel, modeBits(it.mode)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *treeRun) copyFile(it item, name string) error {
	in, err := os.Open(r.src.path(it))
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := r.create(name)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	if cerr := out.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return err
	}
	return r.Chmod(name, modeBits(it.mode))
}

// check compares type, mode, length, contents and link text with the source.
func (r *treeRun) check() error {
	return r.each(isAny, func(it item, name string) error {
		info, err := r.Lstat(name)
		if err != nil {
			return err
		}
		if it.mode&fs.ModeSymlink != 0 {
			target, err := r.Readlink(name)
			if err == nil && target != it.target {
				err = fmt.Errorf("%s: link to %q instead of %q", name, target, it.target)
			}
			return err
		}
		if info.Mode() != it.mode {
			return fmt.Errorf("%s: mode %v instead of %v", name, info.Mode(), it.mode)
		}
		if it.mode.IsDir() {
			return nil
		}
		if info.Size() != it.size {
			return fmt.Errorf("%s: %d bytes instead of %d", name, info.Size(), it.size)
		}
		return r.checkFile(it, name)
	})
}

func (r *treeRun) checkFile(it item, name string) error {
	want, err := os.Open(r.src.path(it))
	if err != nil {
		return err
	}
	defer want.Close()
	got, err := r.open(name)
	if err != nil {
		return err
	}
	defer got.Close()
	same, err := sameContents(got, want, r.bufA, r.bufB)
	if err == nil && !same {
		err = fmt.Errorf("%s: contents differ from the source", name)
	}
	return err
}

// walk lists all directories and counts what it finds.
func (r *treeRun) walk() error {
	n, err := r.count(r.top())
	if err == nil && n+1 != len(r.src.items) {
		err = fmt.Errorf("%d entries instead of %d", n+1, len(r.src.items))
	}
	return err
}

func (r *treeRun) count(dir string) (int, error) {
	entries, err := r.ReadDir(dir)
	if err == nil {
		err = r.ctx.Err()
	}
	n := len(entries)
	for _, e := range entries {
		if err != nil {
			break
		}
		if e.IsDir() {
			var below int
			below, err = r.count(dir + "/" + e.Name())
			n += below
		}
	}
	return n, err
}

func (r *treeRun) stat() error {
	return r.each(isAny, func(it item, name string) error {
		info, err := r.Lstat(name)
		if err == nil && info.Mode().Type() != it.mode.Type() {
			err = fmt.Errorf("%s: type %v instead of %v", name, info.Mode().Type(), it.mode.Type())
		}
		return err
	})
}

func (r *treeRun) read() error {
	return r.each(isRegular, func(it item, name string) error {
		f, err := r.open(name)
		if err != nil {
			return err
		}
		defer f.Close()
		for size := int64(0); ; {
			n, err := f.Read(r.bufA)
			size += int64(n)
			if err == io.EOF && size == it.size {
				return nil
			}
			if err == io.EOF {
				return fmt.Errorf("%s: read %d bytes of %d", name, size, it.size)
			}
			if err != nil {
				return err
			}
		}
	})
}

// rename renames every directory below the top, there and back.
func (r *treeRun) rename() error {
	return r.each(isDir, func(it item, name string) error {
		if it.rel == "" {
			return nil
		}
		aside := dirOf(name) + "/" + r.src.aside
		if err := r.Rename(name, aside); err != nil {
			return err
		}
		return r.Rename(aside, name)
	})
}

// makeWritable gives the owner of each directory the right to change it.
func (r *treeRun) makeWritable() error {
	for _, it := range r.src.items {
		if it.mode.IsDir() && it.mode.Perm()&0o700 != 0o700 {
			if err := r.Chmod(r.top()+it.rel, modeBits(it.mode)|0o700); err != nil {
				return err
			}
		}
	}
	return nil
}
