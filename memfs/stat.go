package memfs

import (
	"io/fs"
	"runtime"
	"time"

	"stagefs/locking"
)

// Stat is what the file system knows of an inode, as stat(2) tells it. FS.StatInto fills one that belongs to the
// caller, so a lookup need not allocate.
type Stat struct {
	Dev     uint64 // the file system; differs between file systems of one process
	Ino     uint64 // never used again within one file system
	Mode    uint32 // type and permission bits as in Linux's st_mode
	Nlink   uint32
	Uid     uint32
	Gid     uint32
	Rdev    uint64
	Size    int64 // bytes; of a directory 40, and 20 for each entry, as on tmpfs
	Blksize int64 // 4,096
	Blocks  int64 // allocated contents in units of 512 bytes, whole pages of 4 KiB counted
	Atime   int64 // nanoseconds since 1970
	Mtime   int64
	Ctime   int64
	Btime   int64
}

// FileMode returns the type and permissions as package fs has them.
func (st *Stat) FileMode() fs.FileMode { return fileMode(st.Mode) }

// IsDir reports whether it is a directory.
func (st *Stat) IsDir() bool { return st.Mode&modeType == modeDir }

const (
	blockSize      = 512
	dirSize        = 40 // what tmpfs says an empty directory has
	dirEntrySize   = 20
	blocksPerPage  = pageSize / blockSize
	seqlockRetries = 8
)

// fill reads all attributes as of one moment. It takes no lock unless writers keep it from succeeding.
func (n *inode) fill(dev uint64, st *Stat) {
	for try := 0; ; try++ {
		seq := n.seq.Load()
		if seq&1 == 0 {
			n.read1(dev, st)
			if n.seq.Load() == seq {
				return
			}
		}
		if try == seqlockRetries {
			break
		}
		runtime.Gosched()
	}
	locking.Acquired(locking.RankAttributes, n.ino, 0)
	n.mu.Lock()
	n.read1(dev, st)
	n.mu.Unlock()
	locking.Released(locking.RankAttributes, n.ino, 0)
}

// fillAlive is fill for an inode that a walk has just found. It is false if the inode was freed since: then it has no
// contents any more, and the name has to be looked up again. A removed directory has all it ever had.
func (sb *superblock) fillAlive(n *inode, st *Stat) bool {
	n.fill(sb.dev, st)
	return st.Nlink != 0 || n.isDir() || n.refs.Load() > 0
}

// read1 reads the attributes once; they are of one moment if seq was even and did not move meanwhile.
func (n *inode) read1(dev uint64, st *Stat) {
	a := n.access.Load()
	st.Dev, st.Ino = dev, n.ino
	st.Mode, st.Uid, st.Gid = a.mode&modeShown, a.uid, a.gid
	st.Nlink, st.Rdev = n.nlink.Load(), 0
	st.Size, st.Blksize, st.Blocks = n.size.Load(), pageSize, 0
	st.Atime, st.Mtime, st.Ctime, st.Btime = n.atime.Load(), n.mtime.Load(), n.ctime.Load(), n.btime
	if n.dir != nil {
		st.Size = dirSize + dirEntrySize*int64(n.dir.entries.Len())
	} else if c := n.data.Load(); c != nil {
		st.Blocks = blocksPerPage * c.held.Load()
		if kind := a.mode & modeType; kind == modeChar || kind == modeBlock {
			st.Rdev = n.rdev()
		}
	}
}

// fileInfo is the snapshot that Stat and its kin return: one allocation.
type fileInfo struct {
	name string
	st   Stat
}

// newFileInfo makes the FileInfo of n under the last component of path.
func (sb *superblock) newFileInfo(n *inode, path string) *fileInfo {
	fi := &fileInfo{name: baseName(path)}
	n.fill(sb.dev, &fi.st)
	return fi
}

func (fi *fileInfo) Name() string       { return fi.name }
func (fi *fileInfo) Size() int64        { return fi.st.Size }
func (fi *fileInfo) Mode() fs.FileMode  { return fi.st.FileMode() }
func (fi *fileInfo) ModTime() time.Time { return time.Unix(0, fi.st.Mtime) }
func (fi *fileInfo) IsDir() bool        { return fi.st.IsDir() }

// Sys returns a *syscall.Stat_t on Unix systems and a *Stat elsewhere, made by each call.
func (fi *fileInfo) Sys() any { return sysStat(&fi.st) }

// String returns what fs.FormatFileInfo makes of fi.
func (fi *fileInfo) String() string { return fs.FormatFileInfo(fi) }

// SameFile reports whether two FileInfos of this package are of the same file. It is false for those of other packages.
func (f *FS) SameFile(fi1, fi2 fs.FileInfo) bool {
	a, ok1 := fi1.(*fileInfo)
	b, ok2 := fi2.(*fileInfo)
	return ok1 && ok2 && a.st.Dev == b.st.Dev && a.st.Ino == b.st.Ino
}
