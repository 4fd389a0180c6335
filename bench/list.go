package bench

import (
	"sync"

	"stagefs/rbdir"
)

// list keeps a directory as FreeBSD's tmpfs did before its RB-tree: one linear
// list in the order of creation. A lookup compares names from the head; new
// entries go to the tail; resuming a listing walks from the head to the cookie.
// A cookie is a counter, so it is stable too, and an entry that is renamed goes
// to the tail with a new one. (FreeBSD also remembered one position for the
// next read of a directory. That helps a single reader who goes on where it
// stopped, and is left out.)
//
// There, the entry that a lookup found was handed on to the operation, so a
// create or remove walked the list once and a rename twice. memfs looks names
// up again once it has locked them, which costs a tree little and would cost a
// list as much as the first time. To be no slower than the original, list
// remembers its last two answers.
//
// It implements rbdir.Index, which gives it the locks and the checks that the
// tree has.
type list[V any] struct {
	head, tail *listEntry[V]
	last       uint64 // key of the newest entry

	mu      sync.Mutex // readers come several at once
	answers [2]answer[V]
	older   int // of answers: the one to replace
}

type listEntry[V any] struct {
	prev, next *listEntry[V]
	e          rbdir.Entry[V]
}

// answer is what name led to: nil if it was not there. Only creating and
// removing that name makes it wrong. The zero value answers for no name.
type answer[V any] struct {
	name string
	le   *listEntry[V]
}

func newList[V any]() *list[V] {
	return &list[V]{last: rbdir.MinKey - 1}
}

func (l *list[V]) locate(name string) *listEntry[V] {
	l.mu.Lock()
	for i := range l.answers {
		if l.answers[i].name == name {
			le := l.answers[i].le
			l.mu.Unlock()
			return le
		}
	}
	l.mu.Unlock()
	le := l.head
	for le != nil && le.e.Name != name {
		le = le.next
	}
	l.mu.Lock()
	l.answers[l.older] = answer[V]{name, le}
	l.older ^= 1
	l.mu.Unlock()
	return le
}

// forget drops the answer for a name that is created or removed.
func (l *list[V]) forget(name string) {
	for i := range l.answers {
		if l.answers[i].name == name {
			l.answers[i] = answer[V]{}
		}
	}
}

// Find implements rbdir.Index. The hash is of no use to a list.
func (l *list[V]) Find(_ uint64, name string) (rbdir.Entry[V], bool) {
	if le := l.locate(name); le != nil {
		return le.e, true
	}
	return rbdir.Entry[V]{}, false
}

// Insert implements rbdir.Index.
func (l *list[V]) Insert(_ uint64, name string, v V) (uint64, error) {
	if l.locate(name) != nil {
		return 0, rbdir.ErrExist
	}
	l.forget(name)
	l.last++
	le := &listEntry[V]{prev: l.tail, e: rbdir.Entry[V]{Key: l.last, Name: name, Value: v}}
	if l.tail == nil {
		l.head = le
	} else {
		l.tail.next = le
	}
	l.tail = le
	return le.e.Key, nil
}

// Replace implements rbdir.Index.
func (l *list[V]) Replace(_ uint64, name string, v V) (old V, ok bool) {
	le := l.locate(name)
	if le == nil {
		return old, false
	}
	old, le.e.Value = le.e.Value, v
	return old, true
}

// Delete implements rbdir.Index.
func (l *list[V]) Delete(_ uint64, name string) (old V, ok bool) {
	le := l.locate(name)
	if le == nil {
		return old, false
	}
	l.forget(name)
	if le.prev == nil {
		l.head = le.next
	} else {
		le.prev.next = le.next
	}
	if le.next == nil {
		l.tail = le.prev
	} else {
		le.next.prev = le.prev
	}
	return le.e.Value, true
}

// Batch implements rbdir.Index.
func (l *list[V]) Batch(dst []rbdir.Entry[V], after uint64, max int) []rbdir.Entry[V] {
	le := l.head
	for le != nil && le.e.Key <= after {
		le = le.next
	}
	for ; le != nil && max > 0; le = le.next {
		dst = append(dst, le.e)
		max--
	}
	return dst
}
