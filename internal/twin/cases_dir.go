//go:build linux

package twin

import (
	"fmt"
	"os"
	"strings"
)

// DirCases are about reading directories.
var DirCases = []Case{
	{"dir/counts", Anywhere, Nothing, dirCounts},
	{"dir/mixed-calls", Anywhere, Nothing, dirMixed},
	{"dir/rewind", Anywhere, Nothing, dirRewind},
	{"dir/file", Anywhere, Nothing, dirOfFile},
	{"dir/info-after-change", Anywhere, Nothing, dirInfo},
	{"dir/order", InSystem, Nothing, dirOrder},
	{"dir/large", Anywhere, Nothing, dirLarge},
	{"dir/many-names", Anywhere, Nothing, dirNames},
	{"dir/unreadable", Anywhere, Privilege, dirUnreadable},
}

var dirEntries = []string{"d/f: hello", "d/sub/x", "d/l -> f", "d/dang -> nowhere", "d/h == d/f", "d/e/", "empty/"}

// readers are the three ways to read a directory.
var readers = []struct {
	name string
	read func(h *Handle, n int) []string
}{
	{"ReadDir", (*Handle).ReadDir},
	{"Readdir", (*Handle).Readdir},
	{"Readdirnames", (*Handle).Readdirnames},
}

func dirCounts(t *T) {
	for _, r := range readers {
		for _, name := range []string{"d", "empty", "."} {
			for _, n := range []int{-1, 0, 1, 2, 3, 5, 6, 7, 100, -100} {
				t.Fresh(fmt.Sprintf("%s(%d) of %s", r.name, n, name), dirEntries...)
				h := t.Open(name)
				seen := map[string]int{}
				for range 9 {
					for _, got := range r.read(h, n) {
						seen[got]++
					}
				}
				r.read(h, 0)
				r.read(h, -1)
				r.read(h, 1)
				t.Logf("seen %v", seen)
			}
		}
	}
}

func dirMixed(t *T) {
	t.Fresh("mixed", dirEntries...)
	h := t.Open("d")
	seen := map[string]int{}
	note := func(names []string) {
		for _, n := range names {
			seen[n]++
		}
	}
	note(h.ReadDir(2))
	note(h.Readdirnames(1))
	note(h.Readdir(1))
	h.Stat()
	list, err := h.f.ReadDir(-1) // which ones are left depends on the order
	for _, e := range list {
		seen[e.Name()]++
	}
	t.Logf("%d left, %s, seen %v", len(list), t.errText(err), seen)
	note(h.Readdirnames(-1))
	note(h.Readdirnames(1))
}

func dirRewind(t *T) {
	t.Fresh("rewind", dirEntries...)
	h := t.Open("d")
	h.Readdirnames(-1)
	h.SeekTo(0, 0)
	h.Readdirnames(-1)
	h.SeekTo(0, 0)
	h.Readdirnames(2)
	h.SeekTo(0, 0)
	h.Readdirnames(-1)
	t.WriteFile("d/later", "x", 0o644)
	t.Remove("d/l")
	h.SeekTo(0, 0)
	h.Readdirnames(-1)
	t.Rename("d/later", "d/renamed")
	t.RemoveAll("d/sub")
	h.SeekTo(0, 0)
	h.Readdir(-1)
	e := t.Open("empty")
	e.Readdirnames(-1)
	t.WriteFile("empty/x", "x", 0o644)
	e.SeekTo(0, 0)
	e.Readdirnames(-1)
	e.Readdirnames(1)
}

func dirOfFile(t *T) {
	t.Fresh("not a directory", dirEntries...)
	for _, name := range []string{"d/f", "d/l"} {
		for _, n := range []int{-1, 0, 1} {
			for _, r := range readers {
				h := t.Open(name)
				r.read(h, n)
				h.Read(2)
				h.SeekTo(1, 0)
				h.Read(2)
			}
		}
	}
	w := t.OpenFile("d/f", os.O_WRONLY, 0)
	w.ReadDir(-1)
}

