package memfs_test

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"syscall"
	"testing"

	"stagefs/memfs"
)

// entry is what a listing says of one name: which, where, and what.
type entry struct {
	name   string
	cookie int64
	ino    uint64
}

// batch reads up to n entries; none is the end.
func batch(t *testing.T, f *memfs.File, n int) []entry {
	t.Helper()
	list, err := f.ReadDir(n)
	if err != nil && (err != io.EOF || len(list) > 0) {
		t.Fatalf("%d entries and %v", len(list), err)
	}
	entries := make([]entry, len(list))
	for i, d := range list {
		e := d.(*memfs.DirEntry)
		entries[i] = entry{e.Name(), e.Cookie(), e.Ino()}
	}
	return entries
}

// filled makes a directory d of n files, and lists it.
func filled(t *testing.T, fsys *memfs.FS, n int) []entry {
	t.Helper()
	must(t, fsys.Mkdir("/d", 0o755))
	for i := range n {
		must(t, fsys.WriteFile(fmt.Sprintf("/d/f%03d", i), nil, 0o644))
	}
	f := got[*memfs.File](t)(fsys.Open("/d"))
	defer f.Close()
	all := batch(t, f, -1)
	if len(all) != n {
		t.Fatalf("%d entries of %d", len(all), n)
	}
	return all
}

// An offset that a listing returned can be sought again: what follows is what followed then. As on a tmpfs, the end is
// no entry and no error. hanwen/go-fuse 344 and 57 (xfstests generic/257); libfuse 65.
func TestReportSeekBackInListing(t *testing.T) {
	eachVariant(t, func(t *testing.T, fsys *memfs.FS) {
		all := filled(t, fsys, max(60, rounds(170)))
		f := got[*memfs.File](t)(fsys.Open("/d"))
		for _, size := range []int{1, 3, len(all)} {
			for i := len(all) - 1; i >= 0; i-- {
				got[int64](t)(f.Seek(all[i].cookie, io.SeekStart))
				rest := batch(t, f, size)
				if want := all[i+1 : min(i+1+size, len(all))]; !slices.Equal(rest, want) {
					t.Fatalf("behind entry %d: %v, want %v", i, rest, want)
				}
				at := got[int64](t)(f.Seek(0, io.SeekCurrent))
				if n := len(rest); n > 0 && at != rest[n-1].cookie {
					t.Fatalf("position %d behind the entry at %d", at, rest[n-1].cookie)
				}
			}
		}
		got[int64](t)(f.Seek(all[len(all)-1].cookie, io.SeekStart))
		for range 3 {
			if rest := batch(t, f, 1); len(rest) != 0 {
				t.Fatalf("behind the end: %v", rest)
			}
		}
		got[int64](t)(f.Seek(0, io.SeekStart))
		if again := batch(t, f, -1); !slices.Equal(again, all) {
			t.Error("another order from the beginning")
		}
		must(t, f.Close())
	})
}

// Offsets are positive, distinct and of use in every open file of the directory, through every view and way to it, also
// when the entry they come from is gone; the last one is the end. FreeBSD freebsd-fs, April 2014; the libfs patches of
// Linux, November 2024; mergerfs 781; NetBSD current-users, November 2005.
func TestReportOffsetsOutliveTheirHandle(t *testing.T) {
	eachVariant(t, func(t *testing.T, fsys *memfs.FS) {
		all := filled(t, fsys, max(100, rounds(300)))
		seen := map[int64]bool{0: true}
		for _, e := range all {
			if e.cookie <= 0 || seen[e.cookie] {
				t.Fatalf("%s is at %d", e.name, e.cookie)
			}
			seen[e.cookie] = true
		}
		must(t, fsys.Symlink("d", "/link"))
		confined := got[*memfs.FS](t)(fsys.OpenRoot("/d"))
		behind := func(i int) []entry {
			open := []func() (*memfs.File, error){
				func() (*memfs.File, error) { return fsys.Open("/d") },
				func() (*memfs.File, error) { return fsys.Open("/link") },
				func() (*memfs.File, error) { return confined.Open(".") },
				func() (*memfs.File, error) { return fsys.As(alice).Open("/d/.") },
			}[i%4]
			f := got[*memfs.File](t)(open())
			defer f.Close()
			got[int64](t)(f.Seek(all[i].cookie, io.SeekStart))
			return batch(t, f, -1)
		}
		for i := range all {
			if rest := behind(i); !slices.Equal(rest, all[i+1:]) {
				t.Fatalf("a new file at entry %d: %d entries, want %d", i, len(rest), len(all)-i-1)
			}
		}
		kept := func(i int) bool { return i%50 == 49 }
		for i, e := range all {
			if !kept(i) {
				must(t, fsys.Remove("/d/"+e.name))
			}
		}
		for i := range all {
			var want []entry
			for j := i + 1; j < len(all); j++ {
				if kept(j) {
					want = append(want, all[j])
				}
			}
			if rest := behind(i); !slices.Equal(rest, want) {
				t.Fatalf("behind the removed entry %d: %v, want %v", i, rest, want)
			}
		}
		must(t, confined.Close())
	})
}

