package locking

import (
	"context"
	"math/bits"
	"runtime"
	"sync"
	"unsafe"
)

// Key names one name in one directory: the directory's inode number and a hash
// of the name. Two names of a directory with one hash share a lock, which costs
// them some waiting and nothing else.
type Key struct {
	Dir, Hash uint64
}

// compare orders keys as the rank name demands.
func (k Key) compare(o Key) int {
	switch {
	case k == o:
		return 0
	case k.Dir < o.Dir, k.Dir == o.Dir && k.Hash < o.Hash:
		return -1
	}
	return 1
}

// Table is a set of name locks. All methods may be called from any goroutine.
// A lock is not bound to the goroutine that took it, except in a build with the
// tag lockcheck. Make one with NewTable.
type Table struct {
	buckets []bucket // a power of two
	shift   uint     // 64 - log2(len(buckets))
}

// bucket is a part of the table on cache lines of its own.
type bucket struct {
	bucketState
	_ [128 - unsafe.Sizeof(bucketState{})%128]byte
}

type bucketState struct {
	mu sync.Mutex // innermost of all: held for a few instructions, not reported

	// Protected by mu.
	first *nameLock // live locks, linked by next
	live  int       // their number
	spare *nameLock // for reuse, linked by next
	kept  int       // their number, at most maxKept

	acquired, waits, givenUp uint64 // statistics, protected by mu
}

// maxKept bounds the locks that a bucket keeps for reuse: more than that are
// live in one bucket only under unusual load.
const maxKept = 4

// nameLock is the lock of one key. It is protected by the mutex of its bucket
// and exists while somebody holds it or waits for it.
//
//	INVARIANT: exclusive and readers > 0 exclude each other; one of them holds.
//	INVARIANT: the first waiter conflicts with the holders.
type nameLock struct {
	key       Key
	next      *nameLock
	exclusive bool // held by one goroutine for itself
	readers   int  // number of shared holders

	head, tail *waiter // those who wait, first come first
}

// waiter is one request that could not be granted at once.
type waiter struct {
	lock      *nameLock // not to be touched once granted
	next      *waiter
	exclusive bool
	granted   bool          // protected by the mutex of the bucket
	ready     chan struct{} // closed after granted was set
}

// NewTable returns a table with at least 64 buckets and at least two for each
// processor that Go code may use. It starts no goroutine.
func NewTable() *Table {
	n := max(64, 2*runtime.GOMAXPROCS(0))
	log := bits.Len(uint(n - 1))
	return &Table{buckets: make([]bucket, 1<<log), shift: uint(64 - log)}
}

// Lock takes k exclusively and waits for it as long as need be. A goroutine
// that holds k already waits for ever.
func (t *Table) Lock(k Key) {
	if w := t.request(k, true); w != nil {
		<-w.ready
	}
}

// RLock takes k shared. It waits for an exclusive holder and for everyone who
// came before and waits; so it must not be called by a goroutine that holds k.
func (t *Table) RLock(k Key) {
	if w := t.request(k, false); w != nil {
		<-w.ready
	}
}

// LockContext is Lock, given up when ctx is done: then the result is ctx.Err()
// and nothing is held. If ctx is done at the start, nothing is tried; if the lock
// is granted at the same moment, the result may be nil.
func (t *Table) LockContext(ctx context.Context, k Key) error {
	return t.requestContext(ctx, k, true)
}

// RLockContext is RLock, given up as LockContext is.
func (t *Table) RLockContext(ctx context.Context, k Key) error {
	return t.requestContext(ctx, k, false)
}

// Unlock gives up an exclusive k. It panics if nobody holds k so.
func (t *Table) Unlock(k Key) { t.release(k, true) }

// RUnlock gives up a shared k. It panics if nobody holds k so.
func (t *Table) RUnlock(k Key) { t.release(k, false) }

// bucket returns the bucket of a key, by Fibonacci hashing: Hash is a good hash
// already, Dir is a small number.
func (t *Table) bucket(k Key) *bucket {
	const golden = 0x9e3779b97f4a7c15
	return &t.buckets[(k.Hash^k.Dir*golden)*golden>>(t.shift&63)]
}

// request takes k and returns nil, or returns a place in the queue.
func (t *Table) request(k Key, exclusive bool) *waiter {
	Acquired(RankName, k.Dir, k.Hash)
	b := t.bucket(k)
	b.mu.Lock()
	l := *b.find(k)
	if l == nil {
		l = b.add(k)
	}
	var w *waiter
	if l.head == nil && l.admits(exclusive) {
		l.take(exclusive)
		b.acquired++
	} else {
		w = l.enqueue(exclusive)
		b.waits++
	}
	b.unlock()
	return w
}

// requestContext takes k or gives up when ctx is done.
func (t *Table) requestContext(ctx context.Context, k Key, exclusive bool) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	w := t.request(k, exclusive)
	if w == nil {
		return nil
	}
	select {
	case <-w.ready:
		return nil
	case <-ctx.Done():
	}
	if !t.bucket(k).giveUp(w) {
		return nil
	}
	Released(RankName, k.Dir, k.Hash)
	return ctx.Err()
}

// release gives up k and hands it to the next in the queue.
func (t *Table) release(k Key, exclusive bool) {
	b := t.bucket(k)
	b.mu.Lock()
	at := b.find(k)
	l := *at
	switch {
	case l != nil && exclusive && l.exclusive:
		l.exclusive = false
	case l != nil && !exclusive && l.readers > 0:
		l.readers--
	default:
		b.mu.Unlock()
		panic("locking: unlock of a name lock that is not held so")
	}
	var granted *waiter
	if l.head != nil {
		granted = b.grant(l)
	} else if l.readers == 0 {
		b.remove(at)
	}
	b.unlock()
	wake(granted)
	Released(RankName, k.Dir, k.Hash)
}

// giveUp takes w out of its queue, unless it has been granted meanwhile.
func (b *bucket) giveUp(w *waiter) bool {
	b.mu.Lock()
	if w.granted {
		b.mu.Unlock()
		return false
	}
	w.lock.dequeue(w)
	b.givenUp++
	granted := b.grant(w.lock) // w may have been what held up those behind it
	b.unlock()
	wake(granted)
	return true
}

// find returns the link that leads to the lock of k; where there is none it
// holds nil. Preconditions: b is locked.
func (b *bucket) find(k Key) **nameLock {
	at := &b.first
	for *at != nil && (*at).key != k {
		at = &(*at).next
	}
	return at
}

// add makes a lock that nobody holds yet. Preconditions: b is locked and has no
// lock of k.
func (b *bucket) add(k Key) *nameLock {
	l := b.spare
	if l != nil {
		b.spare = l.next
		b.kept--
	} else {
		l = new(nameLock)
	}
	l.key, l.next = k, b.first
	b.first = l
	b.live++
	return l
}

// remove frees the lock that at leads to. Preconditions: b is locked, the lock is
// neither held nor waited for.
func (b *bucket) remove(at **nameLock) {
	l := *at
	*at = l.next
	b.live--
	l.next = nil
	if b.kept < maxKept {
		l.next = b.spare
		b.spare = l
		b.kept++
	}
}

// unlock gives back the bucket after a change.
func (b *bucket) unlock() {
	if checking {
		b.mustHold()
	}
	b.mu.Unlock()
}
