package rbdir

// changeMax is the number of directories one Change can hold: both parents of
// a rename and what it removes or exchanges there.
const changeMax = 4

// Change is an exclusive hold on what one operation is going to look at and
// change, in up to 4 directories. Say all of it with Add and AddWhole, then
// Begin, change, End; after End the Change is empty and can be used again.
// Directories are taken in ascending order of [Dir.ID] and each once, in
// whatever order and however often they were added, so two Changes cannot wait
// for each other in a circle. The zero value is ready; it lives on the caller's
// stack, is for one goroutine, and allocates nothing.
type Change[V any] struct {
	held  [changeMax]part[V] // the first n, ascending by ID
	n     int
	begun bool
}

// part is one directory of a Change.
type part[V any] struct {
	cover cover // the hashes that were added; empty without the tag invariants
	dir   *Dir[V]
}

// Add says that the name with hash h in d is going to be looked at and changed.
// It panics after Begin, and at a fifth directory.
func (c *Change[V]) Add(d *Dir[V], h uint64) { c.add(d).addHash(h) }

// AddWhole says that everything in d is going to be looked at and changed. It
// panics after Begin, and at a fifth directory.
func (c *Change[V]) AddWhole(d *Dir[V]) { c.add(d).addWhole() }

// add puts d in its place among the parts, if it is not there yet.
func (c *Change[V]) add(d *Dir[V]) *cover {
	if c.begun {
		panic("rbdir: Change.Add after Begin")
	}
	i := 0
	for i < c.n && c.held[i].dir.id < d.id {
		i++
	}
	if i < c.n && c.held[i].dir.id == d.id {
		if c.held[i].dir != d {
			panic("rbdir: two directories with one ID in a Change")
		}
		return &c.held[i].cover
	}
	if c.n == changeMax {
		panic("rbdir: too many directories in a Change")
	}
	copy(c.held[i+1:], c.held[i:c.n])
	c.held[i] = part[V]{dir: d}
	c.n++
	return &c.held[i].cover
}

// Begin waits until the Change has all it asked for. The goroutine must have
// no View and no other Change of its own at that time.
func (c *Change[V]) Begin() {
	if c.begun {
		panic("rbdir: Change.Begin twice")
	}
	c.begun = true
	for i := range c.n {
		p := &c.held[i]
		p.dir.beginExclusive()
		p.dir.guard.grant(&p.cover)
	}
}

// End gives up everything and empties the Change.
func (c *Change[V]) End() {
	if !c.begun {
		panic("rbdir: Change.End without Begin")
	}
	for i := c.n - 1; i >= 0; i-- {
		d := c.held[i].dir
		d.guard.revoke()
		d.endExclusive()
	}
	*c = Change[V]{}
}
