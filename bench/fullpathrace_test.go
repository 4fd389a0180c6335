package bench

import (
	"sync"
	"sync/atomic"
	"testing"

	"stagefs/memfs"
)

// TestFullPathReadersSeeChanges lets a writer replace /a/b, and all below, again
// and again, and forbid and allow one credential to search a, while readers look
// up and walk. After Changed returned, nobody gets what was before it.
func TestFullPathReadersSeeChanges(t *testing.T) {
	const path = "/a/b/c/file"
	c := newFullPathOf[testNode](64)
	allowed, toggled := &memfs.Cred{Uid: 1}, &memfs.Cred{Uid: 2}
	a := testNode{2, true}
	// The nodes of generation g below a.
	nodes := func(g uint64) []testNode {
		return []testNode{a, {10 + 3*g, true}, {11 + 3*g, true}, {12 + 3*g, false}}
	}
	generation := func(n testNode) uint64 { return (n.ino - 10) / 3 }
	var current, settled atomic.Uint64 // generation in the tree; the newest one whose Changed returned
	var denied atomic.Bool             // toggled may not search a
	var phase atomic.Uint64            // odd: it may not, and Changed has returned
	var done atomic.Bool
	hits := [2]atomic.Uint64{}

	walk := func(cred *memfs.Cred) {
		begin := c.Begin()
		steps := stepsOf(path, nodes(current.Load())...)
		if cred == toggled && denied.Load() {
			steps = steps[:1]
		}
		addSteps(c, begin, cred, path, steps)
	}
	var readers sync.WaitGroup
	for i, cred := range []*memfs.Cred{allowed, toggled} {
		readers.Go(func() {
			for !done.Load() {
				floor, before := settled.Load(), phase.Load()
				n, ok := c.Get(path, cred)
				if !ok {
					walk(cred)
					continue
				}
				hits[i].Add(1)
				if generation(n) < floor {
					t.Errorf("generation %d after %d was settled", generation(n), floor)
					return
				}
				if cred == toggled && before%2 == 1 && phase.Load() == before {
					t.Error("a hit through a directory that may not be searched")
					return
				}
			}
		})
	}
	for g := uint64(1); g <= 100; g++ {
		for target := hits[0].Load() + 3; hits[0].Load() < target && !t.Failed(); { // readers have seen the old one
			walk(allowed)
		}
		b := nodes(g - 1)[1]
		c.Change(b)
		current.Store(g)
		c.Changed(b)
		settled.Store(g)

		if g%2 == 1 {
			c.Change(a)
			denied.Store(true)
			c.Changed(a)
			phase.Add(1)
		} else {
			phase.Add(1)
			c.Change(a)
			denied.Store(false)
			c.Changed(a)
		}
	}
	done.Store(true)
	readers.Wait()
	c.mustHold(t)
}

// TestFullPathManyWriters lets all methods run at once on overlapping paths and
// checks the structure afterwards.
func TestFullPathManyWriters(t *testing.T) {
	rnd := seededFullPath(t)
	seeds := []uint64{rnd.Uint64(), rnd.Uint64(), rnd.Uint64(), rnd.Uint64()}
	c := newFullPathOf[testNode](40)
	creds := []*memfs.Cred{{Uid: 1}, {Uid: 2}, {Uid: 3}}
	names := []string{"a", "b", "c", "d"}
	var workers sync.WaitGroup
	for _, seed := range seeds {
		workers.Go(func() {
			next := func(n uint64) uint64 { // xorshift
				seed ^= seed << 13
				seed ^= seed >> 7
				seed ^= seed << 17
				return seed % n
			}
			for range 3000 {
				path, at := "", uint64(1)
				var nodes []testNode
				for range 1 + next(4) { // the node of a path follows from its names
					i := next(uint64(len(names)))
					path += "/" + names[i]
					at = at*4 + i + 1
					nodes = append(nodes, testNode{at, true})
				}
				cred := creds[next(3)]
				if n, ok := c.Get(path, cred); ok && n.ino != at {
					t.Errorf("Get(%q) = %v, want %d", path, n, at)
				}
				switch next(8) {
				case 0:
					c.Change(nodes[len(nodes)-1])
					c.Changed(nodes[len(nodes)-1])
				default:
					addPath(c, cred, path, nodes...)
				}
			}
		})
	}
	workers.Wait()
	c.mustHold(t)
}
