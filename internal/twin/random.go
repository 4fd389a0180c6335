//go:build linux

package twin

import (
	"bytes"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"syscall"
)

// A Script is a list of calls made up at random. It is run like a case; a
// script that makes the twins differ is shortened before it is shown.
type Script struct {
	Seed  uint64
	Steps []scriptStep
}

type scriptStep struct {
	text   string
	do     func(t *T, s *scriptState)
	ofFile bool // acts for who opened the file
}

// scriptState are the files that a script has open.
type scriptState struct {
	files [4]*Handle
	who   [4]*Cred // has opened them, and uses them
}

// String gives the calls, one a line.
func (s Script) String() string {
	var b strings.Builder
	for _, step := range s.Steps {
		b.WriteString("\t" + step.text + "\n")
	}
	return b.String()
}

// Case makes a case of the script. The tree is dumped at the end, and once
// in a while before.
func (s Script) Case(need Need) Case {
	return Case{Name: fmt.Sprintf("seed %d", s.Seed), Mode: Anywhere, Need: need, Run: func(t *T) {
		t.Fresh("script", ". @777")
		var state scriptState
		for i, step := range s.Steps {
			step.do(t, &state)
			if i%40 == 39 {
				t.Dump()
			}
		}
		t.Dump()
	}}
}

// generator makes scripts over a small tree, where names meet often.
type generator struct {
	*rand.Rand
	modes    []uint32                      // for Chmod
	owners   []int                         // for Chown
	brief    bool                          // files are closed at once
	inside   []func(*generator) scriptStep // calls in a Root
	together []int                         // flags of OpenFile that may come together
}

func pick[E any](g *generator, list []E) E { return list[g.IntN(len(list))] }

var (
	scriptNames = []string{"a", "b", "c", "d"}
	scriptModes = []uint32{0o755, 0o700, 0o777, 0o644, 0o600, 0o555, 0o444, 0o1777, 0o2775, 0o4755, 0o6711, 0o111, 0}
	scriptSizes = []int64{0, 1, 5, 100, 4095, 4096, 4097, 9000, 70_000}
)

// path makes a path of one to four names, rarely one of an odd form.
func (g *generator) path() string {
	parts := make([]string, 1+min(g.IntN(4), g.IntN(4)))
	for i := range parts {
		parts[i] = pick(g, scriptNames)
	}
	p := strings.Join(parts, "/")
	switch g.IntN(24) {
	case 0:
		p += "/"
	case 1:
		p += "/.."
	case 2:
		p += "/."
	case 3:
		p = "./" + p
	case 4:
		p = strings.Replace(p, "/", "/../", 1)
	case 5:
		p = strings.Replace(p, "/", "//", 1)
	}
	return p
}

// scriptCalls make one step each. A call stands in the list as often as it is
// wanted.
var scriptCalls = []func(g *generator) scriptStep{
	makeDir, makeDir, makeDirAll, writeFile, writeFile, openFile, openFile, remove, remove, removeTree, rename, rename, rename,
	hardLink, symLink, symLink, lookAt, lookAt, lookAt, chmod, chmod, chown, times, resize, useFile, useFile, useFile, useFile, useFile, readDir, inside,
	setAttr, setAttr, setACL, setACL, setACL, removeAttr, lookAttr, fileAttr,
}

func newStep(text string, do func(t *T, s *scriptState)) scriptStep {
	return scriptStep{text: text, do: do}
}

func makeDir(g *generator) scriptStep {
	p, m := g.path(), fileMode(pick(g, scriptModes)|0o500)&0o777
	return newStep(fmt.Sprintf("Mkdir(%q, %v)", p, m), func(t *T, _ *scriptState) { t.Mkdir(p, m) })
}

func makeDirAll(g *generator) scriptStep {
	p := g.path()
	return newStep(fmt.Sprintf("MkdirAll(%q)", p), func(t *T, _ *scriptState) { t.MkdirAll(p, 0o755) })
}

func writeFile(g *generator) scriptStep {
	p, n := g.path(), pick(g, scriptSizes)
	m := fileMode(pick(g, scriptModes)) & 0o777
	return newStep(fmt.Sprintf("WriteFile(%q, %d bytes, %v)", p, n, m), func(t *T, _ *scriptState) { t.WriteFile(p, string(pattern(int(n))), m) })
}

