package memfs

import (
	"strings"
	"syscall"

	"stagefs/locking"
	"stagefs/rbdir"
	"stagefs/stage"
)

// renaming is one rename on its way: the two places, and what was found there when they were looked at last.
type renaming struct {
	fs       *FS
	from, to place
	hFrom    uint64 // hash of from.name
	hTo      uint64
	now      int64
	source   *inode           // nil: not known yet
	target   *inode           // nil: the new name is free, as far as is known
	entry    rbdir.Entry[Ref] // the source's
	rules    renameRules
	flags    RenameFlag
	spare    *inode // a whiteout that is not at its name yet
	still    bool   // directories keep their parents for now: superblock.renames is held
	dead     *inode // what lost a name by the rename, and whether it was its last
	last     bool
}

// renameRules say whose rules hold where the new name is a directory's.
type renameRules uint8

const (
	renameKernel renameRules = iota // an empty one is replaced by a directory
	renameOS                        // os.Rename: EEXIST
	renameOSSame                    // os.Rename, and the caller gave the same path twice
)

// rename moves the entry at from to the place to, over what is there.
func (f *FS) rename(from, to *place, rules renameRules) errno { return f.renameBy(from, to, rules, 0) }

// renameBy is rename with flags.
func (f *FS) renameBy(from, to *place, rules renameRules, flags RenameFlag) errno {
	switch { // first both directories are searched, then the names looked up, in this order
	case early(from.failed):
		return from.failed
	case early(to.failed):
		return to.failed
	case from.last == lastName && to.last != lastName && flags&RenameNoReplace != 0:
		return syscall.EEXIST
	case from.last != lastName || to.last != lastName:
		return syscall.EBUSY
	case from.failed != ok:
		return from.failed
	case from.child == nil && !from.unknown:
		return syscall.ENOENT
	case to.failed != ok:
		return to.failed
	}
	sb := f.sb
	r := renaming{
		fs: f, from: *from, to: *to, source: from.child, target: to.child, rules: rules, flags: flags,
		hFrom: sb.hasher.Sum(from.name), hTo: sb.hasher.Sum(to.name), now: sb.now(),
	}
	e := syscall.EAGAIN
	for e == syscall.EAGAIN {
		e = r.attempt()
	}
	if r.spare != nil {
		sb.dropWhiteout(r.spare)
	}
	if r.dead != nil {
		sb.unlinked(r.dead, r.last)
	}
	return e
}

// early tells the errors of a last name that come before anything is looked up.
func early(e errno) bool { return e == syscall.EACCES || e == syscall.EINVAL }

// attempt takes the locks that the rename needs by what is known of it. EAGAIN says that more was found, and that the
// locks have to be taken again; beyond the first times that means that somebody else has changed the names, so all
// together get on, though one rename may have to try again and again.
func (r *renaming) attempt() errno {
	sb := r.fs.sb
	if r.still = r.still || r.from.dir != r.to.dir && (isDir(r.source) || isDir(r.target)); r.still {
		locking.Acquired(locking.RankRename, 0, 0)
		sb.renames.Lock()
		defer func() {
			sb.renames.Unlock()
			locking.Released(locking.RankRename, 0, 0)
		}()
	}
	keys := [2]locking.Key{{Dir: r.from.dir.ino, Hash: r.hFrom}, {Dir: r.to.dir.ino, Hash: r.hTo}}
	held := sb.names.LockSet(keys[:])
	defer sb.names.UnlockSet(held)

	var c rbdir.Change[Ref]
	c.Add(&r.from.dir.dir.entries, r.hFrom)
	c.Add(&r.to.dir.dir.entries, r.hTo)
	if isDir(r.target) {
		c.AddWhole(&r.target.dir.entries)
	}
	c.Begin()
	defer c.End()
	if e := r.lookAgain(); e != ok {
		return e
	}
	if e := r.check(); e != ok {
		if r.target == nil && r.to.unknown { // what is there may change the answer
			r.to.unknown = false
			if r.target = r.findTarget(); r.target != nil {
				return syscall.EAGAIN
			}
		}
		return e
	}
	if r.source == r.target {
		return ok // two names of one file: nothing to do
	}
	return r.commit()
}

// lookAgain finds out what the names lead to now that they are locked. If that asks for other locks than are held, it
// notes what was found and returns EAGAIN. The new name of a file that is taken to be free is not searched for: adding it
// will tell.
func (r *renaming) lookAgain() errno {
	sb, found := r.fs.sb, false
	if r.entry, found = r.from.dir.dir.entries.Find(r.hFrom, r.from.name); !found {
		return syscall.ENOENT
	}
	held := r.target
	r.source = sb.table.get(r.entry.Value.Ino())
	if held != nil || r.flags != 0 || isDir(r.source) { // no pivot is to be cut for nothing
		r.target = r.findTarget()
	}
	if r.from.dir != r.to.dir && (isDir(r.source) || isDir(r.target)) && !r.still || r.target != held && isDir(r.target) {
		return syscall.EAGAIN
	}
	return ok
}

