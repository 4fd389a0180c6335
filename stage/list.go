package stage

// list is the index of the paper: the pivots in ascending order, each with the number of components that it shares with
// the one before it. One scan finds the best, and compares no part of the path twice.
type list[D comparable, G any] struct{ pivots []*Pivot[D, G] }

func newList[D Directory[D, G], G any](pivots []*Pivot[D, G]) list[D, G] { return list[D, G]{pivots} }

func (l list[D, G]) longest(path string, base *base) (best *Pivot[D, G], depth int) {
	best, depth = l.pivots[base.low], int(base.depth)
	bytes := base.offset // what depth components take
	for i := int(base.low); i < int(base.high); i++ {
		p := l.pivots[i]
		if overlap := max(p.overlap, int(base.depth)); i > int(base.low) && overlap != depth {
			if overlap > depth {
				continue // it leaves the path where the one before it did
			}
			break
		}
		rest := path[min(bytes-base.offset, len(path)):]
		shared := match(rest, p.path[bytes:])
		at := bytes + shared
		if n := p.inBytes(at); n > depth {
			best, depth, bytes = p, n, p.end(n)
		}
		if at < len(p.path) && follows(rest, shared, p.path[at]) {
			break // it, and all behind it, come after the path
		}
	}
	return best, depth
}

// follows reports whether a pivot that has byte c where path has its byte i, or the slash behind it, sorts after path.
func follows(path string, i int, c byte) bool {
	if i < len(path) {
		return c > path[i]
	}
	return i == len(path) && c > '/'
}

func (list[D, G]) enter(*base) {}
