package memfs

import (
	"io/fs"
	"os"
	"sync/atomic"
	"syscall"
)

// FS is a view of a file system: who asks, from which working directory, below which root. New makes a file system and
// its first view; As and OpenRoot make further views of the same files. The methods are those of package os, with its
// names, results and errors. All may be called by several goroutines at once.
type FS struct {
	sb    *superblock
	cred  *Cred
	umask uint32
	root  *inode
	cwd   *atomic.Pointer[inode]

	// Where root and cwd stand in the pool of pivots, if they are not the root of all.
	rootBase, cwdBase *stageBase

	fromRoot bool // all paths begin at the root: the io/fs view

	confined bool         // by OpenRoot: answers like os.Root
	name     string       // of a confined view: what OpenRoot was given
	closed   *atomic.Bool // shared by the views derived from a confined one
}

// New makes an empty file system: a root directory of mode 0755 that belongs to the user of this process, who also is
// whom the calls act as. It starts no goroutine, and needs no Close.
func New(options ...Option) *FS {
	c := defaults()
	for _, option := range options {
		if option != nil {
			option(&c)
		}
	}
	if !c.credSet {
		c.cred = ProcessCred()
	}
	sb := newSuperblock(&c)
	root := access{mode: modeDir | c.rootMode, uid: c.cred.Uid, gid: c.cred.Gid}
	if c.rootUid != keepID {
		root.uid = c.rootUid
	}
	if c.rootGid != keepID {
		root.gid = c.rootGid
	}
	sb.limits.inodes.Add(inodeSpace)
	if sb.quotas != nil {
		sb.quotas.chargeInode(&root, payer{root: true, now: sb.now()})
	}
	sb.root = sb.newDirectory(root, sb.stamp(sb.now()), nil, "", sb.newIndex())
	sb.publish(sb.root, 0)
	f := &FS{sb: sb, cred: c.cred.clone(), umask: c.umask, root: sb.root, cwd: new(atomic.Pointer[inode])}
	f.rootBase, f.cwdBase = new(stageBase), new(stageBase)
	f.cwd.Store(sb.root)
	sb.startCaches(&c)
	return f
}

// view copies f.
func (f *FS) view() *FS {
	v := *f
	v.cwd = new(atomic.Pointer[inode])
	v.cwd.Store(f.cwd.Load())
	v.cwdBase = new(stageBase)
	return &v
}

// As returns a view that acts as cred, with the same root and, to begin with, the same working directory.
func (f *FS) As(cred Cred) *FS {
	v := f.view()
	v.cred = cred.clone()
	return v
}

// WithUmask returns a view like f that takes the bits of mask from every new file and directory.
func (f *FS) WithUmask(mask fs.FileMode) *FS {
	v := f.view()
	v.umask = uint32(mask.Perm())
	return v
}

// Cred returns who f acts as.
func (f *FS) Cred() Cred { return *f.cred.clone() }

// Close ends a view from OpenRoot, whose calls then fail with fs.ErrClosed. The first view of a file system needs no
// Close, and is not changed by it.
func (f *FS) Close() error {
	if f.confined {
		f.closed.Store(true)
	}
	return nil
}

// Chdir changes the working directory of this view. A view from OpenRoot has none: ENOTSUP.
func (f *FS) Chdir(dir string) error {
	if f.confined {
		return pathError("chdir", dir, syscall.ENOTSUP)
	}
	n, e := f.lookup(dir, walkFollow)
	if e == ok {
		e = f.chdir(n)
	}
	return pathError("chdir", dir, e)
}

func (f *FS) chdir(n *inode) errno {
	switch {
	case f.confined:
		return syscall.ENOTSUP
	case !n.isDir():
		return syscall.ENOTDIR
	case !f.cred.maySearch(n.access.Load()):
		return syscall.EACCES
	}
	f.cwd.Store(n)
	f.cwdBase.Store(nil)
	return ok
}

// Getwd returns the working directory's path below this view's root, wherever it has been moved to. ENOENT says that it
// was removed.
func (f *FS) Getwd() (string, error) {
	path, found := f.cwd.Load().pathBelow(f.root)
	if !found {
		return "", os.NewSyscallError("getwd", syscall.ENOENT)
	}
	return path, nil
}

// Usage is what Statfs tells of a whole file system.
type Usage struct {
	BlockSize   int64 // bytes of a block: 4,096
	Blocks      int64 // limit in blocks; 0 without a limit
	BlocksUsed  int64
	BlocksFree  int64 // 0 without a limit
	Inodes      int64 // limit; 0 without a limit
	InodesUsed  int64 // further hard links counted, and each KiB begun of extended attributes, as tmpfs does
	InodesFree  int64 // 0 without a limit
	NameMax     int64 // bytes in a name: 255
	DcacheStats DcacheStats
}

// DcacheStats counts what the dentry cache did.
type DcacheStats struct {
	Hits      uint64 // an estimate: counted for one in 64 walks
	Misses    uint64 // the others are exact
	Fills     uint64 // dentries made; of files a full cache makes one for about one miss in four
	Evictions uint64 // dentries that made room for others
	Entries   int
	Limit     int // 0: no cache
}

// Statfs returns the limits and what is used of them.
func (f *FS) Statfs() Usage {
	l := &f.sb.limits
	s := Usage{BlockSize: pageSize, NameMax: nameMax}
	s.BlocksUsed, s.Blocks = l.pages.read()
	space, most := l.inodes.read()
	s.InodesUsed, s.Inodes = (space+inodeSpace-1)/inodeSpace, most/inodeSpace
	if s.Blocks > 0 {
		s.BlocksFree = s.Blocks - s.BlocksUsed
	}
	if s.Inodes > 0 {
		s.InodesFree = s.Inodes - s.InodesUsed
	}
	if c := f.sb.cache; c != nil {
		st := c.Stats()
		s.DcacheStats = DcacheStats{
			Hits: st.Hits, Misses: st.Misses, Fills: st.Fills + st.NegativeFills, Evictions: st.Evictions,
			Entries: st.Entries, Limit: st.Limit,
		}
	}
	return s
}
