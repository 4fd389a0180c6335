package memfs_test

import (
	"bytes"
	"encoding/binary"
	"io"
	"os"
	"sync/atomic"
	"testing"

	"stagefs/memfs"
)

// Several who append to one file lose nothing, each through its own File or all through one.
func TestAppendersLoseNothing(t *testing.T) {
	for _, c := range []struct {
		name   string
		shared bool // one File for all
		flag   int
	}{
		{"own files", false, os.O_APPEND},
		{"one file", true, os.O_APPEND},
		{"one file without O_APPEND", true, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			fsys := newFS()
			files := make([]*memfs.File, 4)
			for w := range files {
				if w > 0 && c.shared {
					files[w] = files[0]
				} else {
					files[w] = got[*memfs.File](t)(fsys.OpenFile("/log", os.O_WRONLY|os.O_CREATE|c.flag, 0o644))
				}
			}
			records := rounds(30_000)
			appendTogether(t, files, records)
			for w, f := range files {
				if w == 0 || !c.shared {
					must(t, f.Close())
				}
			}
			countRecords(t, got[[]byte](t)(fsys.ReadFile("/log")), len(files), records)
			check(t, fsys)
		})
	}
}

// appendTogether lets one goroutine for each file write records that tell the writer and their number.
func appendTogether(t *testing.T, files []*memfs.File, records int) {
	writers := make([]func(), len(files))
	for w, f := range files {
		writers[w] = func() {
			for i := range records {
				record := binary.LittleEndian.AppendUint64([]byte{byte(w), 0, 0, 0}, uint64(i))
				if n, err := f.Write(record); n != len(record) || err != nil {
					t.Errorf("write: %d, %v", n, err)
				}
			}
		}
	}
	together(writers...)
}

// countRecords checks that each writer's records are all there, in their order.
func countRecords(t *testing.T, data []byte, writers, records int) {
	t.Helper()
	const size = 12
	if len(data) != size*writers*records {
		t.Fatalf("%d bytes, want %d", len(data), size*writers*records)
	}
	next := make([]uint64, writers)
	for ; len(data) > 0; data = data[size:] {
		w, i := data[0], binary.LittleEndian.Uint64(data[4:])
		if int(w) >= writers || i != next[w] {
			t.Fatalf("record %d of writer %d where record %d was due", i, w, next[w])
		}
		next[w]++
	}
}

// An open file stays what it was when its name is removed or taken by another file, and its space comes back when it is
// closed.
func TestOpenFileSurvives(t *testing.T) {
	for name, drop := range map[string]func(fsys *memfs.FS, dir string) error{
		"unlink": func(fsys *memfs.FS, dir string) error { return fsys.Remove(dir + "/f") },
		"rename over": func(fsys *memfs.FS, dir string) error {
			if err := fsys.WriteFile(dir+"/new", []byte("new"), 0o644); err != nil {
				return err
			}
			return fsys.Rename(dir+"/new", dir+"/f")
		},
	} {
		t.Run(name, func(t *testing.T) {
			for _, v := range variants[:4] {
				raceOpen(t, newFS(v.options...), drop)
			}
		})
	}
}

func raceOpen(t *testing.T, fsys *memfs.FS, drop func(fsys *memfs.FS, dir string) error) {
	old := bytes.Repeat([]byte("old contents"), 1000)
	files := map[string]*memfs.File{}
	var read atomic.Int64
	r := race{fsys: fsys,
		prepare: func(dir string) {
			must(t, fsys.WriteFile(dir+"/f", old, 0o644))
			files[dir] = got[*memfs.File](t)(fsys.OpenFile(dir+"/f", os.O_RDWR, 0))
		},
		calls: []func(dir string) error{
			func(dir string) error { return drop(fsys, dir) },
			func(dir string) error { // whoever opens by name gets one or the other, or nothing
				data, err := fsys.ReadFile(dir + "/f")
				if err == nil && !bytes.Equal(data, old) && string(data) != "new" {
					t.Errorf("%d bytes of neither file", len(data))
				}
				return nil
			},
			func(dir string) error {
				data := make([]byte, len(old))
				n, err := files[dir].ReadAt(data, 0)
				if !bytes.Equal(data[:n], old) {
					t.Errorf("open file: %d bytes, %v", n, err)
				}
				read.Add(1)
				return err
			},
		},
		judge: func(dir string, errs []error) {
			must(t, errs[0])
			must(t, errs[2])
			f := files[dir]
			must(t, f.Truncate(3))
			got[int](t)(f.WriteAt([]byte("!"), 3))
			data := got[[]byte](t)(io.ReadAll(f))
			if info := got[os.FileInfo](t)(f.Stat()); string(data) != "old!" || info.Size() != 4 {
				t.Errorf("open file at the end: %q, size %d", data, info.Size())
			}
			var st memfs.Stat
			must(t, f.StatInto(&st))
			if st.Nlink != 0 {
				t.Errorf("%d links", st.Nlink)
			}
			must(t, f.Close())
		},
	}
	r.run(t, rounds(1000))
}

// A write is seen whole or not at all by a reader of the same bytes, within one File's calls and across files.
func TestWritesAreWhole(t *testing.T) {
	for _, size := range []int{100, 5000, 100_000} {
		fsys := newFS()
		must(t, fsys.WriteFile("/f", make([]byte, size), 0o644))
		reader := got[*memfs.File](t)(fsys.Open("/f"))
		writer := got[*memfs.File](t)(fsys.OpenFile("/f", os.O_WRONLY, 0))
		n := max(10, rounds(2000)*100/size)
		together(
			func() {
				for i := range n {
					if _, err := writer.WriteAt(bytes.Repeat([]byte{byte(i)}, size), 0); err != nil {
						t.Error(err)
					}
				}
			},
			func() {
				p := make([]byte, size)
				for range n {
					if _, err := reader.ReadAt(p, 0); err != nil {
						t.Error(err)
					}
					if bytes.Count(p, p[:1]) != size {
						t.Errorf("bytes of two writes in one read of %d", size)
					}
				}
			},
		)
		must(t, reader.Close())
		must(t, writer.Close())
		check(t, fsys)
	}
}
