package memfs

import (
	"sync"
	"sync/atomic"
	"syscall"

	"stagefs/locking"
)

// inode is one file of any kind. It is kept small, because there is one for every file: mode and owner are one shared
// pointer, contents exist from the first write on, and only a directory has a directory part.
//
// Everything a walk or a stat reads is atomic. mu and seq are rank RankAttributes: a writer holds mu and keeps seq odd
// while it changes attributes, a reader takes no lock and reads again when seq moved.
type inode struct {
	ino    uint64                   // immutable, never used again
	access atomic.Pointer[access]   // mode and owner; changed under mu
	data   atomic.Pointer[contents] // regular file: nil until the first write; symbolic link: its target, immutable
	dir    *directory               // immutable; nil but for a directory

	size  atomic.Int64 // bytes; of a regular file, changed under its contents lock
	atime atomic.Int64 // nanoseconds since 1970, as the other times; changed under mu
	mtime atomic.Int64
	ctime atomic.Int64
	btime int64 // immutable

	mu    sync.Mutex
	seq   atomic.Uint32
	nlink atomic.Uint32 // changed under mu; 0 once the last name is gone, for good
	refs  atomic.Int32  // open files, and one for all names together; at 0 the inode is gone, for good
}

// lock begins a change of attributes.
func (n *inode) lock() {
	locking.Acquired(locking.RankAttributes, n.ino, 0)
	n.mu.Lock()
	n.seq.Add(1)
}

// unlock ends a change of attributes.
func (n *inode) unlock() {
	n.seq.Add(1)
	n.mu.Unlock()
	locking.Released(locking.RankAttributes, n.ino, 0)
}

func (n *inode) isDir() bool { return n.dir != nil }

func (n *inode) isSymlink() bool { return n.access.Load().mode&modeType == modeSymlink }

// target returns the text of a symbolic link.
func (n *inode) target() string {
	if c := n.data.Load(); c != nil {
		if t, isText := c.store.(linkText); isText {
			return string(t)
		}
	}
	return ""
}

// ref is what a directory stores for n.
func (n *inode) ref() Ref { return makeRef(n.access.Load().mode, n.ino) }

// get takes a reference unless n is gone already. A cached answer of a walk is no reference: who means to keep the
// inode calls get, and looks the name up again where it fails.
func (n *inode) get() bool {
	for {
		r := n.refs.Load()
		if r <= 0 {
			return false
		}
		if n.refs.CompareAndSwap(r, r+1) {
			return true
		}
	}
}

// put gives a reference back; the last one frees the inode. Not to be called under a directory's latch.
func (sb *superblock) put(n *inode) {
	if n.refs.Add(-1) == 0 {
		sb.evict(n)
	}
}

// addLink counts one more name, and reports whether it is the first one, of a file that has never had one: then it takes
// the reference of all names, for which the caller has one, and there is no other first one. It fails once the last name
// is gone: then nlink never goes from 0 to 1.
func (sb *superblock) addLink(n *inode) (first bool, e errno) {
	n.lock()
	defer n.unlock()
	links := n.nlink.Load()
	switch {
	case links == 0 && !n.access.Load().linkable():
		return false, syscall.ENOENT
	case links >= maxLinks:
		return false, syscall.EMLINK
	}
	if links == 0 {
		sb.setLinkable(n, false)
		n.refs.Add(1)
	}
	n.nlink.Store(links + 1)
	return links == 0, ok
}

// setLinkable says whether a file without a name may get its first one; it is locked.
func (sb *superblock) setLinkable(n *inode, on bool) {
	a := *n.access.Load()
	a.mode &^= modeLinkable
	if on {
		a.mode |= modeLinkable
	}
	n.access.Store(sb.accesses.get(a))
}

// maxLinks keeps the count far from wrapping.
const maxLinks = 1<<31 - 1

// undoLink takes addLink back, and reports whether the other names are gone meanwhile. A first name may be tried again.
func (sb *superblock) undoLink(n *inode, first bool) (last bool) {
	n.lock()
	defer n.unlock()
	links := n.nlink.Load() - 1
	n.nlink.Store(links)
	if first && links == 0 {
		sb.setLinkable(n, true)
	}
	return links == 0
}

// dropLink counts one name less, which changes ctime, and reports whether it was the last one; the caller then puts the
// names' reference, after it has released the directory. A directory's last name takes the link of its "." with it.
func (sb *superblock) dropLink(n *inode, now int64) (last bool) {
	n.lock()
	defer n.unlock()
	n.ctime.Store(sb.later(n, now))
	links := n.nlink.Load() - 1
	if n.dir != nil {
		links = 0
	}
	n.nlink.Store(links)
	return links == 0
}

// touchDir sets a directory's times after one of its entries changed; links is the change of its subdirectories. now is
// the stamp of the change, taken while the directory was held.
func (sb *superblock) touchDir(n *inode, now int64, links int) {
	n.lock()
	n.mtime.Store(now)
	n.ctime.Store(sb.later(n, now))
	if links != 0 {
		n.nlink.Store(uint32(int(n.nlink.Load()) + links))
	}
	n.unlock()
}

// later is the ctime to store for a change whose time was taken before n was locked: another change may have been
// faster. A clock of the user's may run as it likes.
func (sb *superblock) later(n *inode, now int64) int64 {
	if sb.clock != nil {
		return now
	}
	return max(now, n.ctime.Load())
}

// touchChange sets ctime alone; now is the stamp of the change.
func (sb *superblock) touchChange(n *inode, now int64) {
	n.lock()
	n.ctime.Store(sb.later(n, now))
	n.unlock()
}
