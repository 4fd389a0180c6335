//go:build linux

package twin

import (
	"fmt"
	"io/fs"
	"regexp"
	"sort"
	"strings"
	"time"
)

// done writes a call without a result down and returns its error.
func (t *T) done(err error, format string, args ...any) error {
	t.Logf("%s = %s", fmt.Sprintf(format, args...), t.errText(err))
	return err
}

// file takes over a file that a call opened.
func (t *T) file(f File, err error, format string, args ...any) *Handle {
	call := fmt.Sprintf(format, args...)
	if f == nil {
		t.Logf("%s = no file, %s", call, t.errText(err))
		return &Handle{t: t}
	}
	t.handles++
	h := &Handle{t: t, f: f, id: fmt.Sprintf("h%d", t.handles)}
	t.opened = append(t.opened, f)
	t.Logf("%s = %s named %s, %s", call, h.id, t.q(f.Name()), t.errText(err))
	return h
}

// Open calls Open.
func (t *T) Open(name string) *Handle {
	f, err := t.tree.Open(name)
	return t.file(f, err, "Open(%s)", t.q(name))
}

// Create calls Create.
func (t *T) Create(name string) *Handle {
	f, err := t.tree.Create(name)
	return t.file(f, err, "Create(%s)", t.q(name))
}

// OpenFile calls OpenFile.
func (t *T) OpenFile(name string, flag int, perm fs.FileMode) *Handle {
	f, err := t.tree.OpenFile(name, flag, perm)
	return t.file(f, err, "OpenFile(%s, %s, %v)", t.q(name), flagText(flag), perm)
}

// Mkdir calls Mkdir.
func (t *T) Mkdir(name string, perm fs.FileMode) error {
	return t.done(t.tree.Mkdir(name, perm), "Mkdir(%s, %v)", t.q(name), perm)
}

// MkdirAll calls MkdirAll.
func (t *T) MkdirAll(name string, perm fs.FileMode) error {
	return t.done(t.tree.MkdirAll(name, perm), "MkdirAll(%s, %v)", t.q(name), perm)
}

// Remove calls Remove.
func (t *T) Remove(name string) error {
	return t.done(t.tree.Remove(name), "Remove(%s)", t.q(name))
}

// RemoveAll calls RemoveAll.
func (t *T) RemoveAll(name string) error {
	return t.done(t.tree.RemoveAll(name), "RemoveAll(%s)", t.q(name))
}

// Rename calls Rename.
func (t *T) Rename(oldname, newname string) error {
	return t.done(t.tree.Rename(oldname, newname), "Rename(%s, %s)", t.q(oldname), t.q(newname))
}

// RenameFlags calls RenameFlags.
func (t *T) RenameFlags(oldname, newname string, flags uint) error {
	return t.done(t.sys.RenameFlags(oldname, newname, flags), "RenameFlags(%s, %s, %d)", t.q(oldname), t.q(newname), flags)
}

// LinkFile calls LinkFile.
func (t *T) LinkFile(h *Handle, newname string) error {
	if h.f == nil {
		return nil
	}
	return t.done(t.sys.LinkFile(h.f, newname), "LinkFile(%s, %s)", h.id, t.q(newname))
}

// Mknod calls Mknod.
func (t *T) Mknod(name string, mode fs.FileMode, dev uint64) error {
	return t.done(t.sys.Mknod(name, mode, dev), "Mknod(%s, %v, %d)", t.q(name), mode, dev)
}

// Link calls Link.
func (t *T) Link(oldname, newname string) error {
	return t.done(t.tree.Link(oldname, newname), "Link(%s, %s)", t.q(oldname), t.q(newname))
}

// Symlink calls Symlink.
func (t *T) Symlink(oldname, newname string) error {
	return t.done(t.tree.Symlink(oldname, newname), "Symlink(%s, %s)", t.q(oldname), t.q(newname))
}

// Readlink calls Readlink.
func (t *T) Readlink(name string) error {
	s, err := t.tree.Readlink(name)
	t.Logf("Readlink(%s) = %s, %s", t.q(name), t.q(s), t.errText(err))
	return err
}

// Stat calls Stat.
func (t *T) Stat(name string) error {
	fi, err := t.tree.Stat(name)
	t.Logf("Stat(%s) = %s, %s", t.q(name), t.info(fi), t.errText(err))
	return err
}

// Lstat calls Lstat.
func (t *T) Lstat(name string) error {
	fi, err := t.tree.Lstat(name)
	t.Logf("Lstat(%s) = %s, %s", t.q(name), t.info(fi), t.errText(err))
	return err
}

// Chmod calls Chmod.
func (t *T) Chmod(name string, mode fs.FileMode) error {
	return t.done(t.tree.Chmod(name, mode), "Chmod(%s, %v)", t.q(name), mode)
}

// Chown calls Chown.
func (t *T) Chown(name string, uid, gid int) error {
	return t.done(t.tree.Chown(name, uid, gid), "Chown(%s, %d, %d)", t.q(name), uid, gid)
}

// Lchown calls Lchown.
func (t *T) Lchown(name string, uid, gid int) error {
	return t.done(t.tree.Lchown(name, uid, gid), "Lchown(%s, %d, %d)", t.q(name), uid, gid)
}

// Chtimes calls Chtimes.
func (t *T) Chtimes(name string, atime, mtime time.Time) error {
	return t.done(t.tree.Chtimes(name, atime, mtime), "Chtimes(%s, %s, %s)", t.q(name), t.timeText(atime), t.timeText(mtime))
}

