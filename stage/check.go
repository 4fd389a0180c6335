package stage

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Check reports everything about the working pool that does not hold: pivots out of order, overlaps, places that
// directories do not have any more although nothing was cut, marks that are missing. It is meant for tests. No directory
// may change while it runs.
func (s *Stage[D, G]) Check() error {
	s.lockManager()
	defer s.unlockManager()
	pool := s.pool.Load()
	if pool == nil {
		return nil
	}
	c := checker[D, G]{s: s, pool: pool}
	if n := len(pool.pivots); n == 0 || n > s.manager.pivots {
		c.failf("%d pivots in a pool for %d", n, s.manager.pivots)
	}
	for i, p := range pool.pivots {
		c.pivot(i, p)
	}
	for dir, at := range pool.spots {
		if dir.StageNode().mark.Load()&inPool == 0 {
			c.failf("component %d of %q is not marked", at.depth, pool.pivots[at.low].path)
		}
	}
	return errors.Join(c.errs...)
}

type checker[D Directory[D, G], G any] struct {
	s    *Stage[D, G]
	pool *Pool[D, G]
	errs []error
}

func (c *checker[D, G]) failf(format string, args ...any) {
	c.errs = append(c.errs, fmt.Errorf("stage: "+format, args...))
}

func (c *checker[D, G]) pivot(i int, p *Pivot[D, G]) {
	if i > 0 {
		before := c.pool.pivots[i-1]
		if before.path >= p.path || strings.HasPrefix(p.path, before.path) {
			c.failf("%q stands before %q", before.path, p.path)
		}
		if n := commonComponents(before.path, p.path); n != p.overlap {
			c.failf("%q has %d components of the one before it, not %d", p.path, n, p.overlap)
		}
	}
	if p.Dir(0) != c.s.root {
		c.failf("%q does not begin at the root", p.path)
	}
	limit := int(p.limit.Load())
	if limit < 0 || limit > p.Depth() {
		c.failf("%q may skip %d of %d components", p.path, limit, p.Depth())
		return
	}
	for n := 1; n <= p.Depth(); n++ {
		at := c.pool.spots[p.Dir(n)]
		if int(at.depth) != n || int(at.low) > i || int(at.high) <= i {
			c.failf("component %d of %q is entered as %+v", n, p.path, at)
		}
		if n <= limit {
			c.component(p, n)
		}
	}
	want := p.Depth()
	if c.s.kind == Hash {
		want = min(want, hashedMost)
	}
	if best, n := c.pool.index.longest(p.Path(), &c.pool.root.base); n != want || best.Dir(n) != p.Dir(n) {
		c.failf("a search for %q finds %d components of %q", p.path, n, best.path)
	}
}

// component checks one that may be skipped against the directory itself.
func (c *checker[D, G]) component(p *Pivot[D, G], n int) {
	parent, name, ok := p.Dir(n).StagePlace()
	if stored := p.path[p.end(n-1) : p.end(n)-1]; !ok || parent != p.Dir(n-1) || name != stored {
		c.failf("component %d of %q is %q elsewhere, or gone", n, p.path, name)
	}
	guard, guards := p.Dir(n-1).StageGuard(), p.Guards(n-1, n)
	if guard == nil && len(guards) != 0 || guard != nil && !slices.Equal(guards, []*G{guard}) {
		c.failf("the guard of component %d of %q is not the directory's", n-1, p.path)
	}
}

// commonComponents counts the components that two paths have in common, each with its slash.
func commonComponents(a, b string) int {
	n := 0
	for i := 0; i < len(a) && i < len(b) && a[i] == b[i]; i++ {
		if a[i] == '/' {
			n++
		}
	}
	return n
}
