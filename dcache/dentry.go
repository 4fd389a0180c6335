package dcache

import "sync/atomic"

// dentry is one cached name: 48 bytes on 64-bit systems. Everything but next
// and state is written before the entry is published and never again.
type dentry[V any] struct {
	dir   uint64
	name  string
	value *V // nil: negative
	next  atomic.Pointer[dentry[V]]
	hash  uint32
	state atomic.Uint32
}

// The bits of dentry.state.
const (
	// dead: the entry is to be taken for absent. Set once, under the stripe
	// lock, before the entry is unlinked; never cleared.
	dead uint32 = 1 << iota

	// referenced: a Get returned the entry since the clock hand last passed.
	referenced
)

// is tells whether d is the entry of the name. The comparison of the name comes
// last, as it is the dear one.
func (d *dentry[V]) is(hash uint32, dir uint64, name string) bool {
	return d.hash == hash && d.dir == dir && d.name == name
}

// answer is what a lookup that found d says. The bit is written only if it is
// clear, so that hits share the entry's memory.
func (d *dentry[V]) answer() (v *V, ok bool) {
	state := d.state.Load()
	if state&dead != 0 {
		return nil, false
	}
	if state&referenced == 0 {
		d.state.Or(referenced)
	}
	return d.value, true
}
