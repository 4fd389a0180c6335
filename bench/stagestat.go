package bench

import (
	"fmt"
	"slices"

	"stagefs/memfs"
)

// The pools of figure 7, and two as large as a pool can get.
var stagePools = []int{1, 2, 4, 8, 16, 256, 1024}

// statPools returns the sizes of the pools of stage-stat. A scaled run makes do
// with smaller ones.
func (c *Context) statPools() []int {
	if c.cfg.Scale > 1 {
		return stagePools[:len(stagePools)-1]
	}
	return stagePools
}

// statWalks returns how many components stage-stat leaves to walk. Pivots of one
// component have only one shape. A scaled run takes both ends.
func (c *Context) statWalks(shape string) []int {
	var walks []int
	for walk := range len(spine) + 1 {
		switch {
		case c.cfg.Scale > 1 && walk > 1 && walk < len(spine)-1:
		case shape != shapeRoot && walk == len(spine)-1:
		default:
			walks = append(walks, walk)
		}
	}
	return walks
}

// openPool is the only pool with rows of op=open: what a pool's size changes is
// the lookup, and that is op=stat.
const openPool = 16

// runStageStat is figure 7 of the paper: the time of a lookup by the components
// that are left to walk, and by the pivots in the pool.
func runStageStat(c *Context) error {
	for _, shape := range []string{shapeRoot, shapeSiblings, shapeBinary} {
		if err := c.stageStatOf(shape); err != nil {
			return err
		}
	}
	return nil
}

func (c *Context) stageStatOf(shape string) error {
	walks, pools := c.statWalks(shape), c.statPools()
	p := statParam("stat", shape, walks[0], pools[0])
	targets := c.stageFixtures(stageImpls, p, func(t *memTarget) error { return fillStage(t, shape, walks, pools) },
		func(t *memTarget) error { return checkSkips(t, shape, walks, pools) })
	defer c.closeStage(targets)
	for _, walk := range walks {
		var subjects []subject
		for _, pool := range pools {
			c.report.declare(c.bench, statParam("stat", shape, walk, pool))
			for _, t := range targets {
				subjects = append(subjects, c.statSubject(t, shape, walk, pool))
			}
		}
		settle() // no round makes much garbage
		c.compare(subjects...)
	}
	return nil
}

func statParam(op, shape string, walk, pool int) string {
	return param("op", op, "shape", shape, "walk", walk, "pool", pool)
}

// stageFixtures opens a file system of each of impls, with a pool that stays as
// it is, and fills it. check gets another of each, filled alike, that
// counts every lookup; after it the rest of the experiment is left to those
// that passed.
func (c *Context) stageFixtures(impls []string, param string, fill, check func(*memTarget) error) []*memTarget {
	var ready []*memTarget
	for _, impl := range impls {
		if c.ctx.Err() != nil {
			break
		}
		c.step(impl, param, true)
		t, err := openStill(impl, 1)
		if err == nil {
			err = guard(func() error {
				if err := fill(t); err != nil {
					return err
				}
				return check(t)
			})
		}
		if err == nil {
			if t, err = openStill(impl, 0); err == nil {
				err = guard(func() error { return fill(t) })
			}
		}
		if err != nil {
			c.fail(impl, param, err)
			continue
		}
		ready = append(ready, t)
	}
	trim() // of what was only there to be checked
	return ready
}

// closeStage closes targets and gives their memory back.
func (c *Context) closeStage(targets []*memTarget) {
	all := make([]target, len(targets))
	for i, t := range targets {
		all[i] = t
	}
	clear(targets)
	c.closeAll(all)
}

// fillStage makes all pivots and all directories that are looked up.
func fillStage(t *memTarget, shape string, walks, pools []int) error {
	mkdir := func(dir string) error { return t.fs.MkdirAll(dir, 0o777) }
	for _, walk := range walks {
		if err := each(stageTargets(walk), mkdir); err != nil {
			return err
		}
		if err := each(stagePivots(shape, walk, slices.Max(pools)), mkdir); err != nil { // smaller pools are parts of it
			return err
		}
	}
	return nil
}

