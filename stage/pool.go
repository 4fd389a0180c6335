package stage

import (
	"encoding/binary"
	"slices"
	"strings"
	"sync/atomic"
	"unsafe"
)

// Pool is a set of pivots and a way to search them. Nothing in it changes but the limits of its pivots. No pivot is an
// ancestor of another: that one leads through it.
type Pool[D Directory[D, G], G any] struct {
	pivots []*Pivot[D, G] // by path; all that lead through one directory are neighbours
	limits []atomic.Int32 // of the pivots
	spots  map[D]spot     // where each directory is that a pivot leads through
	index  index[D, G]
	tree   *tree[D, G] // the index, if it is one: called without going through the interface
	root   Base[D]
	number uint64 // no other pool of the stage has it
}

// spot is the place of a directory in a pool.
type spot struct {
	low, high int32 // the pivots that lead through it
	depth     int32 // components that lead to it
}

// index finds the pivot that shares most components with a path.
type index[D comparable, G any] interface {
	// longest returns the pivot that shares most components with what path is below base, and their number, those of
	// base included. It is free in its choice where no pivot shares more than base has.
	longest(path string, base *base) (p *Pivot[D, G], depth int)

	// enter prepares the search below a directory; all but base.entry is set.
	enter(base *base)
}

// base is where a search begins: a directory that a pivot leads through.
type base struct {
	spot
	offset int    // bytes of the pivots' paths that lead there
	entry  uint64 // the index's own

	// starts has a bit for the start of each way on. Most paths that no pivot knows find theirs missing.
	starts [16]uint64
}

// start is a hash of 10 bits of the first component of path, of its first 8 bytes if it is longer.
func start(path string) uint64 {
	const slashes, lows, highs = 0x2f2f2f2f2f2f2f2f, 0x0101010101010101, 0x8080808080808080
	word := uint64(slashes)
	if len(path) >= 8 {
		word = binary.LittleEndian.Uint64(unsafe.Slice(unsafe.StringData(path), 8)) // read only
	} else {
		for i := len(path) - 1; i >= 0; i-- {
			word = word<<8 | uint64(path[i])
		}
	}
	x := word ^ slashes
	x = (x - lows) &^ x & highs // the lowest bit is that of the first slash
	word &= (x & -x >> 7) - 1   // what is before it, all if there is none
	return word * 0x9e3779b97f4a7c15 >> 54
}

// Base is the place of one directory in one pool: what a view keeps of its root and its working directory, until there
// is another pool. It does not keep the pool.
type Base[D comparable] struct {
	base
	pool uint64 // its number
	dir  D
}

// inOrder sorts pivots by path. A directory that was moved while they were made may have left one that leads to another's
// end: it is left out.
func inOrder[D comparable, G any](pivots []*Pivot[D, G]) []*Pivot[D, G] {
	slices.SortFunc(pivots, func(a, b *Pivot[D, G]) int { return strings.Compare(a.path, b.path) })
	kept := pivots[:0]
	for i, p := range pivots {
		if i == len(pivots)-1 || !strings.HasPrefix(pivots[i+1].path, p.path) {
			kept = append(kept, p)
		}
	}
	return kept
}

// newPool makes a pool of pivots in order. It is nil if they do not agree where a directory is, because that was moved
// while they were made.
func newPool[D Directory[D, G], G any](root D, pivots []*Pivot[D, G], kind Kind, number uint64) *Pool[D, G] {
	pool := &Pool[D, G]{pivots: pivots, number: number}
	pool.limits = make([]atomic.Int32, len(pool.pivots))
	for i, p := range pool.pivots {
		p.limit = &pool.limits[i]
		p.limit.Store(int32(p.Depth()))
	}
	if !pool.place() {
		return nil
	}
	switch kind {
	case List:
		pool.index = newList(pool.pivots)
	case Hash:
		pool.index = newHash(pool.pivots)
	default:
		pool.tree = newTree(pool.pivots)
		pool.index = pool.tree
	}
	pool.root = *pool.Base(root)
	return pool
}

