package memfs_test

import (
	"context"
	"errors"
	"io/fs"
	"math"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"

	"stagefs/memfs"
)

var noCtx = context.Background()

// openLocked opens /f n times for reading and writing.
func openLocked(t testing.TB, fsys *memfs.FS, n int) (files []*memfs.File) {
	t.Helper()
	for range n {
		files = append(files, got[*memfs.File](t)(fsys.OpenFile("/f", os.O_RDWR|os.O_CREATE, 0o644)))
	}
	return files
}

func closeAll(t testing.TB, fsys *memfs.FS, files []*memfs.File) {
	t.Helper()
	for _, f := range files {
		must(t, f.Close())
	}
	check(t, fsys)
}

// Any value that is equal to itself can be an owner, and an owner is no File of the same value.
func TestLockOwners(t *testing.T) {
	fsys := newFS()
	files := openLocked(t, fsys, 2)
	f := files[0]
	for _, owner := range []memfs.LockOwner{1, "a", &fsys, f, struct{ a, b any }{1, "x"}, [2]any{1, nil}} {
		must(t, f.SetLock(noCtx, owner, writeOf(0, 0), false))
		wantError(t, "another's lock", files[1].SetLock(noCtx, int8(1), writeOf(0, 0), false), syscall.EAGAIN)
		wantError(t, "the file's own lock", f.SetOFDLock(noCtx, writeOf(0, 0), false), syscall.EAGAIN)
		must(t, f.SetLock(noCtx, owner, readOf(0, 0), false))
		must(t, files[1].ReleaseLocks(owner))
	}
	for _, owner := range []memfs.LockOwner{[]int{1}, map[int]int{}, func() {}, [1]any{[]int{}}, struct{ a any }{map[int]int{}},
		math.NaN(), nil} {
		wantError(t, "set", f.SetLock(noCtx, owner, writeOf(0, 0), true), syscall.EINVAL)
		_, err := f.GetLock(owner, writeOf(0, 0))
		wantError(t, "get", err, syscall.EINVAL)
		wantError(t, "release", f.ReleaseLocks(owner), syscall.EINVAL)
	}
	must(t, f.SetLock(noCtx, 1, writeOf(0, 0), false))
	must(t, f.ReleaseLocks(int64(1)))
	wantError(t, "the lock of int 1, not int64", files[1].SetLock(noCtx, 2, writeOf(0, 0), false), syscall.EAGAIN)
	closeAll(t, fsys, files)
}

// Every call fails on a closed File, and on a nil one.
func TestLocksOfClosedFile(t *testing.T) {
	fsys := newFS()
	f := openLocked(t, fsys, 1)[0]
	must(t, f.Close())
	for _, c := range []struct {
		f    *memfs.File
		want error
	}{{f, fs.ErrClosed}, {nil, fs.ErrInvalid}} {
		wantError(t, "Flock", c.f.Flock(noCtx, memfs.LockShared), c.want)
		wantError(t, "SetLock", c.f.SetLock(noCtx, 1, readOf(0, 0), true), c.want)
		wantError(t, "SetOFDLock", c.f.SetOFDLock(noCtx, readOf(0, 0), true), c.want)
		wantError(t, "ReleaseLocks", c.f.ReleaseLocks(1), c.want)
		_, err := c.f.GetLock(1, readOf(0, 0))
		wantError(t, "GetLock", err, c.want)
		_, err = c.f.GetOFDLock(readOf(0, 0))
		wantError(t, "GetOFDLock", err, c.want)
	}
	check(t, fsys)
}

// An error says what was called on which file, as those of package os.
func TestLockErrors(t *testing.T) {
	fsys := newFS()
	files := openLocked(t, fsys, 2)
	must(t, files[0].Flock(noCtx, memfs.LockExclusive))
	must(t, files[0].SetOFDLock(noCtx, writeOf(0, 0), false))
	for op, err := range map[string]error{
		"flock": files[1].Flock(noCtx, memfs.LockShared|memfs.LockNonblock),
		"fcntl": files[1].SetOFDLock(noCtx, readOf(0, 0), false),
	} {
		var wrapped *fs.PathError
		if !errors.As(err, &wrapped) || wrapped.Op != op || wrapped.Path != "/f" || wrapped.Err != syscall.EAGAIN {
			t.Errorf("%#v, want a PathError of %s and EAGAIN", err, op)
		}
	}
	closeAll(t, fsys, files)
}

