package memfs

import "syscall"

// What changes charge: the limits of the whole file system first, then the quotas, if they are on.

// chargeNode takes one inode for a new file with this owner, who is the user that makes it.
func (sb *superblock) chargeNode(a *access, now int64) errno {
	if !sb.limits.chargeInode() {
		return syscall.ENOSPC
	}
	if sb.quotas != nil && !sb.quotas.chargeInode(a, payer{root: a.uid == 0, now: now}) {
		sb.limits.freeInode()
		return syscall.EDQUOT
	}
	return ok
}

// freeNode gives back one inode and its pages.
func (sb *superblock) freeNode(a *access, pages int64) {
	sb.limits.freePages(pages)
	sb.limits.freeInode()
	if sb.quotas != nil {
		sb.quotas.free(a, 1, pages)
	}
}

// chargeText charges the owner of a new link or the like with pages that the file system's limits have been charged with.
func (sb *superblock) chargeText(a *access, pages, now int64) errno {
	if sb.quotas == nil || pages == 0 {
		return ok
	}
	got := sb.quotas.chargePages(a, pages, payer{root: a.uid == 0, now: now})
	if got == pages {
		return ok
	}
	sb.limits.freePages(pages)
	sb.quotas.free(a, 0, got)
	return syscall.EDQUOT
}

// chargePages takes up to pages for n, whose contents are locked, and returns how many it got, and if that is less, why.
func (sb *superblock) chargePages(n *inode, pages int64, by payer) (got int64, e errno) {
	if pages <= 0 {
		return 0, ok
	}
	got = sb.limits.chargePages(pages)
	if got < pages {
		e = syscall.ENOSPC
	}
	if sb.quotas == nil || got == 0 {
		return got, e
	}
	allowed := sb.quotas.chargePages(n.access.Load(), got, by)
	if allowed < got {
		sb.limits.freePages(got - allowed)
		e = syscall.EDQUOT
	}
	return allowed, e
}

// freePages gives pages of n back, whose contents are locked.
func (sb *superblock) freePages(n *inode, pages int64) {
	sb.limits.freePages(pages)
	if sb.quotas != nil && pages != 0 {
		sb.quotas.free(n.access.Load(), 0, pages)
	}
}

// changeOwner publishes another owner for n, which is locked, after its charges have been moved there.
func (sb *superblock) changeOwner(n *inode, a access, by payer, now int64) errno {
	was := n.access.Load()
	if sb.quotas == nil || was.uid == a.uid && was.gid == a.gid {
		sb.changeAccess(n, a, now)
		return ok
	}
	if n.refs.Load() <= 0 {
		return ok // it is going, and its charges go back to whom they came from
	}
	c := n.data.Load()
	if was.isRegular() {
		c = n.body()
	}
	pages := int64(0)
	if c != nil {
		n.lockContents(c) // nobody charges pages meanwhile
		defer n.unlockContents(c)
		pages = c.held.Load()
	}
	e := sb.quotas.transfer(was, &a, pages, by)
	if e == ok {
		sb.changeAccess(n, a, now)
	}
	return e
}
