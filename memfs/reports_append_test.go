//go:build !race && !lockcheck && !invariants

package memfs_test

import (
	"bytes"
	"os"
	"runtime"
	"testing"

	"stagefs/memfs"
)

// Appends cost what they append, and no copy of what is there: the memory that 20000 of them allocate, which is where a
// copy would have to go, is about the size of the file, and no more in the last quarter than in the first. streamich/memfs
// 1211; cloudius-systems/osv 884; wasmerio/wasmer 3903; SerCeMan/jnr-fuse 180; winfsp 225. A kernel's tmpfs takes the
// same time for both.
func TestReportAppendsCopyNothing(t *testing.T) {
	const pieces, piece = 20000, 512
	data := bytes.Repeat([]byte{'x'}, piece)
	for name, write := range map[string]func(f *memfs.File, i int) (int, error){
		"append":  func(f *memfs.File, i int) (int, error) { return f.Write(data) },
		"in turn": func(f *memfs.File, i int) (int, error) { return f.WriteAt(data, int64(i)*piece) },
		"grow, then write": func(f *memfs.File, i int) (int, error) {
			if err := f.Truncate(int64(i+1) * piece); err != nil {
				return 0, err
			}
			return f.WriteAt(data, int64(i)*piece)
		},
	} {
		t.Run(name, func(t *testing.T) {
			fsys := newFS()
			flag := os.O_CREATE | os.O_WRONLY
			if name == "append" {
				flag |= os.O_APPEND
			}
			f := got[*memfs.File](t)(fsys.OpenFile("/log", flag, 0o644))
			var quarters [4]uint64
			for quarter := range quarters {
				before := allocated()
				for i := range pieces / 4 {
					if n, err := write(f, quarter*pieces/4+i); n != piece || err != nil {
						t.Fatalf("%d bytes and %v", n, err)
					}
				}
				quarters[quarter] = allocated() - before
			}
			const size = pieces * piece / 4
			if first, last := quarters[0], quarters[3]; last > size+size/4 || last > first+size/4 {
				t.Errorf("bytes allocated: %d in the first quarter, %d in the last, which writes %d", first, last, size)
			}
			wantAllocs(t, "an append into a page that is there", 0, func() { _, _ = f.WriteAt(data, 0) })
			must(t, f.Close())
			if st := stat(t, fsys, "/log"); st.Size != pieces*piece {
				t.Errorf("size %d", st.Size)
			}
			check(t, fsys)
		})
	}
}

// allocated is how many bytes were allocated since the program began, freed or not.
func allocated() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}
