//go:build linux

package twin

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"sort"
	"strings"
)

// Handle is an open file whose calls are written down. Where the file could
// not be opened, its calls do nothing.
type Handle struct {
	t  *T
	f  File
	id string
}

// OK tells whether there is a file.
func (h *Handle) OK() bool { return h.f != nil }

// isDir tells whether the file is a directory, or cannot be used.
func (h *Handle) isDir() bool {
	if h.f == nil {
		return true
	}
	fi, err := h.f.Stat()
	return err != nil || fi.IsDir()
}

func (h *Handle) logf(format string, args ...any) { h.t.Logf(h.id+"."+format, args...) }

func (h *Handle) done(err error, format string, args ...any) {
	h.logf("%s = %s", fmt.Sprintf(format, args...), h.t.errText(err))
}

// count writes a call down that returned a number and an error.
func (h *Handle) count(n int64, err error, format string, args ...any) {
	h.logf("%s = %d, %s", fmt.Sprintf(format, args...), n, h.t.errText(err))
}

// Read reads up to n bytes.
func (h *Handle) Read(n int) {
	if h.f == nil {
		return
	}
	b := canvas(n)
	got, err := h.f.Read(b)
	h.logf("Read(%d) = %d %s, %s", n, got, painted(b, got), h.t.errText(err))
}

// ReadAt reads up to n bytes at off.
func (h *Handle) ReadAt(n int, off int64) {
	if h.f == nil {
		return
	}
	b := canvas(n)
	got, err := h.f.ReadAt(b, off)
	h.logf("ReadAt(%d, %d) = %d %s, %s", n, off, got, painted(b, got), h.t.errText(err))
}

// canvas is a buffer that shows what a read left alone.
func canvas(n int) []byte { return bytes.Repeat([]byte{'#'}, n) }

func painted(b []byte, n int) string {
	if n < 0 || n > len(b) {
		return "out of range"
	}
	if bytes.Count(b[n:], []byte{'#'}) != len(b)-n {
		return contentText(b[:n]) + " and more was written"
	}
	return contentText(b[:n])
}

// Write writes s.
func (h *Handle) Write(s string) {
	if h.f == nil {
		return
	}
	n, err := h.f.Write([]byte(s))
	h.count(int64(n), err, "Write(%s)", quote(s))
}

// WriteString writes s as a string.
func (h *Handle) WriteString(s string) {
	if h.f == nil {
		return
	}
	n, err := h.f.WriteString(s)
	h.count(int64(n), err, "WriteString(%s)", quote(s))
}

// WriteAt writes s at off.
func (h *Handle) WriteAt(s string, off int64) {
	if h.f == nil {
		return
	}
	n, err := h.f.WriteAt([]byte(s), off)
	h.count(int64(n), err, "WriteAt(%s, %d)", quote(s), off)
}

// SeekTo moves the offset by Seek.
func (h *Handle) SeekTo(off int64, whence int) {
	if h.f == nil {
		return
	}
	n, err := h.f.Seek(off, whence)
	h.count(n, err, "Seek(%d, %d)", off, whence)
}

// ReadFrom writes what r gives.
func (h *Handle) ReadFrom(what string, r io.Reader) {
	if h.f == nil {
		return
	}
	n, err := h.f.ReadFrom(r)
	h.count(n, err, "ReadFrom(%s)", what)
}

// WriteTo reads all the rest.
func (h *Handle) WriteTo() {
	if h.f == nil {
		return
	}
	var b bytes.Buffer
	n, err := h.f.WriteTo(&b)
	h.logf("WriteTo() = %d %s, %s", n, contentText(b.Bytes()), h.t.errText(err))
}

// CopyTo calls ReadFrom of to with the file of h itself. Package os may hand
// that to the kernel, and then wraps the errors of another call; only errno
// and count are compared.
func (h *Handle) CopyTo(to *Handle) {
	if h.f == nil || to.f == nil {
		return
	}
	n, err := to.f.ReadFrom(h.f)
	to.logf("ReadFrom(%s) = %d, %s", h.id, n, errnoText(err))
}

// ReadDir reads n entries; they are written down in the order of their names
// where all came, as their number otherwise.
func (h *Handle) ReadDir(n int) []string {
	if h.f == nil {
		return nil
	}
	list, err := h.f.ReadDir(n)
	h.listing("ReadDir", n, len(list), list == nil, err, func() string { return h.t.entries(sorted(slices.Clone(list))) })
	names := make([]string, len(list))
	for i, e := range list {
		names[i] = e.Name()
	}
	return names
}

// Entries reads all entries and gives them to the case.
func (h *Handle) Entries() []fs.DirEntry {
	if h.f == nil {
		return nil
	}
	list, err := h.f.ReadDir(-1)
	h.logf("ReadDir(-1) = %s, %s", h.t.entries(sorted(list)), h.t.errText(err))
	return list
}

// Readdir reads n entries as FileInfo.
func (h *Handle) Readdir(n int) []string {
	if h.f == nil {
		return nil
	}
	list, err := h.f.Readdir(n)
	names := make([]string, len(list))
	for i, fi := range list {
		names[i] = fi.Name()
	}
	h.listing("Readdir", n, len(list), list == nil, err, func() string {
		sort.Slice(list, func(i, j int) bool { return list[i].Name() < list[j].Name() })
		infos := make([]string, len(list))
		for i, fi := range list {
			infos[i] = h.t.info(fi)
		}
		return strings.Join(infos, " ")
	})
	return names
}

// Readdirnames reads n names.
func (h *Handle) Readdirnames(n int) []string {
	if h.f == nil {
		return nil
	}
	list, err := h.f.Readdirnames(n)
	h.listing("Readdirnames", n, len(list), list == nil, err, func() string {
		s := slices.Clone(list)
		sort.Strings(s)
		return quoteAll(s)
	})
	return list
}

// listing writes a call down that returned got entries. Which ones come
// first is the file system's own business, so a part is only counted.
func (h *Handle) listing(call string, n, got int, isNil bool, err error, all func() string) {
	what := fmt.Sprintf("%d entries", got)
	if isNil {
		what = "nil"
	} else if n <= 0 {
		what = all()
	}
	h.logf("%s(%d) = %s, %s", call, n, what, h.t.errText(err))
}

// Stat describes the open file.
func (h *Handle) Stat() {
	if h.f == nil {
		return
	}
	fi, err := h.f.Stat()
	h.logf("Stat() = %s, %s", h.t.info(fi), h.t.errText(err))
}

// Sync calls Sync.
func (h *Handle) Sync() {
	if h.f != nil {
		h.done(h.f.Sync(), "Sync()")
	}
}

// Truncate calls Truncate.
func (h *Handle) Truncate(size int64) {
	if h.f != nil {
		h.done(h.f.Truncate(size), "Truncate(%d)", size)
	}
}

// Chmod calls Chmod.
func (h *Handle) Chmod(mode fs.FileMode) {
	if h.f != nil {
		h.done(h.f.Chmod(mode), "Chmod(%v)", mode)
	}
}

// Chown calls Chown.
func (h *Handle) Chown(uid, gid int) {
	if h.f != nil {
		h.done(h.f.Chown(uid, gid), "Chown(%d, %d)", uid, gid)
	}
}

// Chdir calls Chdir.
func (h *Handle) Chdir() {
	if h.f != nil {
		h.done(h.f.Chdir(), "Chdir()")
	}
}

// Close calls Close.
func (h *Handle) Close() {
	if h.f != nil {
		h.done(h.f.Close(), "Close()")
	}
}
