package memfs_test

import (
	"os"
	"sync/atomic"
	"syscall"
	"testing"

	"stagefs/memfs"
)

// Space and inodes come back when the last of names and open files is gone, however that comes about.
func TestSpaceComesBack(t *testing.T) {
	contents := make([]byte, 3*pageSize)
	for _, c := range []struct {
		name   string
		during [2]int64 // blocks and inodes while the file is open and its name gone
		drop   func(fsys *memfs.FS) error
	}{
		{"unlink", [2]int64{3, 2}, func(fsys *memfs.FS) error { return fsys.Remove("/f") }},
		{"removeall", [2]int64{3, 2}, func(fsys *memfs.FS) error { return fsys.RemoveAll("/f") }},
		{"rename over", [2]int64{3, 3}, func(fsys *memfs.FS) error {
			if err := fsys.WriteFile("/g", nil, 0o644); err != nil {
				return err
			}
			return fsys.Rename("/g", "/f")
		}},
		{"link and two unlinks", [2]int64{3, 2}, func(fsys *memfs.FS) error {
			if err := fsys.Link("/f", "/g"); err != nil {
				return err
			}
			if err := fsys.Remove("/f"); err != nil {
				return err
			}
			return fsys.Remove("/g")
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, v := range variants {
				fsys := newFS(append(v.options, memfs.WithSize(16*pageSize), memfs.WithInodes(16))...)
				must(t, fsys.WriteFile("/f", contents, 0o644))
				first := got[*memfs.File](t)(fsys.Open("/f"))
				second := got[*memfs.File](t)(fsys.OpenFile("/f", os.O_RDWR, 0))
				must(t, c.drop(fsys))
				wantUsed(t, fsys, c.during[0], c.during[1])
				must(t, first.Close())
				wantUsed(t, fsys, c.during[0], c.during[1])
				got[int](t)(second.WriteAt([]byte{1}, 8*pageSize))
				wantUsed(t, fsys, c.during[0]+1, c.during[1])
				must(t, second.Close())
				wantUsed(t, fsys, 0, c.during[1]-1)
				wantError(t, "second close", second.Close(), os.ErrClosed)
				wantUsed(t, fsys, 0, c.during[1]-1)
				check(t, fsys)
			}
		})
	}
}

// Truncation, by any of its ways, gives pages back at once.
func TestTruncateGivesBack(t *testing.T) {
	fsys := newFS(memfs.WithSize(20 * pageSize))
	for what, truncate := range map[string]func() error{
		"truncate":  func() error { return fsys.Truncate("/f", 0) },
		"create":    func() error { return closeOf(fsys.Create("/f")) },
		"O_TRUNC":   func() error { return closeOf(fsys.OpenFile("/f", os.O_WRONLY|os.O_TRUNC, 0)) },
		"writefile": func() error { return fsys.WriteFile("/f", nil, 0o644) },
	} {
		must(t, fsys.WriteFile("/f", make([]byte, 20*pageSize), 0o644))
		wantUsed(t, fsys, 20, 2)
		must(t, truncate())
		if b, _ := used(t, fsys); b != 0 {
			t.Errorf("%s: %d blocks left", what, b)
		}
	}
	check(t, fsys)
}

func closeOf(f *memfs.File, err error) error {
	if err != nil {
		return err
	}
	return f.Close()
}

// A removed directory that is still open holds its inode until it is closed.
func TestRemovedDirectoryHoldsInode(t *testing.T) {
	fsys := newFS(memfs.WithInodes(2))
	must(t, fsys.Mkdir("/d", 0o755))
	f := got[*memfs.File](t)(fsys.Open("/d"))
	must(t, fsys.Remove("/d"))
	wantError(t, "mkdir", fsys.Mkdir("/e", 0o755), syscall.ENOSPC)
	must(t, f.Close())
	must(t, fsys.Mkdir("/e", 0o755))
	check(t, fsys)
}

// Goroutines that fill a file system get no more than there is, and all of it.
func TestFillTogether(t *testing.T) {
	const pages, inodes, members = 40, 30, 4
	fsys := newFS(memfs.WithSize(pages*pageSize), memfs.WithInodes(inodes+1))
	for range rounds(200) {
		var written, made atomic.Int64
		fill := func(name string) func() {
			return func() {
				for i := 0; ; i++ {
					path := "/" + name + string(rune('a'+i))
					f, err := fsys.Create(path)
					if err != nil {
						wantError(t, "create", err, syscall.ENOSPC)
						return
					}
					made.Add(1)
					n, err := f.Write(make([]byte, 3*pageSize))
					wantError(t, "write", err, nil, syscall.ENOSPC)
					written.Add(int64(n))
					wantError(t, "close", f.Close(), nil)
					used(t, fsys)
				}
			}
		}
		team := make([]func(), members)
		for i := range team {
			team[i] = fill(string(rune('a' + i)))
		}
		together(team...)
		if written.Load() != pages*pageSize || made.Load() != inodes {
			t.Fatalf("%d bytes in %d files, want %d in %d", written.Load(), made.Load(), pages*pageSize, inodes)
		}
		wantUsed(t, fsys, pages, inodes+1)
		must(t, removeBelow(fsys, "/"))
		wantUsed(t, fsys, 0, 1)
	}
	check(t, fsys)
}

// At the limit, whoever gives one inode back lets exactly one other have it.
func TestChurnAtLimit(t *testing.T) {
	const members = 4
	fsys := newFS(memfs.WithInodes(members)) // one less than all want
	churn := func(path string) func() {
		return func() {
			for range rounds(4000) {
				err := fsys.Mkdir(path, 0o755)
				if err == nil {
					err = fsys.Remove(path)
				}
				wantError(t, "mkdir and rmdir", err, nil, syscall.ENOSPC)
				used(t, fsys)
			}
		}
	}
	together(churn("/a"), churn("/b"), churn("/c"), churn("/d"))
	wantUsed(t, fsys, 0, 1)
	check(t, fsys)
}
