package memfs_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"stagefs/memfs"
)

// Quotas are tested by tables that follow fs/quota/dquot.c and mm/shmem_quota.c of Linux 6.18: the kernel that runs the
// other comparisons has often been built without CONFIG_TMPFS_QUOTA.

const (
	users  = memfs.UserQuota
	groups = memfs.GroupQuota
)

// newQuotaFS has an open root directory, and quotas of both kinds.
func newQuotaFS(options ...memfs.Option) *memfs.FS {
	return newFS(append([]memfs.Option{
		memfs.WithRootMode(0o777), memfs.WithUmask(0), memfs.WithQuota(users, memfs.Quota{}), memfs.WithQuota(groups, memfs.Quota{}),
	}, options...)...)
}

// wantQuota compares what a user or group has.
func wantQuota(t testing.TB, fsys *memfs.FS, kind memfs.QuotaKind, id uint32, pages, inodes int64) {
	t.Helper()
	u, err := fsys.QuotaOf(kind, id)
	if err != nil || u.Bytes != pages*pageSize || u.Inodes != inodes || u.ID != id {
		t.Errorf("kind %d, id %d: %+v, %v; want %d bytes, %d inodes", kind, id, u, err, pages*pageSize, inodes)
	}
}

func TestQuotaCounts(t *testing.T) {
	for _, v := range variants {
		fsys := newQuotaFS(v.options...)
		a := fsys.As(alice)
		must(t, a.Mkdir("/d", 0o777))
		must(t, a.WriteFile("/d/f", make([]byte, 3*pageSize+1), 0o666))
		must(t, a.Link("/d/f", "/d/g")) // a name, no inode
		must(t, a.Symlink(strings.Repeat("x", 200), "/d/long"))
		must(t, a.Symlink("short", "/d/short"))
		wantQuota(t, fsys, users, alice.Uid, 5, 4)
		wantQuota(t, fsys, groups, alice.Gid, 5, 4)
		wantQuota(t, fsys, users, 0, 0, 1)

		// What bob writes into alice's file is hers.
		f := got[*memfs.File](t)(fsys.As(bob).OpenFile("/d/f", os.O_RDWR, 0))
		got[int](t)(f.WriteAt([]byte("x"), 10*pageSize))
		wantQuota(t, fsys, users, alice.Uid, 6, 4)
		wantQuota(t, fsys, users, bob.Uid, 0, 0)
		must(t, f.Truncate(pageSize))
		wantQuota(t, fsys, users, alice.Uid, 2, 4)

		must(t, fsys.Chown("/d/f", int(bob.Uid), int(bob.Gid)))
		wantQuota(t, fsys, users, alice.Uid, 1, 3)
		wantQuota(t, fsys, users, bob.Uid, 1, 1)
		must(t, fsys.Lchown("/d/long", -1, int(bob.Gid)))
		wantQuota(t, fsys, groups, bob.Gid, 2, 2)
		wantQuota(t, fsys, users, alice.Uid, 1, 3)
		must(t, a.RemoveAll("/d"))
		wantQuota(t, fsys, users, alice.Uid, 0, 0)
		wantQuota(t, fsys, users, bob.Uid, 1, 1) // still open
		must(t, f.Close())
		wantQuota(t, fsys, users, bob.Uid, 0, 0)
		check(t, fsys)
		for u := range fsys.Quotas(users) {
			if u.ID != 0 {
				t.Errorf("left: %+v", u)
			}
		}
	}
}

