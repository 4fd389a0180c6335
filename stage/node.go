package stage

import (
	"sync/atomic"
	"unsafe"
)

// Directory is what a stage has to know of a directory. D is a pointer to it, G what decides who may pass it.
type Directory[D any, G any] interface {
	comparable

	// StageNode returns the directory's part of the stage, always the same.
	StageNode() *Node

	// StagePlace returns where the directory hangs now. ok is false if no pivot may lead to it or through it: it was
	// removed, for one. The root is its own parent.
	StagePlace() (parent D, name string, ok bool)

	// StageGuard returns what decides who may pass the directory, or nil if everybody may.
	StageGuard() *G
}

// Node is the part of the stage that is in each directory: its mark and its heat. The zero Node is ready to use.
type Node struct {
	// spot is the directory's place in the last pool that was built with it, a copy from that pool's spots. A change finds
	// it beside the mark, where the table would cost it four cache misses.
	spot packedSpot

	// mark is inPool if a pool leads through the directory or is going to, plus changing for each change on its way. A
	// change that begins and a manager that raises inPool write the same word, so that one of them sees the other.
	mark atomic.Int32

	// Guarded by the Heat Counter's lock.
	heat    uint32
	version uint32 // of heat and slot; both are void in any other version
	slot    int32  // place in the Candidate Set, counted from 1; 0: not in it

	// Guarded by the manager's lock.
	build uint32 // the last build that led a pivot through the directory
	pivot int32  // the pivot of that build that ends there, counted from 1; 0: it only leads through
}

// packedSpot is a spot and the low bits of its pool's number.
type packedSpot struct{ atomic.Uint64 }

const spotBits = 31 // 10 for the first pivot, 10 for the last, 11 for the depth

func (w *packedSpot) store(pool uint64, at spot) {
	w.Store(pool<<spotBits | uint64(at.low)<<21 | uint64(at.high-1)<<11 | uint64(at.depth))
}

// load returns the spot if it is of that pool.
func (w *packedSpot) load(pool uint64) (at spot, ok bool) {
	word := w.Load()
	at = spot{low: int32(word >> 21 & 1023), high: int32(word>>11&1023) + 1, depth: int32(word & 2047)}
	return at, word>>spotBits == pool&(1<<(64-spotBits)-1)
}

const (
	inPool   = 1
	changing = 2
)

// NodeBytes is the memory that a stage takes in each directory.
const NodeBytes = int(unsafe.Sizeof(Node{}))

// raise marks the directory as one that a pool is going to lead through, before its place is read. It reports whether
// it had the mark, and whether no change is on its way.
func (n *Node) raise() (had, still bool) {
	was := n.mark.Or(inPool)
	return was&inPool != 0, was < changing
}

// lower takes the mark back.
func (n *Node) lower() { n.mark.And(^inPool) }

// begin counts one more change, and reports whether pools may lead through the directory.
func (n *Node) begin() bool { return n.mark.Add(changing)&inPool != 0 }

func (n *Node) end() { n.mark.Add(-changing) }
