package bench

import (
	"fmt"
	"slices"
	"time"

	"stagefs/memfs"
	"stagefs/stage"
)

// stageImpls are the ways to look up a path that the experiments stage-...
// compare: memfs with its stage, with the stage's other pools, without one, and
// with a cache of whole paths in its place.
var stageImpls = []string{"stage", "stage-list", "stage-hash", "original", "full-path"}

// isStage reports whether impl is one of memfs's ways to look up a path.
func isStage(impl string) bool {
	return slices.Contains(stageImpls, impl)
}

// stagePool is how the pivots of impl are searched.
func stagePool(impl string) stage.Kind {
	switch impl {
	case "stage-list":
		return stage.List
	case "stage-hash":
		return stage.Hash
	}
	return stage.Tree
}

// hasPool reports whether impl has pivots.
func hasPool(impl string) bool {
	switch impl {
	case "stage", "stage-list", "stage-hash":
		return true
	}
	return false
}

// openStage makes an empty file system of impl, one of stageImpls. It acts as
// an ordinary user, whoever runs the benchmark, so that search permission is
// really checked. opts come last and win.
func openStage(impl string, opts ...memfs.Option) (*memTarget, error) {
	all := []memfs.Option{memfs.WithCred(memfs.Cred{Uid: 1000, Gid: 1000})}
	switch impl {
	case "stage":
	case "stage-list", "stage-hash":
		all = append(all, memfs.WithStage(stage.Config{Pool: stagePool(impl)}))
	case "original":
		all = append(all, memfs.WithoutStage())
	case "full-path":
		all = append(all, memfs.WithPathCache(newFullPath))
	default:
		return nil, fmt.Errorf("%s is no way to look up a path", impl)
	}
	return &memTarget{impl, memfs.New(append(all, opts...)...)}, nil
}

// openStill is openStage with a pool that stays as setPool makes it, of any
// size: nothing changes it within an hour. One in sample lookups is counted; 0
// means the default.
func openStill(impl string, sample int) (*memTarget, error) {
	if !hasPool(impl) {
		return openStage(impl)
	}
	return openStage(impl, memfs.WithStage(stage.Config{
		Pivots: stage.MaxPivots, Period: time.Hour, Sample: sample, Pool: stagePool(impl)}))
}

// opener is openStage as the other rivals are opened.
func opener(impl string) func() (target, error) {
	return func() (target, error) {
		t, err := openStage(impl)
		if err != nil {
			return nil, err
		}
		return t, nil
	}
}

// setPool makes dirs the pool of t, if it has one. It fails unless the pool then
// holds as many pivots.
func (t *memTarget) setPool(dirs ...string) error {
	if !hasPool(t.name) {
		return nil
	}
	if err := t.fs.Promote(dirs...); err != nil {
		return err
	}
	if got := t.fs.Stage().Stats().Pivots; got != len(dirs) {
		return fmt.Errorf("self-check: %d pivots instead of %d", got, len(dirs))
	}
	return nil
}
