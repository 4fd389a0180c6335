package stage

import (
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"stagefs/locking"
)

// Stage is the whole of it for one file system: the working Pivot Pool, the Heat Counter with its Candidate Set, and the
// Pivot Manager. All methods may be called by several goroutines at once. Make one with New.
type Stage[D Directory[D, G], G any] struct {
	// Read by every lookup, and written by none.
	pool   atomic.Pointer[Pool[D, G]] // the working pool; nil: no pivots
	root   D
	kind   Kind
	sample int
	_      [cacheLines]byte

	// publish guards the change of pools: storing one, cutting its pivots, and what follows.
	publish  sync.Mutex
	building bool
	wasCut   bool         // pivots were cut since the last build began
	running  int          // calls of Run
	marked   uint64       // counts the changes of directories that pools may lead through
	cutting  uint64       // those that cut pivots
	shorter  uint64       // the pivots that they cut
	changed  []changed[D] // the changes since the build began

	// Written by the lookups that are counted.
	_     [cacheLines]byte
	heat  heat[D, G]
	stats counters

	manager manager[D]
}

// cacheLines keeps apart what many read and what some write: two lines, since processors fetch them in pairs.
const cacheLines = 128

// New returns a stage for the file system with the given root.
func New[D Directory[D, G], G any](root D, c Config) *Stage[D, G] {
	pivots := DefaultPivots
	if c.Pivots != 0 {
		pivots = min(max(c.Pivots, 1), MaxPivots)
	}
	candidates := min(max(c.Candidates, pivots), MaxCandidates)
	if c.Candidates == 0 {
		candidates = 4 * pivots
	}
	threshold := max(c.Threshold, 0)
	if c.Threshold == 0 {
		threshold = DefaultThreshold
	}
	sample := DefaultSample
	if c.Sample != 0 {
		sample = 1 << bits.Len(uint(min(max(c.Sample, 1), MaxSample)-1))
	}
	s := &Stage[D, G]{root: root, kind: c.Pool, sample: sample}
	s.heat.set = make([]D, 0, candidates)
	s.heat.threshold = uint32(min(threshold, 1<<31-1))
	s.heat.version = 1
	s.manager.init(pivots, c.Period)
	return s
}

// Pool returns the working pool, nil while there is no pivot. It is the one load that a stage costs while it has none.
func (s *Stage[D, G]) Pool() *Pool[D, G] { return s.pool.Load() }

// Sample returns how many lookups there are for one that is counted, a power of two. Whoever looks up chooses at random.
func (s *Stage[D, G]) Sample() int { return s.sample }

// Count takes in one counted lookup: that of dir, or of what is no directory, or is missing, in dir; the zero D is that
// of no directory. skipped is how many components it did not walk. It also finds out whether a new pool is due, and then
// makes it. It takes locks, so the caller must hold none.
func (s *Stage[D, G]) Count(dir D, skipped int) {
	sample := uint64(s.sample)
	s.stats.lookups.Add(sample)
	if skipped > 0 {
		s.stats.hits.Add(sample)
		s.stats.skipped.Add(sample * uint64(skipped))
	}
	var none D
	if dir != s.root && dir != none {
		s.heat.count(dir)
	}
	if s.due() {
		s.tryStep()
	}
}

// lockPublish and unlockPublish hold the pools still.
func (s *Stage[D, G]) lockPublish() {
	locking.Acquired(locking.RankLeaf, 0, 0)
	s.publish.Lock()
}

func (s *Stage[D, G]) unlockPublish() {
	s.publish.Unlock()
	locking.Released(locking.RankLeaf, 0, 0)
}

// counters are the stage's own statistics.
type counters struct {
	lookups, hits, skipped atomic.Uint64
	swaps, discarded       atomic.Uint64
}

// Stats returns the counters.
func (s *Stage[D, G]) Stats() Stats {
	st := Stats{
		Lookups: s.stats.lookups.Load(), Hits: s.stats.hits.Load(), Skipped: s.stats.skipped.Load(),
		Swaps: s.stats.swaps.Load(), Discarded: s.stats.discarded.Load(),
		Candidates: s.heat.candidates(),
		Period:     s.Period(),
	}
	s.lockPublish()
	st.Invalidations, st.Cut = s.cutting, s.shorter
	s.unlockPublish()
	st.Pivots = len(s.Pivots())
	return st
}

// Pivots returns the paths of the pivots in the working pool, in its order; cut ones as far as they are of use.
func (s *Stage[D, G]) Pivots() []string {
	pool := s.pool.Load()
	if pool == nil {
		return nil
	}
	var paths []string
	for _, p := range pool.pivots {
		if n := int(p.limit.Load()); n > 0 {
			paths = append(paths, p.path[:p.end(n)-1])
		}
	}
	return slices.Compact(paths) // cut ones may end at the same directory
}

// Period returns the time between two pools.
func (s *Stage[D, G]) Period() time.Duration { return time.Duration(s.manager.period.Load()) }
