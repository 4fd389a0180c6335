package memfs

import (
	"math"
	"sync"
	"sync/atomic"

	"stagefs/locking"
)

const (
	pageShift = 12
	pageSize  = 1 << pageShift // the unit in which contents are allocated, counted and limited
)

// maxFileSize is the largest size of a file, as on Linux.
const maxFileSize = math.MaxInt64

// store holds the bytes of one file. It knows no size: what lies beyond the bytes it holds reads as zeros, and its
// owner sees to it that nothing is read beyond the file's end. The caller of readAt holds the contents lock shared,
// that of the others exclusive.
type store interface {
	// readAt fills p with the bytes from off on.
	readAt(p []byte, off int64)
	// writeAt stores p at off; the pages it needs have been charged.
	writeAt(p []byte, off int64)
	// missing counts the pages that a write of n > 0 bytes at off would allocate.
	missing(off, n int64) int64
	// truncate drops everything from size on and returns the number of pages it freed.
	truncate(size int64) int64
	// pages counts the allocated pages.
	pages() int64
	// extent returns the first offset >= off that was written (data) or not (hole); -1 if there is no such data.
	extent(off int64, data bool) int64
}

// contents is the lock around a file's store. It exists from the first write on.
type contents struct {
	mu    sync.RWMutex // rank RankContents
	store store        // replaced by the first write that outgrows it
	held  atomic.Int64 // pages, for a stat that takes no lock
}

// body returns n's contents, made now if there are none.
func (n *inode) body() *contents {
	if c := n.data.Load(); c != nil {
		return c
	}
	n.data.CompareAndSwap(nil, &contents{store: &flat{}})
	return n.data.Load()
}

func (n *inode) lockContents(c *contents) {
	locking.Acquired(locking.RankContents, n.ino, 0)
	c.mu.Lock()
}

func (n *inode) unlockContents(c *contents) {
	c.mu.Unlock()
	locking.Released(locking.RankContents, n.ino, 0)
}

// read copies bytes from off on into p and returns how many there were, 0 at the end of the file.
func (n *inode) read(p []byte, off int64) int {
	if len(p) == 0 || off >= n.size.Load() {
		return 0
	}
	c := n.data.Load()
	if c == nil {
		c = n.body() // a hole: the size was set without a write
	}
	locking.Acquired(locking.RankContents, n.ino, 0)
	c.mu.RLock()
	count := min(int64(len(p)), n.size.Load()-off) // negative if the file just shrank
	if count > 0 {
		c.store.readAt(p[:count], off)
	}
	c.mu.RUnlock()
	locking.Released(locking.RankContents, n.ino, 0)
	return int(max(count, 0))
}

// write stores p at off, or at the end of the file if off is negative. It returns how much was written, where it began,
// and why that is less than what was asked for: the file system is full, or a quota used up. At the largest size of a
// file it is less without an error.
func (sb *superblock) write(n *inode, p []byte, off int64, by payer) (written int, at int64, e errno) {
	c := n.body()
	n.lockContents(c)
	defer n.unlockContents(c)
	if off < 0 {
		off = n.size.Load()
	}
	p = p[:min(int64(len(p)), maxFileSize-off)]
	fit, e := sb.reserve(n, c, off, int64(len(p)), by)
	if p = p[:fit]; fit == 0 {
		return 0, off, e
	}
	c.outgrow(off + int64(len(p)))
	c.store.writeAt(p, off)
	c.held.Store(c.store.pages())
	if end := off + int64(len(p)); end > n.size.Load() {
		n.size.Store(end)
	}
	return len(p), off, e
}

// reserve charges the pages for a write of count bytes at off and returns how many of them fit; pages that are there
// already cost nothing, so a write that begins in one may still store a part.
func (sb *superblock) reserve(n *inode, c *contents, off, count int64, by payer) (int64, errno) {
	if count == 0 {
		return 0, ok
	}
	got, e := sb.chargePages(n, c.store.missing(off, count), by)
	if e == ok {
		return count, ok
	}
	fit := int64(0)
	for fit < count { // page by page until the charge is used up
		next := min(pageSize-(off+fit)%pageSize, count-fit)
		if c.store.missing(off+fit, next) > 0 {
			if got == 0 {
				break
			}
			got--
		}
		fit += next
	}
	return fit, e
}

// truncate sets the size of n and frees what lies beyond.
func (sb *superblock) truncate(n *inode, size int64) {
	c := n.data.Load()
	if c == nil {
		if size == 0 && n.size.Load() == 0 {
			return
		}
		c = n.body()
	}
	n.lockContents(c)
	defer n.unlockContents(c)
	if size <= n.size.Load() { // pages may be allocated beyond the end
		sb.freePages(n, c.store.truncate(size))
		c.held.Store(c.store.pages())
		if size == 0 {
			c.store = &flat{}
		}
	}
	n.size.Store(size)
}

// seekExtent finds data or a hole from off on, as SEEK_DATA and SEEK_HOLE do; -1 stands for ENXIO.
func (n *inode) seekExtent(off int64, data bool) int64 {
	if off < 0 || off >= n.size.Load() {
		return -1
	}
	c := n.body()
	locking.Acquired(locking.RankContents, n.ino, 0)
	c.mu.RLock()
	defer func() {
		c.mu.RUnlock()
		locking.Released(locking.RankContents, n.ino, 0)
	}()
	size, at := n.size.Load(), c.store.extent(off, data)
	switch {
	case off >= size || data && at >= size:
		return -1
	case !data:
		return min(at, size) // the end of a file is a hole
	}
	return at
}

// linkText is the store of a symbolic link: its target.
type linkText string

func (t linkText) readAt(p []byte, off int64)        { copy(p, t[min(off, int64(len(t))):]) }
func (t linkText) writeAt([]byte, int64)             {}
func (t linkText) missing(int64, int64) int64        { return 0 }
func (t linkText) truncate(int64) int64              { return 0 }
func (t linkText) extent(off int64, data bool) int64 { return off }

// pages follows tmpfs, which keeps a short target inside the inode.
func (t linkText) pages() int64 {
	if len(t) < shortLink {
		return 0
	}
	return 1
}

// shortLink is the length from which on tmpfs gives a link's target a page of its own.
const shortLink = 128
