package rbdir

import (
	"errors"
	"fmt"
	"math"
)

// Check compares d with what must be true of it and returns the first thing
// that is not: keys in range and ascending, no name twice, the counter right,
// each slot with the shard that covers it and no shard too large or too small,
// trees that are red-black trees with sound links, side maps that agree with the
// trees. It takes a shared hold for all of it, so the caller must not have a
// Change on d.
func (d *Dir[V]) Check() error {
	d.beginShared()
	defer d.endShared()
	return d.check()
}

// changed checks d after a change, under the tag invariants.
func (d *Dir[V]) changed() {
	if !invariants || !d.guard.due(d.Len()) {
		return
	}
	if err := d.check(); err != nil {
		panic(fmt.Sprintf("rbdir: directory %d: %v", d.id, err))
	}
}

func (d *Dir[V]) check() error {
	var es []Entry[V]
	switch {
	case d.large == nil:
		if len(d.small) > smallMax {
			return fmt.Errorf("a slice of %d entries", len(d.small))
		}
		es = d.small
	case d.large.other != nil:
		es = d.large.other.Batch(nil, 0, d.Len()+1)
	default:
		if d.small != nil {
			return errors.New("a slice beside the tree")
		}
		if err := d.large.check(); err != nil {
			return err
		}
		es = d.large.batch(nil, 0, math.MaxInt)
	}
	if d.Dead() && len(es) > 0 {
		return fmt.Errorf("dead with %d entries", len(es))
	}
	if d.Len() != len(es) {
		return fmt.Errorf("counted %d entries, found %d", d.Len(), len(es))
	}
	return checkEntries(es)
}

// checkEntries checks the keys of es, and that no name is there twice. (Equal
// names have equal hashes, so only names with one hash are compared.)
func checkEntries[V any](es []Entry[V]) error {
	for i := 0; i < len(es); {
		h := es[i].Key >> OrdBits
		first := i
		for ; i < len(es) && es[i].Key>>OrdBits == h; i++ {
			e := es[i]
			if e.Key < MinKey || e.Key > maxKey {
				return fmt.Errorf("key %#x of %q out of range", e.Key, e.Name)
			}
			if i > 0 && es[i-1].Key >= e.Key {
				return fmt.Errorf("key %#x of %q after %#x", e.Key, e.Name, es[i-1].Key)
			}
		}
		if i-first == 1 {
			continue
		}
		seen := make(map[string]bool, i-first)
		for _, e := range es[first:i] {
			if seen[e.Name] {
				return fmt.Errorf("%q twice, again at %#x", e.Name, e.Key)
			}
			seen[e.Name] = true
		}
	}
	return nil
}
