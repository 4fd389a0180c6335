package memfs

import (
	"math"
	"sync"
	"sync/atomic"
	"time"

	"stagefs/dcache"
	"stagefs/locking"
	"stagefs/rbdir"
	"stagefs/stage"
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
	quotas   *quotas    // nil: off
	resizing sync.Mutex // rank RankLeaf: limits change one at a time
	clock    func() time.Time
	index    func() rbdir.Index[Ref] // nil: the RB-tree
	root     *inode
	stage    *pivots   // nil: every walk begins where its path does
	paths    PathCache // what a measurement has in its place; nil: nothing
	sample   uint32    // a walk is counted where a random number has none of these bits

	atime      Atime
	noDirAtime bool

	locks   atomic.Pointer[fileLockTable] // nil until the first lock is taken
	renames sync.Mutex                    // rank RankRename: held while a directory changes its parent
}

// startCaches makes what stands in front of the dentry cache, once there is a root.
func (sb *superblock) startCaches(c *config) {
	sb.sample = stage.DefaultSample - 1
	switch {
	case c.paths != nil:
		sb.paths = c.paths()
	case c.staged:
		sb.stage = stage.New(sb.root, c.stage)
		sb.sample = uint32(sb.stage.Sample() - 1)
	}
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
	sb.limits.pages.max.Store(c.maxPages)
	sb.limits.inodes.max.Store(spaceOf(c.maxInodes))
	sb.atime, sb.noDirAtime = c.atime, c.noDirAtime
	sb.quotas = newQuotas(sb, c.quotas)
	return sb
}

// now is asked before a change begins, and its answer given to stamp: a clock of the user's is read here, where nothing
// is locked.
func (sb *superblock) now() int64 {
	if sb.clock == nil {
		return 0
	}
	return nanoseconds(sb.clock())
}

// stamp returns the time to store, in nanoseconds since 1970, for what now returned. It is called with the lock held
// under which the time is stored: the system's clock is read here, so that times do not run backwards.
func (sb *superblock) stamp(now int64) int64 {
	if sb.clock == nil {
		return time.Now().UnixNano()
	}
	return now
}

// What 64 bits of nanoseconds hold, the years 1677 to 2262. Other times are clamped.
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
	n := sb.table.alloc(a.isDir())
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
func (sb *superblock) publish(n *inode, more int32) {
	initInt32(&n.refs, 1+more)
	sb.table.set(n)
}

// newDirectory is newInode for a directory that is going to hang at place; the root's parent is itself (nil here).
func (sb *superblock) newDirectory(a access, now int64, parent *inode, name string, index rbdir.Index[Ref]) *inode {
	n := sb.newInode(a, now)
	if parent == nil {
		parent = n
	}
	n.dir = &directory{}
	initUint32(&n.nlink, 2)
	if index != nil {
		n.dir.entries.InitIndex(n.ino, index)
	} else {
		n.dir.entries.Init(n.ino)
	}
	n.dir.up.Store(&dirPlace{parent, name})
	return n
}

// newIndex asks for the structure of another directory, where the user has said what to take in place of the RB-tree. It
// runs code of the user's, so nothing may be locked.
func (sb *superblock) newIndex() rbdir.Index[Ref] {
	if sb.index == nil {
		return nil
	}
	return sb.index()
}

// noText are the contents of a symbolic link that is gone.
var noText = &contents{store: linkText("")}

// evict frees an inode that has neither names nor open files. A walk may still have it at hand.
func (sb *superblock) evict(n *inode) {
	if sb.quotas != nil { // a change of the owner comes before, or finds the inode gone
		n.lock()
		defer n.unlock()
	}
	pages := int64(0)
	if c := n.data.Load(); c != nil {
		n.lockContents(c)
		pages = c.held.Load()
		n.unlockContents(c)
		if n.isSymlink() {
			n.data.Store(noText)
		} else {
			n.data.Store(nil)
		}
	}
	sb.table.retire(n.ino)
	a := n.access.Load()
	if a.more != nil {
		sb.limits.freeSpace(a.more.space)
	}
	sb.freeNode(a, pages)
}

// accessPool lets inodes with the same mode and owner share one access, so that an inode needs only a pointer. It is a
// table without a lock, in which a newer value takes the place of an older one: an inode keeps what it has got.
type accessPool [accessSlots]atomic.Pointer[access]

const accessSlots = 64

func (p *accessPool) get(a access) *access {
	if a.more != nil && len(a.more.attrs) > 0 { // nobody has the same, and values are not to be kept
		own := new(access)
		*own = a
		return own
	}
	slot := &p[(a.mode^a.mode>>6^a.mode>>16^a.uid*7^a.gid*13)%accessSlots]
	if shared := slot.Load(); shared != nil && *shared == a {
		return shared
	}
	shared := new(access)
	*shared = a
	slot.Store(shared)
	return shared
}
