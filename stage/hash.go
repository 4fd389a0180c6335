package stage

import (
	"encoding/binary"
	"math/bits"
	"math/rand/v2"
	"unsafe"
)

// hash is an index for comparison: a table of all directories that pivots lead to, by a hash of their paths. A search
// hashes every beginning of the path that ends with a component, then asks for the longest first.
type hash[D comparable, G any] struct {
	pivots []*Pivot[D, G]
	slots  []hashSlot // a power of two of them, half of them free
	deep   int        // components of the deepest pivot
	seed   uint64
}

// hashSlot is one directory; the zero hash marks a free slot.
type hashSlot struct {
	sum          uint64
	pivot, depth int32
}

// hashedMost is how many components of a path are hashed at most.
const hashedMost = 64

func newHash[D Directory[D, G], G any](pivots []*Pivot[D, G]) *hash[D, G] {
	h := &hash[D, G]{pivots: pivots, seed: rand.Uint64() | 1}
	n := 0
	for _, p := range pivots {
		n += p.Depth() - p.overlap
		h.deep = max(h.deep, p.Depth())
	}
	h.slots = make([]hashSlot, 1<<bits.Len(uint(2*n)))
	for i, p := range pivots {
		sum := h.seed
		for depth := 1; depth <= p.Depth(); depth++ {
			sum = h.add(sum, p.path[p.end(depth-1):p.end(depth)-1])
			if depth > p.overlap || i == 0 {
				h.insert(hashSlot{sum, int32(i), int32(depth)})
			}
		}
	}
	return h
}

// add takes one more component into a sum.
func (h *hash[D, G]) add(sum uint64, name string) uint64 {
	const a, b = 0xa0761d6478bd642f, 0xe7037ed1a0b428db
	text := unsafe.Slice(unsafe.StringData(name), len(name)) // read only
	for len(text) > 16 {
		high, low := bits.Mul64(binary.LittleEndian.Uint64(text)^a^sum, binary.LittleEndian.Uint64(text[8:])^b)
		sum, text = high^low, text[16:]
	}
	var head, tail uint64
	switch n := len(text); {
	case n >= 8:
		head, tail = binary.LittleEndian.Uint64(text), binary.LittleEndian.Uint64(text[n-8:])
	case n >= 4:
		head, tail = uint64(binary.LittleEndian.Uint32(text)), uint64(binary.LittleEndian.Uint32(text[n-4:]))
	case n > 0:
		head, tail = uint64(text[0])|uint64(text[n-1])<<8, uint64(text[n>>1])
	}
	high, low := bits.Mul64(head^a^sum, tail^h.seed^uint64(len(name)))
	return (high ^ low) | 1
}

func (h *hash[D, G]) insert(s hashSlot) {
	i := s.sum >> 1
	for ; h.slots[i&uint64(len(h.slots)-1)].sum != 0; i++ {
	}
	h.slots[i&uint64(len(h.slots)-1)] = s
}

// longest hashes first and searches then.
func (h *hash[D, G]) longest(path string, base *base) (p *Pivot[D, G], depth int) {
	var sums [hashedMost]uint64
	var ends [hashedMost]int
	n, sum, at := 0, base.entry, 0
	for n < min(h.deep-int(base.depth), hashedMost) && at < len(path) {
		end := at
		for end < len(path) && path[end] != '/' {
			end++
		}
		sum = h.add(sum, path[at:end])
		sums[n], ends[n] = sum, end
		n++
		at = end + 1
	}
	for n--; n >= 0; n-- {
		for i := sums[n] >> 1; ; i++ {
			s := &h.slots[i&uint64(len(h.slots)-1)]
			if s.sum == 0 {
				break
			}
			if s.sum == sums[n] && h.is(s, path[:ends[n]], base) {
				return h.pivots[s.pivot], int(s.depth)
			}
		}
	}
	return h.pivots[base.low], int(base.depth)
}

// is compares what the hash has found.
func (h *hash[D, G]) is(s *hashSlot, path string, base *base) bool {
	p := h.pivots[s.pivot]
	return s.pivot >= base.low && s.pivot < base.high && p.path[base.offset:p.end(int(s.depth))-1] == path
}

func (h *hash[D, G]) enter(base *base) {
	p, sum := h.pivots[base.low], h.seed
	for depth := 1; depth <= int(base.depth); depth++ {
		sum = h.add(sum, p.path[p.end(depth-1):p.end(depth)-1])
	}
	base.entry = sum
}
