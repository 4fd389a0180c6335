//go:build linux

package twin

import (
	"fmt"
	"io/fs"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Section is what happened in one fresh tree.
type Section struct {
	Title  string
	Layout []string
	Lines  []string
}

// setupError is a panic of a case that could not do what the case is about.
type setupError struct{ err error }

func (e setupError) Error() string { return e.err.Error() }
func (e setupError) Unwrap() error { return e.err }

// T is one run of a case in one world. Its methods make a call on the tree
// and write it down with its outcome.
type T struct {
	world  World
	newSys func() System
	inRoot bool
	acting *Cred // for somebody else

	sys  System // the whole tree
	tree Tree   // what the calls go to: sys, or a Root on directory R of it

	sections []*Section
	cur      *Section
	titles   map[string]int
	inodes   map[uint64]string
	opened   []interface{ Close() error }
	handles  int
	start    time.Time
	choices  []bool // made by the first twin, followed by the second
	follows  bool
	hide     func(string) string // normalises names in the lines of a section
}

// InRoot tells whether the calls go to a Root instead of a System.
func (t *T) InRoot() bool { return t.inRoot }

// Fresh closes all files, and starts a section with a fresh tree; see
// [buildLayout] for the language of layout. In a Root, the layout goes into
// the directory that is the root; "../x" puts an entry beside it.
func (t *T) Fresh(title string, layout ...string) {
	t.closeAll()
	if n := t.titles[title]; n > 0 {
		t.titles[title] = n + 1
		title = fmt.Sprintf("%s #%d", title, n+1)
	} else {
		t.titles[title] = 1
	}
	t.cur = &Section{Title: title, Layout: layout}
	t.sections = append(t.sections, t.cur)
	t.inodes = map[uint64]string{}
	t.handles = 0
	t.hide = nil
	t.start = time.Now()
	t.sys = t.newSys()
	t.tree = t.sys
	base := ""
	if t.inRoot {
		base = rootDir + "/"
		t.must(t.sys.Mkdir(rootDir, 0o755))
	}
	t.must(buildLayout(t.sys, base, layout))
	if t.inRoot {
		root, err := t.sys.OpenRoot(rootDir)
		t.must(err)
		t.opened = append(t.opened, root)
		t.tree = root
	}
}

// rootDir is the directory of the tree that a Root is opened on.
const rootDir = "R"

// closeAll closes what the section left open.
func (t *T) closeAll() {
	for _, c := range t.opened {
		c.Close()
	}
	t.opened = nil
}

// must ends the case if the world cannot even do err's call.
func (t *T) must(err error) {
	if err != nil {
		panic(setupError{err})
	}
}

// Logf writes a line of the case's own.
func (t *T) Logf(format string, args ...any) {
	t.cur.Lines = append(t.cur.Lines, fmt.Sprintf(format, args...))
}

// Choose lets a case branch on what it saw: the first twin decides, the
// second follows.
func (t *T) Choose(own bool) bool {
	if t.follows {
		if len(t.choices) == 0 {
			panic(setupError{fmt.Errorf("the twins took different ways")})
		}
		own, t.choices = t.choices[0], t.choices[1:]
		return own
	}
	t.choices = append(t.choices, own)
	return own
}

// Table makes n calls in fresh trees of the layout. A call tells whether it
// changed the tree; the next one then gets another tree, while calls that
// fail share one, which is looked at in the end.
func (t *T) Table(title string, layout []string, n int, call func(i int) (changed bool)) {
	clean := false
	for i := 0; i < n; i += tableStep() {
		if !clean {
			t.Fresh(title, layout...)
		}
		clean = !t.Choose(call(i))
		if !clean {
			t.Dump()
		}
	}
	if clean {
		t.Dump()
	}
}

// tableStep is more than one to look at a part of each table only. The race
// detector is slow, and finds nothing in calls made one after the other.
func tableStep() int {
	if testing.Short() || raceDetector {
		return 7
	}
	return 1
}

// As makes the calls of f as c.
func (t *T) As(c Cred, f func()) {
	sys, tree := t.sys, t.tree
	var end func()
	t.sys, t.tree, end = t.world.As(sys, tree, c)
	t.acting = &c
	defer func() {
		end()
		t.sys, t.tree, t.acting = sys, tree, nil
	}()
	t.Logf("as %d:%d %v", c.UID, c.GID, c.Groups)
	f()
	t.Logf("as before")
}

// q quotes a name, with its digits hidden once the section has made names at
// random.
func (t *T) q(name string) string {
	if t.hide != nil {
		name = t.hide(name)
	}
	return quote(name)
}

func (t *T) errText(err error) string { return describeError(err, t.q) }

// info describes fi but for its times, which have their own calls.
func (t *T) info(fi fs.FileInfo) string {
	if fi == nil {
		return "no info"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "{%s %v %d", t.q(fi.Name()), fi.Mode(), fi.Size())
	if fi.IsDir() != fi.Mode().IsDir() {
		b.WriteString(" IsDir-differs-from-mode")
	}
	st, ok := fi.Sys().(*syscall.Stat_t)
	if !ok {
		fmt.Fprintf(&b, " Sys-is-%T}", fi.Sys())
		return b.String()
	}
	fmt.Fprintf(&b, " mode=%o nlink=%d owner=%d:%d blocks=%d blksize=%d ino=%s",
		st.Mode, st.Nlink, st.Uid, st.Gid, st.Blocks, st.Blksize, t.label(st.Ino))
	if st.Size != fi.Size() {
		fmt.Fprintf(&b, " st_size=%d", st.Size)
	}
	if !time.Unix(st.Mtim.Unix()).Equal(fi.ModTime()) {
		b.WriteString(" ModTime-differs-from-mtim")
	}
	if st.Rdev != 0 {
		fmt.Fprintf(&b, " rdev=%d", st.Rdev)
	}
	b.WriteString("}")
	return b.String()
}

// label names an inode by the order in which it was met in the section.
func (t *T) label(ino uint64) string {
	l, ok := t.inodes[ino]
	if !ok {
		l = fmt.Sprintf("#%d", len(t.inodes)+1)
		t.inodes[ino] = l
	}
	return l
}
