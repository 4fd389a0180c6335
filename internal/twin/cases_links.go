//go:build linux

package twin

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"
)

// LinkCases are about symbolic links: chains, loops, texts.
var LinkCases = []Case{
	{"symlink/chains", Anywhere, Nothing, linkChains},
	{"symlink/loops", Anywhere, Nothing, linkLoops},
	{"symlink/texts", Anywhere, Nothing, linkTexts},
	{"symlink/create-through", Anywhere, Nothing, linkCreate},
	{"symlink/text-forms", Anywhere, Privilege, linkForms},
}

// chain gives the layout entries of links prefix1 .. prefixN, each to the one
// before it and the first to target.
func chain(prefix, target string, n int) []string {
	entries := []string{prefix + "1 -> " + target}
	for i := 2; i <= n; i++ {
		entries = append(entries, fmt.Sprintf("%s%d -> %s%d", prefix, i, prefix, i-1))
	}
	return entries
}

func linkChains(t *T) {
	for _, kind := range []struct {
		name    string
		layout  []string
		forms   []string
		lengths []int
	}{
		{"file", append([]string{"f: end"}, chain("c", "f", 41)...), []string{"c%d", "c%d/"}, []int{1, 7, 8, 9, 39, 40, 41}},
		{"directory", append([]string{"d/f: in d"}, chain("c", "d", 41)...), []string{"c%d", "c%d/", "c%d/f", "c%d/new", "c%d/../d"}, []int{1, 8, 9, 40, 41}},
		{"nothing", append([]string{"f"}, chain("c", "nowhere", 41)...), []string{"c%d"}, []int{1, 8, 9, 40, 41}},
	} {
		var paths []string
		for _, k := range kind.lengths {
			for _, form := range kind.forms {
				paths = append(paths, fmt.Sprintf(form, k))
			}
		}
		for _, c := range reads {
			if c.fits(t) {
				t.Table(c.name+" "+kind.name, kind.layout, len(paths), func(i int) bool { c.call(t, paths[i]); return false })
			}
		}
		for _, c := range writes {
			if c.fits(t) {
				t.Table(c.name+" "+kind.name, kind.layout, len(paths), func(i int) bool { return c.call(t, paths[i]) == nil })
			}
		}
	}
	// Links in the middle and at the end share one budget.
	t.Fresh("shared budget", slices.Concat([]string{"f: end", "d/f: in d"}, chain("c", "f", 41), chain("d", "d", 41))...)
	for _, p := range []string{"d20/../c20", "d20/../c21", "d4/../c4", "d4/../c5", "d8/f", "d40/../f", "d40/../c1", "d39/../c1"} {
		t.Stat(p)
		t.Lstat(p)
	}
}

func linkLoops(t *T) {
	layout := []string{"self -> self", "ping -> pong", "pong -> ping", "d/up -> ../d/up", "grow -> grow/x", "slash -> slash/", "f"}
	paths := []string{"self", "self/", "self/x", "self/..", "ping", "ping/x", "d/up", "grow", "grow/y", "slash", "slash/"}
	for _, c := range slices.Concat(reads, writes) {
		if !c.fits(t) {
			continue
		}
		t.Table(c.name, layout, len(paths), func(i int) bool { return c.call(t, paths[i]) == nil })
	}
}

func linkTexts(t *T) {
	t.Fresh("texts", "f: x", "d/")
	texts := []string{
		"", "x", "\x00", "a\x00b", "f\x00", "/", "//", ".", "..", " ", "\xff\xfe", "a\nb", "missing/../f",
		strings.Repeat("x", 127), strings.Repeat("x", 128), strings.Repeat("x", 255), strings.Repeat("x", 256),
		strings.Repeat("x/", 2047), strings.Repeat("x", 4095), strings.Repeat("x", 4096), strings.Repeat("x", 5000),
		strings.Repeat("./", 2046) + "f",
	}
	for i, text := range texts {
		name := fmt.Sprintf("l%d", i)
		t.Symlink(text, name)
		t.Readlink(name)
		t.Lstat(name)
		if !strings.HasPrefix(text, "/") && text != ".." { // that depends on the rights of who runs the test
			t.Stat(name)
		}
	}
	t.Symlink("f", "f")
	t.Symlink("f", "d")
	t.Symlink("f", "d/")
	t.Symlink("f", "l1")
	t.Symlink("f", "l1/")
	t.Symlink("f", "new/")
	t.Symlink("f", "f/x")
	t.Symlink("f", ".")
	t.Symlink("f", "d/..")
	t.Symlink("", "d")
	t.Symlink(strings.Repeat("x", 5000), "f")
	t.Symlink("f", "a\x00")
	t.Dump()
}

func linkCreate(t *T) {
	layout := []string{
		"f: data", "d/", "dang -> target", "into -> d/target", "deep -> no/such", "good -> f", "todir -> d", "slash -> target/",
		"two -> dang", "relative -> d/../d/./t2", "dslash -> d/target/", "viadang -> dang/x",
	}
	names := []string{"dang", "into", "deep", "good", "todir", "slash", "two", "relative", "dslash", "viadang"}
	for _, flag := range []int{
		os.O_CREATE, os.O_CREATE | os.O_WRONLY, os.O_CREATE | os.O_WRONLY | os.O_EXCL, os.O_CREATE | os.O_RDWR | os.O_TRUNC,
		os.O_WRONLY, os.O_RDONLY | os.O_EXCL, os.O_CREATE | os.O_WRONLY | syscall.O_NOFOLLOW,
	} {
		t.Table(flagText(flag), layout, len(names), func(i int) bool {
			h := t.OpenFile(names[i], flag, 0o640)
			h.Write("new")
			return h.OK()
		})
	}
}

func linkForms(t *T) {
	// Whatever a link's text is made of, it is resolved from the link's directory.
	layout := []string{"f: top", "d/f: in d", "d/e/f: in e", "d/e/g: only in e", "other/f: other"}
	texts := []string{
		"f", "./f", "../f", "e/f", "e/../f", "e//f", "e/./f", "e", "e/", "e/.", "e/..", ".", "./", "..", "../", "../d", "../d/e/g", "../other/../d/f", "f/", "f/.", "f/..", "e/f/../g", "missing/../f",
	}
	for _, text := range texts {
		t.Fresh("text "+quote(text), append([]string{"d/l -> " + text, "d/ll -> l"}, layout...)...)
		for _, p := range []string{"d/l", "d/l/", "d/l/f", "d/l/../f", "d/ll", "d/ll/f", "d/../d/l", "d/e/../l"} {
			t.ReadFile(p)
			t.Stat(p)
		}
	}
}
