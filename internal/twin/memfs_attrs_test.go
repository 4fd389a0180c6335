//go:build linux

package twin

import "stagefs/memfs"

func (at AttrOf) memFile() *memfs.File { return at.File.(*memfs.File) }

func (m memSystem) GetAttr(at AttrOf, attr string) ([]byte, error) {
	switch {
	case at.File != nil:
		return at.memFile().Getxattr(attr)
	case at.Link:
		return m.view.Lgetxattr(at.Path, attr)
	}
	return m.view.Getxattr(at.Path, attr)
}

func (m memSystem) SetAttr(at AttrOf, attr string, value []byte, flags int) error {
	switch {
	case at.File != nil:
		return at.memFile().Setxattr(attr, value, memfs.XattrFlags(flags))
	case at.Link:
		return m.view.Lsetxattr(at.Path, attr, value, memfs.XattrFlags(flags))
	}
	return m.view.Setxattr(at.Path, attr, value, memfs.XattrFlags(flags))
}

func (m memSystem) ListAttrs(at AttrOf) ([]string, error) {
	switch {
	case at.File != nil:
		return at.memFile().Listxattr()
	case at.Link:
		return m.view.Llistxattr(at.Path)
	}
	return m.view.Listxattr(at.Path)
}

func (m memSystem) RemoveAttr(at AttrOf, attr string) error {
	switch {
	case at.File != nil:
		return at.memFile().Removexattr(attr)
	case at.Link:
		return m.view.Lremovexattr(at.Path, attr)
	}
	return m.view.Removexattr(at.Path, attr)
}