// The hard limits of a user: each call that takes something fails with EDQUOT, and leaves all as it was.
func TestQuotaHardLimit(t *testing.T) {
	for _, v := range variants {
		for _, kind := range []memfs.QuotaKind{users, groups} {
			fsys := newQuotaFS(v.options...)
			must(t, fsys.SetQuota(kind, alice.Uid, memfs.Quota{HardBytes: 3*pageSize + 100, HardInodes: 2}))
			a := fsys.As(alice)
			must(t, a.WriteFile("/f", make([]byte, 2*pageSize), 0o666))
			must(t, a.WriteFile("/g", nil, 0o644))
			for what, call := range map[string]func() error{
				"create":       func() error { return closeOf(a.Create("/n")) },
				"mkdir":        func() error { return a.Mkdir("/n", 0o755) },
				"symlink":      func() error { return a.Symlink("x", "/n") },
				"long symlink": func() error { return a.Symlink(strings.Repeat("x", 300), "/n") },
				"fifo":         func() error { return a.Mkfifo("/n", 0o644) },
				"mkdirall":     func() error { return a.MkdirAll("/n/m", 0o755) },
				"createtemp":   func() error { return closeOf(a.CreateTemp("/", "x")) },
				"whiteout":     func() error { return a.RenameFlags("/g", "/n", memfs.RenameWhiteout) },
			} {
				unchanged(t, fsys, what, call, syscall.EDQUOT)
			}
			must(t, a.Link("/f", "/h"))
			f := got[*memfs.File](t)(a.OpenFile("/f", os.O_RDWR, 0))
			_, err := f.WriteAt(make([]byte, 2*pageSize), pageSize)
			wantError(t, "two pages", err, nil)
			n, err := f.Write(make([]byte, 5*pageSize))
			if n != 3*pageSize || errnoOf(err) != syscall.EDQUOT {
				t.Errorf("%d bytes, %v", n, err)
			}
			wantQuota(t, fsys, kind, alice.Uid, 3, 2)
			must(t, f.Close())

			// Root is not limited, whoever it works for.
			f = got[*memfs.File](t)(fsys.OpenFile("/f", os.O_RDWR|os.O_APPEND, 0))
			got[int](t)(f.Write(make([]byte, 2*pageSize)))
			must(t, f.Close())
			wantQuota(t, fsys, kind, alice.Uid, 5, 2)
			must(t, fsys.WriteFile("/r", nil, 0o644))
			must(t, fsys.Chown("/r", int(alice.Uid), int(alice.Gid)))
			wantQuota(t, fsys, kind, alice.Uid, 5, 3)
			must(t, a.Remove("/r"))
			must(t, a.Truncate("/f", 1))
			must(t, a.Remove("/g"))
			must(t, a.Symlink(strings.Repeat("x", 300), "/n"))
			wantQuota(t, fsys, kind, alice.Uid, 2, 2)
			check(t, fsys)
		}
	}
}

// A file system that is full says ENOSPC where a quota would say EDQUOT.
func TestQuotaAfterLimits(t *testing.T) {
	fsys := newQuotaFS(memfs.WithSize(4*pageSize), memfs.WithInodes(3))
	a := fsys.As(alice)
	must(t, fsys.SetQuota(users, alice.Uid, memfs.Quota{HardBytes: 2 * pageSize, HardInodes: 2}))
	must(t, a.WriteFile("/f", nil, 0o644))
	f := got[*memfs.File](t)(a.OpenFile("/f", os.O_RDWR, 0))
	n, err := f.Write(make([]byte, 8*pageSize))
	if n != 2*pageSize || errnoOf(err) != syscall.EDQUOT {
		t.Errorf("%d bytes, %v", n, err)
	}
	wantUsed(t, fsys, 2, 2)
	must(t, fsys.SetQuota(users, alice.Uid, memfs.Quota{HardBytes: 9 * pageSize, HardInodes: 2}))
	n, err = f.Write(make([]byte, 8*pageSize))
	if n != 2*pageSize || errnoOf(err) != syscall.ENOSPC {
		t.Errorf("%d bytes, %v", n, err)
	}
	must(t, a.WriteFile("/g", nil, 0o644))
	wantError(t, "create", a.Mkdir("/h", 0o755), syscall.ENOSPC)
	must(t, f.Close())
	wantUsed(t, fsys, 4, 3)
	check(t, fsys)
}

// A group's member who gives a file to another of his groups needs room there.
func TestQuotaChgrp(t *testing.T) {
	for _, limits := range []memfs.Quota{{HardBytes: 3*pageSize - 1}, {HardInodes: 1}} {
		fsys := newQuotaFS()
		a := fsys.As(alice)
		must(t, a.WriteFile("/f", make([]byte, 3*pageSize), 0o644))
		must(t, a.Mkdir("/d", 0o755))
		must(t, fsys.SetQuota(groups, 2000, limits))
		if limits.HardInodes > 0 {
			must(t, a.Chown("/d", -1, 2000))
		}
		unchanged(t, fsys, "chgrp", func() error { return a.Chown("/f", -1, 2000) }, syscall.EDQUOT)
		wantQuota(t, fsys, groups, alice.Gid, 3, 2-limits.HardInodes)
		must(t, fsys.SetQuota(groups, 2000, memfs.Quota{}))
		must(t, a.Chown("/f", -1, 2000))
		must(t, a.Chown("/f", -1, 2000))
		wantQuota(t, fsys, groups, 2000, 3, 1+limits.HardInodes)
		check(t, fsys)
	}
}

// tick is a clock that stands still until it is set.
type tick struct{ ns atomic.Int64 }

func (c *tick) now() time.Time { return time.Unix(0, c.ns.Load()) }

