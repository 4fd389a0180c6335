package locking

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
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

// queue starts requests one after the other, each once the one before waits or
// holds, and logs who is served.
type queue struct {
	table *Table
	key   Key
	mu    sync.Mutex
	log   []string // "+a" a holds, "-a" a gives up what it holds, "!a" a gave up waiting
	leave map[string]chan struct{}
}

func newQueue() *queue {
	return &queue{table: NewTable(), key: Key{3, 4}, leave: make(map[string]chan struct{})}
}

func (q *queue) note(what string) {
	q.mu.Lock()
	q.log = append(q.log, what)
	q.mu.Unlock()
}

// start lets a goroutine take the key, exclusively if its name begins with "w".
func (q *queue) start(ctx context.Context, name string) {
	leave := make(chan struct{})
	q.leave[name] = leave
	go func() {
		lock, unlock := q.table.RLockContext, q.table.RUnlock
		if name[0] == 'w' {
			lock, unlock = q.table.LockContext, q.table.Unlock
		}
		if err := lock(ctx, q.key); err != nil {
			q.note("!" + name)
			return
		}
		q.note("+" + name)
		<-leave
		q.note("-" + name)
		unlock(q.key)
	}()
	synctest.Wait()
}

// stop lets name give up what it holds.
func (q *queue) stop(name string) {
	close(q.leave[name])
	synctest.Wait()
}

// expect fails the test unless the log since the last call is as given; within
// one step the order of several "+" is free.
func (q *queue) expect(t *testing.T, want ...string) {
	t.Helper()
	slices.Sort(q.log)
	slices.Sort(want)
	if !slices.Equal(q.log, want) {
		t.Fatalf("saw %v, want %v", q.log, want)
	}
	q.log = nil
}

// TestFirstComeFirstServed: readers share, but none overtakes a writer.
func TestFirstComeFirstServed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q, ctx := newQueue(), t.Context()
		for _, name := range []string{"r1", "r2", "w1", "r3", "r4", "w2", "w3", "r5"} {
			q.start(ctx, name)
		}
		q.expect(t, "+r1", "+r2")
		q.stop("r1")
		q.expect(t, "-r1")
		q.stop("r2")
		q.expect(t, "-r2", "+w1")
		q.stop("w1")
		q.expect(t, "-w1", "+r3", "+r4")
		q.start(ctx, "r6")
		q.expect(t)
		q.stop("r4")
		q.expect(t, "-r4")
		q.stop("r3")
		q.expect(t, "-r3", "+w2")
		q.stop("w2")
		q.expect(t, "-w2", "+w3")
		q.stop("w3")
		q.expect(t, "-w3", "+r5", "+r6")
		q.stop("r5")
		q.stop("r6")
		q.expect(t, "-r5", "-r6")
		settled(t, q.table)
		if s := q.table.Stats(); s.Acquired != 9 || s.Waits != 7 || s.GivenUp != 0 {
			t.Errorf("statistics %+v", s)
		}
	})
}

// TestWriterIsNotStarved: readers that come in an endless stream, each before
// the last one leaves, do not keep a writer out.
func TestWriterIsNotStarved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue()
		q.start(t.Context(), "r0")
		q.start(t.Context(), "w")
		for i := range 10 {
			q.start(t.Context(), fmt.Sprint("r", i+1))
		}
		q.expect(t, "+r0")
		q.stop("r0")
		q.expect(t, "-r0", "+w")
		q.stop("w")
		want := []string{"-w"}
		for i := range 10 {
			want = append(want, fmt.Sprint("+r", i+1))
		}
		q.expect(t, want...)
		for i := range 10 {
			q.stop(fmt.Sprint("r", i+1))
		}
		settled(t, q.table)
	})
}

// TestGivingUp: a waiter that gives up leaves nothing behind, wherever it stood
// in the queue, and whoever waited only for it goes on.
func TestGivingUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue()
		cancels := make(map[string]context.CancelFunc)
		for _, name := range []string{"r1", "w1", "r2", "r3", "w2", "w3"} {
			ctx, cancel := context.WithCancel(t.Context())
			cancels[name] = cancel
			q.start(ctx, name)
		}
		q.expect(t, "+r1")
		giveUp := func(name string) { cancels[name](); synctest.Wait() }
		giveUp("r3") // in the middle
		q.expect(t, "!r3")
		giveUp("w3") // the last
		q.expect(t, "!w3")
		giveUp("w1") // the first: r2 can join r1
		q.expect(t, "!w1", "+r2")
		giveUp("r1") // holds: no effect
		q.expect(t)
		q.start(t.Context(), "r4") // behind w2
		q.expect(t)
		q.stop("r1")
		q.stop("r2")
		q.expect(t, "-r1", "-r2", "+w2")
		giveUp("w2")
		q.stop("w2")
		q.expect(t, "-w2", "+r4")
		q.stop("r4")
		settled(t, q.table)
		if s := q.table.Stats(); s.Acquired != 4 || s.Waits != 6 || s.GivenUp != 3 {
			t.Errorf("statistics %+v", s)
		}
	})
}

func TestDoneContext(t *testing.T) {
	table := NewTable()
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("cause"))
	if err := table.LockContext(ctx, Key{1, 1}); err != context.Canceled {
		t.Errorf("LockContext: %v", err)
	}
	if err := table.RLockContext(ctx, Key{1, 1}); err != context.Canceled {
		t.Errorf("RLockContext: %v", err)
	}
	settled(t, table)
}

// TestGivingUpMeetsGrant cancels a waiter about when it is granted: before, after
// and at the same time. It holds the lock or not, as its result says, and the
// lock goes on; a grant that came before the cancel is never lost.
func TestGivingUpMeetsGrant(t *testing.T) {
	table := NewTable()
	k := Key{1, 1}
	var got, gaveUp uint64
	for round := range 3000 {
		ctx, cancel := context.WithCancel(t.Context())
		table.Lock(k)
		result := make(chan error)
		go func() {
			err := table.LockContext(ctx, k)
			if err == nil {
				table.Unlock(k)
			}
			result <- err
		}()
		for table.Stats().Waits == got+gaveUp {
			runtime.Gosched()
		}
		var both sync.WaitGroup
		switch round % 3 {
		case 0: // granted first
			table.Unlock(k)
			cancel()
		case 1: // cancelled first, perhaps not noticed yet
			cancel()
			for range round % 30 {
				runtime.Gosched()
			}
			table.Unlock(k)
		case 2:
			both.Go(cancel)
			table.Unlock(k)
		}
		err := <-result
		switch {
		case err == nil:
			got++
		case err == context.Canceled && round%3 != 0:
			gaveUp++
		default:
			t.Fatalf("round %d: %v", round, err)
		}
		both.Wait()
		cancel() // for vet, which does not look into the cases
		if n := table.Len(); n != 0 {
			t.Fatalf("%d locks left", n)
		}
	}
	t.Logf("%d got the lock, %d gave up", got, gaveUp)
	if got == 0 || gaveUp == 0 {
		t.Error("only one of the two cases came up")
	}
	settled(t, table)
	if s := table.Stats(); s.GivenUp != gaveUp || s.Waits != got+gaveUp {
		t.Errorf("statistics %+v", s)
	}
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
