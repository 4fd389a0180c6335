//go:build linux

package twin

import (
	"errors"
	"io"
	"io/fs"
	"strings"
	"testing/fstest"
)

// IOFSCases are about the view of a tree as an [fs.FS], and CopyFS.
var IOFSCases = []Case{
	{"iofs/names", Anywhere, Privilege, iofsNames},
	{"iofs/test-fs", Anywhere, Privilege, iofsTestFS},
	{"iofs/walk", Anywhere, Privilege, iofsWalk},
	{"iofs/sub", Anywhere, Privilege, iofsSub},
	{"iofs/files", Anywhere, Privilege, iofsFiles},
	{"iofs/copy", InSystem, Privilege, iofsCopy},
	{"iofs/copy-out", Anywhere, Privilege, iofsCopyOut},
}

// fsys is the view of the whole tree of the case. That of a directory puts
// the directory in front of the names of files and of some errors, which is
// hidden in the rest of the section.
func (t *T) fsys() fs.FS {
	if r, ok := t.tree.(Root); ok && t.InRoot() {
		return r.FS()
	}
	t.hide = func(s string) string { return strings.TrimPrefix(s, "/") }
	return t.sys.DirFS("/")
}

var iofsLayout = []string{
	"five: 5 chars", "zero: ", "d/f: in d", "d/sub/leaf*20000", "d/empty/", "hard == five", "d/hard == five", "ln -> five", "d/up -> ../five", "ld -> d", "d/exec: x @755", "Z: upper",
}

func iofsNames(t *T) {
	t.Fresh("names", append([]string{"dang -> nowhere", "self -> self", "abs -> /five", "out -> ../outside", "../outside: secret"}, iofsLayout...)...)
	fsys := t.fsys()
	names := []string{
		"five", "zero", "d", "d/f", "ld", "ld/f", "ln", ".", "d/sub", "missing", "missing/x", "five/x", "dang", "self", "abs", "out", "d/up",
		"", "/", "/five", "five/", "d/", "./five", "d/.", "d/..", "d/../five", "..", "../outside", "d//f", "a\x00b", `d\f`, "\xff", strings.Repeat("n", 256),
	}
	for _, n := range names {
		t.openFS(fsys, n).Close()
		fi, err := fs.Stat(fsys, n)
		t.Logf("Stat(%s) = %s, %s", quote(n), t.info(fi), t.errText(err))
		fi, err = fs.Lstat(fsys, n)
		t.Logf("Lstat(%s) = %s, %s", quote(n), t.info(fi), t.errText(err))
		text, err := fs.ReadLink(fsys, n)
		t.Logf("ReadLink(%s) = %s, %s", quote(n), quote(text), t.errText(err))
		b, err := fs.ReadFile(fsys, n)
		t.Logf("ReadFile(%s) = %s, %s", quote(n), contentText(b), t.errText(err))
		list, err := fs.ReadDir(fsys, n)
		t.Logf("ReadDir(%s) = %s, %s", quote(n), t.entries(list), t.errText(err))
	}
	for _, p := range []string{"*", "d/*", "*/*", "d/[a-f]*", "nothing*", "[", "d/[", "five", "missing", "*/f", "", ".", "\\"} {
		m, err := fs.Glob(fsys, p)
		t.Logf("Glob(%s) = %s, %s", quote(p), quoteAll(m), t.errText(err))
	}
}

// openFS opens a file of an fs.FS, which must have all methods of an os.File.
func (t *T) openFS(fsys fs.FS, name string) *Handle {
	f, err := fsys.Open(name)
	if f == nil {
		return t.file(nil, err, "FS.Open(%s)", t.q(name))
	}
	full, ok := f.(File)
	if !ok {
		t.Logf("FS.Open(%s) gives a %T", t.q(name), f)
		f.Close()
		return &Handle{t: t}
	}
	return t.file(full, err, "FS.Open(%s)", t.q(name))
}

func iofsTestFS(t *T) {
	t.Fresh("fstest.TestFS", iofsLayout...)
	err := fstest.TestFS(t.fsys(), "five", "zero", "d/sub/leaf", "hard", "ln", "d/up", "d/empty", "ld")
	t.Logf("TestFS = %v", err)
	t.Fresh("empty")
	t.Logf("TestFS = %v", fstest.TestFS(t.fsys()))
}

func iofsWalk(t *T) {
	t.Fresh("walk", append([]string{"dang -> nowhere", "self -> self"}, iofsLayout...)...)
	for _, root := range []string{".", "d", "ld", "five", "missing", "../x", ""} {
		err := fs.WalkDir(t.fsys(), root, func(p string, d fs.DirEntry, err error) error {
			if err != nil {
				t.Logf("walk %s: %s", quote(p), t.errText(err))
				return nil
			}
			fi, err := d.Info()
			t.Logf("walk %s %v %s, %s", quote(p), d, t.info(fi), t.errText(err))
			if p == "d/sub" {
				return fs.SkipDir
			}
			return nil
		})
		t.Logf("WalkDir(%s) = %s", quote(root), t.errText(err))
	}
	t.Fresh("walk of what may not be read", "open/f @644", "closed/f @600", "closed @700", "searchable/f", "searchable @711", "listable/f", "listable @744", ". @755")
	t.As(someUser, func() {
		fs.WalkDir(t.fsys(), ".", func(p string, d fs.DirEntry, err error) error {
			t.Logf("walk %s: %s", quote(p), t.errText(err))
			if d != nil {
				fi, err := d.Info()
				t.Logf("info %s, %s", t.info(fi), t.errText(err))
			}
			return nil
		})
		b, err := fs.ReadFile(t.fsys(), "closed/f")
		t.Logf("ReadFile = %s, %s", contentText(b), t.errText(err))
		b, err = fs.ReadFile(t.fsys(), "searchable/f")
		t.Logf("ReadFile = %s, %s", contentText(b), t.errText(err))
	})
}

