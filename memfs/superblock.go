package memfs

import (
	"math"
	"sync"
	"sync/atomic"
	"time"

	"stagefs/dcache"
	"stagefs/locking"
	"stagefs/rbdir"
)

// superblock is one file system; every FS is a view of one.
type superblock struct {
	dev      uint64
	hasher   rbdir.Hasher
	cache    *dcache.Cache[inode] // nil: no cache
	negative bool
	names    *locking.Table
	table    inodeTable
	accesses accessPool
	limits   limits
	clock    func() time.Time
	index    func() rbdir.Index[Ref] // nil: the RB-tree
	root     *inode

	renames sync.Mutex // rank RankRename: held while a directory changes its parent
}

// devices numbers the file systems of this process, so that their inodes can be told apart.
var devices atomic.Uint64

func newSuperblock(c *config) *superblock {
	sb := &superblock{
		dev:      devices.Add(1),
		hasher:   rbdir.NewHasher(c.seed),
		negative: c.negative,
		names:    locking.NewTable(),
		clock:    c.clock,
		index:    c.index,
	}
	if c.narrow != nil {
		sb.hasher = sb.hasher.Narrowed(c.narrow)
	}
	if c.dcache > 0 {
		sb.cache = dcache.New[inode](c.dcache)
	}
	sb.limits.maxInodes = c.maxInodes
	if c.maxBytes > 0 {
		sb.limits.maxPages = (c.maxBytes-1)>>pageShift + 1
	}
	return sb
}

// now is the time in nanoseconds since 1970; a clock beyond what 64 bits hold (the years 1677 to 2262) is clamped.
func (sb *superblock) now() int64 {
	if sb.clock == nil {
		return time.Now().UnixNano()
	}
	return nanoseconds(sb.clock())
}

var (
	minTime = time.Unix(0, math.MinInt64)
	maxTime = time.Unix(0, math.MaxInt64)
)

func nanoseconds(t time.Time) int64 {
	switch {
	case t.Before(minTime):
		return math.MinInt64
	case t.After(maxTime):
		return math.MaxInt64
	}
	return t.UnixNano()
}

// newInode makes an inode that no directory holds yet. Its inode was charged. It can be found once it is published.
func (sb *superblock) newInode(a access, now int64) *inode {
	n := sb.table.fresh()
	n.btime = now
	initAccess(&n.access, sb.accesses.get(a))
	initInt64(&n.atime, now)
	initInt64(&n.mtime, now)
	initInt64(&n.ctime, now)
	initUint32(&n.nlink, 1)
	return n
}

// publish makes a new inode one that can be found by its number. It has a reference for its name, and more for the
// caller.
func (n *inode) publish(more int32) { n.refs.Store(1 + more) }

// newDirectory is newInode for a directory that is going to hang at place; the root's parent is itself (nil here).
func (sb *superblock) newDirectory(a access, now int64, parent *inode, name string) *inode {
	n := sb.newInode(a, now)
	if parent == nil {
		parent = n
	}
	n.dir = &directory{}
	initUint32(&n.nlink, 2)
	if sb.index != nil {
		n.dir.entries.InitIndex(n.ino, sb.index())
	} else {
		n.dir.entries.Init(n.ino)
	}
	n.dir.up.Store(&dirPlace{parent.ino, name})
	return n
}

// nothing is the store of contents that are gone.
var nothing = &flat{}

// evict frees an inode that has neither names nor open files. A walk may still have it at hand and look at its
// attributes, so those stay as they are.
func (sb *superblock) evict(n *inode) {
	if c := n.data.Load(); c != nil {
		n.lockContents(c)
		sb.limits.freePages(c.held.Load())
		if _, isLink := c.store.(linkText); !isLink { // a link's text may still be being read
			c.store = nothing
		}
		n.unlockContents(c)
	}
	sb.table.retire(n.ino)
	sb.limits.freeInode()
}

// accessPool keeps one access for each different value, so that an inode needs only a pointer. It forgets them when
// there are very many; those in use stay as they are.
type accessPool struct {
	last [2]atomic.Pointer[access] // of the newest file and directory: most of a program are alike
	mu   sync.Mutex                // rank RankLeaf
	all  map[access]*access
}

const maxAccesses = 4096

func (p *accessPool) get(a access) *access {
	last := &p.last[0]
	if a.isDir() {
		last = &p.last[1]
	}
	if shared := last.Load(); shared != nil && *shared == a {
		return shared
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	shared, found := p.all[a]
	if !found {
		if p.all == nil || len(p.all) >= maxAccesses {
			p.all = make(map[access]*access)
		}
		shared = new(access)
		*shared = a
		p.all[a] = shared
	}
	last.Store(shared)
	return shared
}
