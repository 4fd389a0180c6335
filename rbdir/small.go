package rbdir

import "slices"

const (
	// smallMax is the number of entries up to which a directory is a slice.
	smallMax = 8

	// smallAgain is the number at which a tree becomes a slice again; the
	// distance to smallMax keeps a directory at the edge from going to and fro.
	smallAgain = 4
)

// indexSmall returns the position of name in d.small, or -1.
func (d *Dir[V]) indexSmall(h uint64, name string) int {
	for i := range d.small {
		if e := &d.small[i]; e.Key>>OrdBits == h && e.Name == name {
			return i
		}
	}
	return -1
}

func (d *Dir[V]) findSmall(h uint64, name string) (Entry[V], bool) {
	if i := d.indexSmall(h, name); i >= 0 {
		return d.small[i], true
	}
	return Entry[V]{}, false
}

func (d *Dir[V]) insertSmall(h uint64, name string, item func() (item[V], error)) (uint64, error) {
	key, at := h<<OrdBits, 0
	for i := range d.small {
		e := &d.small[i]
		if e.Key>>OrdBits == h && e.Name == name {
			return 0, ErrExist
		}
		if e.Key == key {
			key++ // ascending keys: the first that is missing is the lowest free
		}
		if e.Key < key {
			at = i + 1
		}
	}
	if len(d.small) == smallMax {
		d.large = newLarge(d.small)
		d.small = nil
		return d.large.insert(h, name, item, smallMax+1)
	}
	it, err := item()
	if err != nil {
		return 0, err
	}
	if len(d.small) == cap(d.small) {
		d.small = resize(d.small, roomFor(len(d.small)+1))
	}
	d.small = slices.Insert(d.small, at, Entry[V]{key, it.name, it.v})
	return key, nil
}

func (d *Dir[V]) replaceSmall(h uint64, name string, v V) (old V, ok bool) {
	i := d.indexSmall(h, name)
	if i < 0 {
		return old, false
	}
	old, d.small[i].Value = d.small[i].Value, v
	return old, true
}

func (d *Dir[V]) deleteSmall(h uint64, name string) (old V, ok bool) {
	i := d.indexSmall(h, name)
	if i < 0 {
		return old, false
	}
	old = d.small[i].Value
	d.small = slices.Delete(d.small, i, i+1)
	// One free place stays, so that a file made and removed over and over in an
	// empty directory does not allocate each time.
	if n := len(d.small); cap(d.small) > 2*n+2 {
		d.small = resize(d.small, n+1)
	}
	return old, true
}

// roomFor returns the capacity to allocate for n entries: exact up to 4, since
// there are many small directories, then even.
func roomFor(n int) int {
	if n <= 4 {
		return n
	}
	return n + n&1
}

// resize moves s to a new array of exactly capacity places. (append and
// slices.Grow would round up.)
func resize[E any](s []E, capacity int) []E {
	return append(make([]E, 0, capacity), s...)
}
