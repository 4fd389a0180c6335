package memfs_test

import (
	"bytes"
	"io/fs"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"stagefs/memfs"
)

// Of rename(a, b) and rename(b, a) either may come first: then the other brings the same file back.
func TestRenameAgainstReverse(t *testing.T) {
	for _, names := range [][2]string{{"/a", "/b"}, {"/d/a", "/e/b"}, {"/d/a", "/d/sub/a"}} {
		t.Run(strings.ReplaceAll(names[0]+names[1], "/", "-"), func(t *testing.T) {
			eachVariant(t, func(t *testing.T, fsys *memfs.FS) {
				reverseRenames(fsys, t, names[0], names[1]).run(t, rounds(1000))
			})
		})
	}
}

func reverseRenames(fsys *memfs.FS, t *testing.T, a, b string) *race {
	return &race{fsys: fsys,
		prepare: func(dir string) {
			must(t, fsys.MkdirAll(dir+"/d/sub", 0o755))
			must(t, fsys.MkdirAll(dir+"/e", 0o755))
			must(t, fsys.WriteFile(dir+a, []byte("A"), 0o644))
			must(t, fsys.WriteFile(dir+b, []byte("B"), 0o644))
		},
		calls: []func(dir string) error{
			func(dir string) error { return fsys.Rename(dir+a, dir+b) },
			func(dir string) error { return fsys.Rename(dir+b, dir+a) },
		},
		judge: func(dir string, errs []error) {
			must(t, errs[0])
			must(t, errs[1])
			inA, errA := fsys.ReadFile(dir + a)
			inB, errB := fsys.ReadFile(dir + b)
			first := string(inA) == "A" && os.IsNotExist(errB)
			second := string(inB) == "B" && os.IsNotExist(errA)
			if !first && !second {
				t.Errorf("afterwards %s: %q %v, %s: %q %v", a, inA, errA, b, inB, errB)
			}
		},
	}
}

// Of two directories that are moved below each other at once one stays where it is.
func TestOppositeDirectoryRenames(t *testing.T) {
	eachVariant(t, func(t *testing.T, fsys *memfs.FS) {
		r := race{fsys: fsys,
			prepare: func(dir string) {
				must(t, fsys.MkdirAll(dir+"/x/deep", 0o755))
				must(t, fsys.MkdirAll(dir+"/y/deep", 0o755))
			},
			calls: []func(dir string) error{
				func(dir string) error { return fsys.Rename(dir+"/x", dir+"/y/deep/x") },
				func(dir string) error { return fsys.Rename(dir+"/y", dir+"/x/deep/y") },
			},
			judge: func(dir string, errs []error) {
				if (errs[0] == nil) == (errs[1] == nil) {
					t.Errorf("x into y: %v, y into x: %v", errs[0], errs[1])
				}
				wantError(t, "x into y", errs[0], nil, syscall.ENOENT, syscall.EINVAL)
				wantError(t, "y into x", errs[1], nil, syscall.ENOENT, syscall.EINVAL)
			},
		}
		r.run(t, rounds(1000))
	})
}

// Directories that several goroutines move below each other at random stay one tree: none is lost, none in a cycle.
func TestDirectoryRenamesKeepTree(t *testing.T) {
	const dirs = 12
	rng := seeded(t)
	for _, v := range variants[:4] {
		fsys := newFS(v.options...)
		views := make([]*memfs.FS, dirs) // whose working directories are the directories
		for i := range views {
			name := string(rune('a' + i))
			must(t, fsys.Mkdir("/"+name, 0o755))
			views[i] = fsys.As(root)
			must(t, views[i].Chdir("/"+name))
		}
		var moved atomic.Int64
		mover := func(rng *rand.Rand) func() {
			return func() {
				for range rounds(4000) {
					from, err1 := views[rng.IntN(dirs)].Getwd()
					to, err2 := views[rng.IntN(dirs)].Getwd()
					if err1 != nil || err2 != nil {
						t.Errorf("getwd: %v, %v", err1, err2)
						return
					}
					err := fsys.Rename(from, to+from[strings.LastIndexByte(from, '/'):])
					wantError(t, "rename", err, nil, syscall.ENOENT, syscall.EINVAL, syscall.EEXIST, syscall.ENOTEMPTY)
					if err == nil {
						moved.Add(1)
					}
				}
			}
		}
		together(mover(rand.New(rand.NewPCG(rng.Uint64(), 1))), mover(rand.New(rand.NewPCG(rng.Uint64(), 2))),
			mover(rand.New(rand.NewPCG(rng.Uint64(), 3))))
		var found []string
		must(t, fs.WalkDir(fsys.FS(), ".", func(path string, d fs.DirEntry, err error) error {
			found = append(found, d.Name())
			return err
		}))
		slices.Sort(found)
		if tree := strings.Join(found, ""); tree != ".abcdefghijkl" {
			t.Errorf("%d renames left %s", moved.Load(), tree)
		}
		check(t, fsys)
	}
}

