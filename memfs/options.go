package memfs

import (
	"io/fs"
	"math"
	"time"

	"stagefs/rbdir"
	"stagefs/stage"
)

// Option changes a default of New. A value out of range is brought into the range that the option names.
type Option func(*config)

type config struct {
	maxPages   int64
	maxInodes  int64
	atime      Atime
	noDirAtime bool
	quotas     [2]*Quota // by QuotaKind
	umask      uint32
	rootMode   uint32
	rootUid    uint32 // keepID: that of cred
	rootGid    uint32
	clock      func() time.Time
	narrow     func(uint64) uint64
	seed       uint64
	dcache     int
	negative   bool
	cred       Cred
	credSet    bool
	index      func() rbdir.Index[Ref]
	stage      stage.Config
	staged     bool
	paths      func() PathCache
}

// DefaultDcache is the number of dentries that are cached unless WithDcache says otherwise.
const DefaultDcache = 65536

// defaultDcache is changed by tests, which all have to pass with a cache of one dentry.
var defaultDcache = DefaultDcache

func defaults() config {
	return config{
		umask: 0o022, rootMode: 0o755, rootUid: keepID, rootGid: keepID,
		dcache: defaultDcache, negative: true, staged: true,
	}
}

// WithSize limits the bytes of all contents together, counted in pages of 4 KiB as tmpfs does (rounded up to one).
// A write beyond it stores what fits and fails with ENOSPC. 0 or less means no limit, the default.
func WithSize(bytes int64) Option {
	if bytes <= 0 {
		return WithBlocks(0)
	}
	return WithBlocks(pagesOf(bytes))
}

// WithBlocks is WithSize in blocks of 4 KiB, the mount option nr_blocks.
func WithBlocks(n int64) Option { return func(c *config) { c.maxPages = max(n, 0) } }

// WithSizePercent is WithSize in percent of this machine's memory, which may be more than 100; where the system does not
// tell how much memory it has, of 4 GiB.
func WithSizePercent(percent int) Option {
	return WithBlocks(percentPages(uint64(max(percent, 0))))
}

// WithInodes limits the number of inodes, the root and every further hard link counted. Beyond it nothing can be
// created: ENOSPC. As in tmpfs extended attributes take from it, too: each inode counts for 1,024 bytes, and an attribute
// for 40 and those of its name and value. 0 or less means no limit, the default; 2^53-1 is the most.
func WithInodes(n int64) Option { return func(c *config) { c.maxInodes = max(n, 0) } }

// WithUmask sets the permission bits that are taken from every new file and directory; the default is 022. The
// process's own umask is not looked at.
func WithUmask(mask fs.FileMode) Option { return func(c *config) { c.umask = uint32(mask.Perm()) } }

// WithRootMode sets the permissions of the root directory; the default is 0755.
func WithRootMode(mode fs.FileMode) Option { return func(c *config) { c.rootMode = permBits(mode) } }

// WithRootOwner sets who owns the root directory; -1, or a number that is no id, stands for user or group of WithCred, as
// which the first view acts.
func WithRootOwner(uid, gid int) Option {
	return func(c *config) { c.rootUid, c.rootGid = ownerOf(uid), ownerOf(gid) }
}

// ownerOf returns the id for a number, keepID if it is none.
func ownerOf(id int) uint32 {
	if id < 0 || uint64(id) > math.MaxUint32 {
		return keepID
	}
	return uint32(id)
}

// WithClock sets where times come from; the default is time.Now. It is called with no lock held that the file system
// would need again, but from many goroutines at once.
func WithClock(now func() time.Time) Option { return func(c *config) { c.clock = now } }

// WithSeed sets the seed of the name hash, which decides the order of unsorted listings. The default is fixed, so that
// listings repeat; a program that stores names chosen by strangers should take a random one.
func WithSeed(seed uint64) Option { return func(c *config) { c.seed = seed } }

// WithHash replaces the 47-bit hash of each name by f of it, to force collisions in tests. f must be a pure function. A
// directory takes 65,536 names with one hash, then it is full (ENOSPC).
func WithHash(f func(uint64) uint64) Option { return func(c *config) { c.narrow = f } }

// WithDcache sets how many dentries are cached. A full cache takes in all directories, but only one in four of the files
// that are looked up, so that it is of use also where more is looked up in turn than it holds. 0 or less turns the cache off: every step of a walk then takes the
// directory's latch.
func WithDcache(entries int) Option { return func(c *config) { c.dcache = max(entries, 0) } }

// WithNegative tells whether the cache also remembers names that do not exist (at most an eighth of it); the default is
// true.
func WithNegative(on bool) Option { return func(c *config) { c.negative = on } }

// WithCred sets who the file system's calls act as, and who owns the root directory unless WithRootOwner says otherwise; the default is ProcessCred.
func WithCred(cred Cred) Option {
	return func(c *config) { c.cred, c.credSet = *cred.clone(), true }
}

// WithDirectoryIndex replaces the RB-tree of every directory by what f returns, for measuring other structures against
// it.
func WithDirectoryIndex(f func() rbdir.Index[Ref]) Option { return func(c *config) { c.index = f } }
