package locking

// admits tells whether the holders of l let in one more.
func (l *nameLock) admits(exclusive bool) bool {
	return !l.exclusive && (!exclusive || l.readers == 0)
}

// take notes one more holder. Preconditions: l admits it.
func (l *nameLock) take(exclusive bool) {
	if exclusive {
		l.exclusive = true
	} else {
		l.readers++
	}
}

// enqueue puts a request at the end of the queue.
func (l *nameLock) enqueue(exclusive bool) *waiter {
	w := &waiter{lock: l, exclusive: exclusive, ready: make(chan struct{})}
	if l.tail == nil {
		l.head = w
	} else {
		l.tail.next = w
	}
	l.tail = w
	return w
}

// dequeue takes w, which is in the queue, out of it.
func (l *nameLock) dequeue(w *waiter) {
	var before *waiter
	at := &l.head
	for *at != w {
		before = *at
		at = &before.next
	}
	*at = w.next
	if l.tail == w {
		l.tail = before
	}
	w.next = nil
}

// grant hands l to as many of the first waiters as it admits together, takes
// them out of the queue and returns them as a list. Whoever calls it owes them
// a wake after the bucket is unlocked. Preconditions: b, the bucket of l, is
// locked.
func (b *bucket) grant(l *nameLock) (granted *waiter) {
	var last *waiter
	w := l.head
	for ; w != nil && l.admits(w.exclusive); w = w.next {
		l.take(w.exclusive)
		w.granted = true
		b.acquired++
		last = w
	}
	if last == nil {
		return nil
	}
	granted, l.head = l.head, w
	last.next = nil
	if w == nil {
		l.tail = nil
	}
	return granted
}

// wake lets granted waiters go on. Preconditions: no lock of this package that
// the waiters need is held.
func wake(w *waiter) {
	for w != nil {
		next := w.next // not to be read after the close
		close(w.ready)
		w = next
	}
}
