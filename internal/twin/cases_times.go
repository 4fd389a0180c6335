//go:build linux

package twin

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"
)

// TimeCases are about which times each call sets, on the files and on their
// directories. The mount has relatime, as is usual.
var TimeCases = []Case{
	{"times/calls", Anywhere, Nothing, timesOfCalls},
	{"times/handle", Anywhere, Nothing, timesOfHandle},
	{"times/system", InSystem, Nothing, timesOfSystem},
	{"times/relatime", Anywhere, Nothing, timesRelatime},
	{"times/symlink", Anywhere, Nothing, timesSymlink},
	{"times/new", Anywhere, Nothing, timesNew},
}

var timesLayout = []string{"d/f: hello", "d/g: other", "d/sub/", "e/x: x", "d/h == d/f", "e/empty/", "d/l -> f", "big*9000"}

// watched are the names whose times are looked at; aged those that can be
// set into the past first.
var (
	watched = []string{".", "d", "d/f", "d/g", "d/sub", "e", "e/x", "e/empty", "d/l", "d/new", "e/new", "big"}
	aged    = []string{"d/f", "d/g", "d/sub", "e/x", "e/empty", "big", "d", "e", "."}
)

type step struct {
	name string
	do   func(t *T)
}

// timeTable makes each step in a tree of its own.
func timeTable(t *T, steps []step) {
	for _, s := range steps {
		t.Fresh(s.name, timesLayout...)
		t.Age(aged...)
		t.Touches(s.name, watched, func() { s.do(t) })
	}
}

func timesOfCalls(t *T) {
	timeTable(t, []step{
		{"Open", func(t *T) { t.Open("d/f") }},
		{"Open directory", func(t *T) { t.Open("d") }},
		{"OpenRoot", func(t *T) { t.OpenRoot("d", nil) }},
		{"Create new", func(t *T) { t.Create("d/new") }},
		{"Create existing", func(t *T) { t.Create("d/f") }},
		{"Create through link", func(t *T) { t.Create("d/l") }},
		{"Open create existing", func(t *T) { t.OpenFile("d/f", os.O_CREATE|os.O_RDWR, 0o644) }},
		{"Open trunc", func(t *T) { t.OpenFile("d/f", os.O_TRUNC|os.O_RDWR, 0) }},
		{"Open exclusive existing", func(t *T) { t.OpenFile("d/f", os.O_CREATE|os.O_EXCL|os.O_RDWR, 0) }},
		{"Mkdir", func(t *T) { t.Mkdir("d/new", 0o755) }},
		{"Mkdir existing", func(t *T) { t.Mkdir("d/sub", 0o755) }},
		{"MkdirAll existing", func(t *T) { t.MkdirAll("d/sub", 0o755) }},
		{"MkdirAll", func(t *T) { t.MkdirAll("d/new/x/y", 0o755) }},
		{"Remove file", func(t *T) { t.Remove("d/g") }},
		{"Remove one of two names", func(t *T) { t.Remove("d/h") }},
		{"Remove directory", func(t *T) { t.Remove("d/sub") }},
		{"Remove full directory", func(t *T) { t.Remove("d") }},
		{"Remove missing", func(t *T) { t.Remove("d/missing") }},
		{"RemoveAll", func(t *T) { t.RemoveAll("d") }},
		{"Rename file", func(t *T) { t.Rename("d/g", "d/new") }},
		{"Rename file across", func(t *T) { t.Rename("d/g", "e/new") }},
		{"Rename file over file", func(t *T) { t.Rename("d/g", "e/x") }},
		{"Rename file over one of two names", func(t *T) { t.Rename("e/x", "d/h") }},
		{"Rename directory", func(t *T) { t.Rename("d/sub", "d/new") }},
		{"Rename directory across", func(t *T) { t.Rename("d/sub", "e/new") }},
		{"Rename directory over directory", func(t *T) { t.Rename("d/sub", "e/empty") }},
		{"Rename to same inode", func(t *T) { t.Rename("d/f", "d/h") }},
		{"Rename to itself", func(t *T) { t.Rename("d/f", "d/f") }},
		{"Rename fails", func(t *T) { t.Rename("d/f", "e/empty") }},
		{"Rename link", func(t *T) { t.Rename("d/l", "e/new") }},
		{"Link", func(t *T) { t.Link("d/f", "e/new") }},
		{"Link existing", func(t *T) { t.Link("d/f", "d/g") }},
		{"Symlink", func(t *T) { t.Symlink("x", "d/new") }},
		{"Chmod", func(t *T) { t.Chmod("d/f", 0o600) }},
		{"Chmod same", func(t *T) { t.Chmod("d/f", 0o644) }},
		{"Chmod directory", func(t *T) { t.Chmod("d", 0o700) }},
		{"Chmod through link", func(t *T) { t.Chmod("d/l", 0o600) }},
		{"Chown", func(t *T) { t.Chown("d/f", os.Getuid(), os.Getgid()) }},
		{"Chown nothing", func(t *T) { t.Chown("d/f", -1, -1) }},
		{"Chown directory", func(t *T) { t.Chown("d", os.Getuid(), -1) }},
		{"Lchown link", func(t *T) { t.Lchown("d/l", os.Getuid(), -1) }},
		{"Chtimes", func(t *T) { t.Chtimes("d/f", oldTime3, oldTime3) }},
		{"Chtimes atime", func(t *T) { t.Chtimes("d/f", oldTime3, time.Time{}) }},
		{"Chtimes neither", func(t *T) { t.Chtimes("d/f", time.Time{}, time.Time{}) }},
		{"Chtimes directory", func(t *T) { t.Chtimes("d", oldTime3, oldTime3) }},
		{"ReadFile", func(t *T) { t.ReadFile("d/f") }},
		{"WriteFile existing", func(t *T) { t.WriteFile("d/f", "new", 0o644) }},
		{"WriteFile empty", func(t *T) { t.WriteFile("d/f", "", 0o644) }},
		{"WriteFile new", func(t *T) { t.WriteFile("d/new", "x", 0o644) }},
		{"Stat", func(t *T) { t.Stat("d/f") }},
		{"Lstat missing", func(t *T) { t.Lstat("d/missing") }},
		{"Lstat below", func(t *T) { t.Lstat("d/sub/../f") }},
	})
}

