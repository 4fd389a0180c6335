package memfs

import (
	"io/fs"
	"syscall"
)

// Files that are neither regular files, directories nor links: fifos (fifo.go), sockets and devices. Sockets and devices
// are names with attributes; there is nobody behind them, so opening one fails with ENXIO.

// Mknod makes a file of the type that mode says: a regular file (no type), fs.ModeNamedPipe, fs.ModeSocket,
// fs.ModeDevice (a block device) or fs.ModeDevice|fs.ModeCharDevice. Permissions are as for OpenFile. dev is the number of
// a device as Linux has it in st_rdev, and of no meaning otherwise. It fails with EPERM for directories, and for devices
// unless the user is root; only a whiteout, the character device 0, may be made by everybody. Other types are EINVAL.
func (f *FS) Mknod(name string, mode fs.FileMode, dev uint64) error {
	return wrapPath("mknod", name, f.mknod(name, mode, dev))
}

// Mkfifo makes a fifo, a pipe with a name, as mkfifo(3).
func (f *FS) Mkfifo(name string, perm fs.FileMode) error {
	return wrapPath("mkfifo", name, f.mknod(name, perm&^fs.ModeType|fs.ModeNamedPipe, 0))
}

func (f *FS) mknod(name string, mode fs.FileMode, dev uint64) error {
	bits, e := specialType(mode)
	if e != ok {
		return e
	}
	var p place
	if f.confined {
		var err error
		if p, _, err = f.resolveConfined(name, 0, 0); err != nil {
			return err
		}
	} else if e := f.walk(name, walkParent|walkCreate, &p); e != ok {
		return e
	}
	if e := p.mustNotExist(false); e != ok {
		return e
	}
	isDevice := bits == modeChar || bits == modeBlock
	if e := f.mayAdd(p.dir); e != ok {
		return e
	}
	if isDevice && !f.cred.root() && !(bits == modeChar && dev == 0) {
		return syscall.EPERM
	}
	if !isDevice {
		dev = 0
	}
	n, e := f.makeInode(&p, bits|permBits(mode), newBody{rdev: dev})
	if e == ok {
		f.sb.put(n)
	}
	return asError(e)
}

// specialType returns the type bits for what Mknod is asked to make.
func specialType(mode fs.FileMode) (uint32, errno) {
	switch mode.Type() {
	case 0:
		return modeRegular, ok
	case fs.ModeNamedPipe:
		return modeFifo, ok
	case fs.ModeSocket:
		return modeSocket, ok
	case fs.ModeDevice:
		return modeBlock, ok
	case fs.ModeDevice | fs.ModeCharDevice:
		return modeChar, ok
	case fs.ModeDir:
		return 0, syscall.EPERM
	}
	return 0, syscall.EINVAL
}

// noBytes is a store without contents.
type noBytes struct{}

func (noBytes) readAt(p []byte, _ int64)   { clear(p) }
func (noBytes) writeAt([]byte, int64)      {}
func (noBytes) missing(int64, int64) int64 { return 0 }
func (noBytes) truncate(int64) int64       { return 0 }
func (noBytes) pages() int64               { return 0 }
func (noBytes) extent(off int64, data bool) int64 {
	if data {
		return -1
	}
	return off
}

// deviceNumber is the store of a device: its number.
type deviceNumber struct {
	noBytes
	rdev uint64
}

// rdev returns the number of a device, 0 of everything else.
func (n *inode) rdev() uint64 {
	if c := n.data.Load(); c != nil {
		if d, isDevice := c.store.(deviceNumber); isDevice {
			return d.rdev
		}
	}
	return 0
}

// newBody is what a new inode has besides its attributes.
type newBody struct {
	target string // text of a symbolic link
	rdev   uint64 // number of a device
}

// make makes the contents that an inode of the given mode begins with, nil for none, and charges them.
func (b newBody) make(sb *superblock, mode uint32) (*contents, errno) {
	switch mode & modeType {
	case modeSymlink:
		return sb.newText(b.target)
	case modeChar, modeBlock:
		return &contents{store: deviceNumber{rdev: b.rdev}}, ok
	case modeFifo:
		return &contents{store: newFifo()}, ok
	}
	return nil, ok
}

// openSpecial opens what is neither regular nor a directory: it returns the end of a fifo, waiting for its other end if
// it has to. The caller has a reference on n.
func (n *inode) openSpecial(flags int) (*fifoEnd, errno) {
	switch n.access.Load().mode & modeType {
	case modeRegular, modeDir:
		return nil, ok
	case modeFifo:
		if q := n.fifo(); q != nil {
			return q.open(flags)
		}
	}
	return nil, syscall.ENXIO
}
