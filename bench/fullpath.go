package bench

import (
	"sync"
	"sync/atomic"

	"stagefs/locking"
	"stagefs/memfs"
)

// fullPathCache is the directory cache of Tsai, Zhan, Reddy, Jiao, Zhang and Porter
// ("How to Get More Value from Your File System Directory Cache", SOSP 2015;
// github.com/oscarlab/dcache), the cache of whole paths that stage lookup is
// measured against. It has the parts of the original under their names:
//
//   - A signature of 256 bits stands for the canonical path (fullpathsign.go).
//   - The direct lookup hash table (DLHT) of 2^16 chains finds the fdentry of a
//     signature. Names are not compared: two paths with one signature are one
//     path to this structure, as to the original, which trusts 256 random bits.
//   - The prefix check cache (PCC) of a credential knows directories that it may
//     search from the root down (fullpathpcc.go). An fdentry names the directory
//     it wants in there, its parent, by number and version ("prefix"), so that
//     one probe checks all directories on the way and siblings share an entry.
//   - A change of a directory's name, mode or owner walks every cached
//     descendant and makes its prefix invalid (fullpathtree.go). That is the
//     price of the structure: it grows with the cached subtree.
//   - The global invalidateSeq is odd while a change is on its way. A walk that
//     it overtook adds nothing.
//
// A Get takes no lock, allocates nothing, and writes at most two bits, once
// between two passes of an eviction. Changes and new entries share one mutex.
//
// # Where it is not the original
//
//   - Slashes are signed, so that /abcdefgh/ij and /abcdefghij differ. By our
//     reading they are one path to the original.
//   - Versions come from one counter and are never given twice, and a directory
//     is known by its inode number; the original takes an address and a counter
//     per dentry. So no credential inherits the rights to another directory. When
//     the 32 bits are used up, everything is forgotten.
//   - A signed fdentry never changes its signature; a renamed directory gets a
//     new one at its next walk. Readers hence need no sequence lock: the prefix,
//     one word, is what the original's d_seq and prefix fields are together.
//   - The fdentry of a file, or of a directory with nothing cached below, is
//     dropped by a change at once. It costs the same and keeps no removed file
//     alive. Others stay, invalid, for the next walk to make valid again.
//   - The kernel's dentries form a tree already. Here the links are part of it.
//   - The paths that memfs asks for are absolute, without "..", and lead through
//     no link. So the parts for those are left out, and with them the stored
//     signature of a link's target, negative entries, and completeness: a
//     directory in memory is always complete.
//   - The original lives in the dentry cache and has its bound. This has limit
//     entries of its own, with a clock hand; the hand passes over directories
//     with something cached below, as the kernel's does.
//
// It is generic only for tests, which cannot make a memfs.Node.
type fullPathCache[N pathNode] struct {
	// Read by every Get, written by none.
	signer signer
	table  *[dlhtBuckets]atomic.Pointer[fdentry[N]] // DLHT; written under mu
	_      [cacheLine]byte
	creds  atomic.Pointer[credTable] // written under mu
	_      [cacheLine]byte

	// invalidateSeq moves before and after changes; written under mu.
	invalidateSeq atomic.Uint64
	_             [cacheLine]byte

	mu sync.Mutex // rank leaf

	// Protected by mu.
	limit    int
	changing int           // changes on their way
	lastSeq  uint32        // the newest version of a directory
	root     *fdir[N]      // nil before the first Add
	nodes    []*fdentry[N] // chains of all entries, by inode number
	slots    []*fdentry[N] // all entries, for the clock hand
	hand     int           // index into slots
}

// pathNode is what fullPathCache needs of a memfs.Node.
type pathNode interface {
	comparable
	Ino() uint64
	IsDir() bool
}

var _ memfs.PathCache = (*fullPathCache[memfs.Node])(nil)

const (
	dlhtBuckets = 1 << 16 // DCACHE_FAST_HASHTABLE_ORDER
	maxPath     = 4096    // bytes of a path that is signed; longer ones are never known
)

