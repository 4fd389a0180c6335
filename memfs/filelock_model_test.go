package memfs_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"syscall"
	"testing"

	"stagefs/memfs"
)

// lockModel is what record locks are: for each of the first bytes, who has which lock on it, by owner; the last element
// stands for all bytes from there to the end.
type lockModel struct {
	locks [][modelBytes]memfs.LockType // by owner
	order []int                        // owners that hold any lock, in the order in which they got the first
}

const modelBytes = 24

func newLockModel(owners int) *lockModel {
	m := &lockModel{locks: make([][modelBytes]memfs.LockType, owners)}
	for i := range m.locks {
		for b := range m.locks[i] {
			m.locks[i][b] = memfs.NoLock
		}
	}
	return m
}

// end is the first byte after the range of l.
func modelEnd(l memfs.Lock) int {
	if l.Len == 0 {
		return modelBytes
	}
	return int(l.Start + l.Len)
}

// conflict is the answer of GetLock.
func (m *lockModel) conflict(owner int, l memfs.Lock) (memfs.Lock, bool) {
	for _, other := range m.order {
		if other == owner {
			continue
		}
		for b := int(l.Start); b < modelEnd(l); b++ {
			kind := m.locks[other][b]
			if kind == memfs.NoLock || kind == memfs.ReadLock && l.Type == memfs.ReadLock {
				continue
			}
			return m.run(other, b), true
		}
	}
	return memfs.Lock{}, false
}

// run is the whole lock that byte b belongs to.
func (m *lockModel) run(owner, b int) memfs.Lock {
	bytes := &m.locks[owner]
	from, to := b, b
	for from > 0 && bytes[from-1] == bytes[b] {
		from--
	}
	for to < modelBytes && bytes[to] == bytes[b] {
		to++
	}
	l := memfs.Lock{Type: bytes[b], Start: int64(from), PID: 100 + owner}
	if to < modelBytes {
		l.Len = int64(to - from)
	}
	return l
}

func (m *lockModel) set(owner int, l memfs.Lock) bool {
	if l.Type != memfs.NoLock {
		if _, is := m.conflict(owner, l); is {
			return false
		}
	}
	for b := int(l.Start); b < modelEnd(l); b++ {
		m.locks[owner][b] = l.Type
	}
	holds := slices.ContainsFunc(m.locks[owner][:], func(k memfs.LockType) bool { return k != memfs.NoLock })
	at := slices.Index(m.order, owner)
	switch {
	case holds && at < 0:
		m.order = append(m.order, owner)
	case !holds && at >= 0:
		m.order = slices.Delete(m.order, at, at+1)
	}
	return true
}

// lockPair plays the same calls on a model and on a file. The last owner is a File with open-file-description locks.
type lockPair struct {
	t     testing.TB
	model *lockModel
	files []*memfs.File
}

func newLockPair(t testing.TB, fsys *memfs.FS, owners int) *lockPair {
	p := &lockPair{t: t, model: newLockModel(owners)}
	for range owners {
		p.files = append(p.files, got[*memfs.File](t)(fsys.OpenFile("/locked", os.O_RDWR|os.O_CREATE, 0o644)))
	}
	return p
}

func (p *lockPair) ofd(owner int) bool { return owner == len(p.files)-1 }

func (p *lockPair) set(owner int, l memfs.Lock) {
	p.t.Helper()
	var err error
	if p.ofd(owner) {
		err = p.files[owner].SetOFDLock(context.Background(), l, false)
	} else {
		l.PID = 100 + owner
		err = p.files[owner].SetLock(context.Background(), owner, l, false)
	}
	var want error
	if !p.model.set(owner, l) {
		want = syscall.EAGAIN
	}
	wantError(p.t, fmt.Sprintf("owner %d, %+v", owner, l), err, want)
}

// compare asks for the lock in the way of each owner at each byte.
func (p *lockPair) compare() {
	p.t.Helper()
	for owner := range p.files {
		for b := range modelBytes {
			for _, kind := range []memfs.LockType{memfs.ReadLock, memfs.WriteLock} {
				ask := memfs.Lock{Type: kind, Start: int64(b), Len: 1}
				want, is := p.model.conflict(owner, ask)
				if !is {
					want = ask
					want.Type = memfs.NoLock
				} else if want.PID == 100+len(p.files)-1 {
					want.PID = -1
				}
				if answer := p.get(owner, ask); answer != want {
					p.t.Fatalf("owner %d asks for %+v: %+v, want %+v", owner, ask, answer, want)
				}
			}
		}
	}
}

