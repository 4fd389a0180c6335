package rbdir

import "stagefs/locking"

// View is a shared hold on what covers one hash of one directory. While it
// lasts no Change that covers the same hash is between Begin and End. It is a
// value and allocates nothing; End must be called once, by the goroutine that
// called [Dir.View], and soon.
type View[V any] struct {
	dir *Dir[V]
	h   uint64
}

// View begins a shared hold for looking up names whose hash is h.
func (d *Dir[V]) View(h uint64) View[V] {
	d.beginShared()
	return View[V]{d, h}
}

// Find returns the entry of name, whose hash is the View's.
func (v View[V]) Find(name string) (Entry[V], bool) { return v.dir.find(v.h, name) }

// Get returns the payload of name, whose hash is the View's.
func (v View[V]) Get(name string) (V, bool) {
	e, ok := v.dir.find(v.h, name)
	return e.Value, ok
}

// End ends the hold. The View is of no use afterwards.
func (v View[V]) End() { v.dir.endShared() }

// lowest is the lowest key under the one latch of a directory: its minor place
// in the lock order.
const lowest = 0

func (d *Dir[V]) beginShared() {
	locking.Acquired(locking.RankDirectory, d.id, lowest)
	d.latch.RLock()
}

func (d *Dir[V]) endShared() {
	d.latch.RUnlock()
	locking.Released(locking.RankDirectory, d.id, lowest)
}

func (d *Dir[V]) beginExclusive() {
	locking.Acquired(locking.RankDirectory, d.id, lowest)
	d.latch.Lock()
}

func (d *Dir[V]) endExclusive() {
	d.latch.Unlock()
	locking.Released(locking.RankDirectory, d.id, lowest)
}
