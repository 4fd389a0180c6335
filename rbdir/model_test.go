package rbdir_test

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"stagefs/rbdir"
)

// hashers are the real hash and the three that collide.
var hashers = []struct {
	name   string
	narrow func(uint64) uint64
	hashes int // the most different hashes it can give; 0: no bound
}{
	{"real", nil, 0},
	{"top4", func(h uint64) uint64 { return h & (0xf << 43) }, 16},
	{"low4", func(h uint64) uint64 { return h & 0xf }, 15}, // 0 is stepped to 1
	{"constant", func(uint64) uint64 { return 0x5555 }, 1},
}

// eachHasher runs f with each of hashers, once it is shown that the hasher is
// as bad as its name says.
func eachHasher(t *testing.T, f func(t *testing.T, h rbdir.Hasher)) {
	for _, c := range hashers {
		t.Run(c.name, func(t *testing.T) {
			seed := uint64(time.Now().UnixNano())
			t.Logf("seed %d", seed)
			h := rbdir.NewHasher(seed)
			if c.narrow != nil {
				h = h.Narrowed(c.narrow)
			}
			seen := make(map[uint64]bool)
			for i := range 2000 {
				sum := h.Sum(fmt.Sprint("name", i))
				if sum == 0 || sum >= 1<<47 {
					t.Fatalf("hash %#x", sum)
				}
				if c.narrow != nil && sum != max(c.narrow(sum), 1) && sum != 1 {
					t.Fatalf("%#x is not a value of the narrowed hash", sum)
				}
				seen[sum] = true
			}
			if want := c.hashes; want != 0 && len(seen) != want {
				t.Fatalf("%d different hashes of 2,000 names, want %d", len(seen), want)
			}
			if c.hashes == 0 && len(seen) != 2000 {
				t.Fatalf("the real hash has collisions among 2,000 names: %d", len(seen))
			}
			f(t, h)
		})
	}
}

// model is the plain map that a directory is compared with.
type model struct {
	hash    rbdir.Hasher
	entries map[string]rbdir.Entry[uint64]
	ords    map[uint64]map[uint64]bool // by h: the ordinals in use
	dead    bool
}

func newModel(h rbdir.Hasher) *model {
	return &model{
		hash:    h,
		entries: make(map[string]rbdir.Entry[uint64]),
		ords:    make(map[uint64]map[uint64]bool),
	}
}

func (m *model) insert(name string, v uint64) (uint64, error) {
	if m.dead {
		return 0, rbdir.ErrDead
	}
	if _, ok := m.entries[name]; ok {
		return 0, rbdir.ErrExist
	}
	h := m.hash.Sum(name)
	if m.ords[h] == nil {
		m.ords[h] = make(map[uint64]bool)
	}
	ord := uint64(0)
	for m.ords[h][ord] {
		ord++
	}
	if ord == 1<<rbdir.OrdBits {
		return 0, rbdir.ErrFull
	}
	m.ords[h][ord] = true
	key := h<<rbdir.OrdBits | ord
	m.entries[name] = rbdir.Entry[uint64]{Key: key, Name: name, Value: v}
	return key, nil
}

func (m *model) replace(name string, v uint64) (uint64, bool) {
	e, ok := m.entries[name]
	if ok {
		m.entries[name] = rbdir.Entry[uint64]{Key: e.Key, Name: name, Value: v}
	}
	return e.Value, ok
}

func (m *model) delete(name string) (uint64, bool) {
	e, ok := m.entries[name]
	if ok {
		delete(m.entries, name)
		delete(m.ords[e.Key>>rbdir.OrdBits], e.Key&(1<<rbdir.OrdBits-1))
	}
	return e.Value, ok
}

// list returns the entries in the order of their keys.
func (m *model) list() []rbdir.Entry[uint64] {
	return slices.SortedFunc(maps.Values(m.entries), func(a, b rbdir.Entry[uint64]) int {
		return cmp.Compare(a.Key, b.Key)
	})
}

// twins are a directory and the model of it.
type twins struct {
	t   testing.TB
	dir rbdir.Dir[uint64]
	m   *model
	ch  rbdir.Change[uint64]
}

func newTwins(t testing.TB, h rbdir.Hasher) *twins {
	w := &twins{t: t, m: newModel(h)}
	w.dir.Init(7)
	return w
}

// change calls f between Begin and End of a Change for the names.
func (w *twins) change(f func(), names ...string) {
	for _, name := range names {
		w.ch.Add(&w.dir, w.m.hash.Sum(name))
	}
	w.ch.Begin()
	defer w.ch.End()
	f()
}