func openFile(g *generator) scriptStep {
	p, slot := g.path(), g.IntN(4)
	flag := pick(g, []int{os.O_RDONLY, os.O_WRONLY, os.O_RDWR, os.O_RDWR})
	for _, bit := range g.together {
		if g.IntN(3) == 0 && (bit != syscall.O_DIRECTORY || g.IntN(3) == 0) {
			flag |= bit
		}
	}
	if g.brief {
		n, off := pick(g, scriptSizes), pick(g, scriptSizes)
		return newStep(fmt.Sprintf("OpenFile(%q, %s), WriteAt(%d bytes, %d), Close", p, flagText(flag), n, off), func(t *T, _ *scriptState) {
			h := t.OpenFile(p, flag, 0o664)
			h.WriteAt(string(pattern(int(n))), off)
			h.Write(string(pattern(int(n))))
			h.Close()
		})
	}
	return newStep(fmt.Sprintf("f%d = OpenFile(%q, %s)", slot, p, flagText(flag)), func(t *T, s *scriptState) {
		s.files[slot], s.who[slot] = t.OpenFile(p, flag, 0o664), t.acting
	})
}

func remove(g *generator) scriptStep {
	p := g.path()
	return newStep(fmt.Sprintf("Remove(%q)", p), func(t *T, _ *scriptState) { t.Remove(p) })
}

func removeTree(g *generator) scriptStep {
	p := strings.TrimSuffix(g.path(), "/..") // which would be the end of the whole tree
	return newStep(fmt.Sprintf("RemoveAll(%q)", p), func(t *T, _ *scriptState) {
		// With several obstacles, the first one depends on the order of the
		// directory, and so does what is removed before it.
		if t.acting != nil {
			t.Remove(p)
			return
		}
		t.RemoveAll(p)
	})
}

func rename(g *generator) scriptStep {
	p, q := g.path(), g.path()
	return newStep(fmt.Sprintf("Rename(%q, %q)", p, q), func(t *T, _ *scriptState) { t.Rename(p, q) })
}

func hardLink(g *generator) scriptStep {
	p, q := g.path(), g.path()
	return newStep(fmt.Sprintf("Link(%q, %q)", p, q), func(t *T, _ *scriptState) { t.Link(p, q) })
}

func symLink(g *generator) scriptStep {
	p, q := g.path(), g.path()
	if g.IntN(2) == 0 {
		p = "../" + p
	}
	return newStep(fmt.Sprintf("Symlink(%q, %q)", p, q), func(t *T, _ *scriptState) { t.Symlink(p, q) })
}

func lookAt(g *generator) scriptStep {
	p := g.path()
	calls := []struct {
		name string
		do   func(t *T, p string) error
	}{{"Stat", (*T).Stat}, {"Lstat", (*T).Lstat}, {"ReadFile", (*T).ReadFile}, {"Readlink", (*T).Readlink}}
	c := pick(g, calls)
	return newStep(fmt.Sprintf("%s(%q)", c.name, p), func(t *T, _ *scriptState) { c.do(t, p) })
}

func chmod(g *generator) scriptStep {
	p, m := g.path(), fileMode(pick(g, g.modes))
	return newStep(fmt.Sprintf("Chmod(%q, %v)", p, m), func(t *T, _ *scriptState) { t.Chmod(p, m) })
}

// chown gives a file away, where there is somebody to do so.
func chown(g *generator) scriptStep {
	p, uid, gid := g.path(), pick(g, g.owners), pick(g, g.owners)
	return newStep(fmt.Sprintf("Lchown(%q, %d, %d)", p, uid, gid), func(t *T, _ *scriptState) { t.Lchown(p, uid, gid) })
}

func resize(g *generator) scriptStep {
	p, n := g.path(), pick(g, scriptSizes)
	return newStep(fmt.Sprintf("Truncate(%q, %d)", p, n), func(t *T, _ *scriptState) {
		if t.InRoot() { // which has no such call
			t.OpenFile(p, os.O_WRONLY, 0).Truncate(n)
			return
		}
		t.Truncate(p, n)
	})
}

func times(g *generator) scriptStep {
	p := g.path()
	return newStep(fmt.Sprintf("Chtimes(%q)", p), func(t *T, _ *scriptState) {
		if t.Chtimes(p, oldAtime, oldMtime) != nil {
			return
		}
		// The times of a link itself depend on the clock.
		if fi, err := t.tree.Lstat(p); err == nil && fi.Mode().Type() != fs.ModeSymlink {
			t.Times(p)
		}
	})
}

// inside makes a call in a Root on a directory of the tree.
func inside(g *generator) scriptStep {
	p, inner := g.path(), pick(g, g.inside)(g)
	return newStep(fmt.Sprintf("OpenRoot(%q) %s", p, inner.text), func(t *T, s *scriptState) {
		t.OpenRoot(p, func() { inner.do(t, s) })
	})
}

func readDir(g *generator) scriptStep {
	p := g.path()
	return newStep(fmt.Sprintf("Open(%q).ReadDir(-1)", p), func(t *T, _ *scriptState) {
		h := t.Open(p)
		h.ReadDir(-1)
		h.Close()
	})
}

