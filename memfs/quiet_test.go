package memfs_test

import (
	"flag"
	"io/fs"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"stagefs/memfs"
)

// ofRuntime is the goroutine that Go's runtime itself has under JavaScript.
var ofRuntime = goleak.IgnoreAnyFunction("runtime.handleEvent")

var dcacheSize = flag.Int("dcache", memfs.DefaultDcache, "dentries that file systems cache which do not say it themselves")

// TestMain fails if any test leaves a goroutine behind: no file system starts one.
func TestMain(m *testing.M) {
	flag.Parse()
	memfs.SetDefaultDcache(*dcacheSize)
	goleak.VerifyTestMain(m, ofRuntime)
}

// A file system that is used in every way has no goroutine of its own, and needs no Close.
func TestNoGoroutines(t *testing.T) {
	before := goleak.IgnoreCurrent()
	fsys := memfs.New()
	must(t, fsys.MkdirAll("/d/e", 0o755))
	must(t, fsys.WriteFile("/d/f", []byte("x"), 0o644))
	got[[]fs.DirEntry](t)(fsys.ReadDir("/d"))
	got[*memfs.FS](t)(fsys.OpenRoot("/d"))
	must(t, fsys.Rename("/d", "/n"))
	must(t, fsys.RemoveAll("/n"))
	goleak.VerifyNone(t, before, ofRuntime)
}

// In a bubble of testing/synctest the time is the bubble's, and goroutines that wait for the file system let it pass.
func TestInBubble(t *testing.T) {
	for range 2 { // the second bubble must not meet what the first one left
		synctest.Test(t, func(t *testing.T) {
			fsys := newFS()
			must(t, fsys.Mkdir("/d", 0o755))
			time.Sleep(90 * time.Minute)
			must(t, fsys.WriteFile("/d/f", []byte("x"), 0o644))
			created := time.Now()
			time.Sleep(24 * time.Hour)
			must(t, fsys.Chmod("/d/f", 0o600))
			if info := got[fs.FileInfo](t)(fsys.Stat("/d/f")); !info.ModTime().Equal(created) {
				t.Errorf("modified %v, created %v", info.ModTime(), created)
			}
			if st := stat(t, fsys, "/d/f"); st.Ctime != time.Now().UnixNano() || st.Btime != created.UnixNano() {
				t.Errorf("changed %d, want %d; born %d, want %d", st.Ctime, time.Now().UnixNano(), st.Btime,
					created.UnixNano())
			}
			contend(t, fsys)
			synctest.Wait()
			check(t, fsys)
		})
	}
	fsys := newFS() // nor must what is outside
	must(t, fsys.Mkdir("/d", 0o755))
	contend(t, fsys)
}

// contend lets goroutines fight for a few names, so that they wait for each other.
func contend(t *testing.T, fsys *memfs.FS) {
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for range rounds(1000) {
				wantError(t, "rename", fsys.Rename("/d/f", "/d/g"), nil, fs.ErrNotExist)
				wantError(t, "write", fsys.WriteFile("/d/f", []byte("more"), 0o644), nil)
				wantError(t, "remove", fsys.Remove("/d/g"), nil, fs.ErrNotExist)
				_, err := fsys.ReadDir("/d")
				wantError(t, "list", err, nil)
			}
		})
	}
	group.Wait()
}
