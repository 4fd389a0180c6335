package memfs_test

import (
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"stagefs/locking"
	"stagefs/memfs"
	"stagefs/stage"
)

// Users of the tests. Alice and bob share the group 2000.
var (
	root  = memfs.Cred{}
	alice = memfs.Cred{Uid: 1000, Gid: 1000, Groups: []uint32{2000}}
	bob   = memfs.Cred{Uid: 1001, Gid: 1001, Groups: []uint32{2000}}
)

// newFS is memfs.New acting as root, whoever runs the tests.
func newFS(options ...memfs.Option) *memfs.FS {
	return memfs.New(append([]memfs.Option{memfs.WithCred(root)}, options...)...)
}

// variants are the configurations that change how a file system works and nothing of what it does.
var variants = []struct {
	name    string
	options []memfs.Option
}{
	{"default", nil},
	{"stage=busy", []memfs.Option{memfs.WithStage(stage.Config{Pivots: 4, Threshold: -1, Sample: 1, Period: 1})}},
	{"dcache=1", []memfs.Option{memfs.WithDcache(1)}},
	{"dcache=0", []memfs.Option{memfs.WithDcache(0)}},
	{"negative=off", []memfs.Option{memfs.WithNegative(false)}},
	{"hash=one", []memfs.Option{memfs.WithHash(func(uint64) uint64 { return 1 << 46 })}},
	{"stage=off", []memfs.Option{memfs.WithoutStage()}},
	{"hash=low4", []memfs.Option{memfs.WithHash(func(h uint64) uint64 { return h & 15 })}},
}

// eachVariant runs test on a fresh file system of each variant.
func eachVariant(t *testing.T, test func(t *testing.T, fsys *memfs.FS)) {
	for _, v := range variants {
		t.Run(v.name, func(t *testing.T) {
			fsys := newFS(v.options...)
			test(t, fsys)
			check(t, fsys)
		})
	}
}

// seeded returns a random source and prints its seed; STAGEFS_SEED sets it.
func seeded(t testing.TB) *rand.Rand {
	t.Helper()
	seed := uint64(time.Now().UnixNano())
	if s := os.Getenv("STAGEFS_SEED"); s != "" {
		var err error
		if seed, err = strconv.ParseUint(s, 10, 64); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("STAGEFS_SEED=%d", seed)
	return rand.New(rand.NewPCG(seed, 0))
}

// rounds is how often a race is run: n times where that takes its ordinary time.
func rounds(n int) int {
	switch {
	case raceEnabled || locking.Checking:
		return max(n/20, 50)
	case runtime.GOOS == "js" || testing.Short():
		return n / 5
	}
	return n
}

// together makes all calls at once, each in its goroutine, and returns when the last is over.
func together(calls ...func()) {
	var done sync.WaitGroup
	for _, call := range calls {
		done.Go(call)
	}
	done.Wait()
}

// meanwhile makes the calls again and again, each in its goroutine and with the number of the time, until stop is called.
func meanwhile(calls ...func(i int)) (stop func()) {
	var over atomic.Bool
	var done sync.WaitGroup
	for _, call := range calls {
		done.Go(func() {
			for i := 0; !over.Load(); i++ {
				call(i)
				runtime.Gosched() // there may be one processor, and no preemption
			}
		})
	}
	return func() {
		over.Store(true)
		done.Wait()
	}
}

// must ends the test at an error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// got is must for a call with a result.
func got[T any](t testing.TB) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		must(t, err)
		return v
	}
}

// check holds the file system against its invariants.
func check(t testing.TB, fsys *memfs.FS) {
	t.Helper()
	if err := fsys.Check(); err != nil {
		t.Fatalf("check: %v", err)
	}
}

// wantError reports an error that is none of those wanted; nil stands for success.
func wantError(t testing.TB, what string, err error, wanted ...error) {
	t.Helper()
	for _, want := range wanted {
		if err == want || want != nil && errors.Is(err, want) {
			return
		}
	}
	t.Errorf("%s: %v, want %v", what, err, wanted)
}

// errnoOf returns the error number in err, 0 if there is none.
func errnoOf(err error) syscall.Errno {
	var e syscall.Errno
	errors.As(err, &e)
	return e
}

// stat is LstatInto that must succeed.
func stat(t testing.TB, fsys *memfs.FS, path string) memfs.Stat {
	t.Helper()
	var st memfs.Stat
	must(t, fsys.LstatInto(path, &st))
	return st
}

// dump describes all below the root by one line each: attributes and contents, but no access time.
func dump(t testing.TB, fsys *memfs.FS) string {
	t.Helper()
	var out strings.Builder
	dumpEntry(t, fsys.As(root), "/", &out)
	s := fsys.Statfs()
	fmt.Fprintf(&out, "%d blocks, %d inodes\n", s.BlocksUsed, s.InodesUsed)
	return out.String()
}

func dumpEntry(t testing.TB, fsys *memfs.FS, path string, out *strings.Builder) {
	t.Helper()
	st := stat(t, fsys, path)
	fmt.Fprintf(out, "%s ino=%d mode=%o nlink=%d owner=%d:%d size=%d blocks=%d mtime=%d ctime=%d", path, st.Ino, st.Mode,
		st.Nlink, st.Uid, st.Gid, st.Size, st.Blocks, st.Mtime, st.Ctime)
	switch {
	case st.FileMode()&os.ModeSymlink != 0:
		fmt.Fprintf(out, " -> %s", got[string](t)(fsys.Readlink(path)))
	case st.FileMode().IsRegular():
		h := fnv.New64a()
		_, _ = h.Write(got[[]byte](t)(fsys.ReadFile(path)))
		fmt.Fprintf(out, " contents=%x", h.Sum64())
	}
	out.WriteByte('\n')
	if !st.IsDir() {
		return
	}
	for _, entry := range got[[]os.DirEntry](t)(fsys.ReadDir(path)) {
		dumpEntry(t, fsys, strings.TrimRight(path, "/")+"/"+entry.Name(), out)
	}
}
