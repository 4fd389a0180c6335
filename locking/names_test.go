package locking

import (
	"context"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"unsafe"
)

// settled fails the test if t holds anything or keeps too much.
func settled(t *testing.T, table *Table) {
	t.Helper()
	if n := table.Len(); n != 0 {
		t.Errorf("%d locks left", n)
	}
	for i := range table.buckets {
		b := &table.buckets[i]
		b.mu.Lock()
		b.mustHold()
		b.mu.Unlock()
	}
	AssertNone()
}

// sameBucket returns n keys that share a bucket, in ascending order.
func sameBucket(t *Table, n int) (keys []Key) {
	for h := uint64(1); len(keys) < n; h++ {
		if k := (Key{Dir: 7, Hash: h}); t.bucket(k) == t.bucket(Key{Dir: 7, Hash: 1}) {
			keys = append(keys, k)
		}
	}
	return keys
}

func TestTableShape(t *testing.T) {
	table := NewTable()
	n := len(table.buckets)
	if n < 64 || n < 2*runtime.GOMAXPROCS(0) || n&(n-1) != 0 {
		t.Errorf("%d buckets", n)
	}
	if s := unsafe.Sizeof(bucket{}); s != 128 {
		t.Errorf("a bucket takes %d bytes", s)
	}
	hit := make(map[*bucket]bool)
	for i := range uint64(64 * n) {
		hit[table.bucket(Key{Dir: i, Hash: 5})] = true
		hit[table.bucket(Key{Dir: 5, Hash: i << 16})] = true
	}
	if len(hit) != n {
		t.Errorf("%d of %d buckets are ever used", len(hit), n)
	}
}

// TestLocksExistWhileHeld: two keys in one bucket are two locks, and nothing is
// left of a lock that nobody holds.
func TestLocksExistWhileHeld(t *testing.T) {
	table := NewTable()
	keys := sameBucket(table, 20)
	for i, k := range keys {
		if i%2 == 0 {
			table.Lock(k)
		} else {
			table.RLock(k)
		}
		if n := table.Len(); n != i+1 {
			t.Fatalf("%d locks, want %d", n, i+1)
		}
	}
	for i, k := range keys {
		if i%2 == 0 {
			table.Unlock(k)
		} else {
			table.RUnlock(k)
		}
	}
	settled(t, table)
	if s := table.Stats(); s.Acquired != 20 || s.Waits != 0 || s.GivenUp != 0 {
		t.Errorf("statistics %+v", s)
	}
}

func TestUnlockOfWhatIsNotHeld(t *testing.T) {
	table := NewTable()
	k := Key{1, 1}
	for name, f := range map[string]func(){
		"Unlock":              func() { table.Unlock(k) },
		"RUnlock":             func() { table.RUnlock(k) },
		"Unlock after RLock":  func() { table.RLock(k); defer table.RUnlock(k); table.Unlock(k) },
		"RUnlock after Lock":  func() { table.Lock(k); defer table.Unlock(k); table.RUnlock(k) },
		"Unlock after Unlock": func() { table.Lock(k); table.Unlock(k); table.Unlock(k) },
	} {
		if !panics(f) {
			t.Errorf("%s does not panic", name)
		}
		settled(t, table)
	}
}

func TestUncontendedAllocatesNothing(t *testing.T) {
	if Checking {
		return // the checker allocates
	}
	table := NewTable()
	k := Key{1, 1}
	set := make([]Key, 3)
	for name, f := range map[string]func(){
		"Lock":  func() { table.Lock(k); table.Unlock(k) },
		"RLock": func() { table.RLock(k); table.RUnlock(k) },
		"LockContext": func() {
			if table.LockContext(context.Background(), k) == nil {
				table.Unlock(k)
			}
		},
		"LockSet": func() {
			set[0], set[1], set[2] = Key{2, 1}, Key{1, 1}, Key{2, 1}
			table.UnlockSet(table.LockSet(set))
		},
	} {
		if n := testing.AllocsPerRun(100, f); n != 0 {
			t.Errorf("%s allocates %v times", name, n)
		}
	}
	settled(t, table)
}

