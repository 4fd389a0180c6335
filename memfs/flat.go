package memfs

import "math/bits"

// flatMax is the size up to which a file's bytes lie in one slice: it costs no more than the bytes, not a page. It is
// a number of pages that fits flat's bitmap.
const flatMax = 16 * pageSize

// flat is the store of a small file: one slice, of which the bytes between its length and its capacity are zero. have
// tells which pages are allocated, so that holes are counted as tmpfs counts them, and data which of them were written.
type flat struct {
	b    []byte
	have uint16
	data uint16
}

func (f *flat) readAt(p []byte, off int64) {
	n := 0
	if off < int64(len(f.b)) {
		n = copy(p, f.b[off:])
	}
	clear(p[n:])
}

func (f *flat) writeAt(p []byte, off int64) {
	end := off + int64(len(p))
	if end > int64(len(f.b)) {
		f.extend(int(end))
	}
	copy(f.b[off:], p)
	f.have |= pageMask(off, end)
	f.data |= pageMask(off, end)
}

// extend makes the slice n bytes long. The first write gets what it needs; one that grows doubles, so that a file
// written in small pieces is copied a few times and not at every piece.
func (f *flat) extend(n int) {
	if n <= cap(f.b) {
		f.b = f.b[:n]
		return
	}
	want := n
	if len(f.b) > 0 {
		want = min(max(n, 2*cap(f.b)), flatMax)
	}
	grown := append([]byte(nil), make([]byte, want)...) // append rounds up to what the allocator gives anyway
	copy(grown, f.b)
	f.b = grown[:n]
}

// pageMask has a bit for each page that [off, end) touches.
func pageMask(off, end int64) uint16 {
	first, last := off>>pageShift, (end-1)>>pageShift
	return uint16((1<<(last+1) - 1) &^ (1<<first - 1))
}

func (f *flat) missing(off, n int64) int64 {
	first, last := off>>pageShift, (off+n-1)>>pageShift
	count := int64(0)
	if beyond := last - max(first, flatMax>>pageShift) + 1; beyond > 0 {
		count = beyond
	}
	if off < flatMax {
		mask := pageMask(off, min(off+n, flatMax))
		count += int64(bits.OnesCount16(mask &^ f.have))
	}
	return count
}

func (f *flat) truncate(size int64) int64 {
	before := f.pages()
	if size < int64(len(f.b)) {
		if size <= int64(cap(f.b))/4 {
			f.b = append([]byte(nil), f.b[:size]...) // give the memory back
			clear(f.b[len(f.b):cap(f.b)])
		} else {
			clear(f.b[size:])
			f.b = f.b[:size]
		}
	}
	if size < flatMax {
		f.have &= 1<<((size+pageSize-1)>>pageShift) - 1
		f.data &= f.have
	}
	return before - f.pages()
}

func (f *flat) pages() int64 { return int64(bits.OnesCount16(f.have)) }

func (f *flat) extent(off int64, data bool) int64 {
	for page := off >> pageShift; page < flatMax>>pageShift; page++ {
		if (f.data>>page&1 == 1) == data {
			return max(off, page<<pageShift)
		}
	}
	if data {
		return -1
	}
	return max(off, flatMax)
}

// paged returns the same bytes as pages.
func (f *flat) paged() *paged {
	p := &paged{}
	for page := range int64(flatMax >> pageShift) {
		if f.have>>page&1 == 0 {
			continue
		}
		p.allocate(page, page)
		if f.data>>page&1 == 0 {
			continue
		}
		p.allocate(page, page) // written, even if the slice ends before it
		from := min(page<<pageShift, int64(len(f.b)))
		to := min(from+pageSize, int64(len(f.b)))
		p.writeAt(f.b[from:to], page<<pageShift)
	}
	return p
}