func useFile(g *generator) scriptStep {
	slot, n, off := g.IntN(4), int(pick(g, scriptSizes)), pick(g, scriptSizes)
	whence, m := g.IntN(3), fs.FileMode(pick(g, scriptModes)&0o777)
	uses := []struct {
		text string
		do   func(h *Handle)
	}{
		{fmt.Sprintf("Read(%d)", n), func(h *Handle) { h.Read(n) }},
		{fmt.Sprintf("ReadAt(%d, %d)", n, off), func(h *Handle) { h.ReadAt(n, off) }},
		{fmt.Sprintf("Write(%d bytes)", n), func(h *Handle) { h.Write(string(pattern(n))) }},
		{fmt.Sprintf("WriteAt(%d bytes, %d)", n, off), func(h *Handle) { h.WriteAt(string(pattern(n)), off) }},
		{fmt.Sprintf("Truncate(%d)", off), func(h *Handle) { h.Truncate(off) }},
		{fmt.Sprintf("Seek(%d, %d)", off, whence), func(h *Handle) {
			if h.isDir() { // an offset in a directory is its own business
				h.SeekTo(0, 0)
				return
			}
			h.SeekTo(off, whence)
		}},
		{fmt.Sprintf("ReadFrom(%d bytes)", n), func(h *Handle) { h.ReadFrom("reader", bytes.NewReader(pattern(int(n)))) }},
		{"WriteTo()", func(h *Handle) { h.WriteTo() }},
		{"Stat()", func(h *Handle) { h.Stat() }},
		{fmt.Sprintf("Chmod(%v)", m), func(h *Handle) { h.Chmod(m) }},
		{"Readdirnames(-1) from the start", func(h *Handle) {
			// Whether a name made after the end was reached still shows up is
			// for the directory to say.
			if h.isDir() {
				h.SeekTo(0, 0)
			}
			h.Readdirnames(-1)
		}},
		{"Close()", func(h *Handle) { h.Close() }},
	}
	u := pick(g, uses)
	step := newStep(fmt.Sprintf("f%d.%s", slot, u.text), func(t *T, s *scriptState) {
		h, who := s.files[slot], s.who[slot]
		switch {
		case h == nil:
		case who == nil:
			u.do(h)
		default:
			t.As(*who, func() { u.do(h) })
		}
	})
	step.ofFile = true
	return step
}

// Mix says what a script is made of.
type Mix struct {
	// Users make some of the calls.
	Users []Cred
	// Sticky lets directories be sticky. The kernel has rules of its own for
	// O_CREATE of files and links of others in them: some are settings, see
	// [StickyIsPlain], and one always holds in a Root.
	Sticky bool
	// Brief keeps no file open. In the kernel an open file without a name also
	// keeps the removed directories above it, which shows in the inodes in use.
	Brief bool
}

// StickyIsPlain tells whether the settings leave sticky directories to the
// rules of POSIX.
func StickyIsPlain() bool {
	return sysctl("protected_symlinks") == "0" && sysctl("protected_regular") == "0"
}

// NewScript makes a script of n steps from a seed.
func NewScript(seed uint64, n int, mix Mix) Script {
	users := mix.Users
	g := &generator{
		Rand:     rand.New(rand.NewPCG(seed, 0)),
		modes:    scriptModes,
		brief:    mix.Brief,
		together: []int{os.O_CREATE, os.O_EXCL, os.O_TRUNC, os.O_APPEND, syscall.O_DIRECTORY, syscall.O_NOFOLLOW},
	}
	g.owners = []int{-1}
	for _, u := range users {
		g.owners = append(g.owners, int(u.UID), int(u.GID))
	}
	g.inside = []func(*generator) scriptStep{writeFile, remove, rename, hardLink, symLink, lookAt, chmod, makeDirAll}
	if len(users) > 0 && mix.Sticky {
		// The one rule that always holds is for O_CREATE with O_NOFOLLOW, which
		// is also what a Root does.
		g.together = g.together[:5]
		g.inside = g.inside[1:]
	}
	if !mix.Sticky {
		g.modes = slices.DeleteFunc(slices.Clone(scriptModes), func(m uint32) bool { return m&syscall.S_ISVTX != 0 })
	}
	s := Script{Seed: seed}
	for range n {
		step := pick(g, scriptCalls)(g)
		if len(users) > 0 && g.IntN(2) == 0 && !step.ofFile {
			who, inner := pick(g, users), step
			step = newStep(fmt.Sprintf("as %d:%d %v %s", who.UID, who.GID, who.Groups, inner.text), func(t *T, st *scriptState) {
				t.As(who, func() { inner.do(t, st) })
			})
		}
		s.Steps = append(s.Steps, step)
	}
	return s
}