func TestLockSet(t *testing.T) {
	table := NewTable()
	a, b, c := Key{1, 9}, Key{2, 1}, Key{2, 3}
	held := table.LockSet([]Key{c, a, b, c, a})
	if !slices.Equal(held, []Key{a, b, c}) {
		t.Errorf("LockSet returned %v", held)
	}
	if n := table.Len(); n != 3 {
		t.Errorf("%d locks, want 3", n)
	}
	table.UnlockSet(held)
	table.UnlockSet(table.LockSet(nil))
	settled(t, table)
}

// TestSetsInOppositeOrder: two goroutines that name the same keys the other way
// round, in one bucket and with a key named twice, never wait for each other in
// a circle.
func TestSetsInOppositeOrder(t *testing.T) {
	table := NewTable()
	keys := sameBucket(table, 4)
	var wg sync.WaitGroup
	var inside atomic.Int32
	for g := range 2 {
		wg.Go(func() {
			for range 3000 {
				set := []Key{keys[0], keys[3], keys[1], keys[0]}
				if g == 1 {
					slices.Reverse(set)
				}
				set = table.LockSet(set)
				if inside.Add(1) != 1 {
					t.Error("two holders of one set")
				}
				inside.Add(-1)
				table.UnlockSet(set)
			}
		})
	}
	wg.Wait()
	settled(t, table)
}

// TestRanksOfNames: the table reports its locks, so an inversion is seen.
func TestRanksOfNames(t *testing.T) {
	table := NewTable()
	table.Lock(Key{5, 5})
	for k, bad := range map[Key]bool{{5, 4}: true, {4, 9}: true, {5, 6}: false, {6, 1}: false} {
		if got := panics(func() { table.RLock(k); table.RUnlock(k) }); got != (bad && Checking) {
			t.Errorf("%v under {5 5} panics: %v", k, got)
		}
	}
	table.Unlock(Key{5, 5})
	settled(t, table)
}

// TestRandomCalls compares what goroutines hold with counters of their own.
func TestRandomCalls(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	table := NewTable()
	keys := sameBucket(table, 3)
	keys = append(keys, Key{8, 1}, Key{9, 1})
	var state [5]struct{ readers, writers atomic.Int32 }
	enter := func(i int, exclusive bool) {
		s := &state[i]
		if exclusive {
			if s.writers.Add(1) != 1 || s.readers.Load() != 0 {
				t.Errorf("a writer of key %d is not alone", i)
			}
			runtime.Gosched()
			s.writers.Add(-1)
			return
		}
		s.readers.Add(1)
		if s.writers.Load() != 0 {
			t.Errorf("a reader of key %d beside a writer", i)
		}
		runtime.Gosched()
		s.readers.Add(-1)
	}
	var wg sync.WaitGroup
	for g := range uint64(6) {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(seed, g))
			for range 1500 {
				i := r.IntN(len(keys))
				ctx, cancel := context.WithCancel(t.Context())
				switch r.IntN(6) {
				case 0:
					table.Lock(keys[i])
					enter(i, true)
					table.Unlock(keys[i])
				case 1:
					table.RLock(keys[i])
					enter(i, false)
					table.RUnlock(keys[i])
				case 2:
					go cancel()
					if table.LockContext(ctx, keys[i]) == nil {
						enter(i, true)
						table.Unlock(keys[i])
					}
				case 3:
					go cancel()
					if table.RLockContext(ctx, keys[i]) == nil {
						enter(i, false)
						table.RUnlock(keys[i])
					}
				default:
					j := r.IntN(len(keys))
					set := table.LockSet([]Key{keys[i], keys[j]})
					enter(i, true)
					enter(j, true)
					table.UnlockSet(set)
				}
				cancel()
			}
			AssertNone()
		})
	}
	wg.Wait()
	settled(t, table)
	s := table.Stats()
	t.Logf("%+v", s)
	if s.Waits == 0 {
		t.Error("nobody ever waited: the test tests nothing")
	}
}
