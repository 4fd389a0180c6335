package stage

import (
	"context"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"stagefs/locking"
)

// TestPeriod: the counted lookup that finds the period over makes the pool; a first one comes early.
func TestPeriod(t *testing.T) {
	root := newRoot()
	s := New[*dir, guard](root, Config{Sample: 1, Period: 1600 * time.Millisecond})
	var now time.Duration
	s.manager.now = func() time.Duration { return now }
	s.manager.last.Store(0)
	at := func(ms int, path string) {
		now = time.Duration(ms) * time.Millisecond
		s.Count(root.mkdir(path), 0)
	}
	at(99, "a")
	if s.Pool() != nil {
		t.Fatal("a pool before a sixteenth of the period")
	}
	at(100, "b")
	mustBe(t, s, "a", "b")
	at(100+1599, "c")
	mustBe(t, s, "a", "b")
	at(100+1600, "c")
	mustBe(t, s, "a", "b", "c")

	s.SetPeriod(320 * time.Millisecond)
	at(1700+319, "d")
	mustBe(t, s, "a", "b", "c")
	at(1700+320, "d")
	mustBe(t, s, "a", "b", "c", "d")

	root.mkdir("a").move(s, root, "z") // what was cut comes back early
	mustBe(t, s, "b", "c", "d")
	at(2020+19, "b")
	mustBe(t, s, "b", "c", "d")
	at(2020+20, "b")
	mustBe(t, s, "b", "c", "d", "z")
	if st := s.Stats(); st.Swaps != 4 || st.Invalidations != 1 || st.Cut != 1 || st.Period != 320*time.Millisecond {
		t.Errorf("%+v", st)
	}
	if s.SetPeriod(0); s.Period() != DefaultPeriod {
		t.Errorf("period %v", s.Period())
	}
}

// TestOldPivotsFillThePool: candidates come first, then the pivots of the pool before, as long as there is room.
func TestOldPivotsFillThePool(t *testing.T) {
	root := newRoot()
	s := slow(root, Config{Pivots: 3, Sample: 1})
	s.Promote([]*dir{root.mkdir("a"), root.mkdir("b"), root.mkdir("c")})
	s.Count(root.mkdir("d"), 0)
	s.Step()
	mustBe(t, s, "a", "b", "d")
	if s.Step() {
		t.Error("the same pool again counts as a new one")
	}
	root.mkdir("b").remove(s)
	mustBe(t, s, "a", "d")
	s.Step()
	mustBe(t, s, "a", "d")
	for _, d := range []*dir{root.mkdir("a"), root.mkdir("d")} {
		d.remove(s)
	}
	if s.Pool() != nil {
		t.Error("a pool of removed directories")
	}
	if s.Step() {
		t.Error("a pool of nothing counts as a new one")
	}
}

// TestMarksAreTakenBack: what no pool leads through any more costs a change nothing again.
func TestMarksAreTakenBack(t *testing.T) {
	root := newRoot()
	s := slow(root, Config{Pivots: 1, Sample: 1})
	ab, cd := root.mkdir("a/b"), root.mkdir("c/d")
	s.Promote([]*dir{ab})
	s.Promote([]*dir{cd})
	mustBe(t, s, "c/d")
	version := s.marked
	root.mkdir("a/b").setGuard(s, &guard{})
	root.mkdir("a").move(s, root, "x")
	if s.marked != version {
		t.Error("a change of a directory in no pool took the lock")
	}
	cd.setGuard(s, &guard{})
	if s.marked != version+1 {
		t.Error("a change of a directory in the pool went unnoticed")
	}
	mustBe(t, s, "c/d") // nobody passes through its end
	if s.Stats().Invalidations != 0 {
		t.Error("nothing was cut, but counted")
	}
}

// TestRun: Run makes the pools on its own, ends with its context, and learns of a shorter period at once.
func TestRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		root := newRoot()
		s := New[*dir, guard](root, Config{Sample: 1, Period: time.Hour})
		ctx, cancel := context.WithCancel(context.Background())
		done := make(chan error)
		go func() { done <- s.Run(ctx) }()
		s.heat.count(root.mkdir("a"))
		time.Sleep(time.Hour/hurry + time.Second) // of the bubble's clock
		synctest.Wait()
		mustBe(t, s, "a")
		s.heat.count(root.mkdir("b"))
		s.SetPeriod(time.Minute)
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		mustBe(t, s, "a", "b")
		cancel()
		if err := <-done; err != context.Canceled {
			t.Errorf("Run returned %v", err)
		}
	})
}

// TestOneBuilds: a lookup that finds a build going on does not wait for it.
func TestOneBuilds(t *testing.T) {
	root := newRoot()
	s := New[*dir, guard](root, Config{Sample: 1, Period: 1})
	building, release := make(chan bool), make(chan bool)
	var once sync.Once
	s.manager.pause = func(step buildStep) {
		if step == beforePublish {
			once.Do(func() { building <- true; <-release })
		}
	}
	done := make(chan bool)
	go func() { s.Count(root.mkdir("a"), 0); close(done) }()
	<-building
	s.Count(root.mkdir("b"), 0) // would deadlock
	close(release)
	<-done
	mustBe(t, s, "a")
}

// TestNoGoroutine: New starts none.
func TestNoGoroutine(t *testing.T) {
	before := runtime.NumGoroutine()
	slow(newRoot(), Config{})
	if after := runtime.NumGoroutine(); after > before {
		t.Errorf("%d goroutines, %d before", after, before)
	}
	locking.AssertNone()
}

// TestRunHurries: a cut wakes Run, which makes the next pool after a sixteenth of the period; so does SetPeriod, for
// whichever of several Runs is left. A context that has ended has nothing made.
func TestRunHurries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		root := newRoot()
		s := New[*dir, guard](root, Config{Period: 16 * time.Second})
		ended, end := context.WithCancel(context.Background())
		end()
		s.heat.count(root.mkdir("a/b"))
		time.Sleep(time.Hour)
		for range 100 {
			if err := s.Run(ended); err != context.Canceled || s.Pool() != nil {
				t.Fatalf("Run returned %v, the pool is %v", err, s.Pool())
			}
		}
		ctx, cancel := context.WithCancel(context.Background())
		first, stop := context.WithCancel(ctx)
		done := make(chan error)
		go func() { done <- s.Run(first) }()
		go func() { done <- s.Run(ctx) }()
		synctest.Wait()
		mustBe(t, s, "a/b")
		time.Sleep(2 * time.Second) // of the bubble's clock
		root.mkdir("a").move(s, root, "z")
		if s.Pool() != nil {
			t.Error("the pool leads through a directory that moved")
		}
		s.heat.count(root.mkdir("z/b"))
		time.Sleep(time.Second)
		synctest.Wait()
		mustBe(t, s, "z/b")
		s.SetPeriod(time.Hour)
		synctest.Wait()
		s.SetPeriod(time.Second)
		stop()
		<-done
		s.heat.count(root.mkdir("y"))
		time.Sleep(2 * time.Second)
		synctest.Wait()
		mustBe(t, s, "y", "z/b")
		cancel()
		<-done
	})
}

// TestChainOfWanted: of directories each below the one before, only the last takes room, however many there are.
func TestChainOfWanted(t *testing.T) {
	root := newRoot()
	s := slow(root, Config{})
	var wanted []*dir
	for d := root; len(wanted) < 600; {
		d = d.mkdir("a")
		wanted = append(wanted, d)
	}
	other := root.mkdir("b")
	s.Promote(append(wanted, other))
	mustBe(t, s, wanted[len(wanted)-1].path(), "b")
}
