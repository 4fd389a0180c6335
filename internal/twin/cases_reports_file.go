//go:build linux

package twin

import (
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"strings"
)

// reportFileCases are about open files and their contents.
var reportFileCases = []Case{
	{"reports/writing-after-truncation", Anywhere, Nothing, writeAfterTruncation},
	{"reports/two-appending-handles", Anywhere, Nothing, appendInTurn},
	{"reports/negative-offsets", Anywhere, Nothing, negativeOffsets},
	{"reports/beyond-the-end", Anywhere, Nothing, beyondTheEnd},
	{"reports/wrong-access-mode", Anywhere, Nothing, wrongAccess},
	{"reports/cut-bytes-stay-away", Anywhere, Nothing, cutBytes},
}

// cuts are ways to make f short behind the back of its handles.
var cuts = []struct {
	name string
	mode Mode
	do   func(t *T, own, other *Handle)
}{
	{"own handle", Anywhere, func(t *T, own, other *Handle) { own.Truncate(0) }},
	{"own handle to 3", Anywhere, func(t *T, own, other *Handle) { own.Truncate(3) }},
	{"other handle", Anywhere, func(t *T, own, other *Handle) { other.Truncate(0) }},
	{"other handle to 3", Anywhere, func(t *T, own, other *Handle) { other.Truncate(3) }},
	{"open with truncation", Anywhere, func(t *T, own, other *Handle) { t.OpenFile("f", os.O_WRONLY|os.O_TRUNC, 0).Close() }},
	{"open to read with truncation", Anywhere, func(t *T, own, other *Handle) { t.OpenFile("l", os.O_RDONLY|os.O_TRUNC, 0).Close() }},
	{"Create", Anywhere, func(t *T, own, other *Handle) { t.Create("h").Close() }},
	{"WriteFile", Anywhere, func(t *T, own, other *Handle) { t.WriteFile("f", "ab", 0o644) }},
	{"by name", InSystem, func(t *T, own, other *Handle) { t.Truncate("l", 0) }},
	{"by name, longer", InSystem, func(t *T, own, other *Handle) { t.Truncate("f", 10000) }},
	{"not", Anywhere, func(t *T, own, other *Handle) {}},
}

// writeAfterTruncation: a handle keeps its position when the file is cut, so
// that a hole comes before what it writes next, but one that appends goes to
// the end. wasmer 6542; go-git/go-billy 29; pytest-dev/pyfakefs 273.
func writeAfterTruncation(t *T) {
	writings := []struct {
		name string
		do   func(h *Handle)
	}{
		{"Write", func(h *Handle) { h.Write("x") }},
		{"WriteString", func(h *Handle) { h.WriteString("x") }},
		{"ReadFrom", func(h *Handle) { h.ReadFrom("reader", strings.NewReader("x")) }},
		{"Write nothing", func(h *Handle) { h.Write("") }},
		{"Read", func(h *Handle) { h.Read(4) }},
		{"WriteTo", func(h *Handle) { h.WriteTo() }},
		{"Seek to the end and write", func(h *Handle) { h.SeekTo(0, 2); h.Write("x") }},
		{"Seek back and write", func(h *Handle) { h.SeekTo(-2, 1); h.Write("x") }},
		{"WriteAt", func(h *Handle) { h.WriteAt("x", 8) }},
	}
	for _, flag := range []int{os.O_RDWR, os.O_RDWR | os.O_APPEND, os.O_RDWR | os.O_TRUNC, os.O_RDWR | os.O_TRUNC | os.O_APPEND} {
		for _, first := range []int{6, 20, 5000, 70000} {
			for _, c := range cuts {
				if !(pathCall{mode: c.mode}).fits(t) {
					continue
				}
				for _, w := range writings {
					t.Fresh(fmt.Sprintf("%s %d %s %s", flagText(flag), first, c.name, w.name), "f: twelve bytes", "l -> f", "h == f")
					own, other := t.OpenFile("f", flag, 0), t.OpenFile("h", os.O_RDWR, 0)
					own.Write(string(pattern(first)))
					c.do(t, own, other)
					own.SeekTo(0, io.SeekCurrent)
					w.do(own)
					own.SeekTo(0, io.SeekCurrent)
					own.Stat()
					other.ReadAt(80000, 0)
				}
			}
		}
	}
}