// place sets the overlaps and the spots. Each directory is entered once: by the last pivot that leads through it. It is
// false if pivots do not agree on a directory's place.
func (pool *Pool[D, G]) place() bool {
	directories := 1
	for i, p := range pool.pivots {
		if i > 0 {
			before := pool.pivots[i-1]
			p.overlap = p.inBytes(match(before.path, p.path))
			if before.Dir(p.overlap) != p.Dir(p.overlap) {
				return false
			}
		}
		directories += p.Depth() - p.overlap
	}
	pool.spots = make(map[D]spot, directories)
	var firsts []int32 // of each component of the pivot at hand, the first pivot that leads through it
	for i, p := range pool.pivots {
		for len(firsts) <= p.Depth() {
			firsts = append(firsts, int32(i))
		}
		ends := 0 // components that the next pivot shares
		if i+1 < len(pool.pivots) {
			ends = pool.pivots[i+1].overlap + 1
		}
		for depth := ends; depth <= p.Depth(); depth++ {
			at := spot{low: firsts[depth], high: int32(i) + 1, depth: int32(depth)}
			pool.spots[p.Dir(depth)] = at
			p.Dir(depth).StageNode().spot.store(pool.number, at)
		}
		firsts = firsts[:ends]
	}
	return len(pool.spots) == directories // else one is at two places
}

// Base returns the place of dir in the pool.
func (pool *Pool[D, G]) Base(dir D) *Base[D] {
	b := &Base[D]{pool: pool.number, dir: dir}
	at, found := pool.spots[dir]
	if !found || int(at.depth) == pool.pivots[at.low].Depth() {
		return b // with no start: no pivot leads further
	}
	b.spot = at
	b.offset = pool.pivots[at.low].end(int(at.depth))
	for _, p := range pool.pivots[at.low:at.high] {
		bit := start(p.path[b.offset:])
		b.starts[bit>>6] |= 1 << (bit & 63)
	}
	pool.index.enter(&b.base)
	return b
}

// Root returns the place of the root in the pool.
func (pool *Pool[D, G]) Root() *Base[D] { return &pool.root }

// Has reports whether b is the place of dir in the pool. A nil b is none.
func (pool *Pool[D, G]) Has(b *Base[D], dir D) bool {
	return b != nil && b.pool == pool.number && b.dir == dir
}

// Find returns the pivot that shares most components with path, which begins without a slash at the directory of b, a
// place in this pool. The walk may begin at any component of the pivot up to number to; b's directory is component from.
// It returns nil if there is nothing to skip. It takes no lock, allocates nothing and writes nothing.
//
// What was found was true at one moment since the pool was loaded: every directory on the way was the parent of the next,
// with the guards that the pivot has.
func (pool *Pool[D, G]) Find(b *Base[D], path string) (_ *Pivot[D, G], from, to int) {
	bit := start(path)
	if b.starts[bit>>6]&(1<<(bit&63)) == 0 {
		return nil, 0, 0
	}
	var p *Pivot[D, G]
	var depth int
	if pool.tree != nil {
		p, depth = pool.tree.longest(path, &b.base)
	} else {
		p, depth = pool.index.longest(path, &b.base)
	}
	depth = min(depth, int(p.limit.Load()))
	if from = int(b.depth); depth <= from {
		return nil, 0, 0
	}
	return p, from, depth
}

// End returns how many bytes of a path below b the first n components of p take, each with the slash behind it. Where the
// path ends with the last of them, without a slash, that is one more than it has.
func (pool *Pool[D, G]) End(b *Base[D], p *Pivot[D, G], n int) int { return p.end(n) - b.offset }

// cut shortens the pivots that lead through dir, so that none skips more than the way to dir and keep components
// further. It returns how many have lost something.
func (pool *Pool[D, G]) cut(dir D, keep int) (shorter int) {
	at, found := dir.StageNode().spot.load(pool.number)
	if !found {
		if at, found = pool.spots[dir]; !found { // or a later pool was built with it, and was thrown away
			return 0
		}
	}
	to := at.depth + int32(keep)
	for i := at.low; i < at.high; i++ {
		if limit := &pool.limits[i]; limit.Load() > to {
			limit.Store(to)
			shorter++
		}
	}
	return shorter
}

// useful reports whether anything may be skipped.
func (pool *Pool[D, G]) useful() bool {
	for i := range pool.limits {
		if pool.limits[i].Load() > 0 {
			return true
		}
	}
	return false
}

// whole reports whether nothing was cut.
func (pool *Pool[D, G]) whole() bool {
	return !slices.ContainsFunc(pool.pivots, func(p *Pivot[D, G]) bool { return !p.Holds(p.Depth()) })
}
