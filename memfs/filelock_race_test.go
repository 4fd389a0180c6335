package memfs_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync/atomic"
	"syscall"
	"testing"

	"stagefs/memfs"
)

// TestLocksExclude lets many goroutines change bytes that they have locked, in every way there is. The race detector
// sees two that are let in together, and the sum what was lost; a wake-up that is lost hangs.
func TestLocksExclude(t *testing.T) {
	const workers, bytes = 8, 6
	for name, take := range map[string]func(f *memfs.File, owner int, l memfs.Lock) error{
		"posix": func(f *memfs.File, owner int, l memfs.Lock) error { return f.SetLock(noCtx, owner, l, true) },
		"ofd":   func(f *memfs.File, _ int, l memfs.Lock) error { return f.SetOFDLock(noCtx, l, true) },
		"both": func(f *memfs.File, owner int, l memfs.Lock) error {
			if owner%2 == 0 {
				return f.SetOFDLock(noCtx, l, true)
			}
			return f.SetLock(noCtx, owner, l, true)
		},
		"flock": func(f *memfs.File, _ int, l memfs.Lock) error {
			return f.Flock(noCtx, map[memfs.LockType]memfs.FlockMode{memfs.ReadLock: memfs.LockShared,
				memfs.WriteLock: memfs.LockExclusive, memfs.NoLock: memfs.LockUnlock}[l.Type])
		},
	} {
		t.Run(name, func(t *testing.T) {
			fsys := newFS()
			files := openLocked(t, fsys, workers)
			var values [bytes]int
			var wrote atomic.Int64
			var calls []func()
			for w, f := range files {
				calls = append(calls, func() {
					r := rand.New(rand.NewPCG(uint64(w), 1))
					for range rounds(1000) {
						at := r.Int64N(bytes)
						n := 1 + r.Int64N(bytes-at)
						l := writeOf(at, n)
						if r.IntN(3) == 0 {
							l.Type = memfs.ReadLock
						}
						if err := take(f, w, l); err != nil {
							t.Error(err)
							return
						}
						sum := 0
						for b := at; b < at+n; b++ {
							sum += values[b]
							if l.Type == memfs.WriteLock {
								values[b]++
								wrote.Add(1)
							}
						}
						_ = sum
						if err := take(f, w, unlockOf(at, n)); err != nil {
							t.Error(err)
						}
					}
				})
			}
			together(calls...)
			sum := 0
			for _, v := range values {
				sum += v
			}
			if int64(sum) != wrote.Load() {
				t.Errorf("%d changes, %d were made", sum, wrote.Load())
			}
			closeAll(t, fsys, files)
		})
	}
}

// TestLocksBreakDeadlocks lets owners take two of a few bytes, of two files, in any order: who is told of a deadlock gives
// all up and begins again, so all come to an end.
func TestLocksBreakDeadlocks(t *testing.T) {
	const owners = 4
	fsys := newFS()
	files := openLocked(t, fsys, 1)
	files = append(files, got[*memfs.File](t)(fsys.Create("/g")))
	var deadlocks atomic.Int64
	var calls []func()
	for owner := range owners {
		calls = append(calls, func() {
			r := rand.New(rand.NewPCG(uint64(owner), 2))
			for done := 0; done < rounds(500); {
				e := error(nil)
				for range 2 {
					if e == nil {
						e = files[r.IntN(2)].SetLock(noCtx, owner, writeOf(r.Int64N(2), 1), true)
					}
				}
				switch {
				case e == nil:
					done++
				case errors.Is(e, syscall.EDEADLK):
					deadlocks.Add(1)
				default:
					t.Error(e)
					return
				}
				for _, f := range files {
					if err := f.ReleaseLocks(owner); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	together(calls...)
	t.Logf("%d deadlocks", deadlocks.Load())
	closeAll(t, fsys, files)
}

// TestLocksInterruptedRace ends waits at any moment, also that at which the lock is given. Either the lock is there or the
// error says why not; nothing is left of the others.
func TestLocksInterruptedRace(t *testing.T) {
	fsys := newFS()
	files := openLocked(t, fsys, 3)
	for range rounds(1000) {
		must(t, files[0].SetLock(noCtx, 0, writeOf(0, 1), false))
		must(t, files[0].Flock(noCtx, memfs.LockExclusive))
		ctx, end := context.WithCancel(noCtx)
		var record, whole error
		together(
			func() { record = files[1].SetLock(ctx, 1, writeOf(0, 0), true) },
			func() { whole = files[2].Flock(ctx, memfs.LockExclusive) },
			end,
			func() {
				if err := errors.Join(files[0].ReleaseLocks(0), files[0].Flock(noCtx, memfs.LockUnlock)); err != nil {
					t.Error(err)
				}
			},
		)
		wantError(t, "record lock", record, nil, syscall.EINTR)
		wantError(t, "flock", whole, nil, syscall.EINTR)
		free := files[0].SetLock(noCtx, 0, writeOf(0, 0), false)
		if (free == nil) != (record != nil) {
			t.Fatalf("the wait ended with %v, and then the lock is %v", record, free)
		}
		free = files[0].Flock(noCtx, memfs.LockExclusive|memfs.LockNonblock)
		if (free == nil) != (whole != nil) {
			t.Fatalf("the wait ended with %v, and then the lock is %v", whole, free)
		}
		for i, f := range files {
			must(t, f.ReleaseLocks(i))
			must(t, f.Flock(noCtx, memfs.LockUnlock))
		}
	}
	closeAll(t, fsys, files)
}

// TestLocksCloseRace closes Files while others wait for what they hold.
func TestLocksCloseRace(t *testing.T) {
	const workers = 4
	fsys := newFS()
	closeAll(t, fsys, openLocked(t, fsys, 1))
	var calls []func()
	for w := range workers {
		calls = append(calls, func() {
			for range rounds(500) {
				f, err := fsys.OpenFile("/f", 2, 0)
				err = errors.Join(err, f.SetLock(noCtx, w, readOf(0, 1), true), f.Flock(noCtx, memfs.LockExclusive), f.Close())
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	together(calls...)
	check(t, fsys)
}
