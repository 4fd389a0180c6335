package memfs_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"
	"syscall"
	"testing"

	"stagefs/memfs"
)

func newFifo(t *testing.T) *memfs.FS {
	t.Helper()
	fsys := newFS()
	must(t, fsys.Mkfifo("/p", 0o644))
	return fsys
}

func openFile(t *testing.T, fsys *memfs.FS, name string, flag int) *memfs.File {
	t.Helper()
	f, err := fsys.OpenFile(name, flag, 0)
	must(t, err)
	return f
}

// TestFifoOpensMeet: an open for reading waits for one for writing, and the other way round, whichever comes first.
func TestFifoOpensMeet(t *testing.T) {
	for _, first := range []int{os.O_RDONLY, os.O_WRONLY} {
		fsys := newFifo(t)
		opened := make(chan *memfs.File)
		go func() {
			f, err := fsys.OpenFile("/p", first, 0)
			if err != nil {
				t.Error(err)
			}
			opened <- f
		}()
		second := openFile(t, fsys, "/p", os.O_RDONLY+os.O_WRONLY-first)
		w, r := <-opened, second
		if first == os.O_RDONLY {
			w, r = r, w
		}
		_, err := w.WriteString("through")
		must(t, err)
		must(t, w.Close())
		data, err := io.ReadAll(r)
		must(t, err)
		if string(data) != "through" {
			t.Errorf("read %q", data)
		}
		must(t, r.Close())
		check(t, fsys)
	}
}

// TestFifoWaits: a reader waits for bytes, a writer for room, and Close ends both.
func TestFifoWaits(t *testing.T) {
	fsys := newFifo(t)
	both := openFile(t, fsys, "/p", os.O_RDWR)
	r, w := openFile(t, fsys, "/p", os.O_RDONLY), openFile(t, fsys, "/p", os.O_WRONLY)
	const size = 1 << 20
	done := make(chan error, 2)
	go func() {
		n, err := w.Write(bytes.Repeat([]byte{'x'}, size))
		if n != size {
			err = errors.Join(err, fmt.Errorf("%d bytes written", n))
		}
		done <- err
	}()
	if _, err := io.ReadFull(r, make([]byte, size)); err != nil {
		t.Error(err)
	}
	must(t, <-done)

	go func() { _, err := r.Read(make([]byte, 1)); done <- err }()
	go func() { _, err := w.Write(make([]byte, size)); done <- err }()
	// One of the two waits in any case: what is written is read, but for what does not fit.
	must(t, w.Close())
	must(t, r.Close())
	for range 2 {
		if err := <-done; err != nil && !errors.Is(err, fs.ErrClosed) {
			t.Errorf("after Close: %v", err)
		}
	}
	must(t, both.Close())
	check(t, fsys)
}

// TestFifoKeepsRecords: writes of up to 4,096 bytes are not mixed, however many write.
func TestFifoKeepsRecords(t *testing.T) {
	fsys := newFifo(t)
	r := openFile(t, fsys, "/p", os.O_RDWR)
	const writers, records, size = 4, 200, 4096
	var all sync.WaitGroup
	for id := range writers {
		all.Go(func() {
			w, err := fsys.OpenFile("/p", os.O_WRONLY, 0)
			if err != nil {
				t.Error(err)
				return
			}
			defer w.Close()
			for range records {
				if n, err := w.Write(bytes.Repeat([]byte{byte('a' + id)}, size)); n != size || err != nil {
					t.Error(n, err)
					return
				}
			}
		})
	}
	record := make([]byte, size)
	for range writers * records {
		if _, err := io.ReadFull(r, record); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(record, bytes.Repeat(record[:1], size)) {
			t.Fatal("a record is mixed with another")
		}
	}
	all.Wait()
	must(t, r.Close())
}

