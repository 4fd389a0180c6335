package bench

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"stagefs/memfs"
)

// testNode stands for a memfs.Node, which only memfs can make.
type testNode struct {
	ino uint64
	dir bool
}

func (n testNode) Ino() uint64 { return n.ino }
func (n testNode) IsDir() bool { return n.dir }

var testRoot = testNode{1, true}

// pathStep is one step of a walk, as Add is told of it.
type pathStep struct {
	start, end int
	dir, child testNode
}

// stepsOf splits a path into steps. nodes are what its components lead to.
func stepsOf(path string, nodes ...testNode) []pathStep {
	var steps []pathStep
	dir, start := testRoot, 0
	for _, n := range nodes {
		end := start + 1
		for end < len(path) && path[end] != '/' {
			end++
		}
		steps = append(steps, pathStep{start, end, dir, n})
		dir, start = n, end
	}
	return steps
}

func addSteps(c *fullPathCache[testNode], begin uint64, cred *memfs.Cred, path string, steps []pathStep) {
	for _, s := range steps {
		c.Add(begin, cred, path, s.start, s.end, s.dir, s.child)
	}
}

// addPath tells c of an undisturbed walk.
func addPath(c *fullPathCache[testNode], cred *memfs.Cred, path string, nodes ...testNode) {
	addSteps(c, c.Begin(), cred, path, stepsOf(path, nodes...))
}

// dirs returns directories with numbers from first on.
func dirs(first uint64, n int) []testNode {
	out := make([]testNode, n)
	for i := range out {
		out[i] = testNode{first + uint64(i), true}
	}
	return out
}

func wantPath(t *testing.T, c *fullPathCache[testNode], cred *memfs.Cred, path string, want testNode) {
	t.Helper()
	if n, ok := c.Get(path, cred); !ok || n != want {
		t.Errorf("Get(%q) = %v, %v, want %v", path, n, ok, want)
	}
}

func wantNoPath(t *testing.T, c *fullPathCache[testNode], cred *memfs.Cred, path string) {
	t.Helper()
	if n, ok := c.Get(path, cred); ok {
		t.Errorf("Get(%q) = %v, want nothing", path, n)
	}
}

// mustHold checks what fullpathtree.go promises of the structure.
func (c *fullPathCache[N]) mustHold(t *testing.T) {
	t.Helper()
	if len(c.slots) > c.limit {
		t.Fatalf("%d entries, limit %d", len(c.slots), c.limit)
	}
	known := map[*fdentry[N]]bool{}
	for i, e := range c.slots {
		known[e] = true
		if int(e.slot) != i {
			t.Fatalf("entry %d thinks it is %d", i, e.slot)
		}
		if (e.dir != nil) != e.node.IsDir() || e.dir != nil && (e.dir.own != e || e.dir.node != e.node) {
			t.Fatalf("entry of %v has directory %v", e.node, e.dir)
		}
		if p := e.prefix.Load(); p != invalidPrefix && p != e.parent.prefix() {
			t.Fatalf("entry of %v: prefix %x, its parent has %x", e.node, p, e.parent.prefix())
		}
		if own := e.parent.own; own != nil && own.prefix.Load() == invalidPrefix && e.prefix.Load() != invalidPrefix {
			t.Fatalf("entry of %v is valid below an invalid one", e.node)
		}
	}
	chained, listed, numbered := 0, 0, 0
	for i := range c.table {
		for e := c.table[i].Load(); e != nil; e = e.next.Load() {
			chained++
			if !known[e] || e.signature.a%dlhtBuckets != uint64(i) {
				t.Fatalf("chain %d has an entry of %v", i, e.node)
			}
		}
	}
	for _, head := range c.nodes {
		for e := head; e != nil; e = e.sameBucket {
			numbered++
		}
	}
	var count func(d *fdir[N])
	count = func(d *fdir[N]) {
		var younger *fdentry[N]
		for e := d.children; e != nil; younger, e = e, e.older {
			listed++
			if !known[e] || e.parent != d || e.younger != younger {
				t.Fatalf("the children of %v are in disorder", d.node)
			}
			if e.dir != nil {
				count(e.dir)
			}
		}
	}
	if c.root != nil {
		count(c.root)
	}
	if n := len(known); chained != n || listed != n || numbered != n {
		t.Fatalf("%d entries, %d in chains, %d in the tree, %d by number", n, chained, listed, numbered)
	}
}

func eightComponents() (string, []testNode) {
	path := ""
	for i := range 8 {
		path += fmt.Sprintf("/comp%03d", i)
	}
	return path, dirs(2, 8)
}

// seededFullPath returns a random source and prints its seed.
func seededFullPath(t testing.TB) *rand.Rand {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	return rand.New(rand.NewPCG(seed, 0))
}
