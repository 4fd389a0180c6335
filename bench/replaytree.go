package bench

import (
	"io/fs"

	"stagefs/memfs"
)

// build makes everything that is below dir at the beginning.
func build(fsys *memfs.FS, dir *traceNode) error {
	for _, n := range dir.startKids {
		if err := buildOne(fsys, n); err != nil {
			return err
		}
	}
	return nil
}

func buildOne(fsys *memfs.FS, n *traceNode) error {
	name := n.startPath()
	switch n.kind {
	case 'd':
		if err := fsys.Mkdir(name, 0o777); err != nil {
			return err
		}
		return build(fsys, n)
	case 'l':
		return fsys.Symlink(n.text, name)
	}
	f, err := fsys.Create(name)
	if err != nil {
		return err
	}
	return f.Close()
}

// restore brings the tree below dir, which was touched, back to the beginning;
// deep if everything below may have changed.
func restore(fsys *memfs.FS, dir *traceNode, deep bool) error {
	if dir.touched || deep {
		if err := restoreNames(fsys, dir); err != nil {
			return err
		}
	}
	for _, n := range dir.startKids {
		if n.kind == 'd' {
			if err := restore(fsys, n, deep || n.moved); err != nil {
				return err
			}
		}
	}
	return nil
}

// restoreNames gives dir the entries that it had. A file is as good as another.
func restoreNames(fsys *memfs.FS, dir *traceNode) error {
	at := dir.startPath()
	entries, err := fsys.ReadDir(at + "/")
	if err != nil {
		return err
	}
	there := make(map[string]bool, len(entries))
	wanted := make(map[string]*traceNode, len(dir.startKids))
	for _, n := range dir.startKids {
		wanted[n.startName] = n
	}
	for _, e := range entries {
		n := wanted[e.Name()]
		if n == nil || !n.same(fsys, e) {
			if err := fsys.RemoveAll(at + "/" + e.Name()); err != nil {
				return err
			}
			continue
		}
		there[e.Name()] = true
	}
	for _, n := range dir.startKids {
		if !there[n.startName] {
			if err := buildOne(fsys, n); err != nil {
				return err
			}
		}
	}
	return nil
}

// same reports whether e is what n was.
func (n *traceNode) same(fsys *memfs.FS, e fs.DirEntry) bool {
	switch {
	case e.IsDir():
		return n.kind == 'd'
	case e.Type()&fs.ModeSymlink != 0:
		text, err := fsys.Readlink(n.startPath())
		return err == nil && n.kind == 'l' && text == n.text
	}
	return n.kind == 'f'
}
