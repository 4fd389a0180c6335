package memfs

import (
	"errors"
	"strings"
	"syscall"

	"stagefs/rbdir"
)

// makeFile creates a regular file at p and returns it with a reference for the caller.
func (f *FS) makeFile(p *place, perm uint32) (*inode, errno) {
	return f.makeInode(p, modeRegular|perm, newBody{})
}

// makeInode creates an inode of the given type and permissions (before the umask) at p, which mustNotExist has not found
// taken. The inode is made, and charged, only once the directory is held and its name known to be free. It comes back
// with a reference for the caller. This is one step, which never lets go of the
// directory and comes back, so it needs no name lock.
func (f *FS) makeInode(p *place, mode uint32, body newBody) (n *inode, e errno) {
	sb, dir := f.sb, p.dir
	if e := f.mayAdd(dir); e != ok {
		return nil, e
	}
	now := sb.now() // a clock of the user's is asked before anything is locked
	h := sb.hasher.Sum(p.name)
	var index rbdir.Index[Ref]
	if mode&modeType == modeDir {
		index = sb.newIndex()
	}
	var c rbdir.Change[Ref]
	c.Add(&dir.dir.entries, h)
	c.Begin()
	defer c.End()
	_, err := dir.dir.entries.Add(h, p.name, func() (string, Ref, error) {
		now = sb.stamp(now)
		name := strings.Clone(p.name)
		if n, e = sb.newNode(f.newAccess(dir.access.Load(), mode), now, dir, name, body, index); e != ok {
			return "", 0, e
		}
		return name, n.ref(), nil
	})
	if err != nil {
		return nil, insertErrno(err)
	}
	links := 0
	if n.isDir() {
		links = 1
	}
	sb.drop(dir, p.name) // a negative entry
	sb.touchDir(dir, now, links)
	return n, ok
}

// newNode makes an inode of any kind for a name in dir, and charges what it takes. It can be found by its number from now
// on, and has a reference for the caller.
func (sb *superblock) newNode(a access, now int64, dir *inode, name string, body newBody, index rbdir.Index[Ref]) (
	n *inode, e errno) {
	if e = sb.chargeNode(&a, now); e != ok {
		return nil, e
	}
	c, e := body.make(sb, a.mode)
	if e == ok && c != nil {
		e = sb.chargeText(&a, c.held.Load(), now)
	}
	if e != ok {
		sb.freeNode(&a, 0)
		return nil, e
	}
	if a.isDir() {
		n = sb.newDirectory(a, now, dir, name, index)
	} else {
		n = sb.newInode(a, now)
	}
	if c != nil {
		n.data.Store(c)
		n.size.Store(int64(len(body.target)))
	}
	sb.publish(n, 1)
	return n, ok
}

// mayAdd checks that the user may create something in dir; a removed directory takes nothing more.
func (f *FS) mayAdd(dir *inode) errno {
	if dir.dir.entries.Dead() {
		return syscall.ENOENT
	}
	return f.cred.mayCreate(dir.access.Load())
}

// newText makes the contents of a symbolic link, and charges the page that tmpfs would take for a long one.
func (sb *superblock) newText(target string) (*contents, errno) {
	c := &contents{store: linkText(strings.Clone(target))}
	if pages := c.store.pages(); pages > 0 {
		if sb.limits.chargePages(pages) != pages {
			return nil, syscall.ENOSPC
		}
		c.held.Store(pages)
	}
	return c, ok
}

// attach adds a further name for an inode that has one. On an error nothing has changed.
func (sb *superblock) attach(dir *inode, name string, ref Ref, now int64) errno {
	h := sb.hasher.Sum(name)
	var c rbdir.Change[Ref]
	c.Add(&dir.dir.entries, h)
	c.Begin()
	defer c.End()
	if _, err := dir.dir.entries.Insert(h, name, ref); err != nil {
		return insertErrno(err)
	}
	sb.drop(dir, name) // a negative entry
	sb.touchDir(dir, sb.stamp(now), 0)
	return ok
}

// insertErrno says in the kernel's words why a directory took no entry.
func insertErrno(err error) errno {
	if e, isErrno := err.(errno); isErrno {
		return e
	}
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
	n, e := f.makeInode(p, modeDir|perm&(0o777|modeSticky), newBody{})
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
	n, e := f.makeInode(p, modeSymlink|0o777, newBody{target: target})
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
	now := sb.now()
	first, e := sb.addLink(n) // before the name is there: its removal may follow at once
	switch {
	case e != ok:
		return e
	case !first && !sb.limits.chargeInode(): // as tmpfs does, but for the first name
		if sb.undoLink(n, false) { // the last one has given back what was not charged
			sb.limits.rechargeInode()
			sb.put(n)
		}
		return syscall.ENOSPC
	}
	if e = sb.attach(p.dir, strings.Clone(p.name), n.ref(), now); e != ok {
		sb.unlinked(n, sb.undoLink(n, first))
		return e
	}
	sb.touchChange(n, sb.stamp(now))
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