// appendInTurn: what is appended by several handles is all there, in turn.
func appendInTurn(t *T) {
	for _, n := range []int{1, 511, 4096, 9000} {
		t.Fresh(fmt.Sprint(n, " bytes"), "f: ", "l -> f", "h == f")
		a, b := t.OpenFile("f", os.O_WRONLY|os.O_APPEND, 0), t.OpenFile("l", os.O_RDWR|os.O_APPEND|os.O_CREATE, 0)
		plain := t.OpenFile("h", os.O_RDWR, 0)
		for i := range 6 {
			a.Write(strings.Repeat("a", n))
			b.SeekTo(0, 0)
			b.Write(strings.Repeat("b", n))
			b.SeekTo(0, 1)
			if i == 3 {
				plain.Truncate(int64(n))
			}
			plain.Write("P")
			b.ReadFrom("reader", strings.NewReader(strings.Repeat("c", n)))
		}
		t.Dump()
	}
}

// negativeOffsets: EINVAL, and nothing moves. spf13/afero 654;
// apache/nuttx 10039.
func negativeOffsets(t *T) {
	layout := []string{"f: 01234", "big*70000", "empty: ", "d/x", "l -> f"}
	for _, name := range []string{"f", "big", "empty", "l", "d"} {
		for _, flag := range []int{os.O_RDONLY, os.O_WRONLY, os.O_RDWR, os.O_RDWR | os.O_APPEND} {
			t.Fresh(name+" "+flagText(flag), layout...)
			h := t.OpenFile(name, flag, 0)
			if name != "d" {
				h.SeekTo(2, 0)
			}
			for _, off := range []int64{-1, -3, -4096, math.MinInt64, math.MinInt64 + 1} {
				h.SeekTo(off, io.SeekStart)
				h.SeekTo(off, io.SeekCurrent)
				if name != "d" {
					h.SeekTo(off-2, io.SeekCurrent)
				}
				h.SeekTo(0, io.SeekCurrent)
				for _, n := range []int{0, 1, 100} {
					h.ReadAt(n, off)
					h.WriteAt(strings.Repeat("x", n), off)
				}
				h.Truncate(off)
				h.SeekTo(0, io.SeekCurrent)
			}
			if name != "d" {
				h.SeekTo(-9, io.SeekEnd)
				h.SeekTo(-70001, io.SeekEnd)
				h.SeekTo(0, io.SeekCurrent)
				h.SeekTo(-1, 3)
				h.SeekTo(-1, 4)
				h.SeekTo(0, io.SeekCurrent)
			}
			h.Read(2)
			t.Dump()
		}
		if !t.InRoot() {
			t.Fresh("by name "+name, layout...)
			for _, size := range []int64{-1, -4096, math.MinInt64} {
				t.Truncate(name, size)
				t.Truncate("missing", size)
				t.Truncate("d/missing/x", size)
				t.Truncate("", size)
			}
			t.Dump()
		}
	}
}

// beyondTheEnd: reads there give nothing and leave the buffer alone, and empty
// writes change no size. apache/nuttx 10039; spf13/afero 654.
func beyondTheEnd(t *T) {
	for _, f := range []string{"f: 01234", "f*4096", "f*5000", "f*65536", "f*65537", "f: "} {
		for _, off := range []int64{5, 6, 256, 4096, 4097, 8192, 65536, 65537, 1 << 20, 1 << 40, math.MaxInt64 - 1, math.MaxInt64} {
			t.Fresh(fmt.Sprintf("%s at %d", f, off), f)
			for _, flag := range []int{os.O_RDWR, os.O_RDWR | os.O_APPEND} {
				h := t.OpenFile("f", flag, 0)
				h.SeekTo(off, 0)
				h.Read(10)
				h.Read(0)
				h.ReadAt(10, off)
				h.ReadAt(10, off-3)
				h.ReadAt(0, off)
				h.Write("")
				h.WriteString("")
				h.WriteAt("", off)
				h.WriteTo()
				h.ReadFrom("nothing", strings.NewReader(""))
				h.SeekTo(0, 1)
				h.Stat()
			}
			t.Dump()
		}
	}
}

