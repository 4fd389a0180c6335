package memfs_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"syscall"
	"testing"
	"time"

	"stagefs/memfs"
)

// parsed makes a file system by mount options.
func parsed(t testing.TB, options string) *memfs.FS {
	t.Helper()
	return newFS(got[[]memfs.Option](t)(memfs.ParseOptions(options))...)
}

func TestParseOptions(t *testing.T) {
	for _, c := range []struct {
		options        string
		blocks, inodes int64
		mode           uint32
		uid, gid       uint32
	}{
		{"", 0, 0, 0o755, 0, 0},
		{"size=2g,nr_inodes=1m,mode=1777,uid=5,gid=0x10", 1 << 19, 1 << 20, 0o1777, 5, 16},
		{",,size=1m,,", 256, 0, 0o755, 0, 0},
		{"size=1m,size=2m", 512, 0, 0o755, 0, 0},
		{"size=1m,nr_blocks=7", 7, 0, 0o755, 0, 0},
		{"nr_blocks=7,size=0", 0, 0, 0o755, 0, 0},
		{"size=4097,nr_inodes=010", 2, 8, 0o755, 0, 0},
		{"defaults,rw,noatime,nodiratime,lazytime,huge=advise,noswap,inode64,mpol=bind:0-3,5,7,mode=0", 0, 0, 0, 0, 0},
		{"nr_blocks=9223372036854775807", math.MaxInt64, 0, 0o755, 0, 0},
		{"size=18446744073709551615", 1 << 52, 0, 0o755, 0, 0},
	} {
		fsys := parsed(t, c.options)
		s, st := fsys.Statfs(), stat(t, fsys, "/")
		if s.Blocks != c.blocks || s.Inodes != c.inodes || st.Mode != 0o040000|c.mode || st.Uid != c.uid || st.Gid != c.gid {
			t.Errorf("%q: %d blocks, %d inodes, mode %o, owner %d:%d", c.options, s.Blocks, s.Inodes, st.Mode, st.Uid, st.Gid)
		}
		check(t, fsys)
	}
}

func TestParseOptionsRefuses(t *testing.T) {
	for options, want := range map[string]string{
		"bogus":                        `"bogus" at byte 0: unknown`,
		"size=1m,bogus=3":              `"bogus=3" at byte 8: unknown`,
		",,=5":                         `"=5" at byte 2: unknown`,
		"size=1m,5":                    `"5" at byte 8: unknown`,
		"size=":                        `"size=" at byte 0: bad value`,
		"mode=755,size":                `"size" at byte 9: bad value`,
		"size=-1":                      `"size=-1" at byte 0: bad value`,
		"size=16e":                     `"size=16e" at byte 0: too large`,
		"nr_inodes=18014398509481984":  `at byte 0: too large`,
		"noswap=":                      `"noswap=" at byte 0: takes no value`,
		"ro":                           `"ro" at byte 0: belongs to a mount`,
		"casefold=utf8-12.1.0":         `"casefold=utf8-12.1.0" at byte 0: directories that ignore case`,
		"uid=root":                     `"uid=root" at byte 0: bad value`,
		"usrquota_block_hardlimit=0":   `at byte 0: bad value`,
		"grpquota_inode_hardlimit=15e": `at byte 0: too large`,
	} {
		_, err := memfs.ParseOptions(options)
		if !errors.Is(err, syscall.EINVAL) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", options, err, want)
		}
	}
}

func TestParseQuotas(t *testing.T) {
	fsys := parsed(t, "mode=777,usrquota_block_hardlimit=8k,usrquota,usrquota_inode_hardlimit=3,grpquota_inode_hardlimit=1")
	u := got[memfs.QuotaUsage](t)(fsys.QuotaOf(users, alice.Uid))
	if u.Quota != (memfs.Quota{HardBytes: 8192, HardInodes: 3}) {
		t.Errorf("%+v", u)
	}
	if _, err := fsys.QuotaOf(groups, 1); !errors.Is(err, syscall.ESRCH) {
		t.Errorf("group quotas: %v", err)
	}
	fsys = parsed(t, "quota")
	for _, kind := range []memfs.QuotaKind{users, groups} {
		if u := got[memfs.QuotaUsage](t)(fsys.QuotaOf(kind, 1)); u.Quota != (memfs.Quota{}) {
			t.Errorf("%+v", u)
		}
	}
}

