package stage

import (
	"math/bits"
	"strings"
	"sync/atomic"
)

// Pivot is one popular directory with all directories above it, so that a walk can start at any of them. It is
// immutable but for its limit.
type Pivot[D comparable, G any] struct {
	path       string // the names from the root on, each with a slash after it: "usr/lib/"
	components []component[D]
	guards     []*G      // of the directories that not everybody may pass, in order; equal neighbours once
	slashes    []slashes // of path, 64 bytes each
	overlap    int       // components shared with the pivot before it in the pool

	// limit is how many components may be skipped: all, until a change of a directory on the way. The limits of a pool
	// are in one array, so that a change which lowers many of them meets few cache lines.
	limit *atomic.Int32
}

// slashes tells where 64 bytes of a path have slashes, one bit each, and how many there are before them.
type slashes struct {
	bits   uint64
	before int
}

// inBytes returns how many components are within the first n bytes of the path.
func (p *Pivot[D, G]) inBytes(n int) int {
	s := &p.slashes[n>>6]
	return s.before + bits.OnesCount64(s.bits&(1<<(n&63)-1))
}

// component is one directory on the way of a pivot. The first is the root, so that components[n] is where a walk is that
// has taken n steps.
type component[D comparable] struct {
	dir   D
	end   int32 // length of the path up to here, with the slash
	first int32 // the first guard that may be this directory's, or of one further down
	past  int32 // the number of guards of the directories before this one
}

// Dir returns the directory that the first n components lead to.
func (p *Pivot[D, G]) Dir(n int) D { return p.components[n].dir }

// end returns the length of the first n components, each with a slash after it.
func (p *Pivot[D, G]) end(n int) int { return int(p.components[n].end) }

// Depth returns the number of the pivot's components.
func (p *Pivot[D, G]) Depth() int { return len(p.components) - 1 }

// Path returns the pivot's path, without slashes at either end.
func (p *Pivot[D, G]) Path() string { return strings.TrimSuffix(p.path, "/") }

// Guards returns what decides who may walk from component from to component to: the guards of the directories that are
// searched on the way, from itself included, to left out.
func (p *Pivot[D, G]) Guards(from, to int) []*G {
	if len(p.guards) == 0 {
		return nil
	}
	first, past := p.components[from].first, p.components[to].past
	if first >= past {
		return nil
	}
	return p.guards[first:past]
}

// Holds reports whether the first n components may still be skipped.
func (p *Pivot[D, G]) Holds(n int) bool { return int(p.limit.Load()) >= n }

// newPivot makes a pivot of the directories from the last one up to the root, and the names of all but the root, which
// have so many bytes together with a slash for each.
func newPivot[D Directory[D, G], G any](dirs []D, names []string, length int) *Pivot[D, G] {
	p := &Pivot[D, G]{components: make([]component[D], len(dirs)), slashes: make([]slashes, length>>6+1)}
	var path strings.Builder
	path.Grow(length)
	var last *G
	for i := range dirs {
		dir := dirs[len(dirs)-1-i]
		if i > 0 {
			path.WriteString(names[len(names)-i])
			p.slashes[path.Len()>>6].bits |= 1 << (path.Len() & 63)
			path.WriteByte('/')
		}
		c := &p.components[i]
		*c = component[D]{dir: dir, end: int32(path.Len()), first: int32(len(p.guards)), past: int32(len(p.guards))}
		guard := dir.StageGuard()
		if guard != nil {
			if guard == last {
				c.first--
			} else {
				p.guards = append(p.guards, guard)
			}
		}
		last = guard
	}
	p.path = path.String()
	for i := 1; i < len(p.slashes); i++ {
		p.slashes[i].before = p.slashes[i-1].before + bits.OnesCount64(p.slashes[i-1].bits)
	}
	return p
}