func timesOfHandle(t *T) {
	type use struct {
		name string
		do   func(h *Handle)
	}
	for _, target := range []string{"d/f", "d", "big"} {
		uses := []use{
			{"Read", func(h *Handle) { h.Read(2) }},
			{"Read nothing", func(h *Handle) { h.Read(0) }},
			{"Read at end", func(h *Handle) { h.SeekTo(0, io.SeekEnd); h.Read(1) }},
			{"ReadAt", func(h *Handle) { h.ReadAt(2, 1) }},
			{"ReadAt end", func(h *Handle) { h.ReadAt(2, 1<<30) }},
			{"ReadAt nothing", func(h *Handle) { h.ReadAt(0, 0) }},
			{"Write", func(h *Handle) { h.Write("x") }},
			{"Write nothing", func(h *Handle) { h.Write("") }},
			{"WriteAt", func(h *Handle) { h.WriteAt("x", 1) }},
			{"WriteAt nothing", func(h *Handle) { h.WriteAt("", 1) }},
			{"ReadFrom", func(h *Handle) { h.ReadFrom("reader", strings.NewReader("abc")) }},
			{"ReadFrom nothing", func(h *Handle) { h.ReadFrom("empty", strings.NewReader("")) }},
			{"WriteTo", func(h *Handle) { h.WriteTo() }},
			{"Seek", func(h *Handle) { h.SeekTo(0, io.SeekStart) }},
			{"Truncate shorter", func(h *Handle) { h.Truncate(1) }},
			{"Truncate longer", func(h *Handle) { h.Truncate(10_000) }},
			{"Truncate same", func(h *Handle) { h.Truncate(5) }},
			{"Truncate bad", func(h *Handle) { h.Truncate(-1) }},
			{"Chmod", func(h *Handle) { h.Chmod(0o600) }},
			{"Chown", func(h *Handle) { h.Chown(os.Getuid(), -1) }},
			{"Chown nothing", func(h *Handle) { h.Chown(-1, -1) }},
			{"Sync", func(h *Handle) { h.Sync() }},
			{"Stat", func(h *Handle) { h.Stat() }},
			{"ReadDir", func(h *Handle) { h.ReadDir(-1) }},
			{"Readdirnames 1", func(h *Handle) { h.Readdirnames(1) }},
			{"Close", func(h *Handle) { h.Close() }},
		}
		for _, u := range uses {
			flag := os.O_RDWR
			if target == "d" {
				flag = os.O_RDONLY
			}
			t.Fresh(fmt.Sprintf("%s of %s", u.name, target), timesLayout...)
			h := t.OpenFile(target, flag, 0)
			t.Age(aged...)
			t.Touches(u.name, watched, func() { u.do(h) })
		}
	}
	t.Fresh("ReadDir of an empty directory", timesLayout...)
	t.Age(aged...)
	t.Touches("ReadDir", watched, func() { t.Open("d/sub").ReadDir(-1) })
	t.Fresh("unlink of an open file", timesLayout...)
	h := t.Open("d/g")
	t.Age(aged...)
	before, _ := h.f.Stat()
	t.world.Tick()
	t.Remove("d/g")
	after, _ := h.f.Stat()
	b, _ := stampsOf(before)
	a, _ := stampsOf(after)
	t.Logf("unlink touches %s", changed(b, a))
}