func (w *twins) insert(name string, v uint64) {
	w.t.Helper()
	w.change(func() {
		key, err := w.dir.Insert(w.m.hash.Sum(name), name, v)
		wantKey, wantErr := w.m.insert(name, v)
		if key != wantKey || !errors.Is(err, wantErr) {
			w.t.Fatalf("Insert(%q) = %#x, %v; want %#x, %v", name, key, err, wantKey, wantErr)
		}
	}, name)
}

func (w *twins) replace(name string, v uint64) {
	w.t.Helper()
	w.change(func() {
		old, ok := w.dir.Replace(w.m.hash.Sum(name), name, v)
		wantOld, wantOK := w.m.replace(name, v)
		if old != wantOld || ok != wantOK {
			w.t.Fatalf("Replace(%q) = %d, %t; want %d, %t", name, old, ok, wantOld, wantOK)
		}
	}, name)
}

func (w *twins) delete(name string) {
	w.t.Helper()
	w.change(func() {
		old, ok := w.dir.Delete(w.m.hash.Sum(name), name)
		wantOld, wantOK := w.m.delete(name)
		if old != wantOld || ok != wantOK {
			w.t.Fatalf("Delete(%q) = %d, %t; want %d, %t", name, old, ok, wantOld, wantOK)
		}
	}, name)
}

// remove is delete by Find and Remove.
func (w *twins) remove(name string) {
	w.t.Helper()
	w.change(func() {
		e, ok := w.dir.Find(w.m.hash.Sum(name), name)
		if want, wantOK := w.m.entries[name]; ok != wantOK || e != want {
			w.t.Fatalf("Find(%q) = %v, %t; want %v, %t", name, e, ok, want, wantOK)
		}
		if !ok {
			return
		}
		w.dir.Remove(e.Key>>rbdir.OrdBits, e)
		w.m.delete(name)
		if e, ok := w.dir.Find(w.m.hash.Sum(name), name); ok || w.dir.Len() != len(w.m.entries) {
			w.t.Fatalf("Remove(%q) leaves %v, %d entries", name, e, w.dir.Len())
		}
	}, name)
}

// rename is what a file system makes of it: onto a name that is there its entry
// is kept, else the new name comes before the old one goes.
func (w *twins) rename(from, to string) {
	w.t.Helper()
	hf, ht := w.m.hash.Sum(from), w.m.hash.Sum(to)
	w.change(func() {
		e, ok := w.dir.Find(hf, from)
		if want, wantOK := w.m.entries[from]; ok != wantOK || e != want {
			w.t.Fatalf("Find(%q) = %v, %t; want %v, %t", from, e, ok, want, wantOK)
		}
		if !ok || from == to {
			return
		}
		if _, ok := w.dir.Replace(ht, to, e.Value); !ok {
			if _, err := w.dir.Insert(ht, to, e.Value); err != nil {
				w.t.Fatalf("Insert(%q): %v", to, err)
			}
		}
		w.dir.Delete(hf, from)
		if _, ok := w.m.replace(to, e.Value); !ok {
			w.m.insert(to, e.Value)
		}
		w.m.delete(from)
	}, from, to)
}

func (w *twins) get(name string) {
	w.t.Helper()
	h := w.m.hash.Sum(name)
	want, wantOK := w.m.entries[name]
	if v, ok := w.dir.Get(h, name); v != want.Value || ok != wantOK {
		w.t.Fatalf("Get(%q) = %d, %t; want %d, %t", name, v, ok, want.Value, wantOK)
	}
	view := w.dir.View(h)
	v, ok := view.Get(name)
	e, found := view.Find(name)
	view.End()
	if e != want || found != wantOK {
		w.t.Fatalf("View.Find(%q) = %v, %t; want %v, %t", name, e, found, want, wantOK)
	}
	if v != want.Value || ok != wantOK {
		w.t.Fatalf("View.Get(%q) = %d, %t; want %d, %t", name, v, ok, want.Value, wantOK)
	}
}

// compare lists the directory in batches of the given size.
func (w *twins) compare(batch int) {
	w.t.Helper()
	if err := w.dir.Check(); err != nil {
		w.t.Fatal(err)
	}
	if w.dir.Len() != len(w.m.entries) {
		w.t.Fatalf("Len() = %d, want %d", w.dir.Len(), len(w.m.entries))
	}
	got, want := listAll(&w.dir, batch), w.m.list()
	if !slices.Equal(got, want) {
		w.t.Fatalf("listing in batches of %d:\n%v\nwant\n%v", batch, got, want)
	}
}

