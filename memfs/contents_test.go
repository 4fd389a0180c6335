package memfs

import (
	"bytes"
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

// storeModel is a store as plainly as it can be written: all bytes in one slice, and one flag a page.
type storeModel struct {
	b    []byte
	have map[int64]bool
}

func (m *storeModel) write(p []byte, off int64) {
	if end := off + int64(len(p)); end > int64(len(m.b)) {
		m.b = append(m.b, make([]byte, end-int64(len(m.b)))...)
	}
	copy(m.b[off:], p)
	for page := off >> pageShift; page <= (off+int64(len(p))-1)>>pageShift; page++ {
		m.have[page] = true
	}
}

func (m *storeModel) truncate(size int64) {
	m.b = append(m.b[:min(size, int64(len(m.b)))], make([]byte, max(0, size-int64(len(m.b))))...)
	for page := range m.have {
		if page<<pageShift >= size {
			delete(m.have, page)
		}
	}
}

func (m *storeModel) extent(off int64, data bool) int64 {
	for at := off; at < int64(len(m.b)); at = (at>>pageShift + 1) << pageShift {
		if m.have[at>>pageShift] == data {
			return at
		}
	}
	if data {
		return -1
	}
	return int64(len(m.b))
}

// playContents plays one list of calls on an inode and on the model. Each call is four bytes.
func playContents(t *testing.T, calls []byte) {
	fsys := New()
	sb := fsys.sb
	n := sb.newInode(access{mode: modeRegular}, 0)
	m := &storeModel{have: map[int64]bool{}}
	for i := 0; i+4 <= len(calls); i += 4 {
		off := int64(calls[i+1])<<10 + int64(calls[i+2])
		size := int64(calls[i+3]) * 37
		switch calls[i] % 4 {
		case 0, 1:
			p := bytes.Repeat([]byte{calls[i+3] | 1}, int(size))
			if count, at, _ := sb.write(n, p, off, payer{}); count != len(p) || at != off {
				t.Fatalf("write of %d at %d: %d at %d", len(p), off, count, at)
			}
			if size > 0 {
				m.write(p, off)
			}
		case 2:
			sb.truncate(n, off)
			m.truncate(off)
		case 3:
			p := bytes.Repeat([]byte{0xee}, int(size))
			count := n.read(p, off)
			want := m.b[min(off, int64(len(m.b))):min(off+size, int64(len(m.b)))]
			if !bytes.Equal(p[:count], want) {
				t.Fatalf("read of %d at %d differs", size, off)
			}
		}
		if n.size.Load() != int64(len(m.b)) {
			t.Fatalf("size %d, model %d", n.size.Load(), len(m.b))
		}
		if held := sb.limits.pages.Load(); held != int64(len(m.have)) {
			t.Fatalf("call %d: %d pages charged, model has %d", i/4, held, len(m.have))
		}
		if off < int64(len(m.b)) {
			for _, data := range []bool{true, false} {
				if got, want := n.seekExtent(off, data), m.extent(off, data); got != want {
					t.Fatalf("extent(%d, %v) = %d, model %d", off, data, got, want)
				}
			}
		}
	}
	all := make([]byte, len(m.b))
	if n.read(all, 0); !bytes.Equal(all, m.b) {
		t.Fatal("contents differ at the end")
	}
	sb.truncate(n, 0)
	if held := sb.limits.pages.Load(); held != 0 {
		t.Fatalf("%d pages left after truncate(0)", held)
	}
}

func TestContentsAgainstModel(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	for range 200 {
		calls := make([]byte, 4*rng.IntN(60))
		for i := range calls {
			calls[i] = byte(rng.Uint32())
		}
		playContents(t, calls)
	}
}

func FuzzContents(f *testing.F) {
	f.Add([]byte{0, 0, 0, 9, 2, 0, 5, 0, 2, 64, 0, 0, 3, 0, 0, 255})
	f.Add([]byte{0, 15, 255, 255, 0, 63, 0, 255, 2, 16, 1, 0, 3, 15, 0, 255})
	f.Fuzz(func(t *testing.T, calls []byte) { playContents(t, calls[:min(len(calls), 400)]) })
}

// A hole costs nothing, wherever it is, and the last byte that a file can have is as good as any.
func TestSparseFarOut(t *testing.T) {
	fsys := New()
	sb := fsys.sb
	n := sb.newInode(access{mode: modeRegular}, 0)
	for _, off := range []int64{math.MaxInt64 - 1, 1 << 40, 1 << 20, 0} {
		if count, _, _ := sb.write(n, []byte{7, 8}, off, payer{}); off == math.MaxInt64-1 && count != 1 || off < 1<<41 && count != 2 {
			t.Fatalf("write at %d stored %d bytes", off, count)
		}
		p := []byte{1}
		if n.read(p, off); p[0] != 7 {
			t.Fatalf("byte at %d is %d", off, p[0])
		}
	}
	if held := sb.limits.pages.Load(); held != 4 {
		t.Errorf("%d pages for 4 bytes far apart", held)
	}
	if at := n.seekExtent(4096, true); at != 1<<20 {
		t.Errorf("next data after the first page at %d", at)
	}
	if at := n.seekExtent(1<<40, false); at != 1<<40+4096 {
		t.Errorf("next hole after 1 TiB at %d", at)
	}
	for _, size := range []int64{1<<40 + 1, 1 << 40, 1, 0} {
		sb.truncate(n, size)
	}
	if held := sb.limits.pages.Load(); held != 0 {
		t.Errorf("%d pages left", held)
	}
}

// What is cut off does not come back, within a page and across the change from a slice to pages.
func TestTruncateThenGrowReadsZeros(t *testing.T) {
	for _, size := range []int{10, 5000, flatMax, flatMax + 1, 300000} {
		for _, cut := range []int64{1, 4095, 4096, 4097, int64(size) / 2} {
			if cut >= int64(size) {
				continue
			}
			sb := New().sb
			n := sb.newInode(access{mode: modeRegular}, 0)
			sb.write(n, bytes.Repeat([]byte{0xff}, size), 0, payer{})
			sb.truncate(n, cut)
			sb.truncate(n, int64(size))
			p := make([]byte, size)
			n.read(p, 0)
			if got := bytes.IndexByte(p, 0); int64(got) != cut {
				t.Errorf("size %d cut to %d: first zero at %d", size, cut, got)
			}
			if bytes.IndexByte(p[cut:], 0xff) >= 0 {
				t.Errorf("size %d cut to %d: old bytes are back", size, cut)
			}
			sb.write(n, []byte{1}, int64(size)+10, payer{})
			p = make([]byte, size+11)
			n.read(p, 0)
			if bytes.IndexByte(p[cut:], 0xff) >= 0 {
				t.Errorf("size %d cut to %d and written behind: old bytes are back", size, cut)
			}
		}
	}
}
