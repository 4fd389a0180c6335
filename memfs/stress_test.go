package memfs_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"runtime/debug"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"stagefs/memfs"
)

var stressTime = flag.Duration("stress", 0,
	"how long TestStress runs: 2s unless set, 20s with the race detector where STAGEFS_CI=1")

func stressDuration() time.Duration {
	switch {
	case *stressTime > 0:
		return *stressTime
	case testing.Short():
		return 200 * time.Millisecond
	case raceEnabled && os.Getenv("STAGEFS_CI") == "1":
		return 20 * time.Second
	}
	return 2 * time.Second
}

const (
	actors   = 8
	heldMax  = 24               // open files that the actors share
	hungTime = 20 * time.Second // an actor that makes no call for so long hangs
)

// stress is one file system and what works on it.
type stress struct {
	fsys    *memfs.FS
	limited bool // has limits, so ENOSPC is no fault
	held    [heldMax]atomic.Pointer[memfs.File]
	calls   map[string]*callCount // by name, never changed
	stop    atomic.Bool

	mu    sync.Mutex
	fault string // the first thing that was wrong; guarded by mu
}

type callCount struct{ succeeded, failed atomic.Int64 }

// actor is one goroutine that makes calls at random.
type actor struct {
	s     *stress
	rng   *rand.Rand
	views []*memfs.FS            // of root, alice and bob; the last is confined
	doing atomic.Pointer[string] // the operation under way
	done  atomic.Int64           // operations
	over  atomic.Bool
}

// TestStress lets goroutines make all calls there are, at random, over one small tree whose names collide. No call may
// return an error that its table does not have, hang or panic, and afterwards the file system must agree with itself.
func TestStress(t *testing.T) {
	s := newStress()
	s.run(t, stressDuration())
	total := int64(0)
	for _, c := range s.calls {
		total += c.succeeded.Load()
	}
	for name, c := range s.calls {
		if total > 300_000 && c.succeeded.Load() == 0 {
			t.Errorf("%s never succeeded, so nothing of it was tried", name)
		}
	}
}

func TestStressVariants(t *testing.T) {
	for _, v := range variants[1:] {
		t.Run(v.name, func(t *testing.T) { newStress(v.options...).run(t, min(stressDuration()/8, time.Second)) })
	}
	t.Run("full", func(t *testing.T) {
		s := newStress(memfs.WithSize(12*4096), memfs.WithInodes(24))
		s.limited = true
		s.run(t, min(stressDuration()/8, time.Second))
	})
	t.Run("full,dcache=1,hash=one", func(t *testing.T) {
		options := append(variants[1].options, variants[4].options...)
		s := newStress(append(options, memfs.WithSize(12*4096), memfs.WithInodes(24))...)
		s.limited = true
		s.run(t, min(stressDuration()/8, time.Second))
	})
}

func newStress(options ...memfs.Option) *stress {
	options = append(options, memfs.WithRootMode(0o777), memfs.WithUmask(0))
	s := &stress{fsys: newFS(options...), calls: map[string]*callCount{}}
	for name := range legal {
		s.calls[name] = &callCount{}
	}
	return s
}

// run works for about d, and stops a few times on the way to hold the file system against its invariants.
func (s *stress) run(t *testing.T, d time.Duration) {
	rng := seeded(t)
	deadline := time.Now().Add(d)
	for time.Now().Before(deadline) {
		s.round(t, rng, min(time.Until(deadline), max(d/8, 100*time.Millisecond), 2*time.Second))
	}
	must(t, removeBelow(s.fsys, "/"))
	check(t, s.fsys)
	if st := s.fsys.Statfs(); st.InodesUsed != 1 || st.BlocksUsed != 0 {
		t.Errorf("after all was removed: %d inodes and %d blocks in use", st.InodesUsed, st.BlocksUsed)
	}
	t.Log(s.counts())
}

func (s *stress) round(t *testing.T, rng *rand.Rand, d time.Duration) {
	s.stop.Store(false)
	timer := time.AfterFunc(d, func() { s.stop.Store(true) })
	defer timer.Stop()
	var group sync.WaitGroup
	team := make([]*actor, actors)
	for i := range team {
		a := &actor{s: s, rng: rand.New(rand.NewPCG(rng.Uint64(), uint64(i)))}
		a.doing.Store(&ops[0].name)
		a.views = []*memfs.FS{s.fsys.As(root), s.fsys.As(alice), s.fsys.As(bob), nil}
		a.views[3] = got[*memfs.FS](t)(s.fsys.OpenRoot("/"))
		team[i] = a
		group.Go(a.act)
	}
	s.watch(t, team, &group)
	for i := range s.held {
		if f := s.held[i].Swap(nil); f != nil {
			must(t, f.Close())
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fault != "" {
		t.Fatal(s.fault)
	}
	check(t, s.fsys)
}

// act works until the round is over.
func (a *actor) act() {
	defer func() {
		a.over.Store(true)
		if p := recover(); p != nil {
			a.faultf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	for !a.s.stop.Load() {
		op := &ops[pick(a.rng)]
		a.doing.Store(&op.name)
		op.run(a)
		a.done.Add(1)
		if a.rng.IntN(8) == 0 {
			runtime.Gosched()
		}
	}
}

// faultf notes what went wrong and ends the round.
func (a *actor) faultf(format string, args ...any) {
	a.s.stop.Store(true)
	a.s.mu.Lock()
	defer a.s.mu.Unlock()
	if a.s.fault == "" {
		a.s.fault = fmt.Sprintf(format, args...)
	}
}

// watch waits for the actors and ends the test if one hangs.
func (s *stress) watch(t *testing.T, team []*actor, group *sync.WaitGroup) {
	over := make(chan struct{})
	go func() {
		group.Wait()
		close(over)
	}()
	ticker := time.NewTicker(hungTime)
	defer ticker.Stop()
	last := make([]int64, len(team))
	for i := range last {
		last[i] = -1
	}
	for {
		select {
		case <-over:
			return
		case <-ticker.C:
		}
		var hung []string
		for i, a := range team {
			done := a.done.Load()
			if done == last[i] && !a.over.Load() {
				hung = append(hung, *a.doing.Load())
			}
			last[i] = done
		}
		if len(hung) > 0 {
			stacks := make([]byte, 1<<20)
			stacks = stacks[:runtime.Stack(stacks, true)]
			s.mu.Lock()
			defer s.mu.Unlock()
			t.Fatalf("hung: %s\n%s\n%s\n%s", strings.Join(hung, ", "), s.fault, s.counts(), stacks)
		}
	}
}

// counts is one line for each call.
func (s *stress) counts() string {
	lines := make([]string, 0, len(s.calls))
	for name, c := range s.calls {
		lines = append(lines, fmt.Sprintf("%14s %8d ok %8d failed", name, c.succeeded.Load(), c.failed.Load()))
	}
	sort.Strings(lines)
	return "\n" + strings.Join(lines, "\n")
}

// removeBelow removes all entries of a directory.
func removeBelow(fsys *memfs.FS, dir string) error {
	entries, err := fsys.ReadDir(dir)
	for _, entry := range entries {
		if err == nil {
			err = fsys.RemoveAll(dir + "/" + entry.Name())
		}
	}
	return err
}
