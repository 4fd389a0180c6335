package memfs

import (
	"bytes"
	"math"
	"math/rand/v2"
	"syscall"
	"testing"
	"time"
)

// allocModel is a file as plainly as it can be written: a slice, and what is known of each page.
type allocModel struct {
	b     []byte
	pages map[int64]bool // allocated; true: written
}

func (m *allocModel) size() int64 { return int64(len(m.b)) }

func (m *allocModel) resize(n int64) {
	m.b = append(m.b[:min(n, m.size()):min(n, m.size())], make([]byte, max(0, n-m.size()))...)
}

func (m *allocModel) count(off, n int64, is func(page int64) bool) (count int64) {
	for page := off >> pageShift; page <= (off+n-1)>>pageShift; page++ {
		if is(page) {
			count++
		}
	}
	return count
}

func (m *allocModel) missing(off, n int64) int64 {
	return m.count(off, n, func(page int64) bool { _, there := m.pages[page]; return !there })
}

func (m *allocModel) write(p []byte, off int64) {
	if len(p) == 0 {
		return
	}
	m.resize(max(m.size(), off+int64(len(p))))
	copy(m.b[off:], p)
	m.count(off, int64(len(p)), func(page int64) bool { m.pages[page] = true; return true })
}

func (m *allocModel) truncate(size int64) {
	if size <= m.size() {
		for page := range m.pages {
			if page<<pageShift >= size {
				delete(m.pages, page)
			}
		}
	}
	m.resize(size)
}

func (m *allocModel) allocate(off, n, room int64) bool {
	for page := off >> pageShift; page <= (off+n-1)>>pageShift; page++ {
		if _, there := m.pages[page]; there {
			m.pages[page] = true
		} else if room--; room < 0 {
			return false // the caller takes back what was new
		} else {
			m.pages[page] = false
		}
	}
	return true
}

// blank zeroes a range, and calls whole for each page that lies in it.
func (m *allocModel) blank(off, n int64, whole func(page int64)) {
	if off < m.size() {
		clear(m.b[off:min(off+n, m.size())])
	}
	for page := (off + pageSize - 1) >> pageShift; (page+1)<<pageShift <= off+n; page++ {
		whole(page)
	}
}

func (m *allocModel) move(from, to int64, count int64) {
	moved := map[int64]bool{}
	for page, written := range m.pages {
		switch {
		case page < min(from, to):
			moved[page] = written
		case page >= from:
			moved[page+to-from] = written
		}
	}
	m.pages = moved
	from, to = from<<pageShift, to<<pageShift
	rest := append([]byte(nil), m.b[from:]...)
	m.resize(min(from, to))
	m.resize(to)
	m.b = append(m.b, rest...)
}

func (m *allocModel) do(mode AllocMode, off, n, room int64) errno {
	switch mode &^ AllocKeepSize {
	case AllocPunchHole:
		m.blank(off, n, func(page int64) { delete(m.pages, page) })
		return ok
	case AllocCollapse:
		if (off|n)%pageSize != 0 || off+n >= m.size() {
			return syscall.EINVAL
		}
		m.move((off+n)>>pageShift, off>>pageShift, 0)
		return ok
	case AllocInsert:
		if (off|n)%pageSize != 0 || off >= m.size() {
			return syscall.EINVAL
		}
		m.move(off>>pageShift, (off+n)>>pageShift, 0)
		return ok
	case AllocZero:
		if m.missing(off, n) > room {
			return syscall.ENOSPC
		}
		m.blank(off, n, func(page int64) { m.pages[page] = false })
		m.count(off, n, func(page int64) bool {
			if _, there := m.pages[page]; !there {
				m.pages[page] = false
			}
			return true
		})
	default:
		before := map[int64]bool{}
		for page := range m.pages {
			before[page] = true
		}
		if !m.allocate(off, n, room) {
			for page := range m.pages {
				if !before[page] {
					delete(m.pages, page)
				}
			}
			return syscall.ENOSPC
		}
	}
	if mode&AllocKeepSize == 0 {
		m.resize(max(m.size(), off+n))
	}
	return ok
}

func (m *allocModel) extent(off int64, data bool) int64 {
	for at := off; at < m.size(); at = (at>>pageShift + 1) << pageShift {
		if m.pages[at>>pageShift] == data {
			return at
		}
	}
	if data {
		return -1
	}
	return m.size()
}

func (m *allocModel) clone(size int64) *allocModel {
	c := &allocModel{b: bytes.Clone(m.b), pages: map[int64]bool{}}
	for page, written := range m.pages {
		if page<<pageShift < size {
			c.pages[page] = written
		}
	}
	return c
}