// A removed and renamed name, and one more that appears, do not move the offsets of the others.
func TestReportOffsetsDuringChanges(t *testing.T) {
	eachVariant(t, func(t *testing.T, fsys *memfs.FS) {
		all := filled(t, fsys, 60)
		f := got[*memfs.File](t)(fsys.Open("/d"))
		for i, e := range all[:40] {
			switch i % 4 {
			case 0:
				must(t, fsys.Remove("/d/"+e.name))
			case 1:
				must(t, fsys.Rename("/d/"+e.name, fmt.Sprintf("/moved%d", i)))
			case 2:
				must(t, fsys.WriteFile(fmt.Sprintf("/d/new%d", i), nil, 0o644))
			case 3:
				must(t, fsys.RenameFlags("/d/"+e.name, "/d/"+all[i+20].name, memfs.RenameExchange))
			}
			got[int64](t)(f.Seek(e.cookie, io.SeekStart))
			at := map[string]int64{}
			for _, rest := range batch(t, f, -1) {
				at[rest.name] = rest.cookie
			}
			for _, later := range all[i+1:] {
				if at[later.name] != later.cookie && !strings.HasPrefix(later.name, "new") {
					t.Fatalf("after %d changes %s is at %d, was at %d", i, later.name, at[later.name], later.cookie)
				}
			}
		}
		must(t, f.Close())
	})
}

// Listings in batches of any size are complete and have nothing besides, whatever the lengths of the names.
// google/gvisor 13721, where a buffer of bytes cut a record in two; a batch here is a number of entries.
func TestReportBatchesOfNamesOfAllLengths(t *testing.T) {
	eachVariant(t, func(t *testing.T, fsys *memfs.FS) {
		must(t, fsys.Mkdir("/d", 0o755))
		var names []string
		for length := 1; length <= 255; length++ {
			names = append(names, strings.Repeat(string(rune('a'+length%26)), length))
			must(t, fsys.WriteFile("/d/"+names[length-1], nil, 0o644))
		}
		slices.Sort(names)
		f := got[*memfs.File](t)(fsys.Open("/d"))
		for _, size := range []int{1, 2, 3, 7, 128, 254, 255, 256, 1 << 20} {
			for name, read := range map[string]func() ([]string, error){
				"Readdirnames": func() ([]string, error) { return f.Readdirnames(size) },
				"ReadDir":      func() ([]string, error) { return namesOf(f.ReadDir(size)) },
				"Readdir":      func() ([]string, error) { return namesOf(f.Readdir(size)) },
			} {
				got[int64](t)(f.Seek(0, io.SeekStart))
				var all []string
				for {
					part, err := read()
					if all = append(all, part...); err == io.EOF {
						break
					}
					must(t, err)
				}
				slices.Sort(all)
				if !slices.Equal(all, names) {
					t.Errorf("%s(%d): %d names of %d", name, size, len(all), len(names))
				}
			}
		}
		must(t, f.Close())
	})
}

func namesOf[E interface{ Name() string }](list []E, err error) (names []string, _ error) {
	for _, e := range list {
		names = append(names, e.Name())
	}
	return names, err
}