func TestFifoEnds(t *testing.T) {
	fsys := newFifo(t)
	both := openFile(t, fsys, "/p", os.O_RDWR)
	r, w := openFile(t, fsys, "/p", os.O_RDONLY), openFile(t, fsys, "/p", os.O_WRONLY)
	must(t, both.Close())
	_, err := w.WriteString("rest")
	must(t, err)
	must(t, w.Close())
	data, err := io.ReadAll(r)
	if string(data) != "rest" || err != nil {
		t.Errorf("%q, %v", data, err)
	}
	if n, err := r.Read(make([]byte, 1)); n != 0 || err != io.EOF {
		t.Error(n, err)
	}
	must(t, fsys.Remove("/p"))
	must(t, r.Close())
	if used := fsys.Statfs().InodesUsed; used != 1 {
		t.Errorf("%d inodes in use", used)
	}
	must(t, fsys.Mkfifo("/p", 0o600))
	w2 := openFile(t, fsys, "/p", os.O_RDWR)
	r2 := openFile(t, fsys, "/p", os.O_RDONLY)
	must(t, w2.Close())
	w3 := make(chan *memfs.File)
	go func() { f, _ := fsys.OpenFile("/p", os.O_WRONLY, 0); w3 <- f }()
	w = <-w3
	must(t, r2.Close())
	if _, err := w.WriteString("x"); !errors.Is(err, syscall.EPIPE) {
		t.Errorf("a write that nobody can read: %v", err)
	}
	must(t, w.Close())
	check(t, fsys)
}

// TestRenameFlagsFull: a whiteout that does not fit leaves everything as it was.
func TestRenameFlagsFull(t *testing.T) {
	eachVariant(t, func(t *testing.T, _ *memfs.FS) {
		fsys := newFS(memfs.WithInodes(4))
		must(t, fsys.Mkdir("/d", 0o755))
		must(t, fsys.WriteFile("/f", []byte("text"), 0o644))
		must(t, fsys.WriteFile("/g", nil, 0o644))
		for _, to := range []string{"/d/f", "/g", "/new"} {
			if err := fsys.RenameFlags("/f", to, memfs.RenameWhiteout); !errors.Is(err, syscall.ENOSPC) {
				t.Errorf("%s: %v", to, err)
			}
		}
		must(t, fsys.RenameFlags("/f", "/d", memfs.RenameExchange))
		must(t, fsys.RenameFlags("/f", "/d", memfs.RenameExchange))
		if data, err := fsys.ReadFile("/f"); string(data) != "text" || err != nil {
			t.Errorf("%q, %v", data, err)
		}
		must(t, fsys.Remove("/g"))
		must(t, fsys.RenameFlags("/f", "/d/f", memfs.RenameWhiteout))
		if used := fsys.Statfs().InodesUsed; used != 4 {
			t.Errorf("%d inodes in use", used)
		}
		check(t, fsys)
	})
}

// TestExchangeOfPivots: what is exchanged is found where it is now, with all that is below it.
func TestExchangeOfPivots(t *testing.T) {
	fsys := newFS()
	must(t, fsys.MkdirAll("/a/b/one", 0o755))
	must(t, fsys.MkdirAll("/c/d/two", 0o755))
	must(t, fsys.Promote("/a/b/one", "/c/d/two"))
	must(t, fsys.RenameFlags("/a/b", "/c/d", memfs.RenameExchange))
	for path, there := range map[string]bool{"/a/b/one": false, "/a/b/two": true, "/c/d/one": true, "/c/d/two": false, "/a/b/two/../../../c/d/one": true} {
		if _, err := fsys.Stat(path); (err == nil) != there {
			t.Errorf("%s: %v", path, err)
		}
	}
	fsys.Stage().Step()
	check(t, fsys)
}

// TestRaceExchange: two directories that are exchanged all the time are always both there.
func TestRaceExchange(t *testing.T) {
	eachVariant(t, func(t *testing.T, fsys *memfs.FS) {
		must(t, fsys.MkdirAll("/x/a/in", 0o755))
		must(t, fsys.MkdirAll("/y/b/in", 0o755))
		var all sync.WaitGroup
		for range 2 {
			all.Go(func() {
				for range rounds(2000) {
					if err := fsys.RenameFlags("/x/a", "/y/b", memfs.RenameExchange); err != nil {
						t.Error(err)
						return
					}
				}
			})
			all.Go(func() {
				for range rounds(2000) {
					for _, path := range []string{"/x/a/in", "/y/b/in"} {
						if _, err := fsys.Stat(path); err != nil {
							t.Error(err)
							return
						}
					}
				}
			})
		}
		all.Wait()
	})
}
