package bench

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"stagefs/memfs"
)

func TestFullPathCredentials(t *testing.T) {
	c := newFullPathOf[testNode](100)
	alice, bob := &memfs.Cred{Uid: 1}, &memfs.Cred{Uid: 2}
	nodes := append(dirs(2, 2), testNode{10, false})
	wantNoPath(t, c, alice, "/a/b/f")
	addPath(c, alice, "/a/b/f", nodes...)
	wantPath(t, c, alice, "/a/b/f", nodes[2])
	wantPath(t, c, alice, "/a/b", nodes[1])
	wantNoPath(t, c, bob, "/a/b/f")
	wantNoPath(t, c, bob, "/a")

	// Bob may search the root and a, but not b.
	addSteps(c, c.Begin(), bob, "/a/b/f", stepsOf("/a/b/f", nodes...)[:2])
	wantPath(t, c, bob, "/a/b", nodes[1])
	wantNoPath(t, c, bob, "/a/b/f")
	// Siblings share an entry of the PCC.
	sibling := testNode{11, false}
	addPath(c, alice, "/a/g", nodes[0], sibling)
	wantPath(t, c, bob, "/a/g", sibling)
	c.mustHold(t)
}

func TestFullPathChange(t *testing.T) {
	cred := &memfs.Cred{Uid: 1}
	file := testNode{10, false}
	for _, changed := range []struct {
		name string
		node testNode
		gone []string
	}{
		{"root", testRoot, []string{"/a", "/a/b", "/a/b/f", "/a/g", "/c"}},
		{"a", testNode{2, true}, []string{"/a", "/a/b", "/a/b/f", "/a/g"}},
		{"b", testNode{3, true}, []string{"/a/b", "/a/b/f"}},
		{"file", file, []string{"/a/b/f", "/a/g"}}, // two links
		{"c", testNode{4, true}, []string{"/c"}},
		{"unknown", testNode{99, true}, nil},
	} {
		c := newFullPathOf[testNode](100)
		add := func() {
			addPath(c, cred, "/a/b/f", testNode{2, true}, testNode{3, true}, file)
			addPath(c, cred, "/a/g", testNode{2, true}, file)
			addPath(c, cred, "/c", testNode{4, true})
		}
		want := map[string]testNode{"/a": {2, true}, "/a/b": {3, true}, "/a/b/f": file, "/a/g": file, "/c": {4, true}}
		add()
		c.Change(changed.node)
		c.mustHold(t)
		c.Changed(changed.node)
		for _, path := range changed.gone {
			wantNoPath(t, c, cred, path)
		}
		for path, n := range want {
			if got, ok := c.Get(path, cred); ok == strings.Contains(fmt.Sprintf("%q", changed.gone), fmt.Sprintf("%q", path)) || ok && got != n {
				t.Errorf("%s changed: Get(%q) = %v, %v", changed.name, path, got, ok)
			}
		}
		add()
		c.mustHold(t)
		for path, n := range want {
			wantPath(t, c, cred, path, n)
		}
	}
}

// A renamed directory keeps what is cached below, to be signed anew.
func TestFullPathRename(t *testing.T) {
	c := newFullPathOf[testNode](100)
	cred := &memfs.Cred{Uid: 1}
	nodes := append(dirs(2, 3), testNode{10, false})
	addPath(c, cred, "/a/b/c/f", nodes...)
	c.Change(nodes[0])
	c.Changed(nodes[0])
	// A step from a directory that has not been reached anew tells nothing.
	addSteps(c, c.Begin(), cred, "/z/b/c/f", stepsOf("/z/b/c/f", nodes...)[1:])
	wantNoPath(t, c, cred, "/z/b/c/f")
	wantNoPath(t, c, cred, "/a/b/c/f")
	addPath(c, cred, "/z/b/c/f", nodes...)
	other := append(dirs(20, 3), testNode{30, false})
	addPath(c, cred, "/a/b/c/f", other...)
	c.mustHold(t)
	for i, name := range []string{"", "/b", "/b/c", "/b/c/f"} {
		wantPath(t, c, cred, "/z"+name, nodes[i])
		wantPath(t, c, cred, "/a"+name, other[i])
	}
	if len(c.slots) != 8 {
		t.Errorf("%d entries for 8 paths", len(c.slots))
	}
	// A change of the root reaches all of them at their new places.
	c.Change(testRoot)
	c.Changed(testRoot)
	for _, name := range []string{"", "/b", "/b/c", "/b/c/f"} {
		wantNoPath(t, c, cred, "/z"+name)
		wantNoPath(t, c, cred, "/a"+name)
	}
}

