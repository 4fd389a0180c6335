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

// inodeTable holds the inodes and finds them by number, without a lock. Numbers only grow and are never used again.
// Inodes with neighbouring numbers lie together in a slab, which is one allocation and goes when the last of them is
// gone; a chunk of slabs goes likewise, so that only 8 bytes stay for every 4,095 numbers ever used.
type inodeTable struct {
	chunks atomic.Pointer[[]atomic.Pointer[inodeChunk]] // replaced by a longer copy, under mu

	mu   sync.Mutex // rank RankLeaf
	next atomic.Uint64
}

const (
	// slabSize is the number of inodes in a slab. More would make a create a little faster, and keep more memory of
	// removed files beside one that lasts; a slab of 5 is the largest that the allocator needs no header for.
	slabSize   = 5
	chunkSlabs = 819
	chunkSize  = chunkSlabs * slabSize // inodes
)

type inodeSlab [slabSize]inode

type inodeChunk struct {
	slabs [chunkSlabs]atomic.Pointer[inodeSlab]
	gone  [chunkSlabs]atomic.Uint32 // a bit for each inode of a slab that is retired
	left  atomic.Int32              // slabs that are not gone, those still to be made included
}

const allGone = 1<<slabSize - 1

// fresh returns a zero inode with a new number. It is there for get once it has references; the caller gives it some,
// or retires the number.
func (t *inodeTable) fresh() *inode {
	ino := t.next.Add(1)
	c := t.chunk(ino)
	if c == nil {
		c = t.grow(ino / chunkSize)
	}
	slot := &c.slabs[ino%chunkSize/slabSize]
	slab := slot.Load()
	if slab == nil {
		slot.CompareAndSwap(nil, new(inodeSlab))
		slab = slot.Load()
	}
	n := &slab[ino%slabSize]
	n.ino = ino
	return n
}

// get returns the inode with this number, nil if there is none any more, or not yet.
func (t *inodeTable) get(ino uint64) *inode {
	c := t.chunk(ino)
	if c == nil {
		return nil
	}
	slab := c.slabs[ino%chunkSize/slabSize].Load()
	if slab == nil {
		return nil
	}
	n := &slab[ino%slabSize]
	if n.refs.Load() <= 0 {
		return nil
	}
	return n
}

func (t *inodeTable) chunk(ino uint64) *inodeChunk {
	chunks := t.chunks.Load()
	if chunks == nil || ino/chunkSize >= uint64(len(*chunks)) {
		return nil
	}
	return (*chunks)[ino/chunkSize].Load()
}

// retire forgets a number for good.
func (t *inodeTable) retire(ino uint64) {
	c := t.chunk(ino)
	s := ino % chunkSize / slabSize
	if c.gone[s].Or(1<<(ino%slabSize))|1<<(ino%slabSize) != allGone {
		return
	}
	c.slabs[s].Store(nil)
	if c.left.Add(-1) == 0 {
		t.lock()
		(*t.chunks.Load())[ino/chunkSize].Store(nil)
		t.unlock()
	}
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
	c.left.Store(chunkSlabs)
	if index == 0 {
		c.gone[0].Store(1) // there is no inode 0
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