// listAll lists d in batches of the given size.
func listAll[V any](d *rbdir.Dir[V], batch int) []rbdir.Entry[V] {
	var es []rbdir.Entry[V]
	after := uint64(0)
	for {
		n := len(es)
		es = d.Batch(es, after, batch)
		if len(es) == n {
			return es
		}
		after = es[len(es)-1].Key
	}
}

// play plays a list of calls on twins: three bytes a call, for the method and
// the names.
func play(t testing.TB, h rbdir.Hasher, calls []byte, names int) *twins {
	w := newTwins(t, h)
	name := func(b byte) string { return fmt.Sprint("f", int(b)%names) }
	for i := 0; i+3 <= len(calls); i += 3 {
		a, b := name(calls[i+1]), name(calls[i+2])
		switch calls[i] % 16 {
		case 0, 1, 2, 3, 4, 5:
			w.insert(a, uint64(i))
		case 6, 7:
			w.delete(a)
		case 8, 9:
			w.remove(a)
		case 10, 11:
			w.rename(a, b)
		case 12:
			w.replace(a, uint64(i))
		case 13, 14:
			w.get(a)
		case 15:
			w.compare(1 + int(calls[i+1]))
		}
	}
	for b := range names {
		w.get(name(byte(b)))
	}
	w.compare(1 + names/2)
	return w
}

func TestRandomCallsAgreeWithMap(t *testing.T) {
	eachHasher(t, func(t *testing.T, h rbdir.Hasher) {
		seed := uint64(time.Now().UnixNano())
		t.Logf("calls: seed %d", seed)
		r := rand.New(rand.NewPCG(seed, 0))
		for _, names := range []int{3, 9, 30, 250} {
			for range 4 {
				calls := make([]byte, 3*10*names)
				for i := range calls {
					calls[i] = byte(r.Uint32())
				}
				play(t, h, calls, names)
			}
		}
	})
}

// TestGrowAndShrinkAgreesWithMap goes through all representations: up to
// thousands of entries and down to none, in waves.
func TestGrowAndShrinkAgreesWithMap(t *testing.T) {
	eachHasher(t, func(t *testing.T, h rbdir.Hasher) {
		seed := uint64(time.Now().UnixNano())
		t.Logf("waves: seed %d", seed)
		r := rand.New(rand.NewPCG(seed, 0))
		w := newTwins(t, h)
		trees, maps := 0, 0
		for _, size := range []int{9, 2000, 5, 700} {
			for w.dir.Len() < size {
				w.insert(fmt.Sprint("w", r.IntN(2*size)), r.Uint64())
			}
			w.compare(100)
			if rbdir.IsTree(&w.dir) {
				trees++
			}
			if rbdir.SideMaps(&w.dir) > 0 {
				maps++
			}
			left := w.m.list()
			r.Shuffle(len(left), func(i, j int) { left[i], left[j] = left[j], left[i] })
			for i, e := range left {
				if i%2 == 0 {
					w.delete(e.Name)
				} else {
					w.remove(e.Name)
				}
				if i%97 == 0 {
					w.compare(1 + r.IntN(size))
				}
			}
			w.compare(1)
			if rbdir.IsTree(&w.dir) || rbdir.SideMaps(&w.dir) != 0 {
				t.Fatal("an empty directory is still a tree")
			}
		}
		seen := make(map[uint64]bool)
		for i := range 100 {
			seen[h.Sum(fmt.Sprint(i))] = true
		}
		if bad := len(seen) < 20; trees != 3 || bad && maps < 2 || !bad && maps != 0 {
			t.Fatalf("%d trees, %d with side maps; %d hashes of 100 names", trees, maps, len(seen))
		}
	})
}

func FuzzDir(f *testing.F) {
	f.Add(byte(0), []byte{0, 1, 0, 0, 2, 0, 10, 1, 3, 6, 2, 0})
	for i := range hashers {
		var calls []byte
		for n := range byte(100) { // up to a tree with a side map or several trees, and down again
			calls = append(calls, 0, n, 0)
		}
		for n := range byte(100) {
			calls = append(calls, 6+n%4, n, 0, 15, n, 0)
		}
		f.Add(byte(i), calls)
	}
	f.Fuzz(func(t *testing.T, which byte, calls []byte) {
		h := rbdir.NewHasher(1)
		if narrow := hashers[int(which)%len(hashers)].narrow; narrow != nil {
			h = h.Narrowed(narrow)
		}
		play(t, h, calls[:min(len(calls), 3*2000)], 200)
	})
}
