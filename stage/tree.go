package stage

// tree is the default index: a digital tree over the pivots' paths (a Patricia tree; D. R. Morrison, JACM 15(4), 1968)
// that branches by half bytes. A search goes down by the half bytes at which paths differ, without looking at anything
// between, and compares only with the path it ends at: that one shares as much with the wanted path as any other. So it
// costs a step for each branching on the way and one comparison, however many pivots there are.
type tree[D comparable, G any] struct {
	branches []branch
	pivots   []*Pivot[D, G]
}

// branch is a place where paths differ.
type branch struct {
	at    uint16    // byte of the paths
	shift uint8     // 4: its upper half decides, 0: its lower half
	kids  [16]int16 // of each half byte: a branch, or ^pivot
}

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
	b := branch{at: uint16(at)}
	if first[at]>>4 != last[at]>>4 {
		b.shift = 4
	}
	half := func(i int) byte { return t.pivots[i].path[at] >> b.shift & 15 }
	me := len(t.branches)
	t.branches = append(t.branches, b)
	next := 0 // half bytes that no path has lead anywhere: to the next one that is there
	for low < high {
		end := low + 1
		for end < high && half(end) == half(low) {
			end++
		}
		kid := t.grow(low, end)
		for ; next <= int(half(low)) || end == high && next < 16; next++ {
			t.branches[me].kids[next] = kid
		}
		low = end
	}
	return int16(me)
}

func (t *tree[D, G]) longest(path string, base *base) (*Pivot[D, G], int) {
	n, offset := int16(base.entry), uint(base.offset)
	for n >= 0 {
		b := &t.branches[n]
		c := byte('/')
		if i := uint(b.at) - offset; i < uint(len(path)) {
			c = path[i]
		}
		n = b.kids[c>>(b.shift&7)&15]
	}
	p := t.pivots[^n]
	key := p.path[offset:]
	if path[0] != key[0] {
		return p, int(base.depth)
	}
	if end := len(key) - 1; len(path) >= end && path[:end] == key[:end] && (len(path) == end || path[end] == '/') {
		return p, p.Depth() // mostly: the path of a popular directory, or of a file in it
	}
	return p, p.matched(base.offset+match(path, key), int(base.depth))
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
		n = b.kids[path[b.at]>>b.shift&15]
	}
	base.entry = uint64(n)
}
