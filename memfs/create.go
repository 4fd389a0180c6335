package memfs

import (
	"errors"
	"strings"
	"syscall"

	"stagefs/locking"
	"stagefs/rbdir"
)

// makeFile creates a regular file at p and returns it with a reference for the caller.
func (f *FS) makeFile(p *place, perm uint32) (*inode, errno) {
	return f.makeInode(p, modeRegular|perm&^f.umask, "")
}

// makeInode creates an inode of the given type and permissions (umask applied) at p, which mustNotExist has found free.
// The inode comes back with a reference for the caller. target is the text of a symbolic link.
func (f *FS) makeInode(p *place, mode uint32, target string) (*inode, errno) {
	sb := f.sb
	if e := f.mayAdd(p.dir); e != ok {
		return nil, e
	}
	now, name := sb.stamp(sb.now()), strings.Clone(p.name) // a clock of the user's is asked before anything is taken
	if !sb.limits.chargeInode() {
		return nil, syscall.ENOSPC
	}
	a := f.cred.newAccess(p.dir.access.Load(), mode)
	var n *inode
	links := 0
	if a.isDir() {
		n, links = sb.newDirectory(a, now, p.dir, name), 1
	} else {
		n = sb.newInode(a, now)
	}
	if target != "" {
		if e := sb.setTarget(n, target); e != ok {
			sb.evict(n)
			return nil, e
		}
	}
	n.publish(1)
	if e := sb.attach(p.dir, name, n.ref(), now, links); e != ok {
		n.refs.Store(0) // nobody has seen it
		sb.evict(n)
		return nil, e
	}
	return n, ok
}

// mayAdd checks that the user may create something in dir; a removed directory takes nothing more.
func (f *FS) mayAdd(dir *inode) errno {
	if dir.dir.entries.Dead() {
		return syscall.ENOENT
	}
	return f.cred.mayCreate(dir.access.Load())
}

// setTarget gives a new symbolic link its text, and charges the page that tmpfs would take for a long one.
func (sb *superblock) setTarget(n *inode, target string) errno {
	c := &contents{store: linkText(strings.Clone(target))}
	if pages := c.store.pages(); pages > 0 {
		if sb.limits.chargePages(pages) != pages {
			return syscall.ENOSPC
		}
		c.held.Store(pages)
	}
	n.data.Store(c)
	n.size.Store(int64(len(target)))
	return ok
}

// attach adds an entry to a directory. links is 1 for a subdirectory. On an error nothing has changed.
func (sb *superblock) attach(dir *inode, name string, ref Ref, now int64, links int) errno {
	h := sb.hasher.Sum(name)
	key := locking.Key{Dir: dir.ino, Hash: h}
	sb.names.Lock(key)
	defer sb.names.Unlock(key)
	var c rbdir.Change[Ref]
	c.Add(&dir.dir.entries, h)
	c.Begin()
	defer c.End()
	if _, err := dir.dir.entries.Insert(h, name, ref); err != nil {
		return insertErrno(err)
	}
	sb.drop(dir, name) // a negative entry
	dir.touchDir(now, links)
	return ok
}

// insertErrno says in the kernel's words why a directory took no entry.
func insertErrno(err error) errno {
	switch {
	case errors.Is(err, rbdir.ErrExist):
		return syscall.EEXIST
	case errors.Is(err, rbdir.ErrDead):
		return syscall.ENOENT
	}
	return syscall.ENOSPC // 65,536 names with one hash
}

// mkdir creates a directory; perm may have the sticky bit, other special bits are dropped as by the kernel.
func (f *FS) mkdir(p *place, perm uint32) errno {
	if e := p.mustNotExist(true); e != ok {
		return e
	}
	n, e := f.makeInode(p, modeDir|perm&(0o777|modeSticky)&^f.umask, "")
	if e == ok {
		f.sb.put(n)
	}
	return f.whyNot(p, true, e)
}

// symlink creates a symbolic link with the text target.
func (f *FS) symlink(target string, p *place) errno {
	if e := p.mustNotExist(false); e != ok {
		return e
	}
	n, e := f.makeInode(p, modeSymlink|0o777, target)
	if e == ok {
		f.sb.put(n)
	}
	return f.whyNot(p, false, e)
}

// checkTarget refuses what cannot be the text of a symbolic link.
func checkTarget(target string) errno { return checkPath(target, 0) }

// link gives n another name at p.
func (f *FS) link(n *inode, p *place) errno {
	sb := f.sb
	if e := p.mustNotExist(false); e != ok {
		return e
	}
	if e := f.cred.mayLink(n.access.Load()); e != ok {
		return e
	}
	if e := f.mayAdd(p.dir); e != ok {
		return e
	}
	if n.isDir() {
		return syscall.EPERM
	}
	now := sb.stamp(sb.now())
	if !sb.limits.chargeInode() { // as tmpfs does
		return syscall.ENOSPC
	}
	e := n.addLink() // before the name is there: its removal may follow at once
	if e != ok {
		sb.limits.freeInode()
		return e
	}
	if e = sb.attach(p.dir, strings.Clone(p.name), n.ref(), now, 0); e != ok {
		sb.unlinked(n, n.dropLink(n.ctime.Load())) // as if nothing had been
		return e
	}
	n.touchChange(now)
	return ok
}

// unlinked gives back what a name held, after dropLink said whether it was the last one: the reference of all names, or
// the charge of a further name.
func (sb *superblock) unlinked(n *inode, last bool) {
	if last {
		sb.put(n)
	} else {
		sb.limits.freeInode()
	}
}
