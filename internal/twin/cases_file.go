//go:build linux

package twin

import (
	"errors"
	"io"
	"math"
	"os"
	"strings"
	"testing/iotest"
)

// FileCases are about the methods of an open file.
var FileCases = []Case{
	{"file/closed", Anywhere, Nothing, fileClosed},
	{"file/seek", Anywhere, Nothing, fileSeek},
	{"file/seek-data", Anywhere, Nothing, fileSeekData},
	{"file/read-at", Anywhere, Nothing, fileReadAt},
	{"file/write", Anywhere, Nothing, fileWrite},
	{"file/append", Anywhere, Nothing, fileAppend},
	{"file/truncate", Anywhere, Nothing, fileTruncate},
	{"file/copy", Anywhere, Nothing, fileCopy},
	{"file/huge-offsets", Anywhere, Nothing, fileHuge},
	{"file/unlinked", Anywhere, Nothing, fileUnlinked},
	{"file/directory", Anywhere, Nothing, fileDirectory},
	{"file/sparse", Anywhere, Nothing, fileSparse},
	{"file/two-handles", Anywhere, Nothing, fileTwoHandles},
}

// everyMethod calls all methods of h.
func everyMethod(h *Handle) {
	h.Read(3)
	h.Read(0)
	h.ReadAt(3, 0)
	h.ReadAt(3, -1)
	h.ReadAt(0, 0)
	h.Write("x")
	h.Write("")
	h.WriteString("y")
	h.WriteAt("z", 0)
	h.WriteAt("z", -1)
	h.WriteAt("", 0)
	h.ReadFrom("reader", strings.NewReader("from reader"))
	h.ReadFrom("empty", strings.NewReader(""))
	h.WriteTo()
	h.SeekTo(1, io.SeekStart)
	h.SeekTo(0, io.SeekCurrent)
	h.SeekTo(-1, io.SeekStart)
	h.ReadDir(-1)
	h.ReadDir(0)
	h.ReadDir(1)
	h.Readdir(-1)
	h.Readdir(1)
	h.Readdirnames(-1)
	h.Readdirnames(1)
	h.Stat()
	h.Sync()
	h.Truncate(2)
	h.Truncate(-1)
	h.Chmod(0o600)
	h.Chown(-1, -1)
	if !h.t.InRoot() { // there is no working directory in a Root
		h.Chdir()
	}
}

func fileClosed(t *T) {
	for _, name := range []string{"f", "d", "l"} {
		for _, flag := range []int{os.O_RDONLY, os.O_RDWR, os.O_RDWR | os.O_APPEND} {
			t.Fresh(name+" "+flagText(flag), "f: contents", "d/x", "l -> f")
			h := t.OpenFile(name, flag, 0)
			if !t.Choose(h.OK()) {
				continue
			}
			h.Read(2)
			h.Readdirnames(1)
			h.Close()
			everyMethod(h)
			t.Logf("Name() = %s", quote(h.f.Name()))
			h.Close()
			t.Dump()
		}
	}
}

func fileSeek(t *T) {
	t.Fresh("seek", "f: hello", "empty: ", "d/x")
	for _, name := range []string{"f", "empty", "d"} {
		h := t.Open(name)
		for _, whence := range []int{0, 1, 2, 3, 4, 5, 99, -1, math.MaxInt32} {
			for _, off := range []int64{0, 2, -1, 5, 100, -5, -6, math.MaxInt64, math.MinInt64, math.MaxInt64 - 4, math.MaxInt64 - 5, 1 << 40} {
				if name == "d" && off > 0 && whence < 3 {
					continue // an offset in a directory is a cookie of the file system
				}
				if name == "d" && whence > 1 {
					continue
				}
				h.SeekTo(2, 0)
				h.SeekTo(off, whence)
				h.SeekTo(0, 1)
			}
		}
		h.SeekTo(3, 0)
		h.Read(1)
		h.SeekTo(-1, 1)
		h.Read(1)
		h.SeekTo(100, 2)
		h.Read(1)
		h.SeekTo(0, 1)
	}
	w := t.OpenFile("f", os.O_RDWR, 0)
	w.SeekTo(10, 2)
	w.Stat()
	w.Write("")
	w.Stat()
	w.Write("x")
	w.Stat()
	w.ReadAt(100, 0)
}

func fileSeekData(t *T) {
	t.Fresh("holes of whole pages", "f: ")
	h := t.OpenFile("f", os.O_RDWR, 0)
	h.SeekTo(0, 3)
	h.SeekTo(0, 4)
	h.WriteAt(string(pattern(4096)), 8192)
	h.Truncate(20480)
	for _, whence := range []int{3, 4} {
		for _, off := range []int64{0, 1, 4096, 8191, 8192, 8193, 12287, 12288, 20479, 20480, 20481, -1} {
			h.SeekTo(off, whence)
		}
	}
	h.Stat()
	h.SeekTo(0, 1)
}