func iofsSub(t *T) {
	t.Fresh("sub", append([]string{"d/out -> ../five", "d/in -> f"}, iofsLayout...)...)
	// A Sub of its own may look whether the directory is there; that of package
	// fs does not.
	for _, dir := range []string{"d", ".", "d/sub", "ld", "", "..", "/d", "d/"} {
		sub, err := fs.Sub(t.fsys(), dir)
		t.Logf("Sub(%s) ok=%v, %s", quote(dir), sub != nil, t.errText(err))
		if sub == nil || err != nil {
			continue
		}
		// Whose method fails differs with what the file system has of its
		// own, so only the innermost errors are compared.
		for _, n := range []string{"f", "leaf", "missing", ".", "sub", "in", "..", "", "/f", "sub/leaf"} {
			b, err := fs.ReadFile(sub, n)
			t.Logf("ReadFile(%s) = %s, %s", quote(n), contentText(append([]byte{}, b...)), errnoText(err))
			list, err := fs.ReadDir(sub, n)
			t.Logf("ReadDir(%s) = %s, %s", quote(n), t.entries(list), errnoText(err))
			fi, err := fs.Stat(sub, n)
			t.Logf("Stat(%s) = %v, %s", quote(n), fi != nil && fi.IsDir(), errnoText(err))
			f, err := sub.Open(n)
			t.Logf("Open(%s) ok=%v, %s", quote(n), f != nil, errnoText(err))
			if f != nil {
				f.Close()
			}
		}
		m, err := fs.Glob(sub, "*")
		t.Logf("Glob = %s, %s", quoteAll(m), t.errText(err))
	}
}

func iofsFiles(t *T) {
	t.Fresh("files", iofsLayout...)
	h := t.openFS(t.fsys(), "five")
	h.Read(3)
	h.ReadAt(10, 2)
	h.SeekTo(0, 0)
	h.WriteTo()
	h.Stat()
	h.Write("x")
	h.ReadDir(-1)
	h.Close()
	h.Read(1)
	h.Stat()
	h.Close()
	d := t.openFS(t.fsys(), "d")
	d.Read(1)
	d.Entries()
	d.ReadDir(1)
	d.Stat()
	d.Close()
	d.ReadDir(-1)
	l := t.openFS(t.fsys(), "ln")
	l.Stat()
	l.Read(10)
	top := t.openFS(t.fsys(), ".")
	top.Stat()
	top.Entries()
}

// broken is a file system with faults.
type broken struct {
	fs.FS
	openErr, readErr error
}

func (b broken) Open(name string) (fs.File, error) {
	if name == "bad" && b.openErr != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: b.openErr}
	}
	f, err := b.FS.Open(name)
	if err != nil || name != "bad" || b.readErr == nil {
		return f, err
	}
	return brokenFile{f, b.readErr}, nil
}

type brokenFile struct {
	fs.File
	err error
}

func (f brokenFile) Read(p []byte) (int, error) {
	if len(p) > 4 {
		p = p[:4]
	}
	n, err := f.File.Read(p)
	if err == io.EOF || n > 0 {
		return n, f.err
	}
	return n, err
}

func iofsCopy(t *T) {
	src := fstest.MapFS{
		"f":        {Data: []byte("file"), Mode: 0o644},
		"exec":     {Data: []byte("exec"), Mode: 0o751},
		"none":     {Data: nil, Mode: 0},
		"suid":     {Data: []byte("s"), Mode: fs.ModeSetuid | 0o4755},
		"d/e/deep": {Data: pattern(9000), Mode: 0o600},
		"empty":    {Mode: fs.ModeDir | 0o700},
		"l":        {Data: []byte("f"), Mode: fs.ModeSymlink | 0o777},
	}
	for _, dir := range []string{"new", "new/x/y", "have", "f", "l", "dang", "clash", "linked", "", ".", "f/x", "have/", "self"} {
		t.Fresh("to "+quote(dir), "have/old", "f", "l -> have", "dang -> made", "clash/exec: old", "linked/d -> ../have", "self -> self")
		t.CopyFS(dir, src)
		t.CopyFS(dir, src)
		t.Dump()
	}
	t.Fresh("faults")
	t.CopyFS("irregular", fstest.MapFS{"a": {Mode: fs.ModeNamedPipe | 0o644}, "b": {Data: []byte("b")}})
	t.CopyFS("openerr", broken{FS: fstest.MapFS{"a": {}, "bad": {Data: []byte("12345678")}, "c": {}}, openErr: errors.New("no")})
	t.CopyFS("readerr", broken{FS: fstest.MapFS{"a": {}, "bad": {Data: []byte("12345678")}, "c": {}}, readErr: errors.New("torn")})
	t.Dump()
	t.Fresh("not writable", "ro/ @555", ". @755")
	t.As(someUser, func() {
		t.CopyFS("ro", src)
		t.CopyFS("new", src)
	})
	t.Dump()
}

func iofsCopyOut(t *T) {
	t.Fresh("copy", iofsLayout...)
	fsys := t.fsys()
	if sub, err := fs.Sub(fsys, "d"); err == nil {
		t.done(t.sys.CopyFS("copied", sub), "CopyFS of d")
	}
	if t.InRoot() { // which the copy is not in
		t.done(t.sys.CopyFS("copied", fsys), "CopyFS of all")
	}

	t.Dump()
}
