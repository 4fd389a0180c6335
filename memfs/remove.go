package memfs

import (
	"syscall"

	"stagefs/locking"
	"stagefs/rbdir"
	"stagefs/stage"
)

// unlink removes the name at p, which must not be a directory's.
func (f *FS) unlink(p *place) errno {
	switch {
	case p.last != lastName:
		return syscall.EISDIR
	case p.child == nil && !p.unknown:
		return syscall.ENOENT
	case p.slash && p.child.isDir():
		return syscall.EISDIR
	case p.slash:
		return syscall.ENOTDIR
	}
	return f.detach(p, false)
}

// rmdir removes the empty directory at p.
func (f *FS) rmdir(p *place) errno {
	switch {
	case p.last == lastDot:
		return syscall.EINVAL
	case p.last == lastDotDot:
		return syscall.ENOTEMPTY
	case p.last == lastRoot:
		return syscall.EBUSY
	case p.child == nil:
		return syscall.ENOENT
	}
	return f.detach(p, true)
}

// detach removes the entry at p under the lock of its name. What the name leads to is looked at again there.
func (f *FS) detach(p *place, wantDir bool) errno {
	sb := f.sb
	key := locking.Key{Dir: p.dir.ino, Hash: sb.hasher.Sum(p.name)}
	now := sb.now() // a clock of the user's is asked before anything is locked
	sb.names.Lock(key)
	victim := p.child
	var last bool
	e := syscall.EAGAIN
	for e == syscall.EAGAIN {
		victim, last, e = f.detachNow(p, key.Hash, victim, wantDir, now)
	}
	sb.names.Unlock(key)
	if e == ok {
		sb.unlinked(victim, last)
	}
	return e
}

// detachNow removes an entry while the directory is held, and the victim with it if that is a directory. EAGAIN says
// that the name leads to another inode than the expected victim (nil: not known), for which other locks are needed: the
// one that it returns.
func (f *FS) detachNow(p *place, h uint64, victim *inode, wantDir bool, now int64) (_ *inode, last bool, _ errno) {
	sb, dir, name := f.sb, p.dir, p.name
	var c rbdir.Change[Ref]
	c.Add(&dir.dir.entries, h)
	if victim != nil && victim.isDir() {
		c.AddWhole(&victim.dir.entries)
	}
	c.Begin()
	defer c.End()
	entry, found := dir.dir.entries.Find(h, name)
	if !found {
		return nil, false, syscall.ENOENT
	}
	if victim == nil || entry.Value.Ino() != victim.ino {
		if victim = sb.table.get(entry.Value.Ino()); victim.isDir() {
			return victim, false, syscall.EAGAIN
		}
	}
	if e := f.cred.mayDelete(dir.access.Load(), victim.access.Load(), wantDir); e != ok {
		return nil, false, e
	}
	links := 0
	if wantDir {
		if !victim.dir.entries.Kill() {
			return nil, false, syscall.ENOTEMPTY
		}
		links = -1
	}
	now = f.sb.stamp(now)
	sb.changing(victim, stage.Moves) // a directory is dead by now: no pivot can be built to it
	sb.drop(dir, name)
	dir.dir.entries.Remove(h, entry)
	sb.changed(victim)
	sb.touchDir(dir, now, links)
	return victim, sb.dropLink(victim, now), ok
}