// What a walk saw is not added if a change began since, ended or not, even if it
// ended since; nor if one was on its way when the walk began.
func TestFullPathAddAfterChange(t *testing.T) {
	cred := &memfs.Cred{Uid: 1}
	a, f := testNode{2, true}, testNode{10, false}
	steps := stepsOf("/a/f", a, f)
	for _, known := range []bool{false, true} { // another credential knew the path before
		fresh := func() *fullPathCache[testNode] {
			c := newFullPathOf[testNode](100)
			if known {
				addPath(c, &memfs.Cred{}, "/a/f", a, f)
				addPath(c, cred, "/b", testNode{3, true}) // so cred has a PCC; the root is not below a
				c.Change(testRoot)
				c.Changed(testRoot)
				addPath(c, &memfs.Cred{}, "/a/f", a, f)
			}
			return c
		}
		c := fresh()
		begin := c.Begin()
		c.Change(a)
		addSteps(c, begin, cred, "/a/f", steps)
		late := c.Begin()
		c.Changed(a)
		addSteps(c, begin, cred, "/a/f", steps)
		addSteps(c, late, cred, "/a/f", steps)
		wantNoPath(t, c, cred, "/a/f")
		addPath(c, cred, "/a/f", a, f)
		wantPath(t, c, cred, "/a/f", f)

		// Overlapping changes of other nodes.
		c = fresh()
		b := testNode{3, true}
		c.Change(b)
		begin = c.Begin()
		c.Change(a)
		c.Changed(b)
		addSteps(c, begin, cred, "/a/f", steps)
		addSteps(c, c.Begin(), cred, "/a/f", steps)
		wantNoPath(t, c, cred, "/a/f")
		c.Changed(a)
		addSteps(c, begin, cred, "/a/f", steps)
		wantNoPath(t, c, cred, "/a/f")
		addPath(c, cred, "/a/f", a, f)
		wantPath(t, c, cred, "/a/f", f)
		c.mustHold(t)
	}
}

// When the versions are used up, nobody keeps a right.
func TestFullPathVersionsWrap(t *testing.T) {
	cred, other := &memfs.Cred{Uid: 1}, &memfs.Cred{Uid: 2}
	nodes := append(dirs(2, 3), testNode{10, false})
	fill := func() *fullPathCache[testNode] {
		c := newFullPathOf[testNode](100)
		addPath(c, cred, "/a/b/c/f", nodes...)
		addPath(c, other, "/a/b/c/f", nodes...)
		c.lastSeq = math.MaxUint32 - 1
		return c
	}
	c := fill()
	begin := c.Begin()
	addPath(c, cred, "/new", testNode{50, true})
	wantNoPath(t, c, other, "/a/b/c/f")
	wantNoPath(t, c, cred, "/a/b/c/f")
	addSteps(c, begin, cred, "/a/b/c/f", stepsOf("/a/b/c/f", nodes...))
	wantNoPath(t, c, cred, "/a/b/c/f")
	addPath(c, cred, "/a/b/c/f", nodes...)
	wantPath(t, c, cred, "/a/b/c/f", nodes[3])
	wantNoPath(t, c, other, "/a/b/c/f")
	c.mustHold(t)

	c = fill()
	c.Change(nodes[1])
	c.Changed(nodes[1])
	c.mustHold(t)
	wantNoPath(t, c, other, "/a")
	addPath(c, cred, "/a/b/c/f", nodes...)
	wantPath(t, c, cred, "/a/b/c/f", nodes[3])
	wantNoPath(t, c, other, "/a/b/c/f")
	c.mustHold(t)
	if c.lastSeq > 20 {
		t.Errorf("the newest version is %d", c.lastSeq)
	}
}

