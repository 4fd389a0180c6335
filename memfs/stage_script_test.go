package memfs_test

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"strings"

	"stagefs/memfs"
)

// stageOp is one operation of a script. It returns all that can be known of what it did.
type stageOp struct {
	text string
	run  func(s *stageSide) string
}

// stageScript makes up operations. It knows what is in the tree from listings, which are operations, too, so that most
// paths lead somewhere.
type stageScript struct {
	rng   *rand.Rand
	twins *stageTwins
	dirs  []string // absolute paths
	all   []string
	views [8][]string // of views from OpenRoot: paths below their roots
	asked int         // the view of the last listing
}

// stageNames are short and alike, begin each other, sort between another and its children, and end where words do.
var stageNames = []string{
	"a", "b", "ab", "a-b", "a.b", "a", "b", "aa", "a-", "a ", "abc", "A", "..a", "...", ".a", "abcdefg", "abcdefgh",
	"abcdefgi", "abcdefghi", "abcdefghijklmno", "abcdefghijklmnop", "abcdefghijklmnopq", "ß\xff",
	strings.Repeat("n", 255), strings.Repeat("n", 254) + "m",
}

func (g *stageScript) name() string {
	if g.rng.IntN(3) > 0 {
		return stageNames[g.rng.IntN(7)]
	}
	return stageNames[g.rng.IntN(len(stageNames))]
}

// stageOdd are paths that are odd as a whole.
var stageOdd = []string{
	"", "/", "//", ".", "..", "./", "../..", "/.", "/..", "a\x00b", "/a/\x00", "/a/b/a\x00", strings.Repeat("x", 256),
	"/a/" + strings.Repeat("x", 256), "/a/b/" + strings.Repeat("x", 256) + "/a", strings.Repeat("./", 2048),
	strings.Repeat("a/", 2046) + "abc", "/" + strings.Repeat("a/", 2047) + "a", "/a/b/" + strings.Repeat("./", 2045) + "a",
	"/a" + strings.Repeat("/", 4093), "/a" + strings.Repeat("/", 4094), strings.Repeat("../", 60) + "a",
}

// path makes a path for a view.
func (g *stageScript) path(view int) string {
	if g.rng.IntN(25) == 0 {
		return stageOdd[g.rng.IntN(len(stageOdd))]
	}
	known := g.all
	if g.rng.IntN(2) == 0 {
		known = g.dirs
	}
	if view >= stageConfined {
		known = g.views[view]
	}
	path := "/"
	if len(known) > 0 {
		path = known[g.rng.IntN(len(known))]
	}
	parts := strings.Split(strings.TrimPrefix(path, "/"), "/")
	if path == "/" || path == "." {
		parts = nil
	}
	switch g.rng.IntN(8) {
	case 0:
		parts = parts[:g.rng.IntN(len(parts)+1)]
	case 1:
		if len(g.all) > 0 { // a link, perhaps, with something behind it
			more := strings.Split(strings.TrimPrefix(g.all[g.rng.IntN(len(g.all))], "/"), "/")
			parts = append(parts, more[g.rng.IntN(len(more)):]...)
		}
	case 2, 3:
		for range 1 + g.rng.IntN(2) {
			parts = append(parts, g.name())
		}
	}
	for g.rng.IntN(3) == 0 {
		parts = g.oddly(parts)
	}
	path = strings.Join(parts, "/")
	if g.rng.IntN(12) == 0 {
		path += []string{"/", "//", "/.", "/..", "/./"}[g.rng.IntN(5)]
	}
	if view >= stageConfined {
		return path
	}
	return g.from(view, path)
}

// oddly puts something into a path that changes little of where it leads.
func (g *stageScript) oddly(parts []string) []string {
	at := g.rng.IntN(len(parts) + 1)
	odd := []string{[]string{".", "", "..", "", "."}[g.rng.IntN(5)]}
	if at > 0 && g.rng.IntN(2) == 0 {
		odd = []string{"..", parts[at-1]}
	}
	return append(parts[:at:at], append(odd, parts[at:]...)...)
}

// from makes a path that begins at the root absolute, or relative to the working directory.
func (g *stageScript) from(view int, path string) string {
	wd, err := g.twins.plain.views[view].Getwd()
	switch {
	case g.rng.IntN(2) == 0 || err != nil && g.rng.IntN(3) > 0:
		return "/" + path
	case err != nil || wd == "/":
		return path
	}
	if below, is := strings.CutPrefix("/"+path, wd+"/"); is {
		return below
	}
	if g.rng.IntN(4) == 0 { // names that are below another directory
		parts := strings.Split(path, "/")
		return strings.Join(parts[g.rng.IntN(len(parts)):], "/")
	}
	if g.rng.IntN(3) > 0 {
		return "/" + path
	}
	return strings.Repeat("../", strings.Count(wd, "/")) + path
}

// view chooses who acts.
func (g *stageScript) view() int { return []int{0, 0, 0, 0, 1, 1, 2, 3, 4, 5, 6, 7}[g.rng.IntN(12)] }