// Close gives up all that was taken through a File, also under an owner's name, and wakes who waits. A File that is
// open elsewhere keeps its own.
func TestCloseGivesUpLocks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fsys := newFS()
		files := openLocked(t, fsys, 3)
		must(t, files[0].Flock(noCtx, memfs.LockExclusive))
		must(t, files[0].SetOFDLock(noCtx, writeOf(0, 1), false))
		must(t, files[0].SetLock(noCtx, 1, writeOf(1, 1), false))
		must(t, files[1].SetLock(noCtx, 2, writeOf(2, 1), false))
		got := make(chan error, 3)
		go func() { got <- files[2].Flock(noCtx, memfs.LockExclusive) }()
		go func() { got <- files[2].SetLock(noCtx, 3, writeOf(0, 1), true) }()
		go func() { got <- files[2].SetOFDLock(noCtx, writeOf(1, 1), true) }()
		synctest.Wait()
		if len(got) > 0 {
			t.Fatalf("a lock was given to two: %v", <-got)
		}
		must(t, files[0].Close())
		for range 3 {
			must(t, <-got)
		}
		wantError(t, "a File that is still open", files[2].SetLock(noCtx, 3, writeOf(2, 1), false), syscall.EAGAIN)
		closeAll(t, fsys, files[1:])
	})
}

// A File that is closed while it waits for a lock gets it, as in Linux, and gives it up at once.
func TestCloseWhileWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fsys := newFS()
		files := openLocked(t, fsys, 2)
		must(t, files[0].Flock(noCtx, memfs.LockExclusive))
		got := make(chan error, 1)
		go func() { got <- files[1].Flock(noCtx, memfs.LockExclusive) }()
		synctest.Wait()
		must(t, files[1].Close())
		must(t, files[0].Flock(noCtx, memfs.LockUnlock))
		must(t, <-got)
		must(t, files[0].Flock(noCtx, memfs.LockExclusive|memfs.LockNonblock))
		closeAll(t, fsys, files[:1])
	})
}

// A removed file, and a removed directory, can still be locked.
func TestLockRemoved(t *testing.T) {
	fsys := newFS()
	files := openLocked(t, fsys, 2)
	must(t, fsys.Mkdir("/d", 0o755))
	dirs := []*memfs.File{got[*memfs.File](t)(fsys.Open("/d")), got[*memfs.File](t)(fsys.Open("/d"))}
	must(t, fsys.Remove("/f"))
	must(t, fsys.Remove("/d"))
	for _, pair := range [][]*memfs.File{files, dirs} {
		must(t, pair[0].Flock(noCtx, memfs.LockExclusive))
		wantError(t, "flock", pair[1].Flock(noCtx, memfs.LockShared|memfs.LockNonblock), syscall.EAGAIN)
		must(t, pair[0].Close())
		must(t, pair[1].Flock(noCtx, memfs.LockShared|memfs.LockNonblock))
		must(t, pair[1].Close())
	}
	check(t, fsys)
}

// Waiters get what is given up in the order in which they came.
func TestLocksFirstComeFirstServed(t *testing.T) {
	for name, take := range map[string]func(f *memfs.File, owner int) error{
		"flock": func(f *memfs.File, _ int) error { return f.Flock(noCtx, memfs.LockExclusive) },
		"posix": func(f *memfs.File, owner int) error { return f.SetLock(noCtx, owner, writeOf(5, 5), true) },
		"ofd":   func(f *memfs.File, owner int) error { return f.SetOFDLock(noCtx, writeOf(int64(owner), 20), true) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				const waiters = 8
				fsys := newFS()
				files := openLocked(t, fsys, waiters)
				must(t, take(files[0], 0))
				var order []int
				for i := 1; i < waiters; i++ {
					go func() {
						if err := take(files[i], i); err != nil {
							t.Error(err)
						}
						order = append(order, i) // by one at a time, that is what the lock is for
						_ = files[i].Close()
					}()
					synctest.Wait()
				}
				must(t, files[0].Close())
				synctest.Wait()
				if !slices.Equal(order, []int{1, 2, 3, 4, 5, 6, 7}) {
					t.Errorf("served in the order %v", order)
				}
				check(t, fsys)
			})
		})
	}
}