func fileReadAt(t *T) {
	t.Fresh("ends", "f: 7 bytes", "empty: ", "d/x")
	for _, name := range []string{"f", "empty"} {
		h := t.Open(name)
		for _, off := range []int64{0, 3, 6, 7, 8, 1 << 40, math.MaxInt64, -1, math.MinInt64} {
			for _, n := range []int{0, 1, 3, 7, 8, 100} {
				h.ReadAt(n, off)
			}
		}
		h.SeekTo(0, 1)
		h.Read(3)
		h.ReadAt(2, 0)
		h.Read(100)
		h.Read(100)
		h.Read(0)
	}
	d := t.Open("d")
	d.Read(1)
	d.Read(0)
	d.ReadAt(1, 0)
	d.ReadAt(0, 0)
	d.ReadAt(1, -1)
	d.Write("x")
	d.WriteAt("x", 0)
	d.WriteTo()
	d.ReadFrom("reader", strings.NewReader("x"))
	w := t.OpenFile("f", os.O_WRONLY, 0)
	w.Read(1)
	w.Read(0)
	w.ReadAt(1, 0)
	w.ReadAt(0, 0)
	w.ReadAt(1, -1)
	w.WriteTo()
	r := t.Open("f")
	r.Write("x")
	r.Write("")
	r.WriteAt("x", 0)
	r.WriteAt("", 0)
	r.WriteAt("x", -1)
	r.Truncate(0)
	r.Truncate(-1)
	r.ReadFrom("reader", strings.NewReader("x"))
	t.Dump()
}

func fileWrite(t *T) {
	t.Fresh("write", "f: 0123456789")
	h := t.OpenFile("f", os.O_RDWR, 0)
	h.Write("ab")
	h.SeekTo(0, 1)
	h.WriteAt("XY", 5)
	h.SeekTo(0, 1)
	h.WriteString("cd")
	h.WriteAt("end", 12)
	h.ReadAt(100, 0)
	h.WriteAt("x", -1)
	h.WriteAt("", -1)
	h.WriteAt("", 100)
	h.Stat()
	for _, n := range []int{1, 4095, 4096, 4097, 100_000} {
		h.SeekTo(int64(n), 0)
		h.Write(string(pattern(n)))
		h.Stat()
		h.ReadAt(3*n, int64(n/2))
	}
	t.Dump()
}

func fileAppend(t *T) {
	t.Fresh("append", "f: 01234")
	h := t.OpenFile("f", os.O_RDWR|os.O_APPEND, 0)
	h.SeekTo(0, 1)
	h.Read(2)
	h.Write("ab")
	h.SeekTo(0, 1)
	h.WriteAt("x", 0)
	h.WriteAt("x", -1)
	h.WriteAt("", 0)
	h.SeekTo(1, 0)
	h.WriteString("c")
	h.Read(5)
	h.Truncate(3)
	h.Write("d")
	h.SeekTo(0, 1)
	h.ReadFrom("reader", strings.NewReader("efg"))
	h.SeekTo(0, 1)
	h.SeekTo(100, 0)
	h.Write("h")
	other := t.OpenFile("f", os.O_WRONLY|os.O_APPEND, 0)
	other.Write("1")
	h.Write("2")
	other.Write("3")
	h.Truncate(0)
	other.Write("4")
	h.Write("5")
	t.Dump()
	t.Fresh("append and truncate", "f: old contents")
	h = t.OpenFile("f", os.O_WRONLY|os.O_APPEND|os.O_TRUNC, 0)
	h.Write("new")
	h.SeekTo(0, 1)
	w := t.OpenFile("new", os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o644)
	w.Write("a")
	w.WriteAt("b", 0)
	w.Write("c")
	c := t.Create("created")
	c.Write("12345")
	c.SeekTo(0, 0)
	t.OpenFile("created", os.O_RDWR|os.O_TRUNC, 0).Close()
	c.Read(5)
	c.SeekTo(3, 0)
	c.Write("6")
	t.Dump()
}

// failing gives data, then an error.
type failing struct {
	data string
	err  error
}

func (f *failing) Read(b []byte) (int, error) {
	n := copy(b, f.data)
	f.data = f.data[n:]
	if f.data == "" {
		return n, f.err
	}
	return n, nil
}

func fileCopy(t *T) {
	t.Fresh("copy", "src*10000", "empty: ", "d/")
	out := t.Create("out")
	out.ReadFrom("reader", strings.NewReader("some"))
	out.ReadFrom("one byte at a time", iotest.OneByteReader(strings.NewReader("more")))
	out.ReadFrom("limited", io.LimitReader(strings.NewReader("limited"), 3))
	out.ReadFrom("none", io.LimitReader(strings.NewReader("limited"), 0))
	out.ReadFrom("failing", &failing{"half", errors.New("out of order")})
	out.ReadFrom("failing with EOF", &failing{"half", io.ErrUnexpectedEOF})
	src := t.Open("src")
	src.Read(100)
	src.CopyTo(out)
	src.SeekTo(0, 1)
	out.SeekTo(0, 1)
	src.SeekTo(9000, 0)
	src.WriteTo()
	src.WriteTo()
	src.SeekTo(1_000_000, 0)
	src.WriteTo()
	out.SeekTo(2, 0)
	src.SeekTo(0, 0)
	src.CopyTo(out)
	t.Open("empty").WriteTo()
	t.Open("empty").CopyTo(out)
	ro := t.Open("empty")
	src.SeekTo(0, 0)
	ro.ReadFrom("reader", strings.NewReader("x"))
	src.CopyTo(ro)
	wo := t.OpenFile("empty", os.O_WRONLY, 0)
	wo.CopyTo(out)
	wo.WriteTo()
	out.SeekTo(0, 1)
	t.Dump()
}
