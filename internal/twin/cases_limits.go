//go:build linux

package twin

import (
	"fmt"
	"os"
	"strings"
)

// The room of a file system in LimitCases: sixteen pages and twelve inodes,
// of which the root directory takes one.
const (
	LimitBytes  = 16 * 4096
	LimitInodes = 12
)

// LimitCases need worlds with the limits above, and look at what happens
// there. They are not among [Cases].
var LimitCases = []Case{
	{"limits/bytes", InSystem, Privilege, limitBytes},
	{"limits/one-write", InSystem, Privilege, limitOneWrite},
	{"limits/space-back", InSystem, Privilege, limitSpaceBack},
	{"limits/sparse", InSystem, Privilege, limitSparse},
	{"limits/inodes", InSystem, Privilege, limitInodes},
	{"limits/inodes-back", InSystem, Privilege, limitInodesBack},
	{"limits/nothing-half-done", InSystem, Privilege, limitAtomic},
	{"limits/symlinks", InSystem, Privilege, limitSymlinks},
}

func limitBytes(t *T) {
	t.Fresh("files until it is full", "d/")
	t.Usage()
	for i := range 5 {
		t.WriteFile(fmt.Sprintf("d/f%d", i), string(pattern(16_000)), 0o644)
		t.Usage()
	}
	t.WriteFile("d/f0", "fits in the old pages", 0o644)
	t.Usage()
	t.WriteFile("d/small", "x", 0o644)
	t.WriteFile("d/f1", string(pattern(16_001)), 0o644)
	t.Dump()
	t.RemoveAll("d")
	t.Usage()
}

func limitOneWrite(t *T) {
	for _, n := range []int{65_535, 65_536, 65_537, 70_000, 200_000} {
		t.Fresh(fmt.Sprintf("%d bytes", n))
		h := t.Create("f")
		h.Write(string(pattern(n)))
		h.SeekTo(0, 1)
		h.Write("x")
		h.Stat()
		t.Usage()
		h.WriteAt("over the old contents", 100)
		h.WriteAt(string(pattern(9000)), 60_000)
		h.WriteAt("beyond", 70_000)
		h.Stat()
		h.ReadFrom("reader", strings.NewReader("more"))
		h.Stat()
		t.Dump()
	}
	t.Fresh("append", "f*65000")
	h := t.OpenFile("f", os.O_WRONLY|os.O_APPEND, 0)
	h.Write(string(pattern(500)))
	h.Write(string(pattern(500)))
	h.Write("x")
	h.SeekTo(0, 1)
	h.Stat()
	t.Usage()
}

func limitSpaceBack(t *T) {
	full := []string{"a*20000", "b*20000", "c*20000"}
	t.Fresh("unlink", full...)
	h := t.OpenFile("a", os.O_RDWR, 0)
	t.Usage()
	t.Remove("a")
	t.Usage()
	t.WriteFile("new", string(pattern(5000)), 0o644)
	h.Close()
	t.Usage()
	t.WriteFile("new", string(pattern(5000)), 0o644)
	t.Usage()
	t.Fresh("rename over", full...)
	h = t.Open("b")
	t.Rename("a", "b")
	t.Usage()
	h.Close()
	t.Usage()
	t.Fresh("truncate", full...)
	h = t.OpenFile("a", os.O_RDWR, 0)
	for _, n := range []int64{12_289, 12_288, 4097, 4096, 1, 0, 100_000} {
		h.Truncate(n)
		t.Usage()
	}
	t.OpenFile("b", os.O_RDWR|os.O_TRUNC, 0)
	t.Usage()
	t.Truncate("c", 3)
	t.Usage()
	t.Fresh("one of two names", append(full, "h == a")...)
	t.Remove("h")
	t.Usage()
	t.Remove("a")
	t.Usage()
}

func limitSparse(t *T) {
	t.Fresh("holes take no room", "f: ")
	h := t.OpenFile("f", os.O_RDWR, 0)
	h.Truncate(1 << 40)
	t.Usage()
	for i := range 18 {
		h.WriteAt("x", int64(i)*1_000_000)
	}
	h.Stat()
	t.Usage()
	h.WriteAt(string(pattern(10_000)), 500_000)
	h.WriteAt("in an old page", 1_000_100)
	h.Stat()
	h.ReadAt(10, 500_000)
	h.Truncate(2_000_001)
	h.Stat()
	t.Usage()
	h.WriteAt(string(pattern(100_000)), 1_500_000)
	h.Stat()
	t.Usage()
}

