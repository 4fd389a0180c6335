//go:build linux

package twin

import (
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"
)

// MetaCases are about what Stat shows: counts, sizes, modes, owners.
var MetaCases = []Case{
	{"meta/link-counts", Anywhere, Nothing, metaLinks},
	{"meta/directory-sizes", Anywhere, Nothing, metaDirSize},
	{"meta/blocks", Anywhere, Nothing, metaBlocks},
	{"meta/modes", Anywhere, Nothing, metaModes},
	{"meta/umask", Anywhere, Nothing, metaUmask},
	{"meta/chtimes", Anywhere, Nothing, metaChtimes},
	{"meta/chown-root", Anywhere, Privilege, metaChown},
	{"meta/names", Anywhere, Privilege, metaNames},
	{"meta/temporary", InSystem, Privilege, metaTemp},
}

func metaLinks(t *T) {
	t.Fresh("counts", "d/", "e/", "f")
	step := func(err error) { t.Dump() }
	step(t.Mkdir("d/a", 0o755))
	step(t.Mkdir("d/b", 0o755))
	step(t.Link("f", "d/f"))
	step(t.Symlink("d", "d/l"))
	step(t.Rename("d/a", "e/a"))
	step(t.Rename("d/b", "d/c"))
	step(t.Rename("f", "d/c/f"))
	step(t.Rename("d/c/f", "d/f"))
	step(t.Remove("e/a"))
	step(t.RemoveAll("d/c"))
	step(t.Mkdir("d/f", 0o755))
	step(t.MkdirAll("e/x/y/z", 0o755))
}

func metaDirSize(t *T) {
	t.Fresh("sizes", "d/", "e/")
	for i := range 5 {
		t.WriteFile(fmt.Sprintf("d/%s", strings.Repeat("n", 1+i*50)), "x", 0o644)
		t.Lstat("d")
	}
	t.Link("d/n", "d/h")
	t.Lstat("d")
	t.Mkdir("d/sub", 0o755)
	t.Lstat("d")
	t.Symlink("x", "d/l")
	t.Lstat("d")
	t.Rename("d/l", "d/h")
	t.Lstat("d")
	t.Rename("d/n", "e/n")
	t.Lstat("d")
	t.Lstat("e")
	t.Remove("d/sub")
	t.Lstat("d")
	t.Remove("d/missing")
	t.Mkdir("d/h", 0o755)
	t.Lstat("d")
	t.RemoveAll("d")
	t.Dump()
}

func metaBlocks(t *T) {
	t.Fresh("blocks")
	for _, n := range []int{0, 1, 100, 511, 512, 513, 4095, 4096, 4097, 8192, 10_000, 65536, 65537} {
		name := fmt.Sprintf("f%d", n)
		t.WriteFile(name, string(pattern(n)), 0o644)
		t.Lstat(name)
	}
	for _, n := range []int{1, 100, 127, 128, 129, 255, 1000, 4095} {
		name := fmt.Sprintf("l%d", n)
		t.Symlink(strings.Repeat("x", n), name)
		t.Lstat(name)
	}
	h := t.Create("grown")
	for range 5 {
		h.Write(string(pattern(1500)))
		h.Stat()
	}
	h.Truncate(100_000)
	h.Stat()
	h.Truncate(4097)
	h.Stat()
	h.Truncate(4096)
	h.Stat()
	h.Truncate(1)
	h.Stat()
}

func metaModes(t *T) {
	t.Fresh("chmod", "f: x", "d/", "l -> f", "ld -> d", "dang -> x")
	hf, hd := t.Open("f"), t.Open("d")
	modes := []fs.FileMode{0, 0o1, 0o7, 0o70, 0o700, 0o777, fs.ModeSticky | 0o777, fs.ModeSetgid | 0o755, fs.ModeSetuid | 0o711, fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky | 0o777, fs.ModeDir | 0o600, fs.ModeSymlink | 0o644, fs.ModeDevice | fs.ModeCharDevice | 0o400, 0o4755, ^fs.FileMode(0), 0o644}
	for _, m := range modes {
		for _, name := range []string{"f", "d", "l", "ld", "dang"} {
			t.Chmod(name, m)
			t.Lstat(name)
		}
		hf.Chmod(m)
		hf.Stat()
		hd.Chmod(m)
		hd.Stat()
	}
	t.Dump()
}

func metaUmask(t *T) {
	t.Fresh("umask")
	for _, m := range []fs.FileMode{0, 0o777, 0o722, 0o022, 0o666, 0o111} {
		t.WriteFile(fmt.Sprintf("f%o", m), "x", m)
		t.Mkdir(fmt.Sprintf("d%o", m), m)
		t.MkdirAll(fmt.Sprintf("a%o/b/c", m), m|0o700)
		t.OpenFile(fmt.Sprintf("o%o", m), os.O_CREATE|os.O_RDWR, m)
	}
	t.Create("created")
	t.Symlink("x", "link")
	t.Dump()
}

