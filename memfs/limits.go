package memfs

import "sync/atomic"

// limits counts what a file system has used and what it may use. A charge is taken before the first visible change
// and given back if the change fails, so a full file system loses nothing and leaves nothing half done.
type limits struct {
	maxPages  int64 // 0: no limit
	maxInodes int64 // 0: no limit

	pages  atomic.Int64 // 4 KiB pages with contents
	inodes atomic.Int64 // inodes, and one for each further hard link, as tmpfs counts
}

// charge takes n of used if that stays within limit; 0 means no limit.
func charge(used *atomic.Int64, n, limit int64) bool {
	if limit == 0 {
		used.Add(n)
		return true
	}
	for {
		u := used.Load()
		if n > limit-u {
			return false
		}
		if used.CompareAndSwap(u, u+n) {
			return true
		}
	}
}

// chargeInode takes one inode.
func (l *limits) chargeInode() bool { return charge(&l.inodes, 1, l.maxInodes) }

func (l *limits) freeInode() { l.inodes.Add(-1) }

// chargePages takes up to n pages and returns how many it got.
func (l *limits) chargePages(n int64) int64 {
	if n == 0 {
		return 0
	}
	for {
		if charge(&l.pages, n, l.maxPages) {
			return n
		}
		left := l.maxPages - l.pages.Load()
		if left <= 0 {
			return 0
		}
		n = min(n, left)
	}
}

func (l *limits) freePages(n int64) {
	if n != 0 {
		l.pages.Add(-n)
	}
}
