package stage

import (
	"slices"
	"testing"
)

// candidatePaths returns the Candidate Set in its order, the marked one with a star.
func candidatePaths(s *testStage) []string {
	var paths []string
	for i, d := range s.heat.set {
		path := d.path()
		if i == s.heat.least {
			path += "*"
		}
		paths = append(paths, path)
	}
	return paths
}

func mustHave(t *testing.T, s *testStage, want ...string) {
	t.Helper()
	if got := candidatePaths(s); !slices.Equal(got, want) {
		t.Fatalf("candidates %q, want %q", got, want)
	}
}

// TestCandidateSet goes through the rules of the paper's section III-C with a set of three and a threshold of one.
func TestCandidateSet(t *testing.T) {
	root := newRoot()
	s := slow(root, Config{Pivots: 3, Candidates: 3, Threshold: 1, Sample: 1})
	look := func(path string, times int) {
		for range times {
			s.Count(root.mkdir(path), 0)
		}
	}
	look("a", 5)
	look("b", 2)
	mustHave(t, s, "a", "b*") // the loser took the mark
	look("c", 4)
	mustHave(t, s, "a", "b", "c*") // it was less than b at first; now it is compared with itself only
	look("b", 1)
	mustHave(t, s, "a", "b*", "c") // 3 is less than 4
	look("d", 4)
	mustHave(t, s, "a", "b*", "c") // 4 is not more than 3 + 1
	look("d", 1)
	mustHave(t, s, "a", "d*", "c") // the mark stays at the place
	look("c", 1)
	mustHave(t, s, "a", "d*", "c") // as hot as the other is no loss
	look("d", 3)
	mustHave(t, s, "a", "d*", "c")
	look("a", 1)
	mustHave(t, s, "a*", "d", "c") // 6 is less than 8
	look("b", 5)
	mustHave(t, s, "b*", "d", "c") // its heat went on from 3 while it was no candidate
	look("a", 1)
	mustHave(t, s, "b*", "d", "c") // 7 is not more than 8 + 1

	if !s.Step() {
		t.Fatal("no new pool")
	}
	mustHave(t, s) // all of them were of the version that is over
	mustBe(t, s, "b", "c", "d")
	look("a", 1)
	mustHave(t, s, "a*")
	if heat := root.mkdir("a").node.heat; heat != 1 {
		t.Errorf("heat %d from another version", heat)
	}
}

// TestUntouchedCandidateHides: what the paper says of a candidate that is never looked up again: nobody compares it, so
// it is not marked.
func TestUntouchedCandidateHides(t *testing.T) {
	root := newRoot()
	s := slow(root, Config{Pivots: 2, Candidates: 2, Threshold: -1, Sample: 1})
	s.Count(root.mkdir("hidden"), 0)
	s.Count(root.mkdir("a"), 0)
	for range 10 {
		s.Count(root.mkdir("a"), 0)
	}
	s.Count(root.mkdir("hidden"), 0)
	mustHave(t, s, "hidden*", "a")
	s.heat.least = 1 // as a comparison that a lost long ago would have left it
	for range 20 {
		s.Count(root.mkdir("b"), 0)
	}
	mustHave(t, s, "hidden", "b*")
}

// TestHottestBecomePivots: of more candidates than pivots, the hottest; one that another leads through takes no place.
func TestHottestBecomePivots(t *testing.T) {
	root := newRoot()
	s := slow(root, Config{Pivots: 2, Candidates: 8, Sample: 1})
	for path, times := range map[string]int{"a": 9, "a/b": 8, "a/b/c": 7, "d": 5, "e": 4} {
		for range times {
			s.Count(root.mkdir(path), 0)
		}
	}
	s.Step()
	mustBe(t, s, "a/b/c", "d")
}

// TestRootIsNoCandidate: every walk begins there anyway.
func TestRootIsNoCandidate(t *testing.T) {
	root := newRoot()
	s := slow(root, Config{Sample: 1})
	s.Count(root, 0)
	s.Promote([]*dir{root})
	if s.Pool() != nil || s.Stats().Candidates != 0 {
		t.Error("the root is a pivot")
	}
}

// TestHeatVersionWraps: a version that comes again after 2^32 others must not be 0, which is a fresh directory's.
func TestHeatVersionWraps(t *testing.T) {
	root := newRoot()
	s := slow(root, Config{Sample: 1})
	s.heat.version = 1<<32 - 1
	s.Count(root.mkdir("a"), 0)
	s.Step()
	if s.heat.version != 1 {
		t.Errorf("version %d", s.heat.version)
	}
	s.Count(root.mkdir("b"), 0)
	mustHave(t, s, "b*")
}

func TestSample(t *testing.T) {
	for sample, want := range map[int]int{0: 64, 1: 1, 2: 2, 3: 4, 64: 64, -5: 1, 1 << 30: MaxSample} {
		if got := slow(newRoot(), Config{Sample: sample}).Sample(); got != want {
			t.Errorf("Sample %d gives %d, want %d", sample, got, want)
		}
	}
}
