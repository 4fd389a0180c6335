package stage

import (
	"strings"
	"sync/atomic"
)

// Pivot is one popular directory with all directories above it, so that a walk can start at any of them. It is
// immutable but for its limit.
type Pivot[D comparable, G any] struct {
	path       string // the names from the root on, each with a slash after it: "usr/lib/"
	components []component[D]
	guards     []*G // of the directories that not everybody may pass, in order; equal neighbours once
	overlap    int  // components shared with the pivot before it in the pool

	// limit is how many components may be skipped: all, until a change of a directory on the way.
	limit atomic.Int32
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
	first, past := p.components[from].first, p.components[to].past
	if first >= past {
		return nil
	}
	return p.guards[first:past]
}

// Holds reports whether the first n components may still be skipped.
func (p *Pivot[D, G]) Holds(n int) bool { return int(p.limit.Load()) >= n }

// cut forbids to skip more than n components.
func (p *Pivot[D, G]) cut(n int) (was int) {
	was = int(p.limit.Load())
	if n < was {
		p.limit.Store(int32(n))
	}
	return was
}

// newPivot makes a pivot of the directories from the root on and the names of all but the root.
func newPivot[D Directory[D, G], G any](dirs []D, names []string) *Pivot[D, G] {
	p := &Pivot[D, G]{components: make([]component[D], len(dirs))}
	var path strings.Builder
	var last *G
	for i, dir := range dirs {
		if i > 0 {
			path.WriteString(names[i-1])
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
	p.limit.Store(int32(p.Depth()))
	return p
}

// matched returns how many components of the pivot are within the first bytes of its path, but not less than from. It
// counts from the end that is nearer.
func (p *Pivot[D, G]) matched(bytes, from int) int {
	if 2*bytes < len(p.path) {
		n := from
		for n < p.Depth() && p.end(n+1) <= bytes {
			n++
		}
		return n
	}
	n := p.Depth()
	for n > from && p.end(n) > bytes {
		n--
	}
	return n
}