func (p *lockPair) get(owner int, l memfs.Lock) memfs.Lock {
	p.t.Helper()
	if p.ofd(owner) {
		return got[memfs.Lock](p.t)(p.files[owner].GetOFDLock(l))
	}
	return got[memfs.Lock](p.t)(p.files[owner].GetLock(owner, l))
}

func (p *lockPair) close() {
	for _, f := range p.files {
		must(p.t, f.Close())
	}
}

func randomLock(r *rand.Rand) memfs.Lock {
	l := memfs.Lock{Type: memfs.LockType(r.IntN(3)), Start: r.Int64N(modelBytes - 1)}
	if r.IntN(6) > 0 {
		l.Len = 1 + r.Int64N(modelBytes-1-l.Start)
		if r.IntN(2) == 0 {
			l.Len = min(l.Len, 3)
		}
	}
	return l
}

// TestLocksModel plays random requests of several owners and compares all that can be asked with a map of bytes.
func TestLocksModel(t *testing.T) {
	r := seeded(t)
	for owners := 2; owners <= 4; owners++ {
		fsys := newFS()
		p := newLockPair(t, fsys, owners)
		for range rounds(1500) {
			owner := r.IntN(owners)
			switch r.IntN(20) {
			case 0:
				if !p.ofd(owner) {
					must(t, p.files[r.IntN(owners)].ReleaseLocks(owner))
					p.model.set(owner, memfs.Lock{Type: memfs.NoLock})
				}
			case 1:
				must(t, p.files[owner].Close())
				p.model.set(owner, memfs.Lock{Type: memfs.NoLock})
				p.files[owner] = got[*memfs.File](t)(fsys.OpenFile("/locked", os.O_RDWR, 0))
			default:
				p.set(owner, randomLock(r))
			}
			p.compare()
			if t.Failed() {
				return
			}
		}
		p.close()
		check(t, fsys)
	}
}

// FuzzLockRanges reads its data as requests of three owners, 3 bytes each; a fourth byte of 255 makes the range one at the
// ends of what 64 bits hold, of another file that must only be left in order.
func FuzzLockRanges(f *testing.F) {
	f.Add([]byte{0, 1, 9, 0, 1, 4, 2, 0, 2, 5, 1, 0, 0, 0, 0, 0})
	f.Add([]byte{1, 3, 0, 0, 4, 2, 200, 255, 5, 9, 9, 0, 8, 0, 0, 1})
	f.Fuzz(func(t *testing.T, data []byte) {
		fsys := newFS()
		p := newLockPair(t, fsys, 3)
		other := got[*memfs.File](t)(fsys.Create("/other"))
		for ; len(data) >= 4; data = data[4:] {
			owner, kind := int(data[0])%3, memfs.LockType(data[0]/3%3)
			if data[3] == 255 {
				odd := memfs.Lock{Type: kind, Start: math.MaxInt64 - int64(data[1]), Len: int64(int8(data[2]))}
				_ = other.SetLock(context.Background(), owner, odd, false)
				odd.Type, odd.Whence = memfs.LockType(int8(data[0])), int(data[1])%5-1
				odd.Start, odd.Len = -odd.Start, math.MinInt64+odd.Len
				wantError(t, "an odd range", other.SetOFDLock(context.Background(), odd, true), syscall.EINVAL)
				_, err := other.GetLock(owner, odd)
				wantError(t, "an odd range", err, syscall.EINVAL)
				continue
			}
			l := memfs.Lock{Type: kind, Start: int64(data[1] % (modelBytes - 1))}
			if most := modelBytes - 1 - l.Start; data[2] > 0 {
				l.Len = min(int64(data[2]), most)
			}
			p.set(owner, l)
		}
		p.compare()
		p.close()
		must(t, other.Close())
		check(t, fsys)
	})
}
