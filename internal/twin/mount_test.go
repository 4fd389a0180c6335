//go:build linux

package twin

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"stagefs/memfs"

	"stagefs/internal/need"
)

// mount mounts a tmpfs for the test; an error is that of mount(2).
func mount(t *testing.T, flags uintptr, options string) (dir string, err error) {
	t.Helper()
	dir = t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", flags, options); err != nil {
		if err == unix.EPERM {
			need.Missing(t, "the right to mount")
		}
		return "", err
	}
	t.Cleanup(func() {
		if err := unix.Unmount(dir, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return dir, nil
}

// optionStrings are options that mount(2) hands to tmpfs.
var optionStrings = []string{
	"", ",", ",size=1m", "size=1m,", "size=1m,,mode=700", "size=1m,size=2m", "size=1m,nr_blocks=7", "nr_blocks=7,size=1m",
	"size=", "size", "size=k", "size=0", "size=1", "size=4096", "size=4097", "size=-1", "size=+1", "size= 1", "size=1 ",
	"size=010", "size=08", "size=0x10000", "size=0X1f000", "size=0x", "size=0xg", "size=1K", "size=1G", "size=1T", "size=1P",
	"size=1E", "size=7e", "size=8e", "size=15e", "size=1kk", "size=1kb", "size=1b", "size=1m,5", "size==1m", " size=1m",
	"SIZE=1m", "size=50%", "size=5k%", "size=0%", "size=%", "size=200%", "size=7%", "size=1%k", "size=1%%",
	"nr_blocks=0", "nr_blocks=1k", "nr_blocks=", "nr_blocks=10%", "nr_blocks=9223372036854775807",
	"nr_blocks=9223372036854775808", "nr_inodes=0", "nr_inodes=1", "nr_inodes=2", "nr_inodes=1k", "nr_inodes=10%",
	"nr_inodes=9007199254740991", "nr_inodes=18014398509481984", "nr_inodes",
	"mode=700", "mode=1777", "mode=0", "mode=7777", "mode=17777", "mode=8", "mode=0x1ff", "mode=+7", "mode=-7", "mode=",
	"mode", "mode=40000000000", "mode=37777777777", "mode=1_0", "mode=0o7", "mode=700,mode=755",
	"uid=1", "uid=0x10", "uid=0X1F", "uid=010", "uid=08", "uid=0", "uid=00", "uid=0x", "uid=4294967295", "uid=4294967294",
	"uid=4294967296", "uid=root", "uid=-1", "uid=+1", "uid=+0x10", "uid=++1", "uid=1_0", "uid=", "gid=1", "gid=4294967295",
	"gid=users", "uid=5,gid=6,mode=711",
	"huge=never", "huge=deny", "huge=force", "huge=", "huge", "noswap", "noswap=1", "noswap=", "swap", "inode32", "inode64",
	"inode64=1", "rw", "async", "sync", "dirsync", "lazytime", "nolazytime", "bogus", "bogus=1", "size=1m,bogus",
}

// policies are memory policies, where the kernel knows nodes.
var policies = []string{
	"default", "default=static", "default=bogus", "default:0", "local", "local=static", "local:0", "prefer", "prefer=static",
	"prefer:0", "prefer:00", "prefer=static:0", "prefer:0-0", "prefer:", "bind", "bind:", "bind:0", "bind:0,0", "bind:,0",
	"bind:0,", "bind:0,,0", "bind:0-0", "bind:0-", "bind:1-0", "bind:a", "bind:0:0", "bind=relative:0", "bind=other:0",
	"interleave", "interleave:0", "interleave=static", "interleave=static:0", "bogus", "", "bind:0,size=1m",
}

// Mount options are taken and refused as by mount(2), and come to the same limits and the same root directory.
func TestMountOptions(t *testing.T) {
	plain, err := mount(t, 0, "")
	if err != nil {
		t.Fatal(err)
	}
	var defaults unix.Statfs_t
	if err := unix.Statfs(plain, &defaults); err != nil {
		t.Fatal(err)
	}
	options := optionStrings
	if _, err := mount(t, 0, "mpol=bind:0"); err == nil {
		for _, policy := range policies {
			options = append(options, "mpol="+policy)
		}
	}
	if _, err := mount(t, 0, "huge=advise"); err == nil {
		options = append(options, "huge=always", "huge=within_size", "huge=advise")
	}
	for _, s := range options {
		want := "refused"
		if dir, err := mount(t, 0, s); err == nil {
			want = mountedAs(t, dir, &defaults)
		}
		got := "refused"
		if parsed, err := memfs.ParseOptions("mode=1777," + s); err == nil {
			got = made(t, &defaults, parsed)
		}
		if got != want {
			t.Errorf("%q: %s, tmpfs: %s", s, got, want)
		}
	}
}

// mountedAs tells what is seen of a tmpfs; limits that are its defaults are none here.
func mountedAs(t *testing.T, dir string, defaults *unix.Statfs_t) string {
	t.Helper()
	var s unix.Statfs_t
	var st unix.Stat_t
	if err := unix.Statfs(dir, &s); err != nil {
		t.Fatal(err)
	}
	if err := unix.Stat(dir, &st); err != nil {
		t.Fatal(err)
	}
	if s.Blocks == defaults.Blocks {
		s.Blocks = 0
	}
	if s.Files == defaults.Files {
		s.Files = 0
	}
	return fmt.Sprintf("%d blocks, %d inodes, mode %o, owner %d:%d", s.Blocks, s.Files, st.Mode, st.Uid, st.Gid)
}

// made tells the same of a file system with these options.
func made(t *testing.T, defaults *unix.Statfs_t, options []memfs.Option) string {
	t.Helper()
	fsys := memfs.New(append([]memfs.Option{memfs.WithCred(memfs.Cred{})}, options...)...)
	s := fsys.Statfs()
	var st memfs.Stat
	if err := fsys.StatInto("/", &st); err != nil {
		t.Fatal(err)
	}
	if s.Blocks == int64(defaults.Blocks) {
		s.Blocks = 0
	}
	return fmt.Sprintf("%d blocks, %d inodes, mode %o, owner %d:%d", s.Blocks, s.Inodes, st.Mode, st.Uid, st.Gid)
}

// A file system in use takes and refuses new limits as a remount of tmpfs does, and what df sees is the same.
func TestRemount(t *testing.T) {
	const pages, inodes = 64, 8
	dir, err := mount(t, 0, fmt.Sprintf("nr_blocks=%d,nr_inodes=%d", pages, inodes))
	if err != nil {
		t.Fatal(err)
	}
	fsys := memfs.New(memfs.WithCred(memfs.Cred{}), memfs.WithBlocks(pages), memfs.WithInodes(inodes))
	contents := pattern(10*4096 + 1)
	if err := os.WriteFile(filepath.Join(dir, "f"), contents, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := fsys.WriteFile("f", contents, 0o644); err != nil {
		t.Fatal(err)
	}
	for step, c := range [][2]int64{
		{-1, -1}, {64, -1}, {11, -1}, {10, -1}, {1, -1}, {-1, 2}, {-1, 1}, {12, 1}, {10, 3}, {20, 3}, {-1, 1 << 40},
		{1 << 40, 4}, {0, -1}, {0, -1}, {100, -1}, {1 << 40, 3}, {-1, 3}, {0, 0}, {-1, 100}, {0, 0},
	} {
		options := ""
		if c[0] >= 0 {
			options += fmt.Sprintf("nr_blocks=%d,", c[0])
		}
		if c[1] >= 0 {
			options += fmt.Sprintf("nr_inodes=%d", c[1])
		}
		kernel := unix.Mount("tmpfs", dir, "tmpfs", unix.MS_REMOUNT, options)
		bytes := c[0]
		if bytes > 0 {
			bytes *= 4096
		}
		ours := fsys.Resize(bytes, c[1])
		if (kernel == nil) != (ours == nil) {
			t.Errorf("step %d, %q: %v, tmpfs: %v", step, options, ours, kernel)
		}
		var k unix.Statfs_t
		if err := unix.Statfs(dir, &k); err != nil {
			t.Fatal(err)
		}
		want := [6]int64{int64(k.Bsize), int64(k.Blocks), int64(k.Bfree), int64(k.Files), int64(k.Ffree), int64(k.Namelen)}
		u := fsys.Statfs()
		if got := [6]int64{u.BlockSize, u.Blocks, u.BlocksFree, u.Inodes, u.InodesFree, u.NameMax}; got != want {
			t.Errorf("step %d, %q: statfs %v, tmpfs %v", step, options, got, want)
		}
	}
}

// Access times follow the mount's flags as on tmpfs.
func TestMountAtime(t *testing.T) {
	for _, c := range []struct {
		options string
		flags   uintptr
	}{
		{"relatime", unix.MS_RELATIME}, {"strictatime", unix.MS_STRICTATIME}, {"noatime", unix.MS_NOATIME},
		{"relatime,nodiratime", unix.MS_RELATIME | unix.MS_NODIRATIME},
		{"strictatime,nodiratime", unix.MS_STRICTATIME | unix.MS_NODIRATIME},
	} {
		dir, err := mount(t, c.flags, "")
		if err != nil {
			t.Fatal(err)
		}
		options, err := memfs.ParseOptions(c.options)
		if err != nil {
			t.Fatal(err)
		}
		fsys := memfs.New(append(options, memfs.WithCred(memfs.Cred{}))...)
		want, got := accesses(t, hostCalls(dir)), accesses(t, memfsCalls(fsys))
		if got != want {
			t.Errorf("%s:\n%s\ntmpfs:\n%s", c.options, got, want)
		}
	}
}

// atimeCalls are what accesses needs of a file system.
type atimeCalls struct {
	path      func(string) string
	mkdir     func(string, fs.FileMode) error
	writeFile func(string, []byte, fs.FileMode) error
	symlink   func(string, string) error
	chtimes   func(string, time.Time, time.Time) error
	lstat     func(string) (fs.FileInfo, error)
	readFile  func(string) ([]byte, error)
	readDir   func(string) ([]fs.DirEntry, error)
	readlink  func(string) (string, error)
}

func hostCalls(dir string) atimeCalls {
	return atimeCalls{func(p string) string { return filepath.Join(dir, p) }, os.Mkdir, os.WriteFile, os.Symlink, os.Chtimes,
		os.Lstat, os.ReadFile, os.ReadDir, os.Readlink}
}

func memfsCalls(f *memfs.FS) atimeCalls {
	return atimeCalls{func(p string) string { return p }, f.Mkdir, f.WriteFile, f.Symlink, f.Chtimes,
		f.Lstat, f.ReadFile, f.ReadDir, f.Readlink}
}

// accesses makes one call after the other and tells which access times each has changed.
func accesses(t *testing.T, c atimeCalls) (log string) {
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	d, f, l := c.path("d"), c.path("d/f"), c.path("l")
	must(c.mkdir(d, 0o755))
	must(c.writeFile(f, []byte("contents"), 0o644))
	must(c.symlink("d/f", l))
	now := time.Now()
	for _, age := range []time.Duration{48 * time.Hour, 24*time.Hour + 2*time.Second, 24*time.Hour - time.Minute, -time.Hour} {
		for _, call := range []struct {
			name string
			do   func() error
		}{
			{"read", func() error { _, err := c.readFile(f); return err }},
			{"readdir", func() error { _, err := c.readDir(d); return err }},
			{"stat", func() error { _, err := c.lstat(f); return err }},
			{"readlink", func() error { _, err := c.readlink(l); return err }},
			{"through the link", func() error { _, err := c.readFile(l); return err }},
		} {
			for _, path := range []string{d, f} {
				must(c.chtimes(path, now.Add(-age), now.Add(-72*time.Hour)))
			}
			before := atimes(t, c, d, f, l)
			tickOfKernel(t)
			must(call.do())
			after := atimes(t, c, d, f, l)
			for i := range before {
				log += fmt.Sprintf("age %v, %s: %d changed %v\n", age, call.name, i, before[i] != after[i])
			}
		}
	}
	return log
}

func atimes(t *testing.T, c atimeCalls, paths ...string) (times []int64) {
	t.Helper()
	for _, path := range paths {
		info, err := c.lstat(path)
		if err != nil {
			t.Fatal(err)
		}
		st, ok := info.Sys().(*syscall.Stat_t)
		if !ok {
			t.Fatalf("%T", info.Sys())
		}
		times = append(times, st.Atim.Nano())
	}
	return times
}

// tickOfKernel returns when the clock that the kernel takes its file times from has moved on.
func tickOfKernel(t *testing.T) {
	t.Helper()
	now := func() (ts unix.Timespec) {
		if err := unix.ClockGettime(unix.CLOCK_REALTIME_COARSE, &ts); err != nil {
			t.Fatal(err)
		}
		return ts
	}
	for first := now(); now() == first; {
		runtime.Gosched()
	}
}
