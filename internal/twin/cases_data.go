//go:build linux

package twin

import (
	"fmt"
	"io/fs"
	"math"
	"os"
	"strconv"
)

func fileTruncate(t *T) {
	sizes := []int64{0, 1, 5, 12, 4095, 4096, 4097, 5000, 8192, 20000, 1 << 20, -1, math.MinInt64}
	for _, from := range []string{"f: twelve bytes", "f*12388", "f: ", "f*4096"} {
		for _, down := range []int64{0, 3, 4000, 4096, 5000} {
			t.Fresh(fmt.Sprintf("%s to %d", from, down), from)
			h := t.OpenFile("f", os.O_RDWR, 0)
			h.SeekTo(2, 0)
			h.Truncate(down)
			h.Stat()
			h.Truncate(down + 5000)
			h.Stat()
			h.ReadAt(20000, 0)
			h.SeekTo(0, 1)
			h.Write("W")
			h.Read(10)
			t.Dump()
		}
	}
	if !t.InRoot() {
		for _, size := range sizes {
			t.Fresh(fmt.Sprintf("by name to %d", size), "f*6000", "l -> f", "d/")
			h := t.Open("f")
			t.Truncate("l", size)
			h.Stat()
			t.Truncate("d", size)
			t.Truncate("missing", size)
			t.Truncate("f/", size)
			t.Dump()
		}
	}
	t.Fresh("bad sizes", "f: text", "d/")
	for _, flag := range []int{os.O_RDONLY, os.O_WRONLY, os.O_RDWR} {
		h := t.OpenFile("f", flag, 0)
		for _, size := range []int64{-1, math.MinInt64, 4} {
			h.Truncate(size)
		}
	}
	t.Open("d").Truncate(0)
	t.Open("d").Truncate(-1)
	t.Dump()
}

func fileHuge(t *T) {
	if t.InRoot() && strconv.IntSize == 32 {
		return // os.Root opens without O_LARGEFILE there, and stops at 2 GiB
	}
	t.Fresh("huge offsets", "f: text")
	h := t.OpenFile("f", os.O_RDWR, 0)
	for _, off := range []int64{math.MaxInt64, math.MaxInt64 - 1, math.MaxInt64 - 3, math.MaxInt64 - 4096} {
		h.WriteAt("", off)
		h.SeekTo(off, 0)
		h.Read(10)
	}
	h.WriteAt("abc", math.MaxInt64)
	h.WriteAt("abc", math.MaxInt64-1)
	h.Stat()
	h.SeekTo(math.MaxInt64, 0)
	h.Write("x")
	h.SeekTo(0, 1)
	h.Stat()
	h.WriteAt("far", 1<<40)
	h.Stat()
	h.ReadAt(5, 1<<40)
	h.ReadAt(5, 1<<39)
	h.Truncate(math.MaxInt64)
	h.Stat()
	h.ReadAt(5, math.MaxInt64-10)
	h.Truncate(1 << 50)
	h.Stat()
	h.Truncate(4)
	h.ReadAt(100, 0)
	h.Stat()
}

func fileUnlinked(t *T) {
	t.Fresh("unlinked file", "d/f: hello")
	h := t.OpenFile("d/f", os.O_RDWR, 0)
	t.Remove("d/f")
	h.Stat()
	t.Remove("d")
	h.Read(10)
	h.WriteAt("world", 5)
	h.Truncate(8)
	h.Chmod(0o600)
	h.Stat()
	h.Sync()
	t.Mkdir("d", 0o755)
	t.WriteFile("d/f", "", 0o644)
	h.ReadAt(20, 0)
	h.WriteString("still")
	t.ReadFile("d/f")
	h.Stat()
	h.Close()
	h.Stat()
	t.Dump()
	t.Fresh("unlinked in other ways", "f: hello", "h == f", "d/g: g")
	h = t.Open("f")
	g := t.OpenFile("d/g", os.O_RDWR, 0)
	t.Remove("f")
	h.Stat()
	t.Remove("h")
	h.Stat()
	t.RemoveAll("d")
	g.Stat()
	g.Write("G")
	g.ReadAt(10, 0)
	h.Read(10)
	t.Dump()
}

func fileDirectory(t *T) {
	t.Fresh("removed directory", "d/e/", "d/x")
	h := t.Open("d/e")
	t.Remove("d/e")
	h.Stat()
	h.Readdirnames(-1)
	h.Readdirnames(1)
	h.ReadDir(1)
	h.ReadDir(-1)
	h.Chmod(0o700)
	h.Sync()
	h.Stat()
	h.SeekTo(0, 0)
	h.Readdir(-1)
	h.Close()
	t.Mkdir("d/e", 0o755)
	t.Dump()
	t.Fresh("methods of a directory", "d/x", "d/y/")
	everyMethod(t.Open("d"))
	t.Dump()
}

func fileSparse(t *T) {
	t.Fresh("holes", "f: ")
	h := t.OpenFile("f", os.O_RDWR, 0)
	h.WriteAt("E", 65536)
	h.Stat()
	h.ReadAt(70000, 0)
	h.WriteAt("xy", 4094)
	h.WriteAt("z", 4097)
	h.Stat()
	h.ReadAt(10, 4090)
	h.Truncate(4098)
	h.Stat()
	h.Truncate(1 << 30)
	h.Stat()
	h.ReadAt(10, 1<<29)
	h.WriteAt("end", 1<<30-3)
	h.Stat()
	h.SeekTo(1<<30-5, 0)
	h.Read(100)
	h.Truncate(8192)
	h.Stat()
	h.ReadAt(8192, 0)
	h.Truncate(0)
	h.Stat()
	h.SeekTo(20000, 0)
	h.Write("after a hole")
	h.Stat()
	t.Dump()
}

func fileTwoHandles(t *T) {
	t.Fresh("two handles", "f: 0123456789", "l -> f", "h == f")
	a := t.OpenFile("f", os.O_RDWR, 0)
	b := t.OpenFile("h", os.O_RDWR, 0)
	a.Read(4)
	b.Write("ab")
	a.Write("cd")
	b.Read(100)
	b.Truncate(3)
	a.Read(1)
	a.Write("e")
	b.ReadAt(100, 0)
	t.WriteFile("l", "xy", 0)
	a.ReadAt(100, 0)
	b.SeekTo(0, 2)
	a.Chmod(0o400 | fs.ModeSetuid)
	b.Stat()
	t.Dump()
}
