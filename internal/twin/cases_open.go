//go:build linux

package twin

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// OpenCases are about OpenFile: all flags with all kinds of targets.
var OpenCases = []Case{
	{"open/flags", Anywhere, Nothing, openFlags},
	{"open/use", Anywhere, Nothing, openUse},
	{"open/perm", Anywhere, Nothing, openPerm},
	{"open/odd-flags", Anywhere, Nothing, openOddFlags},
	{"open/create-then-use", Anywhere, Nothing, openModeZero},
}

var openTargets = []string{"f", "missing", "d", "d/", "lf", "ld", "ld/", "dang", "self", "f/", "missing/", "d/f", "none/f", "f/x", ".", "d/..", "dang/"}

var openLayout = []string{"f: contents", "d/f: in d", "lf -> f", "ld -> d", "dang -> nowhere", "self -> self"}

// flagSets gives all combinations of bits.
func flagSets(bits ...int) []int {
	sets := []int{0}
	for _, b := range bits {
		for _, s := range sets {
			sets = append(sets, s|b)
		}
	}
	return sets
}

func openFlags(t *T) {
	extra := flagSets(os.O_CREATE, os.O_EXCL, os.O_TRUNC, os.O_APPEND, syscall.O_DIRECTORY, syscall.O_NOFOLLOW)
	for _, access := range []int{os.O_RDONLY, os.O_WRONLY, os.O_RDWR} {
		for _, target := range openTargets {
			title := fmt.Sprintf("%s %s", flagText(access), target)
			t.Table(title, openLayout, len(extra), func(i int) bool {
				flag := access | extra[i]
				h := t.OpenFile(target, flag, 0o640)
				h.Close()
				return h.OK() && flag&(os.O_CREATE|os.O_TRUNC) != 0
			})
		}
	}
}

// openUse looks what can be done with the handle.
func openUse(t *T) {
	for _, access := range []int{os.O_RDONLY, os.O_WRONLY, os.O_RDWR, syscall.O_ACCMODE} {
		for _, extra := range flagSets(os.O_CREATE, os.O_TRUNC, os.O_APPEND) {
			for _, target := range []string{"f", "missing", "d", "lf", "dang"} {
				t.Fresh(fmt.Sprintf("%s %s", flagText(access|extra), target), openLayout...)
				h := t.OpenFile(target, access|extra, 0o640)
				if !t.Choose(h.OK()) {
					continue
				}
				h.Stat()
				h.Read(4)
				h.Write("new")
				h.Read(4)
				h.WriteString("er")
				h.SeekTo(0, 1)
				h.WriteAt("AT", 1)
				h.ReadAt(100, 0)
				h.SeekTo(2, 0)
				h.Write("W")
				h.SeekTo(0, 1)
				h.Truncate(6)
				h.SeekTo(0, 0)
				h.WriteTo()
				h.Write("")
				h.Read(0)
				h.ReadAt(0, 0)
				h.WriteAt("", 0)
				h.Chmod(0o600)
				h.Chown(-1, -1)
				h.Readdirnames(-1)
				h.Sync()
				h.Stat()
				h.Close()
				t.Dump()
			}
		}
	}
}

func openPerm(t *T) {
	perms := []fs.FileMode{
		0, 0o777, 0o666, 0o640, 0o027, 0o111, 0o1, fs.ModePerm | fs.ModeSticky, 0o644 | fs.ModeSetuid, 0o755 | fs.ModeSetgid, 0o755 | fs.ModeDir,
		0o644 | fs.ModeSymlink, 0o1777, 0o4755, fs.ModeAppend | 0o600, fs.ModeType | 0o600, ^fs.FileMode(0),
	}
	t.Fresh("create", "d/")
	for i, p := range perms {
		name := fmt.Sprintf("d/o%d", i)
		h := t.OpenFile(name, os.O_CREATE|os.O_RDWR, p)
		h.Stat()
		h.Write("x")
		t.WriteFile(fmt.Sprintf("d/w%d", i), "x", p)
		t.Mkdir(fmt.Sprintf("d/m%d", i), p)
		t.MkdirAll(fmt.Sprintf("d/a%d/b/c", i), p)
		t.Chmod(name, p)
		t.Lstat(name)
		h.Chmod(p)
		h.Stat()
	}
	t.Dump()
	t.Fresh("existing", "f: x @600", "d/")
	t.OpenFile("f", os.O_CREATE|os.O_RDWR, 0o777).Stat()
	t.OpenFile("f", os.O_RDWR, ^fs.FileMode(0)).Stat()
	t.WriteFile("f", "y", 0o777)
	t.MkdirAll("d", 0o700)
	t.Dump()
}

func openOddFlags(t *T) {
	for _, bit := range []int{
		os.O_SYNC, syscall.O_DSYNC, syscall.O_NONBLOCK, syscall.O_CLOEXEC, syscall.O_NOCTTY, syscall.O_NOATIME, syscall.O_LARGEFILE,
		1 << 24, 1 << 25, 1 << 26, 1 << 27, 1 << 28, 1 << 29, 1 << 30, 4, 8, 0o20, 0o40,
	} {
		t.Fresh(fmt.Sprintf("%#x", bit), "f: text", "d/")
		for _, access := range []int{os.O_RDONLY, os.O_RDWR} {
			h := t.OpenFile("f", access|bit, 0)
			h.Read(2)
			h.Write("x")
			h.Stat()
			t.OpenFile("d", access|bit, 0).Readdirnames(-1)
			t.OpenFile("missing", access|bit, 0o644)
		}
		t.OpenFile("new", os.O_RDWR|os.O_CREATE|bit, 0o644).Write("x")
		t.Dump()
	}
}

func openModeZero(t *T) {
	t.Fresh("mode 0", "d/")
	h := t.OpenFile("d/f", os.O_RDWR|os.O_CREATE|os.O_EXCL, 0)
	h.Write("writable")
	h.ReadAt(20, 0)
	h.Stat()
	t.OpenFile("d/f", os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o644)
	r := t.OpenFile("d/r", os.O_RDONLY|os.O_CREATE, 0o200)
	r.Read(1)
	r.Write("x")
	tr := t.OpenFile("d/r", os.O_RDONLY|os.O_TRUNC, 0)
	tr.Stat()
	t.Dump()
}
