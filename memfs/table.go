package memfs

import (
	"iter"
	"sync"
	"sync/atomic"

	"stagefs/locking"
)

// Ref is what a directory stores for an entry: the file's type in the top 4 bits (as in st_mode), its inode number
// below. A listing needs nothing else and touches no inode.
type Ref uint64

const refIno = 1<<60 - 1

func makeRef(mode uint32, ino uint64) Ref {
	return Ref(uint64(mode&modeType)>>12<<60 | ino&refIno)
}

// Ino returns the inode number.
func (r Ref) Ino() uint64 { return uint64(r) & refIno }

// mode returns the type as mode bits.
func (r Ref) mode() uint32 { return uint32(r>>60) << 12 }

// inodeTable numbers inodes and finds them by number: two loads, no lock. Numbers only grow and are never used again; a
// chunk whose inodes are all gone is given back, so that only 8 bytes stay for every 1,024 numbers ever used.
type inodeTable struct {
	chunks atomic.Pointer[[]atomic.Pointer[inodeChunk]] // replaced by a longer copy, under mu
	slab   atomic.Pointer[inodeSlab]                    // where the next inode comes from

	mu   sync.Mutex // rank RankLeaf
	next atomic.Uint64
}

const chunkSize = 1024

type inodeChunk struct {
	left  atomic.Int32 // numbers not yet retired, those not yet given out included
	slots [chunkSize]atomic.Pointer[inode]
}

// slabSize is the number of inodes that are allocated together. More would make a create a little faster, and keep more
// memory of removed files beside one that lasts; 5 are the most that the allocator needs no header for.
const slabSize = 5

type inodeSlab struct {
	inodes [slabSize]inode
	used   atomic.Int32
}

// alloc returns a zero inode with a new number, which is to be set or retired. Directories are allocated each by itself:
// a removed one leads to its parent as long as somebody has it at hand, and must keep nothing else.
func (t *inodeTable) alloc(dir bool) *inode {
	var n *inode
	if dir {
		n = new(inode)
	} else {
		n = t.fromSlab()
	}
	n.ino = t.next.Add(1)
	return n
}

func (t *inodeTable) fromSlab() *inode {
	for {
		slab := t.slab.Load()
		if slab != nil {
			if i := slab.used.Add(1); i <= slabSize {
				return &slab.inodes[i-1]
			}
		}
		t.slab.CompareAndSwap(slab, new(inodeSlab))
	}
}

// set makes n the inode that get finds by its number.
func (t *inodeTable) set(n *inode) { t.slot(n.ino).Store(n) }

// get returns the inode with this number, nil if there is none any more, or not yet.
func (t *inodeTable) get(ino uint64) *inode {
	c := t.chunk(ino)
	if c == nil {
		return nil
	}
	return c.slots[ino%chunkSize].Load()
}

func (t *inodeTable) chunk(ino uint64) *inodeChunk {
	chunks := t.chunks.Load()
	if chunks == nil || ino/chunkSize >= uint64(len(*chunks)) {
		return nil
	}
	return (*chunks)[ino/chunkSize].Load()
}

// slot is the place of a number that is not retired.
func (t *inodeTable) slot(ino uint64) *atomic.Pointer[inode] {
	c := t.chunk(ino)
	if c == nil {
		c = t.grow(ino / chunkSize)
	}
	return &c.slots[ino%chunkSize]
}

// retire forgets a number for good.
func (t *inodeTable) retire(ino uint64) {
	t.slot(ino).Store(nil)
	if t.chunk(ino).left.Add(-1) > 0 {
		return
	}
	t.lock()
	(*t.chunks.Load())[ino/chunkSize].Store(nil)
	t.unlock()
}

func (t *inodeTable) lock() {
	locking.Acquired(locking.RankLeaf, 0, 0)
	t.mu.Lock()
}

func (t *inodeTable) unlock() {
	t.mu.Unlock()
	locking.Released(locking.RankLeaf, 0, 0)
}

// grow makes the chunk with this index, unless somebody was faster.
func (t *inodeTable) grow(index uint64) *inodeChunk {
	t.lock()
	defer t.unlock()
	var chunks []atomic.Pointer[inodeChunk]
	if p := t.chunks.Load(); p != nil {
		chunks = *p
	}
	if index < uint64(len(chunks)) {
		if c := chunks[index].Load(); c != nil {
			return c
		}
	} else {
		longer := make([]atomic.Pointer[inodeChunk], max(index+1, 2*uint64(len(chunks))))
		for i := range chunks {
			longer[i].Store(chunks[i].Load())
		}
		chunks = longer
	}
	c := &inodeChunk{}
	c.left.Store(chunkSize)
	if index == 0 {
		c.left.Store(chunkSize - 1) // there is no inode 0
	}
	chunks[index].Store(c)
	t.chunks.Store(&chunks)
	return c
}

// all yields the inodes there are.
func (t *inodeTable) all() iter.Seq[*inode] {
	return func(yield func(*inode) bool) {
		for ino := uint64(1); ino <= t.next.Load(); ino++ {
			if n := t.get(ino); n != nil && !yield(n) {
				return
			}
		}
	}
}