func TestSizePercent(t *testing.T) {
	whole := newFS(memfs.WithSizePercent(100)).Statfs().Blocks
	if whole < 1<<10 {
		t.Errorf("this machine's memory has %d pages", whole)
	}
	for percent, want := range map[int]int64{0: 0, -5: 0, 50: (whole + 1) / 2, 200: 2 * whole, 1: (whole + 99) / 100} {
		if blocks := newFS(memfs.WithSizePercent(percent)).Statfs().Blocks; blocks != want {
			t.Errorf("%d%%: %d pages of %d", percent, blocks, whole)
		}
		if blocks := parsed(t, fmt.Sprintf("size=%d%%", max(percent, 0))).Statfs().Blocks; blocks != want {
			t.Errorf("size=%d%%: %d pages of %d", percent, blocks, whole)
		}
	}
	if blocks := parsed(t, "size=18446744073709551615%").Statfs().Blocks; blocks != math.MaxInt64 {
		t.Errorf("%d pages", blocks)
	}
}

func TestRootOwner(t *testing.T) {
	for _, c := range []struct{ uid, gid, wantUid, wantGid int }{
		{-1, -1, 1000, 1000}, {0, -1, 0, 1000}, {-1, 7, 1000, 7}, {5, 6, 5, 6},
		{math.MinInt, -2, 1000, 1000},
	} {
		fsys := memfs.New(memfs.WithRootOwner(c.uid, c.gid), memfs.WithCred(alice), memfs.WithQuota(users, memfs.Quota{}))
		if st := stat(t, fsys, "/"); int(st.Uid) != c.wantUid || int(st.Gid) != c.wantGid {
			t.Errorf("%d:%d: %d:%d", c.uid, c.gid, st.Uid, st.Gid)
		}
		check(t, fsys)
	}
}

// What can be read at all makes a file system; what cannot, names an option of the string.
func FuzzParseOptions(f *testing.F) {
	for _, s := range []string{
		"", "size=2g,nr_inodes=1m,mode=1777", "size=50%", "mpol=bind=static:0-3,5,huge=always", ",=,", "size=0x,uid=+07",
		"usrquota,usrquota_block_hardlimit=1m,grpquota", "nr_blocks=99999999999999999999", "noatime=1", "ro",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		options, err := memfs.ParseOptions(s)
		if err == nil {
			fsys := newFS(options...)
			must(t, fsys.Check())
			if more, err := memfs.ParseOptions(s + "," + s); err != nil || len(more) < len(options) {
				t.Errorf("%q twice: %v", s, err)
			}
			return
		}
		if !errors.Is(err, syscall.EINVAL) {
			t.Fatalf("%q: %v", s, err)
		}
		for _, item := range strings.Split(s, ",") {
			if item != "" && strings.Contains(err.Error(), strings.Trim(fmt.Sprintf("%q", item), `"`)) {
				return
			}
		}
		t.Errorf("%q: no option is named: %v", s, err)
	})
}

// The rules of access times, with a clock that says when.
func TestAtime(t *testing.T) {
	const day = 24 * 60 * 60 * 1e9
	for _, c := range []struct {
		options    string
		atime, now int64 // the last change was at 1 s
		file, dir  bool  // which are set
	}{
		{"", 1e9, 5e9, true, true},
		{"", 2e9, 5e9, false, false},
		{"", 2e9, 2e9 + day - 1, false, false},
		{"", 2e9, 2e9 + day, true, true},
		{"", 2e9 + 9e8, 2e9 + day, true, true}, // whole seconds count
		{"", 9e9, 5e9, false, false},
		{"relatime,nodiratime", 1e9, 5e9, true, false},
		{"strictatime", 2e9, 5e9, true, true},
		{"strictatime", 9e9, 5e9, true, true},
		{"strictatime,nodiratime", 2e9, 5e9, true, false},
		{"strictatime,nodiratime,diratime", 2e9, 5e9, true, true},
		{"noatime", 1e9, 5e9, false, false},
		{"noatime,relatime", 1e9, 5e9, true, true},
	} {
		clock := &tick{}
		clock.ns.Store(1e9)
		fsys := newFS(append(got[[]memfs.Option](t)(memfs.ParseOptions(c.options)), memfs.WithClock(clock.now))...)
		must(t, fsys.Mkdir("/d", 0o755))
		must(t, fsys.WriteFile("/d/f", []byte("x"), 0o644))
		must(t, fsys.Symlink("d/f", "/l"))
		for _, path := range []string{"/d", "/d/f"} {
			must(t, fsys.Chtimes(path, time.Unix(0, c.atime), time.Unix(1, 0)))
		}
		clock.ns.Store(c.now)
		got[[]byte](t)(fsys.ReadFile("/l"))
		_, err := fsys.ReadDir("/d")
		must(t, err)
		for path, set := range map[string]bool{"/d": c.dir, "/d/f": c.file} {
			want := c.atime
			if set {
				want = c.now
			}
			if atime := stat(t, fsys, path).Atime; atime != want {
				t.Errorf("%q, accessed at %d: %s has atime %d, had %d", c.options, c.now, path, atime, c.atime)
			}
		}
	}
}
