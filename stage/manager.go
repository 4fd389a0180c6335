package stage

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"stagefs/locking"
)

// manager is the state of the Pivot Manager. It has no goroutine of its own: the counted lookup that finds a new pool
// due makes it, while the others go on with the old one.
type manager[D comparable] struct {
	now    func() time.Duration // since some moment
	pivots int
	period atomic.Int64 // nanoseconds
	last   atomic.Int64 // when the last pool was made, or tried
	wake   chan struct{}

	mu     sync.Mutex // held while a pool is built; outermost
	raised []D        // the directories that are marked inPool
	builds uint32     // counts the builds; 0 is no build
	pools  uint64     // counts the pools

	// pause is called between the steps of a build, in tests.
	pause func(step buildStep)
}

// buildStep is a place in a build where a test may stop it.
type buildStep int

const (
	beforeRaise   buildStep = iota // of each directory
	afterRaise                     // and its place is not read yet
	beforePublish                  // the pool is there
	beforeLower                    // it works, the old marks are still there
)

// hurry is by how much a new pool comes earlier than the period where the working one is empty or was cut.
const hurry = 16

func (m *manager[D]) init(pivots int, period time.Duration) {
	start := time.Now()
	m.now = func() time.Duration { return time.Since(start) }
	m.pivots = pivots
	m.wake = make(chan struct{}, 1)
	m.setPeriod(period)
}

func (m *manager[D]) setPeriod(d time.Duration) {
	if d <= 0 {
		d = DefaultPeriod
	}
	m.period.Store(int64(d))
	m.nudge()
}

// nudge makes Run look at the time again. It does not wait, so locks may be held.
func (m *manager[D]) nudge() {
	select {
	case m.wake <- struct{}{}:
	default:
	}
}

func (m *manager[D]) at(step buildStep) {
	if m.pause != nil {
		m.pause(step)
	}
}

// SetPeriod changes the time between two pools; 0 or less means DefaultPeriod.
func (s *Stage[D, G]) SetPeriod(d time.Duration) { s.manager.setPeriod(d) }

// due reports whether the last pool is older than the period, or than a part of it where lookups have no use of it.
func (s *Stage[D, G]) due() bool { return s.remaining() <= 0 }

// remaining is how long it is until the next pool is due.
func (s *Stage[D, G]) remaining() time.Duration {
	m := &s.manager
	wait := time.Duration(m.period.Load())
	s.lockPublish()
	if s.wasCut || s.pool.Load() == nil {
		wait /= hurry
	}
	s.unlockPublish()
	return time.Duration(m.last.Load()) + wait - m.now()
}

// tryStep is Step unless somebody else is at it.
func (s *Stage[D, G]) tryStep() {
	locking.Acquired(locking.RankManager, 0, 0)
	if s.manager.mu.TryLock() {
		if s.due() {
			s.step()
		}
		s.manager.mu.Unlock()
	}
	locking.Released(locking.RankManager, 0, 0)
}

// Step makes a pool of the most popular directories since the last time, whatever the period, and reports whether that
// is another than the one before. Directories of the old pool fill up what the candidates leave free.
func (s *Stage[D, G]) Step() bool {
	s.lockManager()
	swapped := s.step()
	s.unlockManager()
	return swapped
}

// Promote makes a pool of the given directories, the first ones if they are too many. It is for callers that know what
// will be popular.
func (s *Stage[D, G]) Promote(dirs []D) {
	s.lockManager()
	s.build(dirs)
	s.manager.last.Store(int64(s.manager.now()))
	s.unlockManager()
}

// Run calls Step whenever a pool is due, until ctx ends; it returns ctx's error. Where it runs, lookups find nothing
// due.
func (s *Stage[D, G]) Run(ctx context.Context) error {
	m := &s.manager
	s.countRuns(1)
	defer func() {
		s.countRuns(-1)
		m.nudge() // another one may have been waiting
	}()
	timer := time.NewTimer(0)
	defer timer.Stop()
	for ctx.Err() == nil {
		if s.due() {
			s.tryStep()
		}
		timer.Reset(max(s.remaining(), time.Millisecond))
		select {
		case <-ctx.Done():
		case <-m.wake:
		case <-timer.C:
		}
	}
	return ctx.Err()
}

func (s *Stage[D, G]) countRuns(n int) {
	s.lockPublish()
	s.running += n
	s.unlockPublish()
}

func (s *Stage[D, G]) lockManager() {
	locking.Acquired(locking.RankManager, 0, 0)
	s.manager.mu.Lock()
}

func (s *Stage[D, G]) unlockManager() {
	s.manager.mu.Unlock()
	locking.Released(locking.RankManager, 0, 0)
}

// step is Step; the manager is locked.
func (s *Stage[D, G]) step() bool {
	m := &s.manager
	dirs, heats := s.heat.drain()
	order := make([]int, len(dirs))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(heats[b], heats[a]) })
	wanted := make([]D, 0, len(dirs)+m.pivots)
	for _, i := range order {
		wanted = append(wanted, dirs[i])
	}
	if pool := s.pool.Load(); pool != nil {
		for _, p := range pool.pivots {
			wanted = append(wanted, p.Dir(p.Depth()))
		}
	}
	swapped := s.build(wanted)
	m.last.Store(int64(m.now()))
	return swapped
}

// buildTries is how often a build begins again because a directory was moved while it was read.
const buildTries = 3