// ReadFile calls ReadFile.
func (t *T) ReadFile(name string) error {
	b, err := t.tree.ReadFile(name)
	t.Logf("ReadFile(%s) = %s, %s", t.q(name), contentText(b), t.errText(err))
	return err
}

// WriteFile calls WriteFile.
func (t *T) WriteFile(name, data string, perm fs.FileMode) error {
	err := t.tree.WriteFile(name, []byte(data), perm)
	return t.done(err, "WriteFile(%s, %s, %v)", t.q(name), quote(data), perm)
}

// OpenRoot calls OpenRoot and calls f, if it succeeds, with the tree in it,
// which is closed then.
func (t *T) OpenRoot(name string, f func()) error {
	r, err := t.tree.OpenRoot(name)
	if r == nil {
		return t.done(err, "OpenRoot(%s)", t.q(name))
	}
	t.Logf("OpenRoot(%s) = root named %s, %s", t.q(name), t.q(r.Name()), t.errText(err))
	if f == nil {
		return t.done(r.Close(), "Close()")
	}
	defer r.Close()
	tree, inRoot := t.tree, t.inRoot
	t.tree, t.inRoot = r, true
	defer func() { t.tree, t.inRoot = tree, inRoot }()
	f()
	t.Logf("root %s done", t.q(name))
	return err
}

// The calls below are not in a Root.

// Truncate calls Truncate.
func (t *T) Truncate(name string, size int64) error {
	return t.done(t.sys.Truncate(name, size), "Truncate(%s, %d)", t.q(name), size)
}

// ReadDir calls ReadDir; the order counts.
func (t *T) ReadDir(name string) error {
	list, err := t.sys.ReadDir(name)
	t.Logf("ReadDir(%s) = %s, %s", t.q(name), t.entries(list), t.errText(err))
	return err
}

// digits is what the calls for temporary files put into a name.
var digits = regexp.MustCompile(`[0-9]{3,10}`)

// MkdirTemp calls MkdirTemp.
func (t *T) MkdirTemp(dir, pattern string) string {
	t.hide = hideDigits // and in the rest of the section
	name, err := t.sys.MkdirTemp(dir, pattern)
	t.Logf("MkdirTemp(%s, %s) = %s, %s", quote(dir), quote(pattern), t.q(name), t.errText(err))
	return name
}

// CreateTemp calls CreateTemp.
func (t *T) CreateTemp(dir, pattern string) *Handle {
	t.hide = hideDigits // and in the rest of the section
	f, err := t.sys.CreateTemp(dir, pattern)
	return t.file(f, err, "CreateTemp(%s, %s)", quote(dir), quote(pattern))
}

func hideDigits(s string) string { return digits.ReplaceAllString(s, "#") }

// CopyFS calls CopyFS.
func (t *T) CopyFS(dir string, fsys fs.FS) error {
	return t.done(t.sys.CopyFS(dir, fsys), "CopyFS(%s, ..)", t.q(dir))
}

// Chdir calls Chdir.
func (t *T) Chdir(dir string) error {
	return t.done(t.sys.Chdir(dir), "Chdir(%s)", t.q(dir))
}

// Getwd calls Getwd.
func (t *T) Getwd() error {
	dir, err := t.sys.Getwd()
	t.Logf("Getwd() = %s, %s", t.q(dir), t.errText(err))
	return err
}

// Usage calls Usage.
func (t *T) Usage() {
	u, err := t.sys.Usage()
	t.Logf("Usage() = %+v, %s", u, t.errText(err))
}

// SameFile compares what Lstat says about two names.
func (t *T) SameFile(a, b string) {
	fa, erra := t.tree.Lstat(a)
	fb, errb := t.tree.Lstat(b)
	if erra != nil || errb != nil {
		t.Logf("SameFile(%s, %s) not tried: %s, %s", t.q(a), t.q(b), t.errText(erra), t.errText(errb))
		return
	}
	t.Logf("SameFile(%s, %s) = %v", t.q(a), t.q(b), t.sys.SameFile(fa, fb))
}

// entries describes directory entries in the order given.
func (t *T) entries(list []fs.DirEntry) string {
	if list == nil {
		return "nil"
	}
	var b strings.Builder
	b.WriteString("[")
	for i, e := range list {
		if i > 0 {
			b.WriteString(" ")
		}
		fmt.Fprintf(&b, "%s:%v", t.q(e.Name()), e.Type())
		if e.IsDir() != e.Type().IsDir() {
			b.WriteString(":IsDir-differs-from-type")
		}
		if s := e.(fmt.Stringer).String(); s != fs.FormatDirEntry(e) {
			fmt.Fprintf(&b, ":String-is-%q", s)
		}
	}
	b.WriteString("]")
	return b.String()
}

// sorted sorts entries by name, for listings in directory order.
func sorted(list []fs.DirEntry) []fs.DirEntry {
	sort.Slice(list, func(i, j int) bool { return list[i].Name() < list[j].Name() })
	return list
}

// contentText gives short contents, and runs of a byte as a count.
func contentText(b []byte) string {
	if b == nil {
		return "nil"
	}
	const longRun = 16
	var out strings.Builder
	rest := b
	plain := 0
	flush := func() {
		if plain > 0 {
			out.WriteString(quote(string(rest[:plain])))
			rest, plain = rest[plain:], 0
		}
	}
	for plain < len(rest) {
		run := 1
		for plain+run < len(rest) && rest[plain+run] == rest[plain] {
			run++
		}
		if run < longRun {
			plain += run
			continue
		}
		c := rest[plain]
		flush()
		fmt.Fprintf(&out, "<%d x %#02x>", run, c)
		rest = rest[run:]
	}
	flush()
	if len(b) == 0 {
		return `""`
	}
	return out.String()
}
