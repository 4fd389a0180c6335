package memfs

import (
	"math"
	"runtime"
	"sync/atomic"
)

// limits counts what a file system has used and what it may use. A charge is taken before the first visible change
// and given back if the change fails, so a full file system loses nothing and leaves nothing half done.
type limits struct {
	pages  counter // 4 KiB pages with contents
	inodes counter // bytes that tmpfs would take for inodes, further hard links and extended attributes
}

// counter is a number with a limit that can be changed while others charge. The number shares its word with the
// version of the limit, which is odd while the limit is being changed: a charge that was measured by another limit than
// the one that holds when it is taken cannot be taken, so the number never exceeds the limit.
type counter struct {
	word atomic.Uint64
	max  atomic.Int64 // 0: no limit; changed while the version is odd
}

const (
	countBits  = 52 // more pages than 64 bits of bytes have, and more inodes than memory holds
	countMask  = 1<<countBits - 1
	oneVersion = 1 << countBits
)

// Load returns the number.
func (c *counter) Load() int64 { return int64(c.word.Load() & countMask) }

// Add counts n more, or less, without a look at the limit.
func (c *counter) Add(n int64) { c.word.Add(uint64(n)) }

// read returns the number and the limit of one moment.
func (c *counter) read() (used, limit int64) {
	for {
		word := c.word.Load()
		limit = c.max.Load()
		if word&oneVersion != 0 || c.word.Load()>>countBits != word>>countBits {
			runtime.Gosched()
			continue
		}
		return int64(word & countMask), limit
	}
}

// take counts up to n > 0 more, as many as stay within the limit, and returns how many; all or none if whole is set.
func (c *counter) take(n int64, whole bool) int64 {
	for {
		word := c.word.Load()
		limit := c.max.Load()
		switch {
		case limit == 0: // there will be none any more
			c.Add(n)
			return n
		case word&oneVersion != 0:
			runtime.Gosched() // for a few instructions
			continue
		}
		got := min(n, limit-int64(word&countMask))
		if got <= 0 || whole && got < n {
			if c.word.Load()>>countBits != word>>countBits {
				continue // that limit is gone
			}
			return 0
		}
		if c.word.CompareAndSwap(word, word+uint64(got)) {
			return got
		}
	}
}

// freeze keeps all others from charging, but not from giving back; one at a time may do that.
func (c *counter) freeze() { c.word.Add(oneVersion) }

// thaw ends what freeze began.
func (c *counter) thaw() { c.word.Add(oneVersion) }

// mayLimit reports whether a frozen counter may get a new limit: as in tmpfs none that is below what is used, and
// none where there was none.
func (c *counter) mayLimit(limit int64) bool {
	return limit == 0 || c.max.Load() != 0 && limit >= c.Load()
}

// chargeInode takes one inode.
func (l *limits) chargeInode() bool { return l.chargeSpace(inodeSpace) }

// rechargeInode takes back a freeInode that gave back more than there was to give, whatever the limit.
func (l *limits) rechargeInode() { l.inodes.Add(inodeSpace) }

func (l *limits) freeInode() { l.freeSpace(inodeSpace) }

// inodeSpace is what an inode, or a further hard link, counts for beside extended attributes: BOGO_INODE_SIZE of tmpfs.
const inodeSpace = 1024

// maxInodes is the largest limit: its space is counted in 63 bits.
const maxInodes = math.MaxInt64 / inodeSpace

// spaceOf returns what n inodes count for.
func spaceOf(n int64) int64 { return min(n, maxInodes) * inodeSpace }

// chargeSpace takes n bytes of what the inodes may have.
func (l *limits) chargeSpace(n int64) bool { return n == 0 || l.inodes.take(n, true) == n }

func (l *limits) freeSpace(n int64) {
	if n != 0 {
		l.inodes.Add(-n)
	}
}

// chargePages takes up to n pages and returns how many it got.
func (l *limits) chargePages(n int64) int64 {
	if n == 0 {
		return 0
	}
	return l.pages.take(n, false)
}

func (l *limits) freePages(n int64) {
	if n != 0 {
		l.pages.Add(-n)
	}
}
