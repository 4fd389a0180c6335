package memfs_test

import (
	"fmt"
	"io"
	"testing"

	"stagefs/memfs"
)

// A listing taken with one call while files are renamed to and fro shows each of them once, under one of its names.
func TestListingWhileRenaming(t *testing.T) {
	const files = 12
	eachVariant(t, func(t *testing.T, fsys *memfs.FS) {
		must(t, fsys.Mkdir("/d", 0o755))
		for i := range files {
			must(t, fsys.WriteFile(fmt.Sprintf("/d/a%02d", i), nil, 0o644))
		}
		stopped := whileRenaming(t, fsys, files)
		for range rounds(1000) {
			seen := map[string]int{}
			entries, err := fsys.ReadDir("/d")
			for _, entry := range entries {
				seen[entry.Name()[1:]]++
			}
			if err != nil || len(entries) != files || len(seen) != files {
				t.Fatalf("%d entries of %d files, want %d: %v", len(entries), len(seen), files, err)
			}
		}
		stopped()
	})
}

// whileRenaming renames /d/aNN to /d/bNN and back, by two goroutines, until the returned function is called.
func whileRenaming(t *testing.T, fsys *memfs.FS, files int) (stop func()) {
	mover := func(half int) func(i int) {
		return func(i int) {
			names := [2]byte{'a', 'b'}
			for file := half; file < files; file += 2 {
				from := fmt.Sprintf("/d/%c%02d", names[i%2], file)
				to := fmt.Sprintf("/d/%c%02d", names[(i+1)%2], file)
				wantError(t, "rename", fsys.Rename(from, to), nil)
			}
		}
	}
	return meanwhile(mover(0), mover(1))
}

// What is there during a whole listing in small pages is listed once, whatever comes and goes meanwhile; and the
// listing ends. Each page is read through a new File that begins where the last one ended.
func TestListingInPages(t *testing.T) {
	const stay = 300
	eachVariant(t, func(t *testing.T, fsys *memfs.FS) {
		must(t, fsys.Mkdir("/d", 0o755))
		for i := range stay {
			must(t, fsys.WriteFile(fmt.Sprintf("/d/stay%03d", i), nil, 0o644))
		}
		for i := range 12 {
			must(t, fsys.WriteFile(fmt.Sprintf("/d/a%02d", i), nil, 0o644))
		}
		stopped := whileRenaming(t, fsys, 12)
		churned := meanwhile(func(i int) {
			path := fmt.Sprintf("/d/churn%d", i%100)
			wantError(t, "create", fsys.WriteFile(path, nil, 0o644), nil)
			wantError(t, "remove", fsys.Remove(path), nil)
		})
		for page := 1; page < rounds(120); page += 6 {
			seen := pages(t, fsys, page)
			for i := range stay {
				if name := fmt.Sprintf("stay%03d", i); seen[name] != 1 {
					t.Fatalf("pages of %d: %s was listed %d times", page, name, seen[name])
				}
			}
		}
		churned()
		stopped()
	})
}

// pages lists /d and counts how often each name came.
func pages(t *testing.T, fsys *memfs.FS, page int) map[string]int {
	seen := map[string]int{}
	cookie := int64(0)
	for {
		f := got[*memfs.File](t)(fsys.Open("/d"))
		got[int64](t)(f.Seek(cookie, io.SeekStart))
		entries, err := f.ReadDir(page)
		for _, entry := range entries {
			seen[entry.Name()]++
			at := entry.(*memfs.DirEntry).Cookie()
			if at <= cookie {
				t.Fatalf("cookie %d after %d", at, cookie)
			}
			cookie = at
		}
		if position := got[int64](t)(f.Seek(0, io.SeekCurrent)); position != cookie {
			t.Fatalf("position %d behind the entry with cookie %d", position, cookie)
		}
		must(t, f.Close())
		if err == io.EOF {
			return seen
		}
		must(t, err)
	}
}

// A loop that renames or replaces each file that it reads ends, and sees each file.
func TestListingOfOwnChanges(t *testing.T) {
	files := max(60, rounds(200))
	for name, change := range map[string]func(fsys *memfs.FS, name string, i int) error{
		"rename away": func(fsys *memfs.FS, name string, i int) error {
			return fsys.Rename("/d/"+name, fmt.Sprintf("/d/new%d", i))
		},
		"rename and back": func(fsys *memfs.FS, name string, i int) error {
			if err := fsys.Rename("/d/"+name, "/d/tmp"); err != nil {
				return err
			}
			return fsys.Rename("/d/tmp", "/d/"+name)
		},
		"replace": func(fsys *memfs.FS, name string, i int) error {
			if err := fsys.WriteFile("/d/tmp", nil, 0o644); err != nil {
				return err
			}
			return fsys.Rename("/d/tmp", "/d/"+name)
		},
		"create more": func(fsys *memfs.FS, name string, i int) error {
			return fsys.WriteFile(fmt.Sprintf("/d/new%d", i), nil, 0o644)
		},
		"remove": func(fsys *memfs.FS, name string, i int) error { return fsys.Remove("/d/" + name) },
	} {
		t.Run(name, func(t *testing.T) {
			eachVariant(t, func(t *testing.T, fsys *memfs.FS) {
				must(t, fsys.Mkdir("/d", 0o755))
				for i := range files {
					must(t, fsys.WriteFile(fmt.Sprintf("/d/old%d", i), nil, 0o644))
				}
				f := got[*memfs.File](t)(fsys.Open("/d"))
				seen := map[string]int{}
				for i := 0; ; i++ {
					names, err := f.Readdirnames(1)
					if err == io.EOF {
						break
					}
					must(t, err)
					if seen[names[0]]++; seen[names[0]] > 1 || i > 4*files {
						t.Fatalf("entry %d is %s again", i, names[0])
					}
					if names[0][0] == 'o' {
						must(t, change(fsys, names[0], i))
					}
				}
				for i := range files {
					if old := fmt.Sprintf("old%d", i); seen[old] != 1 {
						t.Errorf("%s was listed %d times", old, seen[old])
					}
				}
				must(t, f.Close())
			})
		})
	}
}