// A full cache drops what has nothing below, first what nobody asked for.
func TestFullPathEvicts(t *testing.T) {
	for _, limit := range []int{1, 2, 3, 10} {
		c := newFullPathOf[testNode](limit)
		cred := &memfs.Cred{Uid: 1}
		hot := testNode{2, true}
		addPath(c, cred, "/hot", hot)
		for i := range 100 {
			path := fmt.Sprintf("/d%d/f", i)
			n := uint64(10 + 2*i)
			addPath(c, cred, path, testNode{n, true}, testNode{n + 1, false})
			if i%10 == 0 {
				c.mustHold(t)
			}
			if limit >= 2 {
				wantPath(t, c, cred, path, testNode{n + 1, false})
			}
			if limit >= 10 {
				wantPath(t, c, cred, "/hot", hot)
			}
		}
	}
}

// A directory that was evicted and comes back has another version: the change
// that it missed counts.
func TestFullPathEvictedVersions(t *testing.T) {
	c := newFullPathOf[testNode](2)
	alice, bob := &memfs.Cred{Uid: 1}, &memfs.Cred{Uid: 2}
	a, f := testNode{2, true}, testNode{10, false}
	addPath(c, alice, "/a/f", a, f)
	addPath(c, bob, "/a/f", a, f)
	wantPath(t, c, bob, "/a/f", f)
	addPath(c, alice, "/x/y", dirs(20, 2)...)
	wantNoPath(t, c, alice, "/a/f")
	c.Change(a) // is nothing that is known now
	c.Changed(a)
	addPath(c, alice, "/a/f", a, f)
	wantPath(t, c, alice, "/a/f", f)
	wantNoPath(t, c, bob, "/a/f")
}

func TestFullPathManyCredentials(t *testing.T) {
	c := newFullPathOf[testNode](10)
	a := testNode{2, true}
	for range maxCreds + 10 {
		cred := new(memfs.Cred)
		addPath(c, cred, "/a", a)
		wantPath(t, c, cred, "/a", a)
		if table := c.creds.Load(); len(table.few)+len(table.more) > maxCreds {
			t.Fatalf("%d and %d credentials", len(table.few), len(table.more))
		}
	}
}

func TestFullPathLongPaths(t *testing.T) {
	c := newFullPathOf[testNode](10000)
	cred := new(memfs.Cred)
	deep := strings.Repeat("/d", maxPath/2)
	nodes := dirs(2, maxPath/2)
	addPath(c, cred, deep, nodes...)
	wantPath(t, c, cred, deep, nodes[len(nodes)-1])
	addPath(c, cred, deep+"/e", append(nodes, testNode{9999, false})...)
	wantNoPath(t, c, cred, deep+"/e")
	c.Change(nodes[0])
	c.Changed(nodes[0])
	wantNoPath(t, c, cred, deep)
	for _, path := range []string{"", "/", "//", strings.Repeat("/", maxPath), "a", "a/b"} { // not promised, not fatal
		wantNoPath(t, c, cred, path)
	}
}

func TestFullPathAllocatesNothing(t *testing.T) {
	c := newFullPathOf[testNode](100)
	cred := new(memfs.Cred)
	path, nodes := eightComponents()
	addPath(c, cred, path, nodes...)
	for _, p := range []string{path, path + "x", "/a"} {
		if n := testing.AllocsPerRun(100, func() { c.Get(p, cred) }); n != 0 {
			t.Errorf("Get(%q) allocates %v times", p, n)
		}
	}
	begin := c.Begin()
	if n := testing.AllocsPerRun(100, func() { addSteps(c, begin, cred, path, stepsOf(path, nodes[:1]...)[:0]) }); n > 1 {
		t.Errorf("%v allocations to add nothing", n)
	}
	steps := stepsOf(path, nodes...)
	if n := testing.AllocsPerRun(100, func() { addSteps(c, begin, cred, path, steps) }); n != 0 {
		t.Errorf("adding what is known allocates %v times", n)
	}
}
