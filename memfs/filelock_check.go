package memfs

import "fmt"

// check returns what does not agree in the locks of one inode.
func (l *fileLocks) check() error {
	for space := range l {
		s := &l[space]
		for i, g := range s.groups {
			if err := g.check(); err != nil {
				return err
			}
			if s.find(g.owner) != i {
				return fmt.Errorf("owner %v has two groups", g.owner)
			}
			for _, h := range g.ranges {
				r := lockRequest{kind: h.kind, start: h.start, end: h.end, owner: h.owner}
				if other := s.conflict(&r); other != nil {
					return fmt.Errorf("locks %+v and %+v conflict", *h, *other)
				}
			}
		}
		for _, w := range s.queue {
			if w.done || w.blocker == nil || !w.blocker.blocks(&w.request) {
				return fmt.Errorf("nothing is in the way of waiting %+v", w.request)
			}
		}
	}
	return nil
}

func (g *lockGroup) check() error {
	if len(g.ranges) == 0 || len(g.files) == 0 {
		return fmt.Errorf("owner %v has %d locks through %d files", g.owner, len(g.ranges), len(g.files))
	}
	for i, h := range g.ranges {
		if h.gone || h.owner != g.owner || h.start < 0 || h.start > h.end || h.kind >= NoLock {
			return fmt.Errorf("owner %v holds %+v", g.owner, *h)
		}
		if i == 0 {
			continue
		}
		last := g.ranges[i-1]
		if last.end >= h.start || last.end == h.start-1 && last.kind == h.kind {
			return fmt.Errorf("owner %v holds %+v and %+v", g.owner, *last, *h)
		}
	}
	return nil
}

// mustHold panics if an invariant is broken.
func (l *fileLocks) mustHold() {
	if err := l.check(); err != nil {
		panic("memfs: file locks: " + err.Error())
	}
}

// locks checks that nothing is left of the locks of closed files. No file is open while a file system is checked.
func (c *checker) locks() {
	t := c.sb.locks.Load()
	if t == nil {
		return
	}
	for i := range t.shards {
		c.lockShard(&t.shards[i])
	}
	t.lockBlocked()
	defer t.unlockBlocked()
	for owner, waiters := range t.blocked {
		c.failf("lock owner %v: %d requests are said to wait", owner, len(waiters))
	}
}

func (c *checker) lockShard(s *lockShard) {
	s.lock()
	defer s.unlock()
	if live := s.live.Load(); live != int64(len(s.inodes)) {
		c.failf("%d inodes with locks counted, %d there", live, len(s.inodes))
	}
	for ino, l := range s.inodes {
		if err := l.check(); err != nil {
			c.failf("inode %d: %w", ino, err)
		}
		if l.empty() {
			c.failf("inode %d: an entry without locks", ino)
		}
		for space := range l {
			for _, g := range l[space].groups {
				c.failf("inode %d: owner %v still holds %d locks, and no file is open", ino, g.owner, len(g.ranges))
			}
			for _, w := range l[space].queue {
				c.failf("inode %d: owner %v still waits for a lock, and no file is open", ino, w.request.owner)
			}
		}
	}
}
