package bench

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"stagefs/memfs"
	"stagefs/stage"
)

// modifyTimes is how often a round does each change; the paper did it 10 times.
const modifyTimes = 20

// dirChange is what stage-modify does to a directory.
type dirChange struct {
	op    string
	do    func(t *memTarget, dir string) error
	undo  func(t *memTarget, dir string) error
	moves bool // dir is renamed(dir) between the two
}

var dirChanges = []dirChange{
	{"rename",
		func(t *memTarget, dir string) error { return t.fs.Rename(dir, renamed(dir)) },
		func(t *memTarget, dir string) error { return t.fs.Rename(renamed(dir), dir) }, true},
	{"chmod",
		func(t *memTarget, dir string) error { return t.fs.Chmod(dir, 0o750) },
		func(t *memTarget, dir string) error { return t.fs.Chmod(dir, 0o755) }, false},
}

func renamed(dir string) string { return dir + "r" }

// name is the name of dir after the change.
func (ch *dirChange) name(dir string) string {
	if ch.moves {
		return renamed(dir)
	}
	return dir
}

// cuts reports whether pivots do not survive the change at level. Those of the
// last level lead to the directory and not through it; its mode is of no
// concern to them.
func (ch *dirChange) cuts(level int) bool { return ch.moves || level < treeLevels }

// cutPivot returns a pivot in the pool that a change of dir has to cut, or "".
func (ch *dirChange) cutPivot(t *memTarget, dir string) string {
	for _, p := range t.fs.Stage().Pivots() {
		if (isWithin(p, dir) || isWithin(p, ch.name(dir))) && (ch.moves || p != dir) {
			return p
		}
	}
	return ""
}

func modifyParam(ch dirChange, level int, then string) string {
	p := param("op", ch.op, "level", level)
	if then != "" {
		p += ",then=" + then
	}
	return p
}

// modifyImpls are the rivals of figure 9 and the paper's own pool.
func modifyImpls() []string {
	return slices.DeleteFunc(slices.Clone(stageImpls), func(impl string) bool { return impl == "stage-hash" })
}

// runStageModify is figure 9 of the paper: the time to rename a directory or to
// change its mode, by its level in a tree that is cached as a whole.
func runStageModify(c *Context) error {
	tree := newLevelTree(c.scaled(10, 3))
	for level := 1; level <= treeLevels; level++ {
		for _, ch := range dirChanges {
			for _, then := range []string{"", "lookup", "pivots"} {
				c.report.declare(c.bench, modifyParam(ch, level, then))
			}
		}
	}
	targets := c.stageFixtures(modifyImpls(), modifyParam(dirChanges[0], 1, ""), tree.fill,
		func(t *memTarget) error { return checkChanges(t, tree) })
	defer c.closeStage(targets)
	for level := 1; level <= treeLevels; level++ {
		var subjects []subject
		for _, ch := range dirChanges {
			for _, t := range targets {
				subjects = append(subjects, subject{t.name, modifyParam(ch, level, ""), func(m *meter) error {
					return modifyRound(m, t, tree, ch, level, c.scaled(modifyTimes, 3))
				}})
			}
		}
		c.compare(subjects...)
	}
	return c.pivotsBack(tree)
}

// modifyRound changes the directory of level times times, each time with
// all of the tree looked up and the pool full before, and reports the
// medians of the changes and of the first lookups of a file below after them.
func modifyRound(m *meter, t *memTarget, tree *levelTree, ch dirChange, level, times int) error {
	dir := tree.changed(level)
	pivots := tree.pivots(dir)
	files := within(tree.files, dir)
	file := ch.name(dir) + files[len(files)-1][len(dir):]
	var st memfs.Stat
	changing, looking := make([]float64, times), make([]float64, times)
	settle()
	for i := range times {
		if err := prepareChange(m, t, tree, pivots); err != nil {
			return err
		}
		start := time.Now()
		err := ch.do(t, dir)
		changing[i] = float64(time.Since(start))
		if err != nil {
			return err
		}
		start = time.Now()
		err = t.fs.StatInto(file, &st)
		looking[i] = float64(time.Since(start))
		if err != nil {
			return err
		}
		if st.Size != treeFileSize {
			return fmt.Errorf("self-check: %s has %d bytes, not %d", file, st.Size, treeFileSize)
		}
		if err := ch.undo(t, dir); err != nil {
			return err
		}
	}
	m.report(metricTime, median(changing), unitTime)
	m.reportAs(modifyParam(ch, level, "lookup"), metricTime, median(looking), unitTime)
	return nil
}