// checkSkips compares what t's stage says about lookups with what the experiment
// is about: that they skip all but walk components.
func checkSkips(t *memTarget, shape string, walks, pools []int) error {
	for _, walk := range walks {
		for _, pool := range pools {
			err := t.expectSkips(stageTargets(walk), len(spine)-walk, stagePivots(shape, walk, pool)...)
			if err != nil {
				return fmt.Errorf("%s: %w", statParam("stat", shape, walk, pool), err)
			}
		}
	}
	return nil
}

// expectSkips fails unless the lookup of each of paths, all counted, skips as
// many components as given when pivots are the pool, and finds what it finds
// without them. Without a stage nothing may be counted.
func (t *memTarget) expectSkips(paths []string, skipped int, pivots ...string) error {
	if err := t.setPool(); err != nil {
		return err
	}
	plain, err := t.inos(paths)
	if err != nil {
		return err
	}
	if err := t.setPool(pivots...); err != nil {
		return err
	}
	before := t.fs.Stage().Stats()
	inos, err := t.inos(paths)
	if err != nil {
		return err
	}
	after := t.fs.Stage().Stats()
	if !slices.Equal(inos, plain) {
		return fmt.Errorf("self-check: the stage finds inodes %d instead of %d", inos, plain)
	}
	lookups, hits := uint64(len(paths)), uint64(len(paths))
	if skipped == 0 {
		hits = 0
	}
	if !hasPool(t.name) {
		lookups, hits = 0, 0
	}
	gotLookups, gotHits, gotSkipped := after.Lookups-before.Lookups, after.Hits-before.Hits, after.Skipped-before.Skipped
	if want := hits * uint64(skipped); gotLookups != lookups || gotHits != hits || gotSkipped != want {
		return fmt.Errorf("self-check: %d lookups skipped %d components in %d hits instead of %d skipping %d in %d",
			gotLookups, gotSkipped, gotHits, lookups, want, hits)
	}
	return nil
}

// inos returns the numbers of the inodes that paths lead to.
func (t *memTarget) inos(paths []string) ([]uint64, error) {
	var st memfs.Stat
	inos := make([]uint64, len(paths))
	for i, p := range paths {
		if err := t.fs.StatInto(p, &st); err != nil {
			return nil, err
		}
		inos[i] = st.Ino
	}
	return inos, nil
}

// statSubject measures lookups, and in the pool openPool opens too.
func (c *Context) statSubject(t *memTarget, shape string, walk, pool int) subject {
	pivots, paths := stagePivots(shape, walk, pool), stageTargets(walk)
	ops := c.scaled(20_000, leaves)
	if t.name == "stage-list" && pool > 16 {
		ops = c.scaled(2_000, leaves) // compares every pivot
	}
	stat := statParam("stat", shape, walk, pool)
	return subject{t.name, stat, func(m *meter) error {
		if err := t.setPool(pivots...); err != nil {
			return err
		}
		if err := statRound(m, stat, t, paths, ops); err != nil || pool != openPool {
			return err
		}
		return openRound(m, statParam("open", shape, walk, pool), t, paths, ops/4)
	}}
}

// statRound times lookups into the caller's Stat, after one of each path that is
// not timed, and reports them as param.
func statRound(m *meter, param string, t *memTarget, paths []string, ops int) error {
	padded := new(struct {
		_  [cacheLine]byte
		st memfs.Stat
		_  [cacheLine]byte
	})
	st := &padded.st
	loop := func(ops int) error {
		at := 0
		for range ops {
			if err := t.fs.StatInto(paths[at], st); err != nil {
				return err
			}
			if at++; at == len(paths) {
				at = 0
			}
		}
		return nil
	}
	if err := m.timePieces(param, ops, len(paths), loop); err != nil {
		return err
	}
	if !st.IsDir() {
		return fmt.Errorf("self-check: %s is no directory", paths[0])
	}
	return nil
}

// openRound times opening and closing directories as statRound does.
func openRound(m *meter, param string, t *memTarget, paths []string, ops int) error {
	return m.timePieces(param, ops, len(paths), func(ops int) error {
		at := 0
		for range ops {
			f, err := t.fs.Open(paths[at])
			if err != nil {
				return err
			}
			if err := f.Close(); err != nil {
				return err
			}
			if at++; at == len(paths) {
				at = 0
			}
		}
		return nil
	})
}
