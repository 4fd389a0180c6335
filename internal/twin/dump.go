//go:build linux

package twin

import (
	"io/fs"
	"path"
)

// Dump writes the whole tree down: every entry as Lstat sees it, contents,
// link texts. It looks at the whole system also where the calls go to a Root,
// and does so as the caller of the case, not as one given to [T.As].
func (t *T) Dump() {
	t.dump(".")
}

func (t *T) dump(name string) {
	fi, err := t.sys.Lstat(name)
	if err != nil {
		t.Logf("  %s: %s", t.q(name), t.errText(err))
		return
	}
	line := t.info(fi)
	defer t.dumpAttrs(name)
	if want := path.Base(name); fi.Name() != want {
		t.Logf("  %s: Name() = %s", t.q(name), t.q(fi.Name()))
	}
	switch fi.Mode().Type() {
	case 0:
		b, err := t.sys.ReadFile(name)
		t.Logf("  %s %s %s, %s", t.q(name), line, contentText(b), t.errText(err))
	case fs.ModeSymlink:
		s, err := t.sys.Readlink(name)
		t.Logf("  %s %s -> %s, %s", t.q(name), line, t.q(s), t.errText(err))
	case fs.ModeDir:
		list, err := t.sys.ReadDir(name)
		t.Logf("  %s/ %s, %s", t.q(name), line, t.errText(err))
		for _, e := range list {
			t.dump(path.Join(name, e.Name()))
		}
	default:
		t.Logf("  %s %s", t.q(name), line)
	}
}
