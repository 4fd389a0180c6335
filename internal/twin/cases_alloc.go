//go:build linux

package twin

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
)

// AllocCases are about fallocate, copy_file_range and where there is data.
var AllocCases = []Case{
	{"alloc/modes", InSystem, Nothing, allocModes},
	{"alloc/ranges", InSystem, Nothing, allocRanges},
	{"alloc/twice", InSystem, Nothing, allocTwice},
	{"alloc/beyond-the-end", InSystem, Nothing, allocBeyond},
	{"alloc/punch", InSystem, Nothing, allocPunch},
	{"alloc/random", InSystem, Nothing, allocRandom},
	{"alloc/times-and-set-id", InSystem, Privilege, allocTimes},
	{"copy-range/rules", InSystem, Nothing, copyRules},
	{"copy-range/offsets", InSystem, Nothing, copyOffsets},
	{"copy-range/holes", InSystem, Nothing, copyHoles},
	{"copy-range/times-and-set-id", InSystem, Privilege, copyTimes},
}

// AllocLimitCases need a world with the limits of [LimitCases].
var AllocLimitCases = []Case{
	{"alloc/full", InSystem, Privilege, allocFull},
	{"copy-range/full", InSystem, Privilege, copyFull},
}

const (
	keepSize  = 1
	punchHole = 2 | keepSize
)

func allocModes(t *T) {
	modes := []uint32{0, 1, 2, 3, 4, 5, 6, 7, 9, 0x0a, 0x0b, 0x12, 0x13, 0x18, 0x21, 0x30, 0x40, 0x41, 0x42, 0x80, 0x81, 0xff, 0x100, 1 << 31, math.MaxUint32}
	ranges := [][2]int64{
		{0, 10}, {5, 0}, {-1, 5}, {5, -1}, {math.MinInt64, math.MinInt64}, {1, math.MaxInt64}, {math.MaxInt64, 1},
		{math.MaxInt64, math.MaxInt64},
	}
	for _, mode := range modes {
		t.Fresh(fmt.Sprintf("mode %#x", mode), "f*10000", "d/")
		for _, flag := range []int{os.O_RDONLY, os.O_WRONLY, os.O_RDWR, os.O_WRONLY | os.O_APPEND} {
			h := t.OpenFile("f", flag, 0)
			for _, r := range ranges {
				h.Allocate(mode, r[0], r[1])
			}
			h.Stat()
		}
		d := t.Open("d")
		for _, r := range ranges {
			d.Allocate(mode, r[0], r[1])
		}
		t.Dump()
	}
	// modes that tmpfs refuses at last, and other checks before that
	for _, mode := range []uint32{8, 0x10, 0x11, 0x20} {
		t.Fresh(fmt.Sprintf("other mode %#x", mode), "f*10000", "d/")
		for _, r := range ranges[1:] {
			t.Open("f").Allocate(mode, r[0], r[1])
			t.OpenFile("f", os.O_RDWR, 0).Allocate(mode, r[0], r[1])
			t.Open("d").Allocate(mode, r[0], r[1])
		}
		t.Dump()
	}
}

var allocLayouts = []string{"f: ", "f: x", "f*4096", "f*5000", "f*65536", "f*70000"}

func allocRanges(t *T) {
	for _, layout := range allocLayouts {
		for _, mode := range []uint32{0, keepSize, punchHole} {
			for _, off := range []int64{0, 1, 4095, 4096, 8191, 60_000, 65_536, 1 << 20, math.MaxInt64 - 20_000} {
				t.Fresh(fmt.Sprintf("%s mode %#x at %d", layout, mode, off), layout)
				h := t.OpenFile("f", os.O_RDWR, 0)
				for _, length := range []int64{1, 4095, 4096, 4097, 8000} {
					h.Allocate(mode, off, length)
					h.Extents()
				}
				h.ReadAt(80_000, 0)
				h.Truncate(6000)
				h.Extents()
			}
		}
	}
}

func allocTwice(t *T) {
	for _, size := range []int64{40_000, 1 << 20} {
		t.Fresh(fmt.Sprintf("allocated twice, of %d", size), "f: ")
		h := t.OpenFile("f", os.O_RDWR, 0)
		h.Allocate(0, 0, size)
		h.Extents()
		h.ReadAt(5000, 4000)
		h.Extents()
		h.WriteAt("x", 5000)
		h.Extents()
		h.Allocate(0, 12_000, 9000)
		h.Extents()
		h.Truncate(15_000)
		h.Truncate(40_000)
		h.Extents()
		h.Allocate(keepSize, 0, size*2)
		h.Extents()
		h.Allocate(punchHole, 0, size*2)
		h.Extents()
	}
}