func dirInfo(t *T) {
	t.Fresh("Info after a change", dirEntries...)
	h := t.Open("d")
	list := h.Entries()
	t.Remove("d/f")
	t.RemoveAll("d/sub")
	t.Rename("d/l", "d/l2")
	t.Remove("d/e")
	t.WriteFile("d/e", "now a file", 0o600)
	t.Chmod("d/h", 0o600)
	for _, e := range list {
		fi, err := e.Info()
		t.Logf("%s.Info() = %s, %s; again %v", e.Name(), t.info(fi), t.errText(err), e)
	}
	t.Rename("d", "moved")
	for _, e := range list {
		fi, err := e.Info()
		t.Logf("%s.Info() = %s, %s", e.Name(), t.info(fi), t.errText(err))
	}
}

func dirOrder(t *T) {
	t.Fresh("order", "d/c", "d/B", "d/a", "d/10", "d/9", "d/é", "d/a.b", "d/a-b", "d/_", "d/\xff", "d/sub/", "d/ ", "d/l -> c")
	t.ReadDir("d")
	t.ReadDir("d/")
	t.ReadDir("d/c")
	t.ReadDir("d/sub")
	t.ReadDir("missing")
	t.ReadDir("d/l")
	list, err := t.sys.ReadDir("d")
	t.must(err)
	t.Remove("d/c")
	for _, e := range list {
		fi, err := e.Info()
		t.Logf("%s.Info() = %s, %s", quote(e.Name()), t.info(fi), t.errText(err))
	}
}

func dirLarge(t *T) {
	const n = 3000
	var layout []string
	for i := range n {
		layout = append(layout, fmt.Sprintf("d/name%d: ", i))
	}
	t.Fresh("large", layout...)
	t.cur.Layout = []string{fmt.Sprintf("%d files d/name0...", n)}
	t.Lstat("d")
	for _, size := range []int{1, 7, 100, 1023, 1024, 1025, n, n + 1} {
		h := t.Open("d")
		seen := map[string]int{}
		calls := 0
		for ; calls <= n+1; calls++ {
			list, err := h.f.ReadDir(size)
			for _, e := range list {
				seen[e.Name()]++
			}
			if len(list) == 0 {
				t.Logf("ReadDir(%d) ends with %s after %d calls", size, t.errText(err), calls)
				break
			}
		}
		twice := 0
		for _, c := range seen {
			if c > 1 {
				twice++
			}
		}
		t.Logf("%d names, %d of them twice", len(seen), twice)
	}
	t.RemoveAll("d")
	t.Dump()
}

func dirNames(t *T) {
	t.Fresh("names of all lengths", "d/")
	for l := 1; l <= 255; l++ {
		t.must(t.tree.WriteFile("d/"+strings.Repeat(string(rune('a'+l%26)), l), nil, 0o644))
	}
	h := t.Open("d")
	names := h.Readdirnames(-1)
	t.Logf("%d names", len(names))
	t.Lstat("d")
	for _, odd := range []string{"d/a b", "d/a\nb", "d/\\", "d/*", "d/\x01", "d/\xc3\x28", "d/-", "d/~", "d/\u00e9", "d/e\u0301"} {
		t.WriteFile(odd, odd, 0o644)
		t.ReadFile(odd)
	}
	t.Dump()
}

func dirUnreadable(t *T) {
	t.Fresh("unreadable", "d/f @600", "d/sub/x", "nosearch/f", "nosearch/sub/", "nosearch @744")
	t.As(someUser, func() {
		for _, r := range readers {
			h := t.Open("nosearch")
			r.read(h, -1)
			h = t.Open("nosearch")
			r.read(h, 1)
		}
		h := t.Open("nosearch")
		for _, e := range h.Entries() {
			fi, err := e.Info()
			t.Logf("Info() = %s, %s", t.info(fi), t.errText(err))
		}
	})
}
