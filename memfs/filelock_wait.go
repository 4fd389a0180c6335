package memfs

import (
	"context"
	"slices"
	"syscall"

	"stagefs/locking"
)

// lockWaiter is a request that met a lock in its way.
type lockWaiter struct {
	request lockRequest
	blocker *heldLock // changed under the shard's lock and, of record locks, that of the blocked ones too
	ready   chan struct{}
	done    bool  // under the shard's lock: out of the queue, and result is set
	result  errno // not to be read before ready is closed or done was seen
}

// interrupted is the error of a wait that its context ended.
type interrupted struct{ cause error }

func (i *interrupted) Error() string { return syscall.EINTR.Error() + ": " + i.cause.Error() }

func (i *interrupted) Unwrap() []error { return []error{syscall.EINTR, i.cause} }

// maxLockChain is how many steps the kernel goes along a chain of owners that wait for each other.
const maxLockChain = 11

// block makes w wait for h, unless that would be a deadlock. It is called with the shard's lock held.
func (t *fileLockTable) block(space int, w *lockWaiter, h *heldLock) errno {
	if space == flockSpace {
		w.blocker = h
		return ok
	}
	t.lockBlocked()
	defer t.unlockBlocked()
	t.forget(w)
	if t.deadlock(w.request.owner, h.owner) {
		return syscall.EDEADLK
	}
	w.blocker = h
	if !h.owner.ofd {
		t.blocked[w.request.owner] = append(t.blocked[w.request.owner], w)
	}
	return ok
}

// unblock is called for a waiter that leaves the queue.
func (t *fileLockTable) unblock(space int, w *lockWaiter) {
	if space == flockSpace {
		return
	}
	t.lockBlocked()
	t.forget(w)
	t.unlockBlocked()
}

// forget takes w from those that wait for a POSIX lock. blockedMu is held.
func (t *fileLockTable) forget(w *lockWaiter) {
	waiters := t.blocked[w.request.owner]
	at := slices.Index(waiters, w)
	switch {
	case at < 0:
	case len(waiters) == 1:
		delete(t.blocked, w.request.owner)
	default:
		t.blocked[w.request.owner] = slices.Delete(waiters, at, at+1)
	}
}

// deadlock follows the owners from one that is in the way to whom it waits for itself, and reports whether that leads
// back to the caller: posix_locks_deadlock in fs/locks.c. An owner that waits at several places is taken by the last.
// blockedMu is held.
func (t *fileLockTable) deadlock(caller, holder lockOwner) bool {
	if caller.ofd {
		return false // such a lock belongs to no process that could be stuck
	}
	for range maxLockChain {
		waiters := t.blocked[holder]
		if len(waiters) == 0 {
			return false
		}
		holder = waiters[len(waiters)-1].blocker.owner
		if holder == caller {
			return true
		}
	}
	return false
}

// serve gives what has become free to those who wait, and returns whom to wake. It is called with the shard's lock held.
func (t *fileLockTable) serve(l *fileLocks, space int) (woken []*lockWaiter) {
	s := &l[space]
	for again := true; again; {
		again = false
		waiting := s.queue[:0]
		for _, w := range s.queue {
			if w.blocker.blocks(&w.request) {
				waiting = append(waiting, w)
				continue
			}
			h := s.conflict(&w.request)
			if h != nil {
				if w.result = t.block(space, w, h); w.result == ok {
					waiting = append(waiting, w)
					continue
				}
			} else {
				t.unblock(space, w)
				again = s.apply(&w.request) || again
			}
			w.done = true
			woken = append(woken, w)
		}
		clear(s.queue[len(waiting):])
		s.queue = waiting
	}
	return woken
}

// wake lets waiters go on whose request is decided. Nothing is locked.
func wake(woken []*lockWaiter) {
	for _, w := range woken {
		close(w.ready)
	}
}

// await waits until w is decided or ctx has ended.
func (t *fileLockTable) await(ctx context.Context, ino uint64, space int, w *lockWaiter) error {
	var ended <-chan struct{}
	if ctx != nil {
		ended = ctx.Done()
	}
	select {
	case <-w.ready:
		return asError(w.result)
	case <-ended:
	}
	s := t.shard(ino)
	s.lock()
	if w.done { // at the same moment
		s.unlock()
		return asError(w.result)
	}
	l := s.inodes[ino]
	l[space].queue = slices.DeleteFunc(l[space].queue, func(other *lockWaiter) bool { return other == w })
	t.unblock(space, w)
	s.tidy(ino, l)
	s.unlock()
	return &interrupted{ctx.Err()}
}

func (t *fileLockTable) lockBlocked() {
	locking.Acquired(locking.RankLeaf, 0, 0)
	t.blockedMu.Lock()
}

func (t *fileLockTable) unlockBlocked() {
	t.blockedMu.Unlock()
	locking.Released(locking.RankLeaf, 0, 0)
}