func allocBeyond(t *T) {
	for _, layout := range allocLayouts {
		t.Fresh("beyond the end of "+layout, layout)
		h := t.OpenFile("f", os.O_RDWR, 0)
		h.Allocate(keepSize, 80_000, 10_000)
		h.Extents()
		h.Truncate(100_000)
		h.Extents()
		h.WriteAt("x", 85_000)
		h.Truncate(85_001)
		h.Extents()
		h.Allocate(keepSize, 85_000, 30_000)
		h.Extents()
		h.Truncate(85_001)
		h.Extents()
		h.Allocate(keepSize, 85_000, 30_000)
		h.Truncate(85_002)
		h.Extents()
		h.WriteAt("y", 111_000)
		h.Extents()
		t.OpenFile("f", os.O_RDWR|os.O_TRUNC, 0)
		h.Extents()
		h.Allocate(keepSize, 0, 30_000)
		h.Extents()
		h.Truncate(0)
		h.Extents()
	}
}

func allocPunch(t *T) {
	for _, layout := range allocLayouts {
		for _, off := range []int64{0, 1, 100, 4095, 4096, 4097, 61_440, 65_535, 65_536, 69_999} {
			for _, length := range []int64{1, 100, 4095, 4096, 4097, 8192, 10_000, 100_000, math.MaxInt64 - 70_000} {
				t.Fresh(fmt.Sprintf("%s punched at %d, %d bytes", layout, off, length), layout)
				h := t.OpenFile("f", os.O_RDWR, 0)
				h.Allocate(punchHole, off, length)
				h.Extents()
				h.ReadAt(80_000, 0)
				h.WriteAt("back", off)
				h.Extents()
				h.ReadAt(80_000, 0)
			}
		}
	}
}

// allocRandom makes calls at random on two files, as many as two slices and trees of pages need to meet.
func allocRandom(t *T) {
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 4))
		t.Fresh(fmt.Sprintf("seed %d", seed), "f: ", "g*5000")
		files := []*Handle{t.OpenFile("f", os.O_RDWR, 0), t.OpenFile("g", os.O_RDWR, 0)}
		most := []int64{60_000, 200_000, 1 << 21}[rng.IntN(3)]
		for range 40 {
			h, to := files[rng.IntN(2)], files[rng.IntN(2)]
			off, length := rng.Int64N(most), 1+rng.Int64N(most/4)
			if rng.IntN(2) == 0 {
				off, length = off&^4095, (length+4095)&^4095
			}
			switch rng.IntN(7) {
			case 0:
				h.Allocate(0, off, length)
			case 1:
				h.Allocate(keepSize, off, length)
			case 2:
				h.Allocate(punchHole, off, length)
			case 3:
				h.Truncate(off)
			case 4:
				at := rng.Int64N(most)
				if rng.IntN(2) == 0 {
					at &^= 4095
				}
				h.CopyRange(off, to, at, length)
			default:
				h.WriteAt(string(pattern(int(min(length, 20_000)))), off)
			}
			h.Extents()
			to.Extents()
		}
		h := files[0]
		h.ReadAt(int(most)*2, 0)
		files[1].ReadAt(int(most)*2, 0)
	}
}

func allocTimes(t *T) {
	for _, who := range []Cred{someUser, rootUser} {
		for _, mode := range []uint32{0, keepSize, punchHole, 0x12} {
			for _, r := range [][2]int64{{0, 2}, {0, 10_000}, {3, 0}, {math.MaxInt64, 1}, {20_000, 4096}} {
				t.Fresh(fmt.Sprintf("mode %#x at %d by %v", mode, r, who), "f: text @6777 1000:1000", ". @777")
				var h *Handle
				t.As(who, func() { h = t.OpenFile("f", os.O_RDWR, 0) })
				t.Age("f")
				t.Touches("Allocate", []string{"f"}, func() { t.As(who, func() { h.Allocate(mode, r[0], r[1]) }) })
				h.Stat()
			}
		}
	}
}

func copyRules(t *T) {
	t.Fresh("kinds and flags", "f*10000", "g*100", "d/", "e/")
	flags := []int{os.O_RDONLY, os.O_WRONLY, os.O_RDWR, os.O_RDWR | os.O_APPEND, os.O_WRONLY | os.O_APPEND}
	for _, from := range flags {
		for _, to := range flags {
			src, dst := t.OpenFile("f", from, 0), t.OpenFile("g", to, 0)
			src.CopyRange(10, dst, 20, 30)
			src.CopyRange(10, dst, 20, 0)
			src.CopyRange(-1, dst, 20, 30)
			src.CopyRange(10_000, dst, 20, 30)
			src.CopyRange(10, dst, math.MaxInt64, 30)
		}
	}
	d, e, f := t.Open("d"), t.Open("e"), t.OpenFile("f", os.O_RDWR, 0)
	d.CopyRange(0, f, 0, 10)
	f.CopyRange(0, d, 0, 10)
	d.CopyRange(0, e, 0, 10)
	d.CopyRange(-1, d, -1, 0)
	t.Dump()
}

