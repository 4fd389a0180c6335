//go:build linux

package twin

import "strings"

// Attrs are the calls for extended attributes, which package os does not have.
type Attrs interface {
	GetAttr(at AttrOf, attr string) ([]byte, error)
	SetAttr(at AttrOf, attr string, value []byte, flags int) error
	ListAttrs(at AttrOf) ([]string, error)
	RemoveAttr(at AttrOf, attr string) error
}

// AttrOf is what a call for extended attributes is made on: what a path leads to, a link itself, or an open file.
type AttrOf struct {
	Path string
	Link bool
	File File // nil: the path
}

// of describes what a call is made on, and says how a path is to be written.
func (t *T) of(at AttrOf) string {
	switch {
	case at.File != nil:
		return "file " + t.q(at.File.Name())
	case at.Link:
		return "link " + t.q(at.Path)
	}
	return t.q(at.Path)
}

// GetAttr reads an extended attribute.
func (t *T) GetAttr(at AttrOf, attr string) error {
	b, err := t.sys.GetAttr(at, attr)
	t.Logf("getxattr(%s, %s) = %s, %s", t.of(at), quote(attr), contentText(b), t.errText(err))
	return err
}

// SetAttr sets an extended attribute.
func (t *T) SetAttr(at AttrOf, attr, value string, flags int) error {
	err := t.sys.SetAttr(at, attr, []byte(value), flags)
	return t.done(err, "setxattr(%s, %s, %s, %d)", t.of(at), quote(attr), quote(value), flags)
}

// ListAttrs lists the extended attributes.
func (t *T) ListAttrs(at AttrOf) error {
	names, err := t.sys.ListAttrs(at)
	t.Logf("listxattr(%s) = %s, %s", t.of(at), quoteAll(names), t.errText(err))
	return err
}

// RemoveAttr removes an extended attribute.
func (t *T) RemoveAttr(at AttrOf, attr string) error {
	return t.done(t.sys.RemoveAttr(at, attr), "removexattr(%s, %s)", t.of(at), quote(attr))
}

// dumpAttrs writes the extended attributes of a file down, if it has any.
func (t *T) dumpAttrs(name string) {
	at := AttrOf{Path: name, Link: true}
	names, err := t.sys.ListAttrs(at)
	if err == nil && len(names) == 0 {
		return
	}
	var b strings.Builder
	for _, attr := range names {
		value, err := t.sys.GetAttr(at, attr)
		b.WriteString(" " + quote(attr) + "=" + contentText(value))
		if err != nil {
			b.WriteString(" " + t.errText(err))
		}
	}
	t.Logf("  %s attributes%s, %s", t.q(name), b.String(), t.errText(err))
}