// wrongAccess: EBADF for reads and writes that the handle is not open for, but
// EINVAL for ftruncate. apache/nuttx 10039.
func wrongAccess(t *T) {
	for _, name := range []string{"f", "empty", "l", "fifo"} {
		for _, flag := range []int{os.O_RDONLY, os.O_WRONLY, os.O_WRONLY | os.O_APPEND, os.O_RDWR, 3} {
			if name == "fifo" && flag != os.O_RDWR {
				continue // opening would wait for the other side
			}
			t.Fresh(name+" "+flagText(flag), "f: 01234", "empty: ", "l -> f")
			t.special("fifo", fs.ModeNamedPipe)
			h := t.OpenFile(name, flag, 0)
			if name == "fifo" {
				h.ReadAt(1, 0)
				h.WriteAt("x", 0)
				h.Truncate(0)
				h.Truncate(-1)
				h.SeekTo(0, 0)
				continue
			}
			for _, n := range []int{3, 0} {
				h.Read(n)
				h.ReadAt(n, 1)
				h.ReadAt(n, 100)
				h.Write(strings.Repeat("x", n))
				h.WriteAt(strings.Repeat("y", n), 1)
			}
			h.WriteTo()
			h.ReadFrom("reader", strings.NewReader("r"))
			h.Truncate(2)
			h.Truncate(-1)
			h.SeekTo(0, 1)
			h.Stat()
			t.Dump()
		}
	}
}

// cutBytes: what lay beyond the smallest size is gone for good and reads as
// zeros, however the file grows again. zen-fs/core 313; multikernel/daxfs 16;
// embeddedos-org/eos 100; pytest-dev/pyfakefs 296.
func cutBytes(t *T) {
	grows := []struct {
		name string
		mode Mode
		do   func(h *Handle, to int64)
	}{
		{"Truncate", Anywhere, func(h *Handle, to int64) { h.Truncate(to) }},
		{"Truncate in steps", Anywhere, func(h *Handle, to int64) { h.Truncate(to / 2); h.Truncate(to - 1); h.Truncate(to) }},
		{"WriteAt", Anywhere, func(h *Handle, to int64) { h.WriteAt("E", to-1) }},
		{"Seek and Write", Anywhere, func(h *Handle, to int64) { h.SeekTo(to-1, 0); h.Write("E") }},
		{"ReadFrom", Anywhere, func(h *Handle, to int64) { h.SeekTo(to-1, 0); h.ReadFrom("reader", strings.NewReader("E")) }},
		{"by name", InSystem, func(h *Handle, to int64) { h.t.Truncate("f", to) }},
	}
	sizes := []int{12, 12288, 65536, 70000, 300000}
	for _, size := range sizes {
		for _, cut := range []int64{0, 4, 2048, 4095, 4096, 4097, 5000, 16384, 65535, 65536, 69632} {
			if cut >= int64(size) {
				continue
			}
			for _, g := range grows {
				if !(pathCall{mode: g.mode}).fits(t) {
					continue
				}
				t.Fresh(fmt.Sprintf("%d to %d, %s", size, cut, g.name), fmt.Sprintf("f*%d", size))
				h := t.OpenFile("f", os.O_RDWR, 0)
				h.Truncate(cut)
				h.Stat()
				for _, to := range []int64{cut + 5, cut + 5000, int64(size), 66000, 350000} {
					if to <= cut {
						continue
					}
					g.do(h, to)
					h.ReadAt(int(to)+1, 0)
					h.Stat()
				}
				h.WriteAt("around a page", 8190)
				h.Truncate(8196)
				h.Truncate(8300)
				h.ReadAt(200, 8180)
				t.OpenFile("f", os.O_WRONLY|os.O_TRUNC, 0).WriteAt("far", 20000)
				h.ReadAt(30000, 0)
				h.Stat()
			}
		}
	}
}