// A soft limit may be exceeded until the time of grace is over; then it is a hard one, until what is used is back at it.
func TestQuotaSoftLimit(t *testing.T) {
	clock := &tick{}
	fsys := newQuotaFS(memfs.WithClock(clock.now))
	a := fsys.As(alice)
	must(t, fsys.SetQuotaGrace(users, time.Hour, time.Minute))
	must(t, fsys.SetQuota(users, alice.Uid, memfs.Quota{
		SoftBytes: 2 * pageSize, HardBytes: 5 * pageSize, SoftInodes: 2, HardInodes: 4,
	}))
	state := func() memfs.QuotaUsage { return got[memfs.QuotaUsage](t)(fsys.QuotaOf(users, alice.Uid)) }
	must(t, a.WriteFile("/f", make([]byte, 2*pageSize), 0o644))
	must(t, a.Mkdir("/d", 0o755))
	if u := state(); !u.BytesGrace.IsZero() || !u.InodesGrace.IsZero() {
		t.Errorf("at the limit: %+v", u)
	}
	clock.ns.Store(1e9)
	must(t, a.Mkdir("/e", 0o755))
	f := got[*memfs.File](t)(a.OpenFile("/f", os.O_RDWR|os.O_APPEND, 0))
	got[int](t)(f.Write(make([]byte, pageSize)))
	if u := state(); u.BytesGrace.UnixNano() != 3601e9 || u.InodesGrace.UnixNano() != 61e9 {
		t.Errorf("beyond the limit: %+v", u)
	}
	clock.ns.Store(61e9 - 1)
	must(t, a.Mkdir("/e2", 0o755))
	must(t, a.Remove("/e2"))
	clock.ns.Store(61e9)
	wantError(t, "mkdir", a.Mkdir("/e2", 0o755), syscall.EDQUOT)
	must(t, a.Remove("/e"))
	must(t, a.Mkdir("/e", 0o755)) // a new time of grace
	must(t, a.Remove("/e"))
	got[int](t)(f.Write(make([]byte, pageSize)))
	clock.ns.Store(3601e9)
	_, err := f.Write(make([]byte, pageSize))
	wantError(t, "write", err, syscall.EDQUOT)
	must(t, f.Close())
	check(t, fsys)
}

// Without any time of grace, one page or inode beyond the soft limit is the last.
func TestQuotaNoGrace(t *testing.T) {
	fsys := newQuotaFS(memfs.WithClock((&tick{}).now))
	must(t, fsys.SetQuotaGrace(users, -1, 0))
	must(t, fsys.SetQuota(users, alice.Uid, memfs.Quota{SoftBytes: 2 * pageSize, SoftInodes: 1}))
	a := fsys.As(alice)
	f := got[*memfs.File](t)(a.Create("/f"))
	if n, err := f.Write(make([]byte, 9*pageSize)); n != 3*pageSize || errnoOf(err) != syscall.EDQUOT {
		t.Errorf("%d bytes, %v", n, err)
	}
	must(t, a.Mkdir("/d", 0o755))
	wantError(t, "mkdir", a.Mkdir("/e", 0o755), syscall.EDQUOT)
	must(t, f.Truncate(2*pageSize))
	if n, err := f.Write(make([]byte, 9*pageSize)); n != pageSize || errnoOf(err) != syscall.EDQUOT {
		t.Errorf("%d bytes at 3 pages, %v", n, err)
	}
	must(t, f.Close())
	check(t, fsys)
}

func TestQuotaDefaultsAndErrors(t *testing.T) {
	fsys := newFS(memfs.WithRootMode(0o777), memfs.WithQuota(users, memfs.Quota{HardInodes: 1, SoftBytes: -5}),
		memfs.WithQuota(9, memfs.Quota{HardInodes: 1}))
	for _, cred := range []memfs.Cred{alice, bob} {
		v := fsys.As(cred)
		must(t, v.Mkdir(fmt.Sprintf("/%d", cred.Uid), 0o755))
		wantError(t, "second", v.Mkdir("/second", 0o755), syscall.EDQUOT)
	}
	must(t, fsys.SetQuota(users, bob.Uid, memfs.Quota{HardInodes: 2}))
	must(t, fsys.As(bob).Mkdir("/second", 0o755))
	must(t, fsys.As(bob).RemoveAll("/second"))
	if u := got[memfs.QuotaUsage](t)(fsys.QuotaOf(users, 77)); u != (memfs.QuotaUsage{ID: 77, Quota: memfs.Quota{HardInodes: 1}}) {
		t.Errorf("unknown user: %+v", u)
	}
	var ids []uint32
	for u := range fsys.Quotas(users) {
		ids = append(ids, u.ID)
	}
	if fmt.Sprint(ids) != fmt.Sprint([]uint32{0, alice.Uid, bob.Uid}) {
		t.Errorf("users %v", ids)
	}
	for range fsys.Quotas(users) {
		break
	}
	for range fsys.Quotas(groups) {
		t.Error("group quotas are off")
	}
	errorsOf := func(kind memfs.QuotaKind, id uint32, q memfs.Quota, want error) {
		t.Helper()
		wantError(t, "SetQuota", fsys.SetQuota(kind, id, q), want)
		if want == syscall.ERANGE {
			return
		}
		_, err := fsys.QuotaOf(kind, id)
		wantError(t, "QuotaOf", err, want)
	}
	errorsOf(groups, 1, memfs.Quota{}, syscall.ESRCH)
	errorsOf(7, 1, memfs.Quota{}, syscall.EINVAL)
	errorsOf(users, math.MaxUint32, memfs.Quota{}, syscall.EINVAL)
	errorsOf(users, 1, memfs.Quota{SoftInodes: -1}, syscall.ERANGE)
	wantError(t, "SetQuotaGrace", fsys.SetQuotaGrace(groups, 1, 1), syscall.ESRCH)
	wantError(t, "off", newFS().SetQuota(users, 1, memfs.Quota{}), syscall.ESRCH)
	must(t, fsys.SetQuota(users, 1, memfs.Quota{HardBytes: math.MaxInt64, SoftBytes: math.MaxInt64}))
	must(t, fsys.SetQuotaGrace(users, math.MaxInt64, math.MaxInt64))
	must(t, fsys.SetQuota(users, alice.Uid, memfs.Quota{SoftInodes: 0, SoftBytes: 1}))
	must(t, fsys.As(alice).WriteFile(fmt.Sprintf("/%d/f", alice.Uid), []byte("x"), 0o644))
	check(t, fsys)
}

