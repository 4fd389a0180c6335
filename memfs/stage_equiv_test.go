package memfs_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"stagefs/memfs"
	"stagefs/stage"
)

var (
	stageTime = flag.Duration("stage.time", 0, "how long TestStageEquivalence and each storm of TestStageConcurrent run")
	stageSeed = flag.Uint64("stage.seed", 0, "the only script of TestStageEquivalence; 0 for others each time")
)

// stageDuration is how long scripts and storms are repeated; each is made once at least.
func stageDuration(usual time.Duration) time.Duration {
	switch {
	case *stageTime > 0:
		return *stageTime
	case testing.Short():
		return usual / 10
	}
	return usual
}

// stageKinds are the ways to search the pivots.
var stageKinds = []stage.Kind{stage.Tree, stage.List, stage.Hash}

// stageSide is a file system that a script works on, with its views and open files.
type stageSide struct {
	fsys  *memfs.FS
	views []*memfs.FS // see stageViews; those from OpenRoot are nil until there is one
	files [4]*memfs.File
	now   int64 // seconds since 1970, the same in a whole operation
}

// stageViews are who acts in a script; the last ones are views from OpenRoot.
var stageViews = []string{"root", "alice", "bob", "carol", "root1", "root2", "root3", "root4"}

const stageConfined = 4 // the first of them

// carol belongs to no group that somebody else is in.
var carol = memfs.Cred{Uid: 1002, Gid: 1002}

func newStageSide(options ...memfs.Option) *stageSide {
	s := &stageSide{now: 1}
	options = append(slices.Clone(options), memfs.WithRootMode(0o777), memfs.WithUmask(0),
		memfs.WithClock(func() time.Time { return time.Unix(s.now, 0) }))
	s.fsys = newFS(options...)
	s.views = make([]*memfs.FS, len(stageViews))
	for i, cred := range []memfs.Cred{root, alice, bob, carol} {
		s.views[i] = s.fsys.As(cred)
	}
	return s
}

// stageTwins are two file systems that differ only in that one has a stage.
type stageTwins struct {
	config        string
	staged, plain *stageSide
	options       [2][]memfs.Option // of the plain one first
}

// newStageTwins chooses a configuration at random.
func newStageTwins(rng *rand.Rand) *stageTwins {
	v := variants[rng.IntN(len(variants))]
	c := stage.Config{
		Pivots:     []int{1, 2, 3, 8, 16, 64}[rng.IntN(6)],
		Candidates: []int{0, 64}[rng.IntN(2)],
		Threshold:  -1,
		Period:     []time.Duration{time.Hour, time.Hour, time.Hour, 1}[rng.IntN(4)],
		Sample:     1,
		Pool:       stageKinds[rng.IntN(len(stageKinds))],
	}
	twins := &stageTwins{config: fmt.Sprintf("%s %+v", v.name, c)}
	twins.options[0] = append(slices.Clone(v.options), memfs.WithoutStage())
	twins.options[1] = append(slices.Clone(v.options), memfs.WithStage(c))
	twins.renew()
	return twins
}

// renew begins with empty file systems again.
func (twins *stageTwins) renew() {
	twins.staged, twins.plain = newStageSide(twins.options[1]...), newStageSide(twins.options[0]...)
}

// try makes one operation on both, and returns what the plain one answers; diff tells if the other answers otherwise.
func (twins *stageTwins) try(op stageOp) (answer, diff string) {
	want, have := op.run(twins.plain), op.run(twins.staged)
	twins.plain.now++
	twins.staged.now++
	if have != want {
		diff = fmt.Sprintf("%s\n  plain  %s\n  staged %s", op.text, want, have)
	}
	return want, diff
}

// agree holds both against their invariants and compares all that is in them; pivots must lead to directories.
func (twins *stageTwins) agree(t *testing.T) {
	t.Helper()
	for _, s := range []*stageSide{twins.plain, twins.staged} {
		for _, f := range s.files {
			_ = f.Close() // of nil, too
		}
		check(t, s.fsys)
	}
	if _, diff := twins.try(stageOp{"in the end", func(s *stageSide) string { return stageListing(s.fsys, "/") }}); diff != "" {
		t.Error(diff)
	}
	for _, path := range twins.staged.fsys.Stage().Pivots() {
		if st := stat(t, twins.plain.fsys, path); !st.IsDir() {
			t.Errorf("pivot %s is no directory", path)
		}
	}
}

// differ makes a script anew and returns the first difference.
func (twins *stageTwins) differ(script []stageOp) string {
	twins.renew()
	for _, op := range script {
		if _, diff := twins.try(op); diff != "" {
			return diff
		}
	}
	return ""
}

// shrink takes operations out of a script that makes a difference as long as it still does.
func (twins *stageTwins) shrink(script []stageOp) []stageOp {
	for size := (len(script) + 1) / 2; size > 0; {
		shorter := false
		for at := 0; at < len(script); {
			less := slices.Concat(script[:at], script[min(at+size, len(script)):])
			if twins.differ(less) == "" {
				at += size
				continue
			}
			script, shorter = less, true
		}
		if !shorter || size > 1 {
			size /= 2
		}
	}
	return script
}

// TestStageEquivalence makes random calls on two file systems, one with a stage and one without. All answers must be the
// same to the last detail, whatever is in the pool.
func TestStageEquivalence(t *testing.T) {
	first := *stageSeed
	if first == 0 {
		first = seeded(t).Uint64()
	}
	var total stage.Stats
	scripts := 0
	for end := time.Now().Add(stageDuration(2 * time.Second)); scripts == 0 || time.Now().Before(end); scripts++ {
		s := stageScriptTest(t, first+uint64(scripts))
		if t.Failed() {
			return
		}
		total.Lookups += s.Lookups
		total.Hits += s.Hits
		total.Skipped += s.Skipped
		total.Invalidations += s.Invalidations
		total.Swaps += s.Swaps
		if *stageSeed != 0 {
			break
		}
	}
	t.Logf("%d scripts, %d lookups, %d at pivots, %d components skipped, %d invalidations, %d pools", scripts, total.Lookups,
		total.Hits, total.Skipped, total.Invalidations, total.Swaps)
	if total.Hits == 0 || total.Skipped < total.Hits || total.Invalidations == 0 || total.Swaps == 0 {
		t.Error("the stage was not used")
	}
}

const stageSteps = 500 // operations in a script, after the tree is there

// stageScriptTest makes up one script, runs it, and shortens it if it makes a difference.
func stageScriptTest(t *testing.T, seed uint64) stage.Stats {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 1))
	twins := newStageTwins(rng)
	g := &stageScript{rng: rng, twins: twins}
	var script []stageOp
	for i := range stageSteps {
		op := g.next(i)
		script = append(script, op)
		answer, diff := twins.try(op)
		if diff != "" {
			script = twins.shrink(script)
			diff = twins.differ(script)
			var lines []string
			for _, op := range script {
				lines = append(lines, "  "+op.text)
			}
			t.Errorf("-stage.seed %d, %s makes a difference:\n%s\nthen\n%s", seed, twins.config, strings.Join(lines, "\n"), diff)
			return stage.Stats{}
		}
		g.learn(op, answer)
	}
	twins.agree(t)
	if t.Failed() {
		t.Logf("-stage.seed %d, %s", seed, twins.config)
	}
	return twins.staged.fsys.Stage().Stats()
}
