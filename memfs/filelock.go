package memfs

import (
	"context"
	"io"
	"math"
	"reflect"
	"syscall"
)

// LockType is the kind of a record lock; the values are Linux's F_RDLCK, F_WRLCK and F_UNLCK.
type LockType int16

const (
	ReadLock  LockType = iota // shared; needs a File opened for reading
	WriteLock                 // exclusive; needs a File opened for writing
	NoLock                    // as a request: unlock; as an answer: nothing is in the way
)

// Lock is a record lock, or the request for one. Its bytes need not exist.
type Lock struct {
	Type   LockType
	Whence int   // what Start counts from: io.SeekStart, io.SeekCurrent or io.SeekEnd
	Start  int64 // first byte
	Len    int64 // bytes; 0 means to the end, however far it moves; a negative Len locks the -Len bytes before Start
	PID    int   // told to others by GetLock; 0 in requests for open-file-description locks, -1 in answers about them
}

// LockOwner says whose POSIX record locks are meant: any two calls with equal values act for the same owner, which for a
// process may be a pointer or its number, and for a FUSE front is the lock_owner of the request. The value must be
// comparable, equal to itself, and not nil.
type LockOwner any

// FlockMode is the argument of File.Flock; the values are Linux's.
type FlockMode int

const (
	LockShared    FlockMode = 1
	LockExclusive FlockMode = 2
	LockNonblock  FlockMode = 4 // or-ed to another: fail with EAGAIN instead of waiting
	LockUnlock    FlockMode = 8

	lockMandatory FlockMode = 32 // LOCK_MAND, which Linux no longer knows, and takes without doing anything
)

// Flock takes, converts or gives up the lock on the whole file that belongs to f itself, as flock(2) does: f may be open
// in any way and be a directory, and Close gives the lock up. Such locks and record locks do not see each other.
//
// A conversion is not atomic: the old lock is dropped, then the new one is taken, and it is lost if that fails. Without
// LockNonblock the call waits; if ctx ends before it got the lock, the error is both EINTR and ctx.Err() to errors.Is, and
// nothing is left of the request. A lock that is free is given even if ctx has ended; a nil ctx never ends.
//
// Waiters get what is given up in the order in which they came. As in Linux, a request that meets no holder passes those
// that wait, so that a stream of shared locks keeps an exclusive one away.
//
// Errors: EINVAL for other modes, EAGAIN (EWOULDBLOCK), EINTR, EBADF for a File that can neither be read nor written.
func (f *File) Flock(ctx context.Context, how FlockMode) error {
	const op = "flock"
	if err := f.enter(op); err != nil {
		return err
	}
	defer f.end()
	if how&lockMandatory != 0 {
		return nil
	}
	r := lockRequest{end: math.MaxInt64, owner: lockOwner{id: f}, file: f}
	switch how &^ LockNonblock {
	case LockShared:
		r.kind = ReadLock
	case LockExclusive:
		r.kind = WriteLock
	case LockUnlock:
		r.kind = NoLock
	default:
		return f.fail(op, syscall.EINVAL)
	}
	if r.kind != NoLock && f.flags&(fileRead|fileWrite) == 0 {
		return f.fail(op, syscall.EBADF)
	}
	return f.setLock(ctx, op, flockSpace, r, how&LockNonblock == 0)
}

// SetLock takes, converts or gives up (NoLock) a POSIX record lock of owner, as fcntl(2) does with F_SETLK, or F_SETLKW
// if wait is set. Locks of one owner replace each other where they overlap, and those of one type merge where they touch;
// f is only the way to the file. Waiting, its order and ctx are as in Flock, but a request that fails leaves the locks
// that there were.
//
// The locks that owner took through f go when f is closed. In Linux they go when the process closes any descriptor of the
// file: who plays processes calls ReleaseLocks at each close of a descriptor (a FUSE front at flush).
//
// A wait that would close a circle of owners, each waiting for a POSIX lock of the next, fails with EDEADLK. As in Linux,
// circles of more than 12 owners are not found, nor, here, those that lead through several file systems.
//
// Errors: EAGAIN, EDEADLK, EINTR, EBADF if f is not open for reading (ReadLock) or writing (WriteLock), EINVAL for other
// types, a range that begins before byte 0, or a bad owner, EOVERFLOW for one that ends after byte
// 2^63-1.
func (f *File) SetLock(ctx context.Context, owner LockOwner, l Lock, wait bool) error {
	const op = "fcntl"
	if err := f.enter(op); err != nil {
		return err
	}
	defer f.end()
	r, e := f.lockRequest(l)
	switch {
	case e != ok:
	case !validOwner(owner):
		e = syscall.EINVAL
	default:
		e = f.mayLock(l.Type)
	}
	if e != ok {
		return f.fail(op, e)
	}
	r.owner = lockOwner{id: owner}
	return f.setLock(ctx, op, recordSpace, r, wait)
}

// GetLock returns a lock that keeps owner from taking l: the first one of the owner that came first. If there is none, it
// returns l with the type NoLock. Its errors are those of SetLock, but any File will do, and NoLock is EINVAL.
func (f *File) GetLock(owner LockOwner, l Lock) (Lock, error) {
	return f.getLock(l, func() (lockRequest, errno) {
		if l.Type != ReadLock && l.Type != WriteLock || !validOwner(owner) {
			return lockRequest{}, syscall.EINVAL
		}
		r, e := f.lockRequest(l)
		r.owner = lockOwner{id: owner}
		return r, e
	})
}