// build makes a pool of the first of the wanted directories that it can lead to, and puts it in the place of the
// working one, unless it is the same. The manager is locked.
func (s *Stage[D, G]) build(wanted []D) bool {
	m := &s.manager
	swapped := false
	for range buildTries {
		s.lockPublish()
		s.building, s.wasCut = true, false
		s.unlockPublish()
		next, consistent := s.assemble(wanted)
		m.at(beforePublish)
		swapped = s.swap(next, consistent)
		if consistent {
			break
		}
		s.stats.discarded.Add(1)
	}
	m.at(beforeLower)
	s.lower()
	return swapped
}

// swap ends a build: it publishes its pool, nil for an empty one, cut by what has changed since the build began. It
// reports whether there is another pool than before.
func (s *Stage[D, G]) swap(next *Pool[D, G], consistent bool) bool {
	s.lockPublish()
	defer s.unlockPublish()
	s.building = false
	s.wasCut = s.wasCut || !consistent // try again soon
	if next != nil {
		for _, c := range s.changed {
			if next.cut(c.dir, int(c.what)) > 0 {
				s.wasCut = true
			}
		}
		if !next.useful() {
			next = nil
		}
	}
	clear(s.changed)
	s.changed = s.changed[:0]
	old := s.pool.Load()
	if !consistent || next == old {
		return false
	}
	s.pool.Store(next)
	s.stats.swaps.Add(1)
	return true
}

// same reports whether these are the same pivots.
func same[D Directory[D, G], G any](next, old []*Pivot[D, G]) bool {
	return slices.EqualFunc(next, old, func(a, b *Pivot[D, G]) bool {
		return a.path == b.path && slices.Equal(a.guards, b.guards) &&
			slices.EqualFunc(a.components, b.components, func(a, b component[D]) bool { return a == b })
	})
}

// assemble makes a pool of the first of the wanted directories that it can lead to; nil if there are none. It is not
// consistent if a directory was moved meanwhile in a way that makes the pivots disagree.
func (s *Stage[D, G]) assemble(wanted []D) (_ *Pool[D, G], consistent bool) {
	m := &s.manager
	if m.builds++; m.builds == 0 {
		m.builds = 1
	}
	c := climber[D, G]{s: s, pivots: make([]*Pivot[D, G], 0, min(len(wanted), m.pivots))}
	for _, dir := range wanted {
		if len(c.pivots) == m.pivots || c.components > mostComponents {
			break
		}
		if dir != s.root && dir.StageNode().build != m.builds { // else a pivot leads through it
			c.climb(dir)
		}
	}
	if len(c.pivots) == 0 {
		return nil, true
	}
	pivots := inOrder(c.pivots)
	if old := s.pool.Load(); old != nil && old.whole() && same(pivots, old.pivots) {
		return old, true
	}
	m.pools++
	pool := newPool(s.root, pivots, s.kind, m.pools)
	return pool, pool != nil
}

// mostComponents is how many components a pool has at most, but for those of one pivot. It bounds the time and the memory
// of a build.
const mostComponents = 1 << 15

// climber makes the pivots of a build. Each directory that one leads through has the build's number.
type climber[D Directory[D, G], G any] struct {
	s      *Stage[D, G]
	pivots []*Pivot[D, G]

	components int // of all pivots

	dirs  []D // of the pivot at hand, from its end up to the root
	names []string
}

// longestPath is the length of the paths that pivots may have, with a slash for each name: that of the longest that a walk
// from the root is given, and short enough for the depth to fit in packedSpot.
const longestPath = 4094

// climb goes from dir up to the root and makes the pivot of what it finds. It marks every directory before it reads
// where that hangs, so that a change which begins later is noted for swap. It gives up if it meets one that has begun, or
// dir can be no pivot. A pivot that ends on the way is dropped for the new one.
func (c *climber[D, G]) climb(dir D) {
	m := &c.s.manager
	c.dirs, c.names = c.dirs[:0], c.names[:0]
	length := 0
	for {
		m.at(beforeRaise)
		had, still := dir.StageNode().raise()
		if !had {
			m.raised = append(m.raised, dir)
		}
		m.at(afterRaise)
		if !still {
			return
		}
		c.dirs = append(c.dirs, dir)
		if dir == c.s.root {
			break
		}
		parent, name, ok := dir.StagePlace()
		if length += len(name) + 1; !ok || parent == dir || length > longestPath {
			return
		}
		c.names = append(c.names, name)
		dir = parent
	}
	for _, d := range c.dirs {
		n := d.StageNode()
		if n.build == m.builds && n.pivot != 0 {
			c.drop(int(n.pivot) - 1)
		}
		n.build, n.pivot = m.builds, 0
	}
	c.pivots = append(c.pivots, newPivot(c.dirs, c.names, length))
	c.components += len(c.dirs)
	c.dirs[0].StageNode().pivot = int32(len(c.pivots))
}

// drop takes a pivot out; the last one gets its place.
func (c *climber[D, G]) drop(i int) {
	c.components -= len(c.pivots[i].components)
	last := len(c.pivots) - 1
	c.pivots[i] = c.pivots[last]
	c.pivots[i].Dir(c.pivots[i].Depth()).StageNode().pivot = int32(i) + 1
	c.pivots[last] = nil
	c.pivots = c.pivots[:last]
}

// lower takes the marks from the directories that the working pool does not lead through. A change of one of them that
// begins now finds no mark, and is right: walks that have the old pool began before.
func (s *Stage[D, G]) lower() {
	m, pool := &s.manager, s.pool.Load()
	kept := m.raised[:0]
	for _, dir := range m.raised {
		if pool != nil {
			if _, used := pool.spots[dir]; used {
				kept = append(kept, dir)
				continue
			}
		}
		dir.StageNode().lower()
	}
	clear(m.raised[len(kept):])
	m.raised = kept
}
