package memfs_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"stagefs/memfs"
)

// A listing by small batches in a confined view, which leaves out what is gone when it takes the FileInfos, still comes to
// the end and misses nothing that stays; and no FileInfo is of a file that was freed.
func TestConfinedListingBesideRemover(t *testing.T) {
	fsys := newFS()
	must(t, fsys.Mkdir("/d", 0o755))
	for i := range 20 {
		must(t, fsys.WriteFile(fmt.Sprintf("/d/stays%02d", i), nil, 0o644))
	}
	view := got[*memfs.FS](t)(fsys.OpenRoot("/d"))
	var stop atomic.Bool
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := 0; !stop.Load(); i++ {
			name := fmt.Sprintf("/d/goes%d", i%7)
			_ = fsys.WriteFile(name, []byte("some contents"), 0o644)
			_ = fsys.Remove(name)
		}
	}()
	for range 300 {
		f := got[*memfs.File](t)(view.Open("."))
		stayed := 0
		for {
			entries, err := f.ReadDir(1)
			if errors.Is(err, io.EOF) {
				break
			}
			must(t, err)
			for _, entry := range entries {
				if strings.HasPrefix(entry.Name(), "stays") {
					stayed++
				}
			}
		}
		if stayed != 20 {
			t.Fatalf("%d of 20 files listed", stayed)
		}
		must(t, f.Close())
		g := got[*memfs.File](t)(fsys.Open("/d"))
		for _, info := range got[[]os.FileInfo](t)(g.Readdir(-1)) {
			if stat := fmt.Sprint(info.Size()); info.Size() != 0 && stat != "13" {
				t.Fatalf("%s has %s bytes", info.Name(), stat)
			}
		}
		must(t, g.Close())
	}
	stop.Store(true)
	<-done
	check(t, fsys)
}

// Getwd in a directory that moves with its parent and without tells only paths that have been.
func TestGetwdWhileMoving(t *testing.T) {
	fsys := newFS()
	for _, dir := range []string{"/p/x/c", "/q", "/r"} {
		must(t, fsys.MkdirAll(dir, 0o755))
	}
	must(t, fsys.Chdir("/p/x/c"))
	mover := fsys.As(root)
	must(t, mover.Chdir("/"))
	var stop atomic.Bool
	done := make(chan struct{})
	go func() {
		defer close(done)
		for !stop.Load() { // c is never below q
			for _, move := range [][2]string{{"/p/x/c", "/r/c"}, {"/p/x", "/q/x"}, {"/q/x", "/p/x"}, {"/r/c", "/p/x/c"}} {
				if err := mover.Rename(move[0], move[1]); err != nil {
					t.Error(err)
					return
				}
			}
		}
	}()
	for range 20000 {
		wd, err := fsys.Getwd()
		if err != nil || wd != "/p/x/c" && wd != "/r/c" {
			t.Errorf("Getwd: %q, %v", wd, err)
			break
		}
	}
	stop.Store(true)
	<-done
	check(t, fsys)
}
