package rbdir

import "slices"

// Batch appends to dst the entries whose key is above after, in ascending order
// of key and at most max of them, and returns the longer slice. They are copied
// under one shared hold, so max bounds how long a change can be kept waiting
// (1,024 is a good bound). A listing starts with after 0 and goes on with the
// last key it got until it gets none; every other value of after is as valid,
// also the key of an entry that is gone.
func (d *Dir[V]) Batch(dst []Entry[V], after uint64, max int) []Entry[V] {
	if max <= 0 || after >= maxKey {
		return dst
	}
	dst = slices.Grow(dst, min(max, d.Len())) // now, not under the hold
	d.beginShared()
	if d.large == nil {
		dst = d.batchSmall(dst, after, max)
	} else if d.large.other == nil {
		dst = d.large.batch(dst, after, max)
	} else {
		dst = d.large.other.Batch(dst, after, max)
	}
	d.endShared()
	return dst
}

func (d *Dir[V]) batchSmall(dst []Entry[V], after uint64, max int) []Entry[V] {
	at := 0
	for at < len(d.small) && d.small[at].Key <= after {
		at++
	}
	rest := d.small[at:]
	return append(dst, rest[:min(max, len(rest))]...)
}

func (t *large[V]) batch(dst []Entry[V], after uint64, max int) []Entry[V] {
	h := after >> OrdBits
	for s := t.at(h); s != nil; s, h = t.following(s, h) {
		for n := s.lowerBound(after + 1); n != nil; n = next(n) {
			if max == 0 {
				return dst
			}
			dst = append(dst, entryOf(n))
			max--
		}
	}
	return dst
}
