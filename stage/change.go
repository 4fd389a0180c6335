package stage

// Change says what happens to a directory.
type Change int

const (
	Moves  Change = -1 // it gets another name or parent, or none: no pivot may lead to it
	Closes Change = 0  // it gets another mode, owner or list of who may pass: no pivot may lead through it
)

// changed is one change that a build has to know of.
type changed[D comparable] struct {
	dir  D
	what Change
}

// Begin comes before a change of dir that makes another answer of StagePlace or StageGuard, and End after it. Between
// the two no pool leads through dir, and none that does can be published: a directory that is in no pool pays for that
// with two additions to a word of its own. The cost of taking it out of a pool grows with the size of the pool, not with
// what is below dir.
func (s *Stage[D, G]) Begin(dir D, c Change) {
	if dir.StageNode().begin() {
		s.invalidate(dir, c)
	}
}

// End comes after the change that Begin has announced.
func (s *Stage[D, G]) End(dir D) { dir.StageNode().end() }

// invalidate cuts the pivots that lead through dir, in the working pool at once, and in one that is being built, which
// may have read what dir was before, when it is published.
func (s *Stage[D, G]) invalidate(dir D, c Change) {
	s.lockPublish()
	s.marked++
	if s.building {
		s.changed = append(s.changed, changed[D]{dir, c})
	}
	nudge := false
	if pool := s.pool.Load(); pool != nil {
		if shorter := pool.cut(dir, int(c)); shorter > 0 {
			s.wasCut = true
			s.cutting++
			s.shorter += uint64(shorter)
			nudge = s.running > 0
			if !pool.useful() {
				s.pool.Store(nil)
			}
		}
	}
	s.unlockPublish()
	if nudge {
		s.manager.nudge()
	}
}
