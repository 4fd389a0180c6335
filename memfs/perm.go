package memfs

import "syscall"

// Permission bits as the kernel's inode_permission takes them.
const (
	mayExec  = 1 // search, for a directory
	mayWrite = 2
	mayRead  = 4
)

// access is what decides who may do what with an inode. It is immutable, and shared by all inodes that have the same:
// a reader takes one pointer and sees mode and owner of one moment, without a lock.
type access struct {
	mode uint32 // type and permission bits, modeHasACL, modeHasCaps
	uid  uint32
	gid  uint32
	more *extras // nil for most
}

func (a *access) isDir() bool     { return a.mode&modeType == modeDir }
func (a *access) isRegular() bool { return a.mode&modeType == modeRegular }

// maySearch is the check of every step of a walk, so its common answer comes first.
func (c *Cred) maySearch(a *access) bool {
	return a.mode&(modeExec|modeHasACL) == modeExec || c.may(a, mayExec)
}

// may reports whether c has all the wanted permissions. Root has them all, but for executing what nobody may execute.
func (c *Cred) may(a *access, want uint32) bool {
	if c.root() {
		return want&mayExec == 0 || a.isDir() || a.mode&modeExec != 0
	}
	bits := a.mode
	switch {
	case a.uid == c.Uid:
		bits >>= 6
	case bits&modeHasACL != 0 && bits&0o070 != 0: // where the group bits are 0 the kernel does not look at the ACL
		return a.more.acl.permits(c, a, want)
	case c.in(a.gid):
		bits >>= 3
	}
	return want&^bits == 0
}

// owns reports whether c may do what only the owner may.
func (c *Cred) owns(a *access) bool { return c.root() || c.Uid == a.uid }

// mayCreate checks that c may add an entry to directory d.
func (c *Cred) mayCreate(d *access) errno {
	if !c.may(d, mayWrite|mayExec) {
		return syscall.EACCES
	}
	return ok
}

// mayDelete checks that c may remove the entry of an inode with access n from directory d; wantDir tells what the call
// removes. The order of the checks is the kernel's.
func (c *Cred) mayDelete(d, n *access, wantDir bool) errno {
	if !c.may(d, mayWrite|mayExec) {
		return syscall.EACCES
	}
	if d.mode&modeSticky != 0 && !c.owns(n) && c.Uid != d.uid {
		return syscall.EPERM
	}
	switch {
	case wantDir && !n.isDir():
		return syscall.ENOTDIR
	case !wantDir && n.isDir():
		return syscall.EISDIR
	}
	return ok
}

// mayLink is the kernel's protected_hardlinks: who neither owns a file nor may read and write it gets no name of his
// own for it.
func (c *Cred) mayLink(n *access) errno {
	if c.owns(n) {
		return ok
	}
	const groupExec = modeSetgid | 0o010
	special := !n.isRegular() || n.mode&modeSetuid != 0 || n.mode&groupExec == groupExec
	if special || !c.may(n, mayRead|mayWrite) {
		return syscall.EPERM
	}
	return ok
}

// newAccess is the mode and owner of a new inode below directory d, by the rules of setgid directories.
func (c *Cred) newAccess(d *access, mode uint32) access {
	a := access{mode: mode, uid: c.Uid, gid: c.Gid}
	if d.mode&modeSetgid == 0 {
		return a
	}
	a.gid = d.gid
	const groupExec = modeSetgid | 0o010
	switch {
	case a.isDir():
		a.mode |= modeSetgid
	case mode&groupExec == groupExec && !c.in(d.gid) && !c.root():
		a.mode &^= modeSetgid
	}
	return a
}

// withoutSetID is a's mode after c changed the contents: set-id bits that would run someone else's changes are gone.
func (c *Cred) withoutSetID(a *access) uint32 {
	if c.root() || !a.isRegular() {
		return a.mode
	}
	return dropSetID(c, a)
}

// dropSetID takes setuid away, and setgid where it means "run as the group" or the caller is not of that group.
func dropSetID(c *Cred, a *access) uint32 {
	mode := a.mode &^ modeSetuid
	if mode&modeSetgid != 0 && (mode&0o010 != 0 || !(c.in(a.gid) || c.root())) {
		mode &^= modeSetgid
	}
	return mode
}