func isDir(n *inode) bool { return n != nil && n.isDir() }

// findTarget returns what has the new name, nil if nothing has.
func (r *renaming) findTarget() *inode {
	entry, found := r.to.dir.dir.entries.Find(r.hTo, r.to.name)
	if !found {
		return nil
	}
	return r.fs.sb.table.get(entry.Value.Ino())
}

// check makes the kernel's checks in the kernel's order.
func (r *renaming) check() errno {
	cred, dir := r.fs.cred, r.source.isDir()
	exchange := r.flags&RenameExchange != 0
	if e := r.checkFlags(); e != ok {
		return e
	}
	if r.rules != renameKernel && isDir(r.target) &&
		(r.rules == renameOSSame || r.target != r.source) {
		return syscall.EEXIST
	}
	if !dir && (r.from.slash || r.to.slash && !exchange) {
		return syscall.ENOTDIR
	}
	if r.from.dir != r.to.dir { // else neither can lie below the other
		if dir && r.to.dir.hasAncestor(r.source) {
			return syscall.EINVAL
		}
		if isDir(r.target) && r.from.dir.hasAncestor(r.target) {
			if exchange {
				return syscall.EINVAL
			}
			return syscall.ENOTEMPTY
		}
	}
	if r.source == r.target {
		return ok
	}
	fromDir, toDir := r.from.dir.access.Load(), r.to.dir.access.Load()
	if e := cred.mayDelete(fromDir, r.source.access.Load(), dir); e != ok {
		return e
	}
	if r.target == nil {
		if e := r.fs.mayAdd(r.to.dir); e != ok {
			return e
		}
	} else if e := cred.mayDelete(toDir, r.target.access.Load(), dir && !exchange || exchange && r.target.isDir()); e != ok {
		return e
	}
	if r.from.dir == r.to.dir {
		return ok
	}
	if dir && !cred.may(r.source.access.Load(), mayWrite) { // its ".." changes
		return syscall.EACCES
	}
	if exchange && r.target.isDir() && !cred.may(r.target.access.Load(), mayWrite) {
		return syscall.EACCES
	}
	return ok
}

// commit makes the change. The new name is there before the old one goes; where it replaces another, it takes over that
// entry and its cookie, so that neither a lookup nor a listing can miss the name. EAGAIN says that the new name was not
// free after all.
func (r *renaming) commit() errno {
	sb := r.fs.sb
	from, to := &r.from.dir.dir.entries, &r.to.dir.dir.entries
	if r.flags&RenameExchange != 0 {
		return r.exchange()
	}
	if r.flags&RenameWhiteout != 0 && r.spare == nil {
		if isDir(r.target) && r.target.dir.entries.Len() != 0 {
			return syscall.ENOTEMPTY
		}
		var e errno
		if r.spare, e = r.whiteout(); e != ok {
			return e
		}
	}
	e := r.move(from, to, r.spare)
	if r.spare != nil && e == ok {
		sb.put(r.spare) // the caller's reference; its name has one
		r.spare = nil
	}
	return e
}

// move is commit but for an exchange.
func (r *renaming) move(from, to *rbdir.Dir[Ref], whiteout *inode) errno {
	sb := r.fs.sb
	name := strings.Clone(r.to.name)
	if isDir(r.target) && !r.target.dir.entries.Kill() {
		return syscall.ENOTEMPTY
	}
	sb.changing(r.source, stage.Moves)
	defer sb.changed(r.source)
	if r.target == nil {
		if _, err := to.Insert(r.hTo, name, r.source.ref()); err == rbdir.ErrExist {
			r.target = r.findTarget()
			return syscall.EAGAIN
		} else if err != nil {
			return insertErrno(err)
		}
	} else {
		sb.changing(r.target, stage.Moves)
		defer sb.changed(r.target)
		to.Replace(r.hTo, r.to.name, r.source.ref())
	}
	sb.drop(r.from.dir, r.from.name)
	known := sb.drop(r.to.dir, r.to.name)
	r.leave(from, whiteout)
	if known { // somebody asked for that name before
		sb.cache.Fill(r.to.dir.ino, name, r.source)
	}
	if r.source.isDir() {
		r.source.dir.up.Store(&dirPlace{r.to.dir, name})
	}
	r.count()
	return ok
}

// count brings times and link counts up to date.
func (r *renaming) count() {
	sb := r.fs.sb
	now, lost, won := sb.stamp(r.now), 0, 0
	if r.source.isDir() {
		lost, won = -1, 1
		if r.target != nil {
			won = 0
		}
	}
	if r.from.dir == r.to.dir {
		sb.touchDir(r.from.dir, now, lost+won)
	} else {
		sb.touchDir(r.from.dir, now, lost)
		sb.touchDir(r.to.dir, now, won)
	}
	sb.touchChange(r.source, now)
	if r.target != nil {
		r.dead, r.last = r.target, sb.dropLink(r.target, now)
	}
}