// A wait that its context ends is both EINTR and the context's error, and leaves nothing; those behind it go on waiting.
func TestLockInterrupted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fsys := newFS()
		files := openLocked(t, fsys, 3)
		must(t, files[0].Flock(noCtx, memfs.LockExclusive))
		must(t, files[0].SetLock(noCtx, 0, writeOf(0, 0), false))
		ended, end := context.WithCancel(noCtx)
		calls := []func(f *memfs.File, owner int, ctx context.Context) error{
			func(f *memfs.File, _ int, ctx context.Context) error { return f.Flock(ctx, memfs.LockShared) },
			func(f *memfs.File, owner int, ctx context.Context) error {
				return f.SetLock(ctx, owner, writeOf(1, 1), true)
			},
			func(f *memfs.File, _ int, ctx context.Context) error { return f.SetOFDLock(ctx, readOf(2, 2), true) },
		}
		first, second := make(chan error, 3), make(chan error, 3)
		for _, call := range calls {
			go func() { first <- call(files[1], 1, ended) }()
		}
		synctest.Wait()
		for _, call := range calls {
			go func() { second <- call(files[2], 2, nil) }() // as one that never ends
		}
		synctest.Wait()
		end()
		for range calls {
			err := <-first
			wantError(t, "interrupted", err, syscall.EINTR)
			wantError(t, "interrupted", err, context.Canceled)
			if !strings.Contains(err.Error(), "canceled") {
				t.Errorf("%v does not say why", err)
			}
		}
		for _, call := range calls { // does not wait at all
			wantError(t, "ended before", call(files[1], 1, ended), syscall.EINTR)
		}
		must(t, files[0].Close())
		for range calls {
			must(t, <-second)
		}
		must(t, files[2].Close())
		for _, call := range calls {
			must(t, call(files[1], 1, ended)) // what is free is given
		}
		closeAll(t, fsys, files[1:2])
	})
}

// A wait that ended is no link of a chain any more.
func TestInterruptedIsNoDeadlock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fsys := newFS()
		f := openLocked(t, fsys, 1)
		must(t, f[0].SetLock(noCtx, 1, writeOf(1, 1), false))
		must(t, f[0].SetLock(noCtx, 2, writeOf(2, 1), false))
		ctx, end := context.WithCancel(noCtx)
		got := make(chan error, 1)
		go func() { got <- f[0].SetLock(ctx, 1, writeOf(2, 1), true) }()
		synctest.Wait()
		wantError(t, "a circle", f[0].SetLock(noCtx, 2, writeOf(1, 1), true), syscall.EDEADLK)
		end()
		wantError(t, "interrupted", <-got, syscall.EINTR)
		go func() { got <- f[0].SetLock(noCtx, 2, writeOf(1, 1), true) }()
		synctest.Wait()
		if len(got) > 0 {
			t.Fatalf("no circle any more: %v", <-got)
		}
		must(t, f[0].ReleaseLocks(1))
		must(t, <-got)
		closeAll(t, fsys, f)
	})
}

// Two owners may wait crosswise in two file systems: that is not found, and the locks are not lost either.
func TestLocksOfTwoFileSystems(t *testing.T) {
	a, b := newFS(), newFS()
	fa, fb := openLocked(t, a, 1), openLocked(t, b, 1)
	must(t, fa[0].SetLock(noCtx, 1, writeOf(0, 0), false))
	must(t, fb[0].SetLock(noCtx, 2, writeOf(0, 0), false))
	wantError(t, "its own file system", fa[0].SetLock(noCtx, 2, writeOf(0, 0), false), syscall.EAGAIN)
	closeAll(t, a, fa)
	closeAll(t, b, fb)
}

// Check reports locks that are left.
func TestCheckFindsLocks(t *testing.T) {
	fsys := newFS()
	files := openLocked(t, fsys, 1)
	must(t, files[0].SetLock(noCtx, "owner", writeOf(0, 10), false))
	if err := fsys.Check(); err == nil || !strings.Contains(err.Error(), "owner {owner false} still holds 1 locks") {
		t.Errorf("check: %v", err)
	}
	closeAll(t, fsys, files)
}