// newFullPath returns an empty cache, bounded like memfs's dentry cache.
func newFullPath() memfs.PathCache { return newFullPathOf[memfs.Node](memfs.DefaultDcache) }

// newFullPathOf returns an empty cache of at most limit entries.
func newFullPathOf[N pathNode](limit int) *fullPathCache[N] {
	c := &fullPathCache[N]{
		table: new([dlhtBuckets]atomic.Pointer[fdentry[N]]),
		limit: max(limit, 1),
		nodes: make([]*fdentry[N], dlhtBuckets),
	}
	c.signer.init()
	c.creds.Store(new(credTable))
	return c
}

// Get implements memfs.PathCache. In the order of the original's fast path:
// sign, walk the chain, check the prefix, and look again whether the entry has
// become invalid meanwhile.
func (c *fullPathCache[N]) Get(path string, cred *memfs.Cred) (n N, ok bool) {
	if len(path) > maxPath {
		return n, false
	}
	sig := c.signer.sign(path)
	for e := c.bucket(&sig).Load(); e != nil; e = e.next.Load() {
		if e.signature != sig {
			continue
		}
		prefix := e.prefix.Load()
		if prefix == invalidPrefix || !c.creds.Load().pcc(cred).has(prefix) {
			continue
		}
		if e.prefix.Load() != prefix {
			continue
		}
		if e.used.Load() == 0 {
			e.used.Store(1)
		}
		return e.node, true
	}
	return n, false
}

// Begin implements memfs.PathCache.
func (c *fullPathCache[N]) Begin() uint64 { return c.invalidateSeq.Load() }

// Add implements memfs.PathCache.
func (c *fullPathCache[N]) Add(begin uint64, cred *memfs.Cred, path string, start, end int, dir, child N) {
	if begin&1 != 0 || end > maxPath {
		return // a change was on its way
	}
	sig := c.signer.sign(path[:end])
	if c.permit(begin, cred, &sig, dir, child) {
		return
	}
	c.lock()
	defer c.unlock()
	c.reserve(2)
	if c.invalidateSeq.Load() != begin {
		return
	}
	d := c.directory(dir, start == 0)
	if d == nil {
		return
	}
	if e := c.entry(d, &sig, child); e != nil {
		e.prefix.Store(d.prefix())
		c.pcc(cred).add(d.prefix())
	}
}

// permit is Add where the entry is there and valid, and only cred's PCC may
// lack its directory. It reports whether that was so, and takes no lock.
func (c *fullPathCache[N]) permit(begin uint64, cred *memfs.Cred, sig *pathSignature, dir, child N) bool {
	p := c.creds.Load().pcc(cred) // first: should the versions wrap, this one is forgotten
	if p == nil {
		return false
	}
	for e := c.bucket(sig).Load(); e != nil; e = e.next.Load() {
		if e.signature != *sig || e.node != child || e.parent.node != dir {
			continue
		}
		prefix := e.prefix.Load()
		// The prefix is one of the time of the walk if no change has begun since.
		// If one begins now, it gives the directory another version.
		if prefix == invalidPrefix || c.invalidateSeq.Load() != begin {
			return false
		}
		p.add(prefix)
		return true
	}
	return false
}

// Change implements memfs.PathCache. All that is invalid is so when it returns,
// and stays so until the last Changed.
func (c *fullPathCache[N]) Change(n N) {
	c.lock()
	defer c.unlock()
	c.reserve(uint32(len(c.slots)) + 1)
	if c.changing == 0 {
		c.invalidateSeq.Add(1)
	}
	c.changing++
	c.invalidate(n)
}

// Changed implements memfs.PathCache.
func (c *fullPathCache[N]) Changed(N) {
	c.lock()
	defer c.unlock()
	if c.changing--; c.changing == 0 {
		c.invalidateSeq.Add(1)
	}
}

func (c *fullPathCache[N]) lock() {
	locking.Acquired(locking.RankLeaf, 0, 0)
	c.mu.Lock()
}

func (c *fullPathCache[N]) unlock() {
	c.mu.Unlock()
	locking.Released(locking.RankLeaf, 0, 0)
}
