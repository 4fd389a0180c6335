package locking

import "fmt"

// Stats is a snapshot of a table's counters, all of them exact; while locks come
// and go, the numbers of two buckets are of slightly different moments.
type Stats struct {
	Acquired uint64 // locks granted, at once or after waiting
	Waits    uint64 // requests that had to wait
	GivenUp  uint64 // those of them that gave up because their context was done
	Live     int    // locks that somebody holds or waits for
	Buckets  int    // size of the table, fixed
}

// Stats returns the counters.
func (t *Table) Stats() Stats {
	s := Stats{Buckets: len(t.buckets)}
	for i := range t.buckets {
		b := &t.buckets[i]
		b.mu.Lock()
		s.Acquired += b.acquired
		s.Waits += b.waits
		s.GivenUp += b.givenUp
		s.Live += b.live
		b.mu.Unlock()
	}
	return s
}

// Len returns the number of live locks: those that somebody holds or waits for.
func (t *Table) Len() int { return t.Stats().Live }

// mustHold panics if an invariant of the bucket is broken. Preconditions: b is
// locked.
func (b *bucket) mustHold() {
	live, kept := 0, 0
	for l := b.first; l != nil; l = l.next {
		live++
		var last *waiter
		for w := l.head; w != nil; w = w.next {
			last = w
		}
		switch {
		case l.exclusive == (l.readers > 0):
			panic(fmt.Sprintf("locking: %+v is held exclusively: %v, and by %d readers", l.key, l.exclusive, l.readers))
		case l.head != nil && l.admits(l.head.exclusive):
			panic(fmt.Sprintf("locking: the first waiter for %+v could go", l.key))
		case last != l.tail:
			panic(fmt.Sprintf("locking: the queue for %+v has lost its end", l.key))
		}
	}
	for l := b.spare; l != nil; l = l.next {
		kept++
	}
	if live != b.live || kept != b.kept || kept > maxKept {
		panic(fmt.Sprintf("locking: a bucket with %d live and %d spare locks counts %d and %d", live, kept, b.live, b.kept))
	}
}