// A file that is replaced by a rename, again and again, is always there, and always one whole version.
func TestReplaceByRename(t *testing.T) {
	const size = 6000
	eachVariant(t, func(t *testing.T, fsys *memfs.FS) {
		must(t, fsys.Mkdir("/d", 0o755))
		must(t, fsys.WriteFile("/d/target", make([]byte, size), 0o644))
		last := byte(0)
		stop := meanwhile(func(int) { last = readTarget(t, fsys, last, size) },
			func(int) { statTarget(t, fsys, size) }, func(int) { listTarget(t, fsys) })
		for i := range rounds(600) {
			must(t, fsys.WriteFile("/d/tmp", slices.Repeat([]byte{byte(i * 250 / 600)}, size), 0o644))
			must(t, fsys.Rename("/d/tmp", "/d/target"))
		}
		stop()
		if st := fsys.Statfs(); st.InodesUsed != 3 || st.BlocksUsed != 2 {
			t.Errorf("%d inodes and %d blocks in use, want 3 and 2", st.InodesUsed, st.BlocksUsed)
		}
	})
}

// readTarget reads the target, which is one whole version, and none older than the last.
func readTarget(t *testing.T, fsys *memfs.FS, last byte, size int) byte {
	data, err := fsys.ReadFile("/d/target")
	if err != nil || len(data) != size || data[0] < last {
		t.Errorf("read %d bytes after version %d: %v", len(data), last, err)
		return last
	}
	if bytes.Count(data, data[:1]) != size {
		t.Errorf("version %d and others in one file", data[0])
	}
	return data[0]
}

func statTarget(t *testing.T, fsys *memfs.FS, size int) {
	var st memfs.Stat
	if err := fsys.StatInto("/d/target", &st); err != nil || st.Size != int64(size) || st.Nlink > 1 {
		t.Errorf("stat: %v, size %d, %d links", err, st.Size, st.Nlink)
	}
}

func listTarget(t *testing.T, fsys *memfs.FS) {
	names := 0
	entries, err := fsys.ReadDir("/d")
	for _, entry := range entries {
		if entry.Name() == "target" {
			names++
		}
	}
	if err != nil || names != 1 {
		t.Errorf("listing: the target is there %d times: %v", names, err)
	}
}

// A rename of one name of a file onto another does nothing; racing with a rename of the other name elsewhere, one of
// both orders shows.
func TestRenameBetweenLinks(t *testing.T) {
	eachVariant(t, func(t *testing.T, fsys *memfs.FS) {
		r := race{fsys: fsys,
			prepare: func(dir string) {
				must(t, fsys.Mkdir(dir+"/d", 0o755))
				must(t, fsys.WriteFile(dir+"/a", nil, 0o644))
				must(t, fsys.Link(dir+"/a", dir+"/b"))
			},
			calls: []func(dir string) error{
				func(dir string) error { return fsys.Rename(dir+"/a", dir+"/b") },
				func(dir string) error { return fsys.Rename(dir+"/b", dir+"/d/c") },
			},
			judge: func(dir string, errs []error) {
				must(t, errs[0])
				must(t, errs[1])
				c := stat(t, fsys, dir+"/d/c")
				_, errA := fsys.Lstat(dir + "/a")
				_, errB := fsys.Lstat(dir + "/b")
				if (errA == nil) == (errB == nil) || c.Nlink != 2 {
					t.Errorf("a: %v, b: %v, %d links", errA, errB, c.Nlink)
				}
			},
		}
		r.run(t, rounds(1000))
	})
}
