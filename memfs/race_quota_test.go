package memfs_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"sync/atomic"
	"syscall"
	"testing"

	"stagefs/memfs"
)

// Users who fill their quotas together get all there is, and no more.
func TestQuotaFillTogether(t *testing.T) {
	const pages, inodes = 20, 15
	fsys := newQuotaFS()
	must(t, fsys.SetQuota(groups, 2000, memfs.Quota{HardBytes: pages * pageSize, HardInodes: inodes}))
	for range rounds(100) {
		var written, made atomic.Int64
		fill := func(cred memfs.Cred, name string) func() {
			return func() {
				cred.Gid = 2000
				v := fsys.As(cred)
				for i := 0; ; i++ {
					f, err := v.Create(fmt.Sprintf("/%s%d", name, i))
					if err != nil {
						wantError(t, "create", err, syscall.EDQUOT)
						return
					}
					made.Add(1)
					n, err := f.Write(make([]byte, 2*pageSize))
					wantError(t, "write", err, nil, syscall.EDQUOT)
					written.Add(int64(n))
					must(t, f.Close())
				}
			}
		}
		together(fill(alice, "a"), fill(bob, "b"), fill(alice, "c"), fill(bob, "d"))
		if written.Load() != pages*pageSize || made.Load() != inodes {
			t.Fatalf("%d bytes in %d files, want %d in %d", written.Load(), made.Load(), pages*pageSize, inodes)
		}
		wantQuota(t, fsys, groups, 2000, pages, inodes)
		must(t, removeBelow(fsys, "/"))
		wantQuota(t, fsys, groups, 2000, 0, 0)
	}
	check(t, fsys)
}

// Owners change while files are written, truncated and removed: every page goes back to whom it was taken from.
func TestQuotaChownTogether(t *testing.T) {
	fsys := newQuotaFS()
	ids := []int{-1, 0, int(alice.Uid), int(bob.Uid)}
	member := func() {
		for range rounds(3000) {
			path := fmt.Sprintf("/f%d", rand.IntN(3))
			switch rand.IntN(5) {
			case 0, 1:
				_ = fsys.Chown(path, ids[rand.IntN(4)], ids[rand.IntN(4)])
			case 2:
				if f, err := fsys.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o666); err == nil {
					got[int](t)(f.WriteAt(make([]byte, 1+rand.IntN(3*pageSize)), int64(rand.IntN(4*pageSize))))
					_ = fsys.Chown(path, ids[rand.IntN(4)], ids[rand.IntN(4)])
					must(t, f.Close())
				}
			case 3:
				_ = fsys.Truncate(path, int64(rand.IntN(4*pageSize)))
			case 4:
				_ = fsys.Remove(path)
			}
		}
	}
	together(member, member, member, member)
	check(t, fsys)
	must(t, removeBelow(fsys, "/"))
	check(t, fsys)
	for u := range fsys.Quotas(users) {
		if u.ID != 0 || u.Inodes != 1 {
			t.Errorf("left: %+v", u)
		}
	}
}

// While the limits change, no more is in use at any moment than the limits of that moment, and a refused limit is never
// felt.
func TestResizeTogether(t *testing.T) {
	const most = 24
	fsys := newFS(memfs.WithSize(most*pageSize), memfs.WithInodes(most))
	var stop atomic.Bool
	churn := func(path string) func() {
		return func() {
			for range rounds(2000) {
				f, err := fsys.Create(path)
				if err != nil {
					wantError(t, "create", err, syscall.ENOSPC)
					continue
				}
				n, err := f.Write(make([]byte, 8*pageSize))
				wantError(t, "write", err, nil, syscall.ENOSPC)
				if err == nil && n != 8*pageSize {
					t.Errorf("%d bytes written", n)
				}
				used(t, fsys)
				must(t, f.Close())
				must(t, fsys.Remove(path))
			}
			stop.Store(true)
		}
	}
	resize := func() {
		for !stop.Load() {
			pages, inodes := int64(1+rand.IntN(most)), int64(1+rand.IntN(most))
			err := fsys.Resize(pages*pageSize, inodes)
			wantError(t, "resize", err, nil, syscall.EINVAL)
			s := fsys.Statfs()
			if s.BlocksUsed > s.Blocks || s.InodesUsed > s.Inodes {
				t.Errorf("more in use than there is: %+v", s)
			}
			if err == nil && (s.Blocks != pages || s.Inodes != inodes) {
				t.Errorf("%d and %d, asked for %d and %d", s.Blocks, s.Inodes, pages, inodes)
			}
		}
	}
	together(churn("/a"), churn("/b"), churn("/c"), resize)
	wantUsed(t, fsys, 0, 1)
	check(t, fsys)
}

// A refused resize is not felt by those who charge at the same time: what fits the limits that stay gets through.
func TestRefusedResizeTogether(t *testing.T) {
	fsys := newFS(memfs.WithSize(10*pageSize), memfs.WithInodes(10))
	must(t, fsys.WriteFile("/kept", make([]byte, 9*pageSize), 0o644))
	var stop atomic.Bool
	together(func() {
		for range rounds(5000) {
			must(t, fsys.WriteFile("/f", []byte("x"), 0o644))
			must(t, fsys.Remove("/f"))
		}
		stop.Store(true)
	}, func() {
		for !stop.Load() {
			wantError(t, "resize", fsys.Resize(8*pageSize, 1), syscall.EINVAL)
			wantError(t, "resize", fsys.Resize(memfs.Keep, 1), syscall.EINVAL)
		}
	})
	check(t, fsys)
}
