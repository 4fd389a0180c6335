package rbdir

import (
	"sync"
	"sync/atomic"
)

// deadBit marks a removed directory in Dir.state; the other bits count entries.
const deadBit = 1 << 63

// Dir is one directory. It is made for being embedded by value: 72 bytes on
// 64-bit systems while it is empty. Init gives it its identity before anybody
// else can see it; a Dir must not be copied.
type Dir[V any] struct {
	guard guard        // what the current Change covers; empty without the tag invariants
	latch sync.RWMutex // guards small and large, and excludes writers of state
	id    uint64
	state atomic.Uint64 // deadBit and the number of entries; written under latch
	small []Entry[V]    // sorted by key; in use while large is nil
	large *large[V]
}

// Init makes d an empty directory. id orders the directories of a file system
// among each other: a [Change] takes them in ascending order of it, so it must
// be unique (an inode number) and never change.
func (d *Dir[V]) Init(id uint64) { d.id = id }

// InitIndex is Init with idx, which must be empty, in place of the slice and
// the tree. It exists so that benchmarks can exchange this one part. d calls idx
// under its holds: writers alone, readers (Find, Batch) together.
func (d *Dir[V]) InitIndex(id uint64, idx Index[V]) {
	d.id = id
	d.large = &large[V]{other: idx}
}

// ID returns the number given to Init.
func (d *Dir[V]) ID() uint64 { return d.id }

// Len returns the number of entries. It may be called at any time.
func (d *Dir[V]) Len() int { return int(d.state.Load() &^ deadBit) }

// Dead reports whether Kill has succeeded. It may be called at any time.
func (d *Dir[V]) Dead() bool { return d.state.Load()&deadBit != 0 }

// Get returns the payload of name, whose hash is h, under a shared hold that
// ends before Get returns.
func (d *Dir[V]) Get(h uint64, name string) (V, bool) {
	d.beginShared()
	e, ok := d.find(h, name)
	d.endShared()
	return e.Value, ok
}

// Find returns the entry of name. The caller's Change covers (d, h).
func (d *Dir[V]) Find(h uint64, name string) (Entry[V], bool) {
	d.guard.mustCover(h)
	return d.find(h, name)
}

// Insert adds name with payload v and returns its key. The errors are ErrDead,
// ErrExist and ErrFull, and leave d as it was. name is stored as it is: a caller
// that cut it out of a longer string should pass a clone. The caller's Change
// covers (d, h).
func (d *Dir[V]) Insert(h uint64, name string, v V) (key uint64, err error) {
	return d.Add(h, name, func() (string, V, error) { return name, v, nil })
}

// Add is Insert for an entry that is yet to be made: once it is sure that the
// name can be added, Add calls what makes it, which returns the name to store (a
// clone, say) and the payload, or the error for Add to return. It is called under
// the Change and must not use d.
func (d *Dir[V]) Add(h uint64, name string, entry func() (stored string, v V, err error)) (key uint64, err error) {
	d.guard.mustCover(h)
	if d.Dead() {
		return 0, ErrDead
	}
	it := func() (item[V], error) {
		stored, v, err := entry()
		return item[V]{stored, v}, err
	}
	if d.large == nil {
		key, err = d.insertSmall(h, name, it)
	} else if d.large.other == nil {
		key, err = d.large.insert(h, name, it, d.Len()+1)
	} else {
		key, err = addOther(d.large.other, h, name, it)
	}
	if err != nil {
		return 0, err
	}
	d.state.Add(1)
	d.changed()
	return key, nil
}

// addOther is Add for a directory of another structure.
func addOther[V any](other Index[V], h uint64, name string, entry func() (item[V], error)) (uint64, error) {
	if _, found := other.Find(h, name); found {
		return 0, ErrExist
	}
	it, err := entry()
	if err != nil {
		return 0, err
	}
	return other.Insert(h, it.name, it.v)
}

// Replace gives name, if it is there, the payload v and returns the one it had.
// The entry keeps its key. The caller's Change covers (d, h).
func (d *Dir[V]) Replace(h uint64, name string, v V) (old V, ok bool) {
	d.guard.mustCover(h)
	if d.large == nil {
		old, ok = d.replaceSmall(h, name, v)
	} else if d.large.other == nil {
		old, ok = d.large.at(h).replace(h, name, v)
	} else {
		old, ok = d.large.other.Replace(h, name, v)
	}
	d.changed()
	return old, ok
}

// Delete removes name, if it is there, and returns its payload. The caller's
// Change covers (d, h).
func (d *Dir[V]) Delete(h uint64, name string) (old V, ok bool) {
	d.guard.mustCover(h)
	if d.large == nil {
		old, ok = d.deleteSmall(h, name)
	} else if d.large.other == nil {
		if old, ok = d.large.at(h).delete(h, name); ok {
			d.shrunk(h)
		}
		return old, ok
	} else {
		old, ok = d.large.other.Delete(h, name)
	}
	if ok {
		d.state.Add(^uint64(0))
		d.changed()
	}
	return old, ok
}

// Remove removes the entry e, which Find has returned for the hash h within the
// same Change: the name need not be searched for again. If e is not there any more
// it does nothing. The caller's Change covers (d, h).
func (d *Dir[V]) Remove(h uint64, e Entry[V]) {
	d.guard.mustCover(h)
	if d.large == nil || d.large.other != nil {
		if is, ok := d.find(h, e.Name); ok && is.Key == e.Key {
			d.Delete(h, e.Name)
		}
		return
	}
	s := d.large.at(h)
	if n := s.lowerBound(e.Key); n != nil && n.Key == e.Key && n.Value.name == e.Name {
		s.remove(n)
		d.shrunk(h)
	}
}

// shrunk is called after an entry with hash h was removed from its shard.
func (d *Dir[V]) shrunk(h uint64) {
	n := int(d.state.Add(^uint64(0)) &^ deadBit)
	if n <= smallAgain {
		d.small, d.large = d.large.entries(n), nil
	} else {
		d.large.shrunk(h, n)
	}
	d.changed()
}

// Kill marks d as removed if it is empty, and reports whether it was: from then
// on Insert gives ErrDead. The caller's Change covers d with AddWhole.
func (d *Dir[V]) Kill() bool {
	d.guard.mustCoverWhole()
	if d.Len() != 0 {
		return false
	}
	d.state.Store(deadBit)
	d.small = nil
	return true
}

// find is Find for callers with any hold.
func (d *Dir[V]) find(h uint64, name string) (Entry[V], bool) {
	if d.large == nil {
		return d.findSmall(h, name)
	}
	if d.large.other == nil {
		return d.large.at(h).find(h, name)
	}
	return d.large.other.Find(h, name)
}
