package memfs

import (
	"iter"
	"sync"
	"sync/atomic"
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

// inodeTable finds inodes by number: two loads, no lock. Numbers only grow and are never used again; a chunk whose
// inodes are all gone is given back, so that only 8 bytes stay for every 4,096 numbers ever used.
type inodeTable struct {
	chunks atomic.Pointer[[]atomic.Pointer[inodeChunk]] // replaced, never changed in length

	mu   sync.Mutex // rank RankLeaf; changes of the slice of chunks
	next atomic.Uint64
}

const chunkSize = 4096

type inodeChunk struct {
	live  atomic.Int32 // numbers not yet retired, unused ones included
	slots [chunkSize]atomic.Pointer[inode]
}

// number returns a fresh inode number. The caller either sets or retires it.
func (t *inodeTable) number() uint64 { return t.next.Add(1) }

// get returns the inode with this number, nil if there is none any more.
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

// set publishes n under its number.
func (t *inodeTable) set(n *inode) {
	c := t.chunk(n.ino)
	if c == nil {
		c = t.grow(n.ino / chunkSize)
	}
	c.slots[n.ino%chunkSize].Store(n)
}

// retire forgets a number for good.
func (t *inodeTable) retire(ino uint64) {
	c := t.chunk(ino)
	if c == nil {
		c = t.grow(ino / chunkSize) // retired without ever being set
	}
	c.slots[ino%chunkSize].Store(nil)
	if c.live.Add(-1) == 0 {
		(*t.chunks.Load())[ino/chunkSize].Store(nil)
	}
}

// grow makes the chunk with this index, unless somebody was faster. A chunk that is still to be filled counts all its
// numbers as live, so none is given back before each of its numbers was used and retired.
func (t *inodeTable) grow(index uint64) *inodeChunk {
	t.mu.Lock()
	defer t.mu.Unlock()
	var old []atomic.Pointer[inodeChunk]
	if p := t.chunks.Load(); p != nil {
		old = *p
	}
	if index < uint64(len(old)) {
		if c := old[index].Load(); c != nil {
			return c
		}
	}
	c := &inodeChunk{}
	c.live.Store(chunkSize)
	if index >= uint64(len(old)) {
		grown := make([]atomic.Pointer[inodeChunk], max(index+1, 2*uint64(len(old))))
		for i := range old {
			grown[i].Store(old[i].Load())
		}
		old = grown
		old[index].Store(c)
		t.chunks.Store(&old)
		return c
	}
	old[index].Store(c)
	return c
}

// all yields the inodes there are.
func (t *inodeTable) all() iter.Seq[*inode] {
	return func(yield func(*inode) bool) {
		chunks := t.chunks.Load()
		if chunks == nil {
			return
		}
		for i := range *chunks {
			c := (*chunks)[i].Load()
			for s := 0; c != nil && s < chunkSize; s++ {
				if n := c.slots[s].Load(); n != nil && !yield(n) {
					return
				}
			}
		}
	}
}
