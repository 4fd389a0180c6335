//go:build !race && !lockcheck && !invariants && !386 && !js

package memfs_test

import (
	"fmt"
	"runtime"
	"testing"

	"stagefs/memfs"
)

// What a file takes on the heap, all included: for an empty one with a name of 8 bytes, for its dentry, for one of 1 KiB.
// 64-bit systems only.
func TestMemoryPerFile(t *testing.T) {
	heap := func() float64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.GC()
		runtime.ReadMemStats(&m)
		return float64(m.HeapAlloc)
	}
	const files = 100000
	fsys := memfs.New(memfs.WithDcache(2 * files))
	start := heap()
	for i := range files {
		f, err := fsys.Create(fmt.Sprintf("/%08d", i))
		must(t, err)
		must(t, f.Close())
	}
	created := heap()
	for i := range files {
		_, err := fsys.Stat(fmt.Sprintf("/%08d", i))
		must(t, err)
	}
	cached := heap()
	data := make([]byte, 1024)
	for i := range files / 10 {
		must(t, fsys.WriteFile(fmt.Sprintf("/kib%05d", i), data, 0o644))
	}
	full := heap()
	for _, c := range []struct {
		what        string
		bytes, most float64
	}{
		{"an empty file", (created - start) / files, 220},
		{"an empty file with its dentry", (cached - start) / files, 280},
		{"a file of 1 KiB", (full - cached) / (files / 10), 1300},
	} {
		t.Logf("%s: %.0f bytes", c.what, c.bytes)
		if c.bytes > c.most {
			t.Errorf("%s takes %.0f bytes, more than %.0f", c.what, c.bytes, c.most)
		}
	}
	check(t, fsys)
}
