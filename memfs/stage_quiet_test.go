package memfs_test

import (
	"io/fs"
	"runtime"
	"testing"
	"time"

	"go.uber.org/goleak"

	"stagefs/memfs"
	"stagefs/stage"
)

// New starts no goroutine, nor does a lookup that makes a pool, or a pool that is made by hand.
func TestStageNoGoroutines(t *testing.T) {
	before, ignored := runtime.NumGoroutine(), goleak.IgnoreCurrent()
	for _, period := range []time.Duration{0, 1, time.Hour} {
		fsys := newFS(memfs.WithStage(stage.Config{Sample: 1, Threshold: -1, Period: period}))
		must(t, fsys.MkdirAll("/a/b/c", 0o755))
		for range 100 {
			got[fs.FileInfo](t)(fsys.Stat("/a/b/c"))
		}
		must(t, fsys.Promote("/a/b"))
		fsys.Stage().Step()
		fsys.Stage().SetPeriod(time.Minute)
		must(t, fsys.Rename("/a", "/b"))
		if st := fsys.Stage().Stats(); st.Swaps == 0 || st.Invalidations == 0 {
			t.Errorf("period %v: %+v", period, st)
		}
	}
	if after := runtime.NumGoroutine(); after > before {
		t.Errorf("%d goroutines before, %d after", before, after)
	}
	goleak.VerifyNone(t, ignored, ofRuntime)
}
