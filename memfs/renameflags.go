package memfs

import (
	"syscall"

	"stagefs/rbdir"
	"stagefs/stage"
)

// RenameFlag is a flag of renameat2(2), with Linux's value.
type RenameFlag uint

const (
	RenameNoReplace RenameFlag = 1 << iota // fail with EEXIST if there is something of the new name
	RenameExchange                         // let the two names change what they lead to; both must be there
	RenameWhiteout                         // leave a whiteout, a character device 0/0, at the old name
)

// RenameFlags is renameat2(2): like Rename, but an empty directory is replaced by a directory, as the kernel does it, and
// flags say what else is different. It fails with EINVAL for flags that it does not know or that exclude each other
// (RenameExchange and one of the others). It takes the names of views from OpenRoot, too. A whiteout takes an inode.
func (f *FS) RenameFlags(oldname, newname string, flags RenameFlag) error {
	return linkError("renameat2", oldname, newname, f.renameFlags(oldname, newname, flags))
}

func (f *FS) renameFlags(oldname, newname string, flags RenameFlag) error {
	const all = RenameNoReplace | RenameExchange | RenameWhiteout
	if flags&^all != 0 || flags&RenameExchange != 0 && flags != RenameExchange {
		return syscall.EINVAL
	}
	var from, to place
	if f.confined {
		var err error
		if from, _, err = f.resolveConfined(oldname, confinedLate, 0); err != nil {
			return err
		}
		var slash bool
		if to, slash, err = f.resolveConfined(newname, confinedMakeDir|confinedLate, 0); err != nil {
			return err
		}
		to.slash = to.slash || slash
	} else {
		const walk = walkParent | walkLate | walkLazy
		if e := f.walk(oldname, walk, &from); e != ok {
			return e
		}
		if e := f.walk(newname, walk|walkCreate, &to); e != ok {
			return e
		}
	}
	return asError(f.renameBy(&from, &to, renameKernel, flags))
}

// checkFlags are the checks that come before all others once both names were looked up.
func (r *renaming) checkFlags() errno {
	switch {
	case r.flags&RenameNoReplace != 0 && r.target != nil:
		return syscall.EEXIST
	case r.flags&RenameExchange == 0:
		return ok
	case r.target == nil:
		return syscall.ENOENT
	case r.to.slash && !r.target.isDir():
		return syscall.ENOTDIR
	}
	return ok
}

// exchange lets both names lead to what the other has led to. Both entries stay, and so do their cookies.
func (r *renaming) exchange() errno {
	sb := r.fs.sb
	from, to := &r.from.dir.dir.entries, &r.to.dir.dir.entries
	target, found := to.Find(r.hTo, r.to.name)
	if !found {
		return syscall.EAGAIN
	}
	for _, n := range [2]*inode{r.source, r.target} {
		sb.changing(n, stage.Moves)
		defer sb.changed(n)
	}
	to.Replace(r.hTo, r.to.name, r.source.ref())
	from.Replace(r.hFrom, r.from.name, r.target.ref())
	sb.drop(r.from.dir, r.from.name)
	sb.drop(r.to.dir, r.to.name)
	if r.source.isDir() {
		r.source.dir.up.Store(&dirPlace{r.to.dir, target.Name})
	}
	if r.target.isDir() {
		r.target.dir.up.Store(&dirPlace{r.from.dir, r.entry.Name})
	}
	now, won := sb.stamp(r.now), 0
	if r.from.dir != r.to.dir {
		if r.source.isDir() {
			won++
		}
		if r.target.isDir() {
			won--
		}
		sb.touchDir(r.to.dir, now, won)
	}
	sb.touchDir(r.from.dir, now, -won)
	sb.touchChange(r.source, now)
	sb.touchChange(r.target, now)
	return ok
}

// whiteout makes the inode of a whiteout that a rename is going to leave; not yet at its name.
func (r *renaming) whiteout() (*inode, errno) {
	sb, dir := r.fs.sb, r.from.dir
	a := r.fs.newAccess(dir.access.Load(), modeChar)
	return sb.newNode(a, sb.stamp(r.now), dir, "", newBody{}, nil)
}

// dropWhiteout undoes whiteout.
func (sb *superblock) dropWhiteout(n *inode) {
	n.lock()
	n.nlink.Store(0)
	n.unlock()
	n.refs.Store(0)
	sb.evict(n)
}

// leave takes the source's entry away, or leaves the whiteout there.
func (r *renaming) leave(from *rbdir.Dir[Ref], whiteout *inode) {
	if whiteout == nil {
		from.Remove(r.hFrom, r.entry)
		return
	}
	from.Replace(r.hFrom, r.from.name, whiteout.ref())
}