func metaChtimes(t *T) {
	times := []time.Time{
		{}, oldAtime, time.Unix(0, 0), time.Unix(-1, 0), time.Unix(-1, 999_999_999), time.Unix(-1_000_000_000, 5), time.Unix(1<<31, 1), time.Unix(1<<33, 999_999_999),
		time.Unix(9_000_000_000, 0), time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(1700, 1, 1, 0, 0, 0, 7, time.UTC),
	}
	for _, name := range []string{"f", "d", "l", "missing", "dang", "f/"} {
		t.Fresh(name, "f: x", "d/", "l -> f", "dang -> x")
		for i, a := range times {
			t.Chtimes(name, a, times[(i*5+3)%len(times)])
			t.Times("f")
			t.Times("d")
			t.Chtimes(name, oldAtime, oldMtime)
		}
	}
	t.Fresh("zero keeps", "f: x")
	t.Chtimes("f", oldAtime, oldMtime)
	t.Chtimes("f", time.Time{}, oldTime3)
	t.Times("f")
	t.Chtimes("f", oldTime3, time.Time{})
	t.Times("f")
	t.Chtimes("f", time.Time{}, time.Time{})
	t.Times("f")
}

func metaChown(t *T) {
	t.Fresh("chown by root", "f: x", "d/", "l -> f", "ld -> d", "dang -> x", "h == f")
	hf, hd := t.Open("f"), t.Open("d")
	ids := [][2]int{{1, 2}, {-1, 3}, {4, -1}, {-1, -1}, {0, 0}, {65534, 65534}, {1 << 30, 1 << 30}, {-2, 1}, {1, -2}, {1<<31 - 1, 5}}
	for _, id := range ids {
		for _, name := range []string{"f", "d", "l", "ld", "dang"} {
			t.Chown(name, id[0], id[1])
			t.Lchown(name, id[1], id[0])
			t.Lstat(name)
		}
		hf.Chown(id[0], id[1])
		hf.Stat()
		hd.Chown(id[1], -1)
		hd.Stat()
	}
	t.Dump()
	for _, mode := range []uint32{0o6777, 0o4755, 0o2755, 0o2745, 0o6711, 0o7644, 0o1777, 0o2644} {
		for _, id := range [][2]int{{5, 6}, {5, -1}, {-1, 6}, {-1, -1}} {
			t.Fresh(fmt.Sprintf("set-id bits %o %v", mode, id), fmt.Sprintf("f: x @%o", mode), fmt.Sprintf("d/ @%o", mode), "l -> f", fmt.Sprintf("g: x @%o", mode))
			t.Chown("f", id[0], id[1])
			t.Chown("d", id[0], id[1])
			t.Lchown("g", id[0], id[1])
			t.Open("f").Chown(id[0], id[1])
			t.Dump()
		}
	}
}

func metaNames(t *T) {
	t.Fresh("Name of FileInfo", "d/f", "l -> d/f", "ld -> d")
	for _, p := range []string{"d", "d/", "d/f", "./d", "d/.", "d/..", "d//f", ".", "./", "l", "ld", "ld/", "ld/f", "d/../l"} {
		t.Stat(p)
		t.Lstat(p)
		t.Open(p).Stat()
	}
	if !t.InRoot() {
		for _, p := range []string{"/", "//", "/d", "/d/", "/d/f", "/.", "/..", ".."} {
			t.Stat(p)
			t.Open(p).Stat()
		}
	}
	t.SameFile("d", "d/.")
	t.SameFile("d/f", "l")
	t.SameFile("l", "l")
}

func metaTemp(t *T) {
	layout := []string{"d/", "f", "tmp/", "ro/ @555", "l -> d"}
	patterns := []string{"", "x", "x*", "*x", "a*b*c", "*", "**", "a/b", "/", "a*/", "..", "a\x00", strings.Repeat("n", 240), strings.Repeat("n", 250) + "*", "é*"}
	for _, dir := range []string{"d", "d/", "/d", "l", "missing", "missing/x", "f", "f/", "", "ro", ".", "/"} {
		for i, p := range patterns {
			t.Fresh(fmt.Sprintf("%d in %q", i, dir), layout...)
			h := t.CreateTemp(dir, p)
			h.Stat()
			h.Write("x")
			h.ReadAt(3, 0)
			h.Close()
			t.Fresh(fmt.Sprintf("%d directory in %q", i, dir), layout...)
			if name := t.MkdirTemp(dir, p); t.Choose(name != "") {
				t.Lstat(name)
				t.Lstat(dir)
			}
		}
	}
}