// next makes up the operation number i: first a tree, then anything.
func (g *stageScript) next(i int) stageOp {
	switch {
	case i < 60:
		return g.grow(i)
	case i%30 == 0:
		return g.list(0)
	case i%30 < 5 && i%30+stageConfined-1 < len(stageViews):
		return g.list(stageConfined - 1 + i%30)
	}
	return g.choose()
}

// grow makes a directory, deeper and deeper more often than not, or something else in one.
func (g *stageScript) grow(i int) stageOp {
	parent := ""
	if n := len(g.dirs); n > 0 && g.rng.IntN(8) > 0 {
		parent = g.dirs[n-1-g.rng.IntN(min(n, 1+g.rng.IntN(6)))]
		if strings.Count(parent, "/") > 9 {
			parent = g.dirs[g.rng.IntN(n)]
		}
	}
	path := parent + "/" + g.name()
	switch i % 6 {
	case 4:
		return stageCall("create", 0, path, "", func(v *memfs.FS) string { return stageErr(v.WriteFile(path, []byte(path), 0o666)) })
	case 5:
		target := g.target()
		return stageCall("symlink to "+target, 0, path, "", func(v *memfs.FS) string { return stageErr(v.Symlink(target, path)) })
	}
	g.dirs = append(g.dirs, path)
	return stageCall("mkdir", 0, path, "", func(v *memfs.FS) string { return stageErr(v.Mkdir(path, 0o777)) })
}

// target is the text of a link: to what is there or not, to itself, up, down, or round and round.
func (g *stageScript) target() string {
	switch g.rng.IntN(5) {
	case 0:
		return []string{"..", ".", "/", "a", "b", "a/", "../a", "../b/..", "nothing/a", "./a//b", "../../a/b/../b"}[g.rng.IntN(11)]
	case 1:
		return g.name()
	case 2:
		return "../" + g.name() + "/" + g.name()
	}
	if len(g.dirs) == 0 {
		return "/"
	}
	dir := g.dirs[g.rng.IntN(len(g.dirs))]
	if g.rng.IntN(3) == 0 {
		return strings.Repeat("../", g.rng.IntN(8)) + dir[1:]
	}
	return dir
}

// list is the operation that tells what is below a view's root.
func (g *stageScript) list(view int) stageOp {
	g.asked = view
	return stageOp{"list " + stageViews[view], func(s *stageSide) string {
		switch v := s.views[view]; {
		case v == nil:
			return ""
		case view < stageConfined:
			return stageListing(v, "/")
		default:
			return stageListing(v.As(root), ".") // what others may not list they may look up
		}
	}}
}

// learn takes in the answer of a listing.
func (g *stageScript) learn(op stageOp, answer string) {
	if !strings.HasPrefix(op.text, "list ") {
		return
	}
	var all, dirs []string
	for line := range strings.Lines(answer) {
		path, rest, _ := strings.Cut(line, "\t")
		all = append(all, path)
		if strings.HasPrefix(rest, "d") && path != "/" {
			dirs = append(dirs, path)
		}
	}
	if g.asked >= stageConfined {
		g.views[g.asked] = all
		return
	}
	g.all, g.dirs = all, dirs
}

// stageListing describes what is below a directory, one line each: path, mode, and all else. Paths that no call takes
// are left out.
func stageListing(v *memfs.FS, path string) string {
	var out strings.Builder
	stageListTo(&out, v, path)
	return out.String()
}

func stageListTo(out *strings.Builder, v *memfs.FS, path string) {
	var st memfs.Stat
	err := v.LstatInto(path, &st)
	st.Dev = 0
	fmt.Fprintf(out, "%s\t%v %+v %s\n", path, st.FileMode(), st, stageErr(err))
	if err != nil || !st.IsDir() || len(path) > 3800 {
		return
	}
	entries, err := v.ReadDir(path)
	if err != nil {
		fmt.Fprintf(out, "%s\t%s\n", path, stageErr(err))
	}
	for _, entry := range entries {
		switch path {
		case "/", ".":
			stageListTo(out, v, strings.TrimPrefix(path, ".")+entry.Name())
		default:
			stageListTo(out, v, path+"/"+entry.Name())
		}
	}
}

// stageCall is an operation of one view on one or two paths.
func stageCall(what string, view int, path, to string, call func(v *memfs.FS) string) stageOp {
	text := fmt.Sprintf("%s: %s %q", stageViews[view], what, path)
	if to != "" {
		text += fmt.Sprintf(", %q", to)
	}
	return stageOp{text, func(s *stageSide) string {
		if s.views[view] == nil {
			return "no view"
		}
		return call(s.views[view])
	}}
}

// stageErr is an error with all its types and its number.
func stageErr(err error) string {
	if err == nil {
		return "ok"
	}
	text := fmt.Sprintf("%q", err.Error())
	for e := err; e != nil; {
		text += fmt.Sprintf(" %T", e)
		switch inner := e.(type) {
		case *fs.PathError:
			e = inner.Err
		case *os.LinkError:
			e = inner.Err
		case *os.SyscallError:
			e = inner.Err
		default:
			e = nil
		}
	}
	return fmt.Sprintf("%s %d", text, errnoOf(err))
}
