package memfs

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"

	"stagefs/locking"
)

// fileLockTable has the locks of all files of a file system, by inode number. Hardly any file is ever locked, so an inode
// has no word for it: an entry exists here while a lock is held or waited for, and the table itself from the first lock
// on. Two locks are never below the same shard's but that of the blocked requests, so locks on different files do not
// wait for each other unless they share a shard.
type fileLockTable struct {
	shards [lockShards]lockShard

	blockedMu sync.Mutex                  // rank RankLeaf
	blocked   map[lockOwner][]*lockWaiter // who waits for a POSIX lock, the last one last; guarded by blockedMu
}

const lockShards = 32

type lockShard struct {
	mu     sync.Mutex            // rank RankFilelock
	inodes map[uint64]*fileLocks // guarded by mu
	live   atomic.Int64          // len(inodes), changed under mu
	number uint64                // immutable
	_      [32]byte
}

// lockTable returns the table, which it makes if there is none.
func (sb *superblock) lockTable() *fileLockTable {
	if t := sb.locks.Load(); t != nil {
		return t
	}
	t := &fileLockTable{blocked: map[lockOwner][]*lockWaiter{}}
	for i := range t.shards {
		t.shards[i].number = uint64(i)
		t.shards[i].inodes = map[uint64]*fileLocks{}
	}
	if sb.locks.CompareAndSwap(nil, t) {
		return t
	}
	return sb.locks.Load()
}

func (t *fileLockTable) shard(ino uint64) *lockShard { return &t.shards[ino%lockShards] }

func (s *lockShard) lock() {
	locking.Acquired(locking.RankFilelock, s.number, 0)
	s.mu.Lock()
}

func (s *lockShard) unlock() {
	s.mu.Unlock()
	locking.Released(locking.RankFilelock, s.number, 0)
}

// entry returns the locks of an inode, which it makes if there are none. The shard's lock is held, and tidy follows.
func (s *lockShard) entry(ino uint64) *fileLocks {
	l := s.inodes[ino]
	if l == nil {
		l = &fileLocks{}
		s.inodes[ino] = l
		s.live.Add(1)
	}
	return l
}

// tidy forgets an inode whose last lock is gone.
func (s *lockShard) tidy(ino uint64, l *fileLocks) {
	if checkLocks {
		l.mustHold()
	}
	if l.empty() {
		delete(s.inodes, ino)
		s.live.Add(-1)
	}
}

// set carries r out, waiting for it if it has to and may.
func (t *fileLockTable) set(ctx context.Context, ino uint64, space int, r lockRequest, wait bool) error {
	s := t.shard(ino)
	if r.kind == NoLock && s.live.Load() == 0 {
		return nil
	}
	s.lock()
	l := s.entry(ino)
	if r.kind != NoLock {
		r.file.locked = true // the call that this is part of keeps the File from being released
	}
	w, woken, e := t.try(l, space, r, wait)
	s.tidy(ino, l)
	s.unlock()
	wake(woken)
	if w == nil {
		return asError(e)
	}
	return t.await(ctx, ino, space, w)
}

// try carries r out, or makes a waiter of it, or fails; woken are others whose requests that has decided. The shard's
// lock is held.
func (t *fileLockTable) try(l *fileLocks, space int, r lockRequest, wait bool) (
	w *lockWaiter, woken []*lockWaiter, e errno) {
	s, changed := &l[space], false
	if space == flockSpace { // a conversion drops the old lock first
		if s.holds(&r) {
			return nil, nil, ok
		}
		drop := r
		drop.kind = NoLock
		changed = s.apply(&drop)
	}
	var h *heldLock
	if r.kind != NoLock {
		h = s.conflict(&r)
	}
	switch {
	case h == nil:
		changed = s.apply(&r) || changed
	case !wait:
		e = syscall.EAGAIN
	default:
		w = &lockWaiter{request: r, ready: make(chan struct{})}
		if e = t.block(space, w, h); e != ok {
			w = nil
			break
		}
		s.queue = append(s.queue, w)
	}
	if changed {
		woken = t.serve(l, space)
	}
	return w, woken, e
}

// get returns the record lock that is in the way of r; of a request for NoLock, its owner's own.
func (t *fileLockTable) get(ino uint64, r lockRequest) (Lock, bool) {
	s := t.shard(ino)
	if s.live.Load() == 0 {
		return Lock{}, false
	}
	s.lock()
	defer s.unlock()
	l := s.inodes[ino]
	if l == nil {
		return Lock{}, false
	}
	records := &l[recordSpace]
	if r.kind != NoLock {
		if h := records.conflict(&r); h != nil {
			return h.lock(), true
		}
	} else if at := records.find(r.owner); at >= 0 {
		g := records.groups[at]
		if i := g.from(r.start); i < len(g.ranges) && g.ranges[i].start <= r.end {
			return g.ranges[i].lock(), true
		}
	}
	return Lock{}, false
}

// release gives up the record locks of an owner on an inode.
func (t *fileLockTable) release(ino uint64, owner lockOwner) {
	t.drop(ino, func(space int, g *lockGroup) bool { return space == recordSpace && g.owner == owner })
}

// close gives up what belongs to a File, and the POSIX locks of those who took one through it: whoever could use the File
// has closed it, which in Linux ends all its POSIX locks on the inode.
func (t *fileLockTable) close(f *File) {
	t.drop(f.n.ino, func(_ int, g *lockGroup) bool { return slices.Contains(g.files, f) })
}

func (t *fileLockTable) drop(ino uint64, which func(space int, g *lockGroup) bool) {
	s := t.shard(ino)
	if s.live.Load() == 0 {
		return
	}
	s.lock()
	var woken []*lockWaiter
	if l := s.inodes[ino]; l != nil {
		for space := range l {
			if l[space].drop(func(g *lockGroup) bool { return which(space, g) }) {
				woken = append(woken, t.serve(l, space)...)
			}
		}
		s.tidy(ino, l)
	}
	s.unlock()
	wake(woken)
}
