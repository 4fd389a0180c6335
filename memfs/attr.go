package memfs

import (
	"syscall"

	"stagefs/stage"
)

// Changes of attributes. Each takes the inode's lock, looks at mode and owner as they are then, and publishes new ones.

// setAccess publishes mode and owner; the inode is locked.
func (sb *superblock) setAccess(n *inode, a access, now int64) {
	n.access.Store(sb.accesses.get(a))
	n.ctime.Store(now)
}

// changeAccess is setAccess of an inode that may be a directory: no walk may skip it as what it was.
func (sb *superblock) changeAccess(n *inode, a access, now int64) {
	switch was := n.access.Load(); {
	case *was == a:
		n.ctime.Store(now)
	case n.dir == nil || was.guard() == nil && a.guard() == nil && sb.paths == nil:
		sb.setAccess(n, a, now)
	default:
		sb.changing(n, stage.Closes)
		sb.setAccess(n, a, now)
		sb.changed(n)
	}
}

// chmod sets the permission bits. Setgid is dropped silently by an owner who is not of the file's group.
func (f *FS) chmod(n *inode, perm uint32) errno {
	now := f.sb.now()
	n.lock()
	defer n.unlock()
	now = f.sb.stamp(now)
	a := *n.access.Load()
	if !f.cred.owns(&a) {
		return syscall.EPERM
	}
	if perm&modeSetgid != 0 && !f.cred.root() && !f.cred.in(a.gid) {
		perm &^= modeSetgid
	}
	a.setPerm(perm)
	f.sb.changeAccess(n, a, now)
	return ok
}

// keepID is the uid or gid that leaves the owner or group as it is.
const keepID = ^uint32(0)

// chown sets owner and group. Set-id bits of what is no directory go, whoever asks.
func (f *FS) chown(n *inode, uid, gid uint32) errno {
	now := f.sb.now()
	counted := n.get()
	if counted {
		defer f.sb.put(n)
	}
	n.lock()
	defer n.unlock()
	now = f.sb.stamp(now)
	a := *n.access.Load()
	c := f.cred
	if uid != keepID && !c.root() && !(c.Uid == a.uid && uid == a.uid) {
		return syscall.EPERM
	}
	if gid != keepID && !c.root() && !(c.Uid == a.uid && (c.in(gid) || gid == a.gid)) {
		return syscall.EPERM
	}
	if !a.isDir() {
		mode := dropSetID(c, &a)
		if mode != a.mode && !c.owns(&a) { // that is a chmod, too
			return syscall.EPERM
		}
		a.mode = mode
	}
	if uid != keepID {
		a.uid = uid
	}
	if gid != keepID {
		a.gid = gid
	}
	space := int64(0)
	if !a.isDir() {
		space = a.dropCaps(counted)
	}
	e := f.sb.changeOwner(n, a, f.payer(now), now)
	if e == ok {
		f.sb.limits.freeSpace(space)
	}
	return e
}

// timeChange says what chtimes does with one time.
type timeChange struct {
	omit bool
	to   int64
}

// chtimes sets access and modification time.
func (f *FS) chtimes(n *inode, atime, mtime timeChange) errno {
	now := f.sb.now()
	n.lock()
	defer n.unlock()
	if !f.cred.owns(n.access.Load()) {
		return syscall.EPERM
	}
	if !atime.omit {
		n.atime.Store(atime.to)
	}
	if !mtime.omit {
		n.mtime.Store(mtime.to)
	}
	n.ctime.Store(f.sb.stamp(now))
	return ok
}

// modified sets the times of a file whose contents are about to change, and takes away its set-id bits, as the kernel
// does before it writes.
func (f *FS) modified(n *inode, now int64) {
	n.lock()
	now = f.sb.stamp(now)
	n.mtime.Store(now)
	n.ctime.Store(now)
	if a := *n.access.Load(); a.mode&(modeSetuid|modeSetgid|modeHasCaps) != 0 {
		a.mode = f.cred.withoutSetID(&a)
		f.sb.limits.freeSpace(a.dropCaps(true)) // who changes contents has a reference
		f.sb.setAccess(n, a, now)
	}
	n.unlock()
}

// truncate sets the size of a regular file that the user may write; the times change even where the size does not.
func (f *FS) truncate(n *inode, size, now int64) {
	f.modified(n, now)
	f.sb.truncate(n, size)
}

// truncatePath is truncate for a file that was found by its path.
func (f *FS) truncatePath(n *inode, size int64) errno {
	switch a := n.access.Load(); {
	case a.isDir():
		return syscall.EISDIR
	case !a.isRegular():
		return syscall.EINVAL
	case !f.cred.may(a, mayWrite):
		return syscall.EACCES
	}
	now := f.sb.now()
	if !n.get() {
		return ok // removed since it was found, and nobody has it open: nobody can tell
	}
	f.truncate(n, size, now)
	f.sb.put(n)
	return ok
}
