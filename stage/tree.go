package stage

import "math"

// tree is the default index: a digital tree over the pivots' paths (a Patricia tree; D. R. Morrison, JACM 15(4), 1968)
// that branches by bytes. A search goes down by the bytes at which paths differ, without looking at anything between, and
// compares only with the path it ends at: that one shares as much with the wanted path as any other. So it costs a step
// for each branching on the way and one comparison, however many pivots there are. Components are counted without a loop:
// on real paths half of a search is branches of the program that the processor did not foresee.
type tree[D comparable, G any] struct {
	branches []branch
	kids     []int16 // of all branches: a branch, or ^pivot
	pivots   []*Pivot[D, G]
}

// branch is a place where paths differ.
type branch struct {
	at    uint16 // byte of the paths
	low   uint8  // the lowest byte that a path has there
	span  uint16 // how many kids there are, for low and the bytes after it; behind them one for all other bytes: nowhere
	some  uint16 // a pivot that leads through here
	first uint32 // the first of the kids
}

// nowhere is the kid of bytes that no path has.
const nowhere = math.MaxInt16

func newTree[D Directory[D, G], G any](pivots []*Pivot[D, G]) *tree[D, G] {
	t := &tree[D, G]{pivots: pivots}
	t.grow(0, len(pivots))
	return t
}

// grow makes the branches of the pivots from low to high, and returns what leads there.
func (t *tree[D, G]) grow(low, high int) int16 {
	if high-low == 1 {
		return ^int16(low)
	}
	first, last := t.pivots[low].path, t.pivots[high-1].path
	at := match(first, last) // no path is the beginning of another, so this is within both
	b := branch{
		at: uint16(at), low: first[at], span: uint16(last[at]-first[at]) + 1, some: uint16(low), first: uint32(len(t.kids)),
	}
	me := len(t.branches)
	t.branches = append(t.branches, b)
	for range b.span + 1 {
		t.kids = append(t.kids, nowhere)
	}
	for low < high {
		c := t.pivots[low].path[at]
		end := low + 1
		for end < high && t.pivots[end].path[at] == c {
			end++
		}
		kid := t.grow(low, end)
		t.kids[b.first+uint32(c-b.low)] = kid
		low = end
	}
	return int16(me)
}

// longest goes down as far as the path has bytes that pivots have. That is how far it can agree with one; mostly it does,
// so it is compared that far at once.
func (t *tree[D, G]) longest(path string, base *base) (*Pivot[D, G], int) {
	n, offset := int16(base.entry), uint(base.offset)
	var p *Pivot[D, G]
	var depth int
	for {
		if n < 0 {
			p = t.pivots[^n]
			depth = p.Depth()
			break
		}
		b := &t.branches[n]
		i := uint(b.at) - offset
		c := uint8('/')
		if i < uint(len(path)) {
			c = path[i]
		}
		if n = t.kids[b.first+uint32(min(uint16(c-b.low), b.span))]; n == nowhere {
			p = t.pivots[b.some]
			depth = p.inBytes(int(b.at))
			break
		}
	}
	if depth <= int(base.depth) {
		return p, int(base.depth)
	}
	end := uint(p.end(depth)) - offset - 1 // without the slash
	if end <= uint(len(path)) && path[:end] == p.path[offset:offset+end] && (end == uint(len(path)) || path[end] == '/') {
		return p, depth
	}
	return p, p.inBytes(base.offset + match(path, p.path[offset:]))
}

// enter goes down as far as the path of the base decides.
func (t *tree[D, G]) enter(base *base) {
	n := int16(0)
	if len(t.branches) == 0 {
		n = ^n
	}
	path := t.pivots[base.low].path
	for n >= 0 && int(t.branches[n].at) < base.offset {
		b := &t.branches[n]
		n = t.kids[b.first+uint32(path[b.at]-b.low)]
	}
	base.entry = uint64(n)
}
