package locking

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
)

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