// allocRoom is the size of the file system in the tests, in pages.
const allocRoom = 96

// allocPlay is two files and their models.
type allocPlay struct {
	t      *testing.T
	sb     *superblock
	files  [2]*inode
	models [2]*allocModel
}

func (p *allocPlay) room() int64 { return allocRoom - p.sb.limits.pages.Load() }

// step makes the call that five bytes say.
func (p *allocPlay) step(call []byte) {
	t := p.t
	which := int(call[0] >> 7)
	n, m := p.files[which], p.models[which]
	off, length := int64(call[1])<<10+int64(call[2]), int64(call[3])<<9+int64(call[4])+1
	switch what := call[0] & 15; what {
	case 0, 1, 2, 3, 4, 5, 6:
		modes := []AllocMode{0, AllocKeepSize, AllocPunchHole | AllocKeepSize, AllocZero, AllocZero | AllocKeepSize, AllocCollapse, AllocInsert}
		if what >= 5 {
			off, length = off&^(pageSize-1), min(length, 10*pageSize)&^(pageSize-1)+pageSize
			if what == 6 && m.size() > 1<<20 {
				return
			}
		}
		room := p.room()
		want := m.do(modes[what], off, length, room)
		if e := p.sb.allocate(n, modes[what], off, length, payer{}); e != want {
			t.Fatalf("mode %#x of %d at %d with room for %d: %v, model %v", modes[what], length, off, room, e, want)
		}
	case 7, 8, 9, 10:
		b := bytes.Repeat([]byte{call[4] | 1}, int(length))
		if m.missing(off, length) > p.room() {
			return
		}
		m.write(b, off)
		if count, _, e := p.sb.write(n, b, off, payer{}); count != len(b) || e != ok {
			t.Fatalf("write of %d at %d: %d, %v", len(b), off, count, e)
		}
	case 11:
		m.truncate(off)
		p.sb.truncate(n, off)
	case 12, 13:
		from, source := p.files[call[0]>>6&1], p.models[call[0]>>6&1]
		at := int64(call[4]) << 9
		length = min(length, source.size()-at)
		if length <= 0 || m.missing(off, length) > p.room() || n == from && off+length > at && off < at+length {
			return
		}
		m.write(bytes.Clone(source.b[at:at+length]), off)
		if count, e := p.sb.copyRange(n, off, from, at, length, payer{}); count != length || e != ok {
			t.Fatalf("copy of %d from %d to %d: %d, %v", length, at, off, count, e)
		}
	default:
		from := p.models[1-which]
		c := from.clone(from.size())
		want := ok
		if int64(len(c.pages)-len(m.pages)) > p.room() {
			want = syscall.ENOSPC
		} else {
			p.models[which] = c
		}
		if e := p.sb.clone(n, p.files[1-which], payer{}); e != want {
			t.Fatalf("clone: %v, model %v", e, want)
		}
	}
}

func (p *allocPlay) compare(at int) {
	t, held := p.t, int64(0)
	checker := newContentsChecker()
	for i, n := range p.files {
		m := p.models[i]
		if n.size.Load() != m.size() {
			t.Fatalf("call %d: file %d has size %d, model %d", at, i, n.size.Load(), m.size())
		}
		if pages := n.body().held.Load(); pages != int64(len(m.pages)) {
			t.Fatalf("call %d: file %d has %d pages, model %d", at, i, pages, len(m.pages))
		}
		held += int64(len(m.pages))
		if err := checker.check(n.body().store, m.size()); err != nil {
			t.Fatalf("call %d: file %d: %v", at, i, err)
		}
		for off := int64(0); off < m.size(); off += 1 + m.size()/37 {
			for _, data := range []bool{true, false} {
				if got, want := n.seekExtent(off, data), m.extent(off, data); got != want {
					t.Fatalf("call %d: file %d: extent(%d, %v) = %d, model %d", at, i, off, data, got, want)
				}
			}
		}
		all := make([]byte, m.size())
		if n.read(all, 0); !bytes.Equal(all, m.b) {
			t.Fatalf("call %d: contents of file %d differ", at, i)
		}
	}
	if charged := p.sb.limits.pages.Load(); charged != held {
		t.Fatalf("call %d: %d pages charged, models have %d", at, charged, held)
	}
}