func copyOffsets(t *T) {
	offsets := []int64{0, 1, 50, 99, 100, 101, 200, math.MaxInt64 - 4, math.MaxInt64, -1, -100, math.MinInt64}
	lengths := []int64{0, 1, 49, 50, 51, 100, 101, 5000, math.MaxInt64}
	for _, same := range []bool{true, false} {
		for _, from := range offsets {
			for _, to := range offsets {
				t.Fresh(fmt.Sprintf("from %d to %d, same file %v", from, to, same), "f*100", "g*7")
				src := t.OpenFile("f", os.O_RDWR, 0)
				dst := src
				if !same {
					dst = t.OpenFile("g", os.O_RDWR, 0)
				}
				for _, n := range lengths {
					src.CopyRange(from, dst, to, n)
					dst.Stat()
				}
				dst.ReadAt(1000, 0)
				dst.SeekTo(0, 1)
				src.SeekTo(0, 1)
			}
		}
	}
}

func copyHoles(t *T) {
	for _, from := range []int64{0, 1, 4096, 5000, 65_536} {
		for _, to := range []int64{0, 1, 4096, 5000, 65_536, 1 << 20} {
			t.Fresh(fmt.Sprintf("from %d to %d", from, to), "f: ", "g*5000")
			src, dst := t.OpenFile("f", os.O_RDWR, 0), t.OpenFile("g", os.O_RDWR, 0)
			src.WriteAt("one", 9000)
			src.WriteAt("two", 70_000)
			src.Allocate(0, 30_000, 20_000)
			src.Truncate(100_000)
			src.CopyRange(from, dst, to, 200_000)
			src.Extents()
			dst.Extents()
			src.WriteAt("changed", 70_000)
			dst.WriteAt("changed as well", to+9000-from)
			src.ReadAt(110_000, 0)
			dst.ReadAt(110_000, to)
			src.CopyRange(8192, src, 200_000, 10_000)
			src.CopyRange(8192, src, 40_960, 12_288)
			src.Extents()
			src.ReadAt(220_000, 0)
			src.Allocate(punchHole, 0, 100_000)
			dst.Extents()
			dst.ReadAt(110_000, to)
		}
	}
}

func copyTimes(t *T) {
	for _, who := range []Cred{someUser, rootUser} {
		for _, r := range [][3]int64{{0, 0, 10}, {0, 2, 0}, {100, 0, 10}, {0, math.MaxInt64, 5}, {-1, 0, 10}} {
			t.Fresh(fmt.Sprintf("%d by %v", r, who), "f: some text", "g: text @6777 1000:1000", ". @777", "f @666")
			src, dst := t.OpenFile("f", os.O_RDWR, 0), t.OpenFile("g", os.O_RDWR, 0)
			t.Age("f", "g")
			t.Touches("CopyRange", []string{"f", "g"}, func() {
				t.As(who, func() { src.CopyRange(r[0], dst, r[1], r[2]) })
			})
			dst.Stat()
		}
	}
}

func allocFull(t *T) {
	for _, layout := range [][]string{{"f: "}, {"f*5000"}, {"f: ", "other*32768"}, {"f*8192", "other*40000"}} {
		for _, mode := range []uint32{0, keepSize} {
			for _, off := range []int64{0, 5000, 50_000} {
				t.Fresh(fmt.Sprintf("%v mode %#x at %d", layout, mode, off), layout...)
				h := t.OpenFile("f", os.O_RDWR, 0)
				h.Allocate(mode, 12_288, 4096)
				for _, length := range []int64{4096, 30_000, 15 * 4096, 16 * 4096, 16*4096 + 1, 17 * 4096, 1 << 30, math.MaxInt64 - off} {
					h.Allocate(mode, off, length)
					h.Extents()
					t.Usage()
				}
				h.WriteAt("in what was allocated", 12_300)
				h.WriteAt(string(pattern(30_000)), 20_000)
				h.Extents()
				h.Allocate(punchHole, 0, 10_000)
				h.Extents()
				t.Usage()
				t.Truncate("f", 13_000)
				h.Extents()
				t.Remove("f")
				t.Usage()
				h.Close()
				t.Usage()
			}
		}
	}
}

func copyFull(t *T) {
	for _, size := range []int{4096, 20_000, 32_768, 32_769, 40_000} {
		for _, to := range []int64{0, 1, 4096, 20_000} {
			t.Fresh(fmt.Sprintf("%d bytes to %d", size, to), fmt.Sprintf("f*%d", size), "g: x")
			src, dst := t.OpenFile("f", os.O_RDWR, 0), t.OpenFile("g", os.O_RDWR, 0)
			src.CopyRange(0, dst, to, 1<<20)
			dst.Extents()
			t.Usage()
			src.CopyRange(0, dst, 100_000, 1<<20)
			dst.Extents()
			src.CopyRange(0, dst, 200_000, 1<<20)
			dst.Extents()
			t.Usage()
			src.WriteAt("in a page that may be shared", 3000)
			dst.WriteAt("in another", to+3000)
			t.Dump()
		}
	}
}