func limitInodes(t *T) {
	for _, call := range []struct {
		name string
		do   func(p string) error
	}{
		{"WriteFile", func(p string) error { return t.WriteFile(p, "", 0o644) }},
		{"Mkdir", func(p string) error { return t.Mkdir(p, 0o755) }},
		{"Symlink", func(p string) error { return t.Symlink("text", p) }},
		{"Link", func(p string) error { return t.Link("d/f", p) }},
		{"MkdirTemp", func(string) error { t.MkdirTemp("d", "x"); return nil }},
		{"CreateTemp", func(string) error { t.CreateTemp("d", "x"); return nil }},
	} {
		t.Fresh(call.name, "d/f")
		for i := range 12 {
			call.do(fmt.Sprintf("d/n%d", i))
			t.Usage()
			t.Lstat("d")
		}
	}
}

func limitInodesBack(t *T) {
	t.Fresh("inodes back", "d/")
	for i := range 10 {
		t.WriteFile(fmt.Sprintf("f%d", i), "x", 0o644)
	}
	t.Usage()
	t.WriteFile("more", "x", 0o644)
	h := t.Open("f0")
	t.Remove("f0")
	t.Usage()
	t.WriteFile("more", "x", 0o644)
	h.Close()
	t.Usage()
	t.WriteFile("more", "x", 0o644)
	t.Usage()
	t.Rename("f1", "f2")
	t.Usage()
	t.Link("f3", "h")
	t.Usage()
	t.Link("f3", "h2")
	t.Remove("f3")
	t.Usage()
	t.Rename("f4", "f5")
	t.Rename("f6", "d/f6")
	t.Rename("d", "e")
	t.Usage()
	t.RemoveAll("e")
	t.Usage()
	t.Dump()
}

func limitAtomic(t *T) {
	layout := []string{"d/f*65536", "d/sub/"}
	for i := range 7 {
		layout = append(layout, fmt.Sprintf("n%d: ", i))
	}
	for _, s := range []step{
		{"create", func(t *T) { t.Create("d/new") }},
		{"exclusive", func(t *T) { t.OpenFile("d/new", os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644) }},
		{"mkdir", func(t *T) { t.Mkdir("d/new", 0o755) }},
		{"mkdirall", func(t *T) { t.MkdirAll("d/new/x/y", 0o755) }},
		{"symlink", func(t *T) { t.Symlink("x", "d/new") }},
		{"link", func(t *T) { t.Link("d/f", "d/new") }},
		{"rename", func(t *T) { t.Rename("n0", "d/new") }},
		{"rename over", func(t *T) { t.Rename("n0", "n1") }},
		{"write", func(t *T) { t.OpenFile("d/f", os.O_WRONLY|os.O_APPEND, 0).Write("x") }},
		{"write to an empty file", func(t *T) { t.OpenFile("n1", os.O_WRONLY, 0).Write("x") }},
		{"chmod", func(t *T) { t.Chmod("d/f", 0o600) }},
		{"copy", func(t *T) { t.CopyFS("d/copy", small) }},
		{"truncate", func(t *T) { t.Truncate("n1", 100_000) }},
	} {
		t.Fresh(s.name, layout...)
		t.Age("d", "d/f", "d/sub", "n0", "n1", ".")
		t.Usage()
		t.Touches(s.name, []string{".", "d", "d/f", "d/sub", "d/new", "n0", "n1"}, func() { s.do(t) })
		t.Usage()
		t.Dump()
	}
}

func limitSymlinks(t *T) {
	t.Fresh("long texts take pages", "f*61440")
	for _, n := range []int{10, 127, 128, 4095, 200} {
		t.Symlink(strings.Repeat("x", n), fmt.Sprintf("l%d", n))
		t.Usage()
	}
	t.Dump()
	t.Remove("l128")
	t.Usage()
}