func timesOfSystem(t *T) {
	timeTable(t, []step{
		{"Truncate shorter", func(t *T) { t.Truncate("d/f", 2) }},
		{"Truncate longer", func(t *T) { t.Truncate("d/f", 20) }},
		{"Truncate same", func(t *T) { t.Truncate("d/f", 5) }},
		{"Truncate through link", func(t *T) { t.Truncate("d/l", 1) }},
		{"ReadDir", func(t *T) { t.ReadDir("d") }},
		{"ReadDir empty", func(t *T) { t.ReadDir("d/sub") }},
		{"Chdir", func(t *T) { t.Chdir("d"); t.Chdir("..") }},
		{"CopyFS", func(t *T) { t.CopyFS("d/new", small) }},
		{"MkdirTemp", func(t *T) { t.MkdirTemp("d", "x") }},
	})
}

func timesRelatime(t *T) {
	ago := func(d time.Duration) time.Time { return time.Now().Add(-d) }
	for _, c := range []struct {
		name         string
		atime, mtime time.Time
	}{
		{"atime before mtime", oldAtime, oldMtime},
		{"atime in the future", ago(-time.Hour), oldMtime},
		{"atime a day old", ago(25 * time.Hour), ago(30 * time.Hour)},
		{"both in the future", ago(-time.Hour), ago(-2 * time.Hour)},
		{"mtime in the future", ago(time.Minute), ago(-time.Hour)},
	} {
		t.Fresh(c.name, "d/f: x", "d/sub/")
		for _, n := range []string{"d/f", "d"} {
			t.must(t.tree.Chtimes(n, c.atime, c.mtime))
		}
		t.Touches("first reads", []string{"d", "d/f"}, func() { t.ReadFile("d/f"); t.Open("d").Readdirnames(-1) })
		t.Touches("second reads", []string{"d", "d/f"}, func() { t.ReadFile("d/f"); t.Open("d").Readdirnames(-1) })
		t.Touches("a change", []string{"d", "d/f"}, func() { t.WriteFile("d/f", "y", 0); t.WriteFile("d/g", "y", 0) })
		t.Touches("third reads", []string{"d", "d/f"}, func() { t.ReadFile("d/f"); t.Open("d").Readdirnames(-1) })
		t.Touches("fourth reads", []string{"d", "d/f"}, func() { t.ReadFile("d/f"); t.Open("d").Readdirnames(-1) })
	}
}

func timesSymlink(t *T) {
	for _, s := range []step{
		{"Readlink", func(t *T) { t.Readlink("l") }},
		{"Stat", func(t *T) { t.Stat("l") }},
		{"Lstat", func(t *T) { t.Lstat("l") }},
		{"Open", func(t *T) { t.Open("l") }},
		{"follow in the middle", func(t *T) { t.Stat("ld/f") }},
		{"Lstat with a slash", func(t *T) { t.Lstat("ld/") }},
		{"two links", func(t *T) { t.Stat("l2") }},
		{"dangling", func(t *T) { t.Stat("dang") }},
		{"dangling create exclusive", func(t *T) { t.OpenFile("dang", os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644) }},
		{"Link", func(t *T) { t.Link("l", "new") }},
		{"Rename", func(t *T) { t.Rename("l", "new") }},
		{"Remove", func(t *T) { t.Remove("l") }},
		{"loop", func(t *T) { t.Stat("self") }},
	} {
		t.Fresh(s.name, "d/f", "l -> d/f", "ld -> d", "l2 -> l", "dang -> x", "self -> self")
		t.Touches(s.name, []string{"l", "ld", "l2", "dang", "self"}, func() { s.do(t) })
	}
}

func timesNew(t *T) {
	t.Fresh("new things", "d/")
	for _, s := range []step{
		{"d/f", func(t *T) { t.Create("d/f") }},
		{"d/sub", func(t *T) { t.Mkdir("d/sub", 0o755) }},
		{"d/l", func(t *T) { t.Symlink("x", "d/l") }},
		{"d/all/x", func(t *T) { t.MkdirAll("d/all/x", 0o755) }},
	} {
		t.world.Tick()
		t.Touches("making "+s.name, []string{"d", s.name}, func() { s.do(t) })
		t.Newborn(s.name)
		t.Times("d")
	}
}