func playAlloc(t *testing.T, calls []byte) {
	p := &allocPlay{t: t, sb: New(WithSize(allocRoom * pageSize)).sb}
	for i := range p.files {
		p.files[i] = p.sb.newInode(access{mode: modeRegular}, 0)
		p.models[i] = &allocModel{pages: map[int64]bool{}}
	}
	for i := 0; i+5 <= len(calls); i += 5 {
		p.step(calls[i : i+5])
		p.compare(i / 5)
	}
	for i, n := range p.files {
		p.sb.truncate(n, 0)
		p.models[i].truncate(0)
	}
	p.compare(len(calls) / 5)
}

func TestAllocateAgainstModel(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	for range 150 {
		calls := make([]byte, 5*rng.IntN(40))
		for i := range calls {
			calls[i] = byte(rng.Uint32())
		}
		small := byte(255 >> rng.IntN(4)) // some files stay below the size of one slice
		for i := range calls {
			if i%5 == 1 || i%5 == 3 {
				calls[i] &= small
			}
		}
		playAlloc(t, calls)
	}
}

func FuzzAllocate(f *testing.F) {
	f.Add([]byte{0, 0, 0, 9, 2, 0x80, 0, 5, 0, 2, 14, 64, 0, 0, 3, 5, 0, 0, 8, 0})
	f.Add([]byte{7, 15, 255, 255, 0, 0x8e, 0, 255, 2, 16, 0x82, 1, 0, 63, 15, 0x4c, 0, 255, 9, 1, 6, 4, 0, 8, 0})
	f.Fuzz(func(t *testing.T, calls []byte) { playAlloc(t, calls[:min(len(calls), 300)]) })
}

// The end of the largest file is a hole, also where its last page is written.
func TestExtentAtTheEnd(t *testing.T) {
	sb := New().sb
	n := sb.newInode(access{mode: modeRegular}, 0)
	for _, e := range []errno{
		sb.allocate(n, 0, math.MaxInt64-8000, 8000, payer{}), sb.allocate(n, 0, math.MaxInt64-8000, 8000, payer{}),
	} {
		if e != ok {
			t.Fatal(e)
		}
	}
	const first = math.MaxInt64 - 8191
	if data, hole := n.seekExtent(0, true), n.seekExtent(first, false); data != first || hole != math.MaxInt64 {
		t.Errorf("data at %d, hole at %d", data, hole)
	}
}

// An allocation costs no memory, wherever and however large it is, until it is written to.
func TestAllocateFarOut(t *testing.T) {
	fsys := New()
	f, err := fsys.Create("/f")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	const huge = mostPages / 4 << pageShift
	calls := []struct {
		mode     AllocMode
		off, len int64
		want     errno
		pages    int64
	}{
		{AllocKeepSize, 4096, huge, ok, huge >> pageShift},
		{0, math.MaxInt64 - 1, 1, ok, huge>>pageShift + 1},
		{0, 4097, huge, ok, huge>>pageShift + 2},
		{AllocPunchHole | AllocKeepSize, 1 << 30, 1 << 30, ok, huge>>pageShift + 2 - 1<<18},
		{AllocZero, 1 << 30, 1 << 29, ok, huge>>pageShift + 2 - 1<<17},
		{AllocCollapse, 4096, 1 << 30, ok, huge>>pageShift + 2 - 1<<17 - 1<<18},
		{AllocInsert, 1 << 20, 1 << 31, syscall.EFBIG, -1},
		{0, 0, math.MaxInt64, syscall.ENOSPC, -1},
		{AllocZero, 0, math.MaxInt64, syscall.ENOSPC, -1},
		{0, 1, math.MaxInt64, syscall.EFBIG, -1},
	}
	for _, c := range calls {
		before := f.n.body().held.Load()
		err := f.Allocate(c.mode, c.off, c.len)
		if e := errnoOf(err); e != c.want {
			t.Fatalf("%+v: %v", c, err)
		}
		if held := f.n.body().held.Load(); c.pages >= 0 && held != c.pages || c.pages < 0 && held != before {
			t.Errorf("%+v: %d pages", c, held)
		}
		if at := f.n.seekExtent(0, true); at >= 0 && at < 4096 {
			t.Errorf("%+v: data at %d", c, at)
		}
	}
	if err := newContentsChecker().check(f.n.data.Load().store, f.n.size.Load()); err != nil {
		t.Error(err)
	}
	if err := f.Truncate(0); err != nil {
		t.Fatal(err)
	}
	if held := fsys.sb.limits.pages.Load(); held != 0 {
		t.Errorf("%d pages left", held)
	}
}

func errnoOf(err error) errno {
	if p, is := err.(interface{ Unwrap() error }); is {
		e, _ := p.Unwrap().(errno)
		return e
	}
	return ok
}