// prepareChange fills the pool and looks up the whole tree, as the paper does
// before each measurement. It comes in this order because making a pool brings
// the directories on it into the processor's caches, for some rivals only.
func prepareChange(m *meter, t *memTarget, tree *levelTree, pivots []string) error {
	if m.ctx != nil && m.ctx.Err() != nil {
		return m.ctx.Err()
	}
	if err := t.setPool(pivots...); err != nil {
		return err
	}
	return tree.lookUp(t)
}

// checkChanges fails unless each change takes the pivots below the directory
// out of the pool, and leaves no path through the name that a rename took away.
func checkChanges(t *memTarget, tree *levelTree) error {
	for level := 1; level <= treeLevels; level++ {
		for _, ch := range dirChanges {
			if err := checkChange(t, tree, ch, level); err != nil {
				return fmt.Errorf("%s: %w", modifyParam(ch, level, ""), err)
			}
		}
	}
	return nil
}

func checkChange(t *memTarget, tree *levelTree, ch dirChange, level int) error {
	dir := tree.changed(level)
	if err := t.setPool(tree.pivots(dir)...); err != nil {
		return err
	}
	if cuts := hasPool(t.name) && ch.cuts(level); cuts != (ch.cutPivot(t, dir) != "") {
		return fmt.Errorf("self-check: a pivot that the change of %s cuts: %v, want %v", dir, !cuts, cuts)
	}
	if err := ch.do(t, dir); err != nil {
		return err
	}
	if p := ch.cutPivot(t, dir); p != "" {
		return fmt.Errorf("self-check: pivot %s outlives the change of %s", p, dir)
	}
	file := within(tree.files, dir)[0]
	now := ch.name(dir)
	if _, err := t.inos([]string{now + file[len(dir):]}); err != nil {
		return err
	}
	if _, err := t.inos([]string{file}); now != dir && err == nil {
		return fmt.Errorf("self-check: %s is still there after %s", file, ch.op)
	}
	return ch.undo(t, dir)
}

// pivotsBack measures once how long the stage with its usual period is without
// the pivots that a change has cut, while files there are looked up.
func (c *Context) pivotsBack(tree *levelTree) error {
	period := stage.DefaultPeriod / time.Duration(c.cfg.Scale)
	first := modifyParam(dirChanges[0], 1, "pivots")
	c.step("stage", first, true)
	t, err := openStage("stage", memfs.WithStage(stage.Config{Period: period}))
	if err != nil {
		return err
	}
	if err := tree.fill(t); err != nil {
		return err
	}
	defer c.closeStage([]*memTarget{t})
	var subjects []subject
	for level := 1; level <= treeLevels; level++ {
		for _, ch := range dirChanges {
			p := modifyParam(ch, level, "pivots")
			for _, impl := range modifyImpls() {
				switch {
				case !hasPool(impl):
					c.fail(impl, p, skipped("has no pivots"))
				case impl != "stage":
					c.fail(impl, p, skipped("its pivots come back as the stage's do"))
				case !ch.cuts(level):
					c.fail(impl, p, skipped("no pivot leads through the directory"))
				default:
					subjects = append(subjects, subject{impl, p, func(m *meter) error {
						return backRound(m, t, tree, ch, tree.changed(level), period)
					}})
				}
			}
		}
	}
	c.compareRounds(1, subjects...)
	return nil
}

// backRound changes dir and looks up files below it until there is a pivot that
// the change would cut again.
func backRound(m *meter, t *memTarget, tree *levelTree, ch dirChange, dir string, period time.Duration) error {
	if err := t.setPool(tree.pivots(dir)...); err != nil {
		return err
	}
	var files []string
	for _, f := range within(tree.files, dir) {
		if files = append(files, ch.name(dir)+f[len(dir):]); len(files) == leaves {
			break
		}
	}
	start := time.Now()
	if err := ch.do(t, dir); err != nil {
		return err
	}
	took, err := waitForPivot(m, t, files, start.Add(5*period+time.Second), func() bool { return ch.cutPivot(t, dir) != "" })
	if err == nil {
		m.reportTime(took.Sub(start), 1)
	}
	return errors.Join(err, ch.undo(t, dir))
}

// waitForPivot looks up files until there is a pool that is good, and returns
// the time when it was there.
func waitForPivot(m *meter, t *memTarget, files []string, deadline time.Time, good func() bool) (time.Time, error) {
	lookup := t.newLookup()
	swaps := t.fs.Stage().Stats().Swaps
	for {
		if err := each(files, lookup); err != nil {
			return time.Time{}, err
		}
		now := time.Now()
		if s := t.fs.Stage().Stats().Swaps; s != swaps {
			if swaps = s; good() {
				return now, nil
			}
		}
		if now.After(deadline) {
			return now, errors.New("self-check: no pivot is back")
		}
		if m.ctx != nil && m.ctx.Err() != nil {
			return now, m.ctx.Err()
		}
	}
}