// SetOFDLock is SetLock for open-file-description locks (F_OFD_SETLK and F_OFD_SETLKW), whose owner is f. They conflict
// with those of other Files and with POSIX locks, are given up by Close, and take no part in the search for circles but
// where a POSIX lock waits for one. A PID is EINVAL.
func (f *File) SetOFDLock(ctx context.Context, l Lock, wait bool) error {
	const op = "fcntl"
	if err := f.enter(op); err != nil {
		return err
	}
	defer f.end()
	r, e := f.lockRequest(l)
	if e == ok {
		e = f.mayLock(l.Type)
	}
	if e == ok && l.PID != 0 {
		e = syscall.EINVAL
	}
	if e != ok {
		return f.fail(op, e)
	}
	r.owner, r.pid = lockOwner{id: f, ofd: true}, -1
	return f.setLock(ctx, op, recordSpace, r, wait)
}

// GetOFDLock is GetLock for SetOFDLock. With NoLock it asks for f's own open-file-description locks in the range.
func (f *File) GetOFDLock(l Lock) (Lock, error) {
	return f.getLock(l, func() (lockRequest, errno) {
		r, e := f.lockRequest(l)
		if e == ok && l.PID != 0 {
			e = syscall.EINVAL
		}
		r.owner = lockOwner{id: f, ofd: true}
		return r, e
	})
}

// ReleaseLocks gives up all POSIX locks of owner on the file, whichever File they were taken through. Requests of the
// owner that wait go on waiting. It fails with EINVAL for a bad owner.
func (f *File) ReleaseLocks(owner LockOwner) error {
	const op = "fcntl"
	if err := f.enter(op); err != nil {
		return err
	}
	defer f.end()
	if !validOwner(owner) {
		return f.fail(op, syscall.EINVAL)
	}
	if t := f.fs.sb.locks.Load(); t != nil {
		t.release(f.n.ino, lockOwner{id: owner})
	}
	return nil
}

// setLock carries r out.
func (f *File) setLock(ctx context.Context, op string, space int, r lockRequest, wait bool) error {
	t := f.fs.sb.locks.Load()
	if r.kind != NoLock {
		t = f.fs.sb.lockTable()
	} else if t == nil {
		return nil
	}
	if err := t.set(ctx, f.n.ino, space, r, wait); err != nil {
		return f.fail(op, err)
	}
	return nil
}

// getLock returns what is in the way of a request, or l.
func (f *File) getLock(l Lock, request func() (lockRequest, errno)) (Lock, error) {
	const op = "fcntl"
	if err := f.enter(op); err != nil {
		return Lock{}, err
	}
	defer f.end()
	r, e := request()
	if e != ok {
		return Lock{}, f.fail(op, e)
	}
	if t := f.fs.sb.locks.Load(); t != nil {
		if found, is := t.get(f.n.ino, r); is {
			return found, nil
		}
	}
	l.Type = NoLock
	return l, nil
}

// lockRequest makes the kernel's checks of l and resolves its range, in the kernel's order.
func (f *File) lockRequest(l Lock) (lockRequest, errno) {
	base := int64(0)
	switch l.Whence {
	case io.SeekStart:
	case io.SeekCurrent:
		f.lockPos()
		base = f.pos
		f.unlockPos()
	case io.SeekEnd:
		base = f.n.size.Load()
	default:
		return lockRequest{}, syscall.EINVAL
	}
	r := lockRequest{kind: l.Type, pid: l.PID, file: f}
	var e errno
	if r.start, r.end, e = lockRange(base, l.Start, l.Len); e != ok {
		return r, e
	}
	if l.Type < ReadLock || l.Type > NoLock {
		return r, syscall.EINVAL
	}
	return r, ok
}

// lockRange returns the first and last byte of length bytes from base+start on; base is not negative.
func lockRange(base, start, length int64) (first, last int64, e errno) {
	if start > math.MaxInt64-base {
		return 0, 0, syscall.EOVERFLOW
	}
	first = base + start
	switch {
	case first < 0:
		return 0, 0, syscall.EINVAL
	case length == 0:
		return first, math.MaxInt64, ok
	case length < 0:
		if first+length < 0 {
			return 0, 0, syscall.EINVAL
		}
		return first + length, first - 1, ok
	case length-1 > math.MaxInt64-first:
		return 0, 0, syscall.EOVERFLOW
	}
	return first, first + length - 1, ok
}

// mayLock checks that f is open for what a lock of this type protects.
func (f *File) mayLock(kind LockType) errno {
	if kind == ReadLock && f.flags&fileRead == 0 || kind == WriteLock && f.flags&fileWrite == 0 {
		return syscall.EBADF
	}
	return ok
}

// validOwner reports whether owner can be compared, and found again, which a NaN cannot.
func validOwner(owner LockOwner) bool {
	same := owner
	return owner != nil && reflect.ValueOf(owner).Comparable() && owner == same
}