// Random calls keep to a model that counts by looking at all files.
func TestQuotaModel(t *testing.T) {
	seed := rand.Uint64()
	random := rand.New(rand.NewPCG(seed, 0))
	fsys := newQuotaFS()
	creds := []memfs.Cred{root, alice, bob}
	for i, id := range []uint32{alice.Uid, bob.Uid, 2000} {
		must(t, fsys.SetQuota(memfs.QuotaKind(i/2), id, memfs.Quota{HardBytes: 20 * pageSize, HardInodes: 6}))
	}
	for step := range rounds(4000) {
		v := fsys.As(creds[random.IntN(3)])
		path := fmt.Sprintf("/f%d", random.IntN(20))
		switch random.IntN(8) {
		case 0, 1:
			_ = closeOf(v.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o666))
		case 2, 3:
			if f, err := v.OpenFile(path, os.O_RDWR, 0); err == nil {
				_, _ = f.WriteAt(make([]byte, random.IntN(5*pageSize)), int64(random.IntN(9*pageSize)))
				must(t, f.Close())
			}
		case 4:
			_ = v.Truncate(path, int64(random.IntN(9*pageSize)))
		case 5:
			_ = v.Chown(path, []int{-1, 0, 1000, 1001}[random.IntN(4)], []int{-1, 1000, 1001, 2000}[random.IntN(4)])
		case 6:
			_ = v.Remove(path)
		case 7:
			_ = v.Rename(path, fmt.Sprintf("/f%d", random.IntN(20)))
		}
		if step%50 == 0 {
			if err := fsys.Check(); err != nil {
				t.Fatalf("seed %d, step %d: %v", seed, step, err)
			}
		}
	}
	check(t, fsys)
	must(t, removeBelow(fsys, "/"))
	for _, id := range []uint32{alice.Uid, bob.Uid} {
		wantQuota(t, fsys, users, id, 0, 0)
	}
	check(t, fsys)
}

// Pages that are allocated or shared without a write are charged, too, all or none.
func TestQuotaWithoutWrites(t *testing.T) {
	fsys := newQuotaFS()
	a := fsys.As(alice)
	must(t, fsys.SetQuota(users, alice.Uid, memfs.Quota{HardBytes: 5 * pageSize}))
	must(t, a.WriteFile("/f", make([]byte, 3*pageSize), 0o644))
	src := got[*memfs.File](t)(a.OpenFile("/f", os.O_RDWR, 0))
	dst := got[*memfs.File](t)(a.Create("/g"))
	wantError(t, "allocate", src.Allocate(0, 0, 6*pageSize), syscall.EDQUOT)
	wantError(t, "clone", a.CloneFile(dst, src), syscall.EDQUOT)
	wantQuota(t, fsys, users, alice.Uid, 3, 2)
	_, err := a.CopyFileRange(dst, 0, src, 0, 3*pageSize)
	wantError(t, "copy", err, nil, syscall.EDQUOT)
	must(t, dst.Truncate(0))
	must(t, src.Allocate(memfs.AllocKeepSize, 0, 5*pageSize))
	wantQuota(t, fsys, users, alice.Uid, 5, 2)
	must(t, src.Allocate(memfs.AllocKeepSize|memfs.AllocPunchHole, 0, 4*pageSize))
	wantQuota(t, fsys, users, alice.Uid, 1, 2)
	must(t, fsys.CloneFile(src, dst))
	must(t, fsys.Chown("/f", int(bob.Uid), -1))
	must(t, src.Close())
	must(t, dst.Close())
	check(t, fsys)
}