// A loop that changes the directory while it goes through it ends: every change whose new name sorts behind the
// position again and again would make it go on for ever. OpenRC 668 (Gentoo bug 916947, on tmpfs of Linux 6.6).
func TestReportLoopOverOwnChangesEnds(t *testing.T) {
	files := max(60, rounds(200))
	// Each change makes a name that is not there yet, as the count of the change is in it.
	for name, change := range map[string]func(fsys *memfs.FS, name string, i int) error{
		"rename every entry, new ones too": func(fsys *memfs.FS, name string, i int) error {
			return fsys.Rename("/d/"+name, fmt.Sprintf("/d/%s.%d", name[:4], i))
		},
		"replace by an older file": func(fsys *memfs.FS, name string, i int) error {
			return fsys.Rename(fmt.Sprintf("/pool/%d", i), "/d/"+name)
		},
		"exchange with another": func(fsys *memfs.FS, name string, i int) error {
			return fsys.RenameFlags("/d/"+name, fmt.Sprintf("/pool/%d", i), memfs.RenameExchange)
		},
		"link under a further name": func(fsys *memfs.FS, name string, i int) error {
			return fsys.Link("/d/"+name, fmt.Sprintf("/d/%s.%d", name[:4], i))
		},
		"leave a whiteout": func(fsys *memfs.FS, name string, i int) error {
			return fsys.RenameFlags("/d/"+name, fmt.Sprintf("/d/%s.%d", name[:4], i), memfs.RenameWhiteout)
		},
		"remove and make again": func(fsys *memfs.FS, name string, i int) error {
			if err := fsys.Remove("/d/" + name); err != nil {
				return err
			}
			return fsys.Mkdir("/d/"+name, 0o755)
		},
	} {
		for _, size := range []int{1, 5} {
			t.Run(fmt.Sprintf("%s, %d at a time", name, size), func(t *testing.T) {
				for _, v := range variants {
					if v.name == "hash=one" {
						continue // a name that is made of each name, and all behind the position: no order can end that
					}
					fsys := newFS(v.options...)
					filled(t, fsys, files)
					must(t, fsys.Mkdir("/pool", 0o755))
					for i := range 8 * files {
						must(t, fsys.WriteFile(fmt.Sprintf("/pool/%d", i), nil, 0o644))
					}
					loopOver(t, fsys, size, files, change)
					check(t, fsys)
				}
			})
		}
	}
}

// loopOver changes each entry as it comes. All that were there at the beginning come, and once only if their name stays.
func loopOver(t *testing.T, fsys *memfs.FS, size, files int, change func(fsys *memfs.FS, name string, i int) error) {
	f := got[*memfs.File](t)(fsys.Open("/d"))
	defer f.Close()
	seen := map[string]int{}
	for i := 0; ; {
		names, err := f.Readdirnames(size)
		if err == io.EOF {
			break
		}
		must(t, err)
		for _, name := range names {
			if seen[name]++; seen[name] > 1 {
				t.Fatalf("%s came again", name)
			}
			if err := change(fsys, name, i); err != nil && errnoOf(err) != syscall.ENOENT {
				t.Fatal(err)
			}
			if i++; i > 6*files {
				t.Fatalf("no end after %d entries, of %d", i, files)
			}
		}
	}
	for i := range files {
		if name := fmt.Sprintf("f%03d", i); seen[name] != 1 {
			t.Errorf("%s came %d times", name, seen[name])
		}
	}
}

// A batch is empty only at the end, also where all that was left is gone meanwhile: io/fs asks for an error then.
// spf13/afero 372; hack-pad/hackpadfs 23.
func TestReportNothingLeftIsTheEnd(t *testing.T) {
	eachVariant(t, func(t *testing.T, fsys *memfs.FS) {
		all := filled(t, fsys, 5)
		confined := got[*memfs.FS](t)(fsys.OpenRoot("/d"))
		files := []*memfs.File{got[*memfs.File](t)(fsys.Open("/d")), got[*memfs.File](t)(confined.Open("."))}
		for _, f := range files {
			if first := batch(t, f, 1); !slices.Equal(first, all[:1]) {
				t.Fatalf("first batch %v", first)
			}
		}
		for _, e := range all {
			must(t, fsys.Remove("/d/"+e.name))
		}
		for _, f := range files {
			list, err := f.ReadDir(1)
			if len(list) != 0 || err != io.EOF {
				t.Errorf("%d entries and %v, want io.EOF", len(list), err)
			}
			list, err = f.ReadDir(-1)
			if len(list) != 0 || err != nil {
				t.Errorf("the rest: %d entries and %v", len(list), err)
			}
			must(t, f.Close())
		}
		must(t, confined.Close())
	})
}
