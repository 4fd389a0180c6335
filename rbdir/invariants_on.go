//go:build invariants

package rbdir

import (
	"fmt"
	"slices"
	"sync/atomic"
)

// invariants says whether the checks after each change are compiled in.
const invariants = true

// cover is what a Change asked for in one directory.
type cover struct {
	whole  bool
	hashes []uint64
}

func (c *cover) addHash(h uint64) { c.hashes = append(c.hashes, h) }

func (c *cover) addWhole() { c.whole = true }

// guard knows what the Change that holds a directory covers, and when the
// directory is to be checked next.
type guard struct {
	held    atomic.Pointer[cover] // atomic: read without a hold by callers in error
	changes int                   // since the last check; guarded by the exclusive hold
}

func (g *guard) grant(c *cover) {
	granted := *c
	g.held.Store(&granted)
}

func (g *guard) revoke() { g.held.Store(nil) }

func (g *guard) mustCover(h uint64) {
	if h == 0 || h > hashMask {
		panic(fmt.Sprintf("rbdir: %#x is not a hash", h))
	}
	c := g.held.Load()
	if c == nil {
		panic("rbdir: no Change has begun on this directory")
	}
	if !c.whole && !slices.Contains(c.hashes, h) {
		panic(fmt.Sprintf("rbdir: the Change does not cover hash %#x", h))
	}
}

func (g *guard) mustCoverWhole() {
	if c := g.held.Load(); c == nil || !c.whole {
		panic("rbdir: no Change covers the whole directory")
	}
}

// due reports whether a directory of n entries is to be checked after this
// change: always while it is small, then at a rate that keeps the cost of
// checking a change bounded.
func (g *guard) due(n int) bool {
	g.changes++
	if g.changes < n/16 {
		return false
	}
	g.changes = 0
	return true
}

// steps counts what lookups and changes do node by node, key by key or word by
// word, so that tests can bound the work without a clock.
var steps atomic.Int64

func countStep() { steps.Add(1) }
