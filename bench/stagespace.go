package bench

import (
	"fmt"

	"stagefs/memfs"
	"stagefs/stage"
)

// The units of stage-space.
const (
	unitDentry     = "B/dentry"
	unitPool       = "B/pool"
	unitCredential = "B/credential"
)

// spacePools are the sizes of the pools that stage-space weighs.
var spacePools = []int{16, 256, 1024}

// runStageSpace weighs what the paper weighs: what each cached directory takes
// more than without the stage, and a pool of pivots of 8 components. The cache
// of whole paths has no pool, but something for each credential.
func runStageSpace(c *Context) error {
	const (
		dentry     = "part=dentry"
		credential = "part=credential"
	)
	c.report.declare(c.bench, dentry)
	tree := newLevelTree(c.scaled(10, 3))
	subjects := []subject{
		{"stage", dentry, func(m *meter) error {
			m.report(metricMemory, float64(stage.NodeBytes), unitDentry)
			return nil
		}},
		{"original", dentry, func(m *meter) error { return m.dentryBytes("original", tree) }},
		{"full-path", dentry, func(m *meter) error { return m.dentryBytes("full-path", tree) }},
	}
	for _, size := range spacePools {
		p := param("part", "pool", "pool", size)
		c.report.declare(c.bench, p)
		for _, impl := range stageImpls {
			if !hasPool(impl) {
				c.fail(impl, p, skipped("has no pivots"))
				continue
			}
			subjects = append(subjects, subject{impl, p, func(m *meter) error {
				return m.poolBytes(impl, size, max(1, c.scaled(2048, 1)/size))
			}})
		}
	}
	subjects = append(subjects, subject{"full-path", credential, func(m *meter) error {
		return m.credentialBytes("full-path", c.scaled(64, 2))
	}})
	c.compareRounds(min(c.cfg.Count, memoryRounds), subjects...)
	trim()
	return nil
}

// poolBytes reports by how much the heap grows with a pool of size pivots, each
// of which leads through directories of its own, in each of several file
// systems.
func (m *meter) poolBytes(impl string, size, systems int) error {
	pivots := stagePivots(shapeRoot, 0, size)
	targets := make([]*memTarget, systems)
	for i := range targets {
		t, err := openStill(impl, 0)
		if err != nil {
			return err
		}
		if err := each(pivots, func(dir string) error { return t.fs.MkdirAll(dir, 0o777) }); err != nil {
			return err
		}
		if err := t.setPool(pivots...); err != nil { // what is made only once is there from now on
			return err
		}
		if err := t.setPool(); err != nil {
			return err
		}
		targets[i] = t
	}
	before := heapInUse()
	for _, t := range targets {
		if err := t.setPool(pivots...); err != nil {
			return err
		}
	}
	m.reportGrowth(before, systems, unitPool)
	return closeEach(targets)
}

// dentryBytes reports by how much the heap grows for each path of tree that is
// looked up, beside what the dentry cache takes for it.
func (m *meter) dentryBytes(impl string, tree *levelTree) error {
	t, err := openStill(impl, 0)
	if err != nil {
		return err
	}
	view, err := t.fs.OpenRoot("/") // fills the dentry cache and no other
	if err != nil {
		return err
	}
	for _, dirs := range tree.levels {
		if err := each(dirs, func(dir string) error { return view.Mkdir(dir[1:], 0o777) }); err != nil {
			return err
		}
	}
	if err := each(tree.files, func(name string) error { return view.WriteFile(name[1:], nil, 0o666) }); err != nil {
		return err
	}
	paths := tree.all()
	var st memfs.Stat
	if err := each(paths, func(p string) error { return view.StatInto(p[1:], &st) }); err != nil {
		return err
	}
	if _, err := t.inos(paths[:1]); err != nil { // what a credential takes is another row
		return err
	}
	before := heapInUse()
	if _, err := t.inos(paths); err != nil {
		return err
	}
	m.reportGrowth(before, len(paths), unitDentry)
	return t.close()
}

// credentialBytes reports by how much the heap grows for each credential that
// looks something up. All look up the same.
func (m *meter) credentialBytes(impl string, credentials int) error {
	t, err := openStill(impl, 0)
	if err != nil {
		return err
	}
	paths := stageTargets(0)
	if err := t.fs.MkdirAll(paths[0], 0o777); err != nil {
		return err
	}
	if _, err := t.inos(paths); err != nil {
		return err
	}
	views := make([]*memTarget, credentials)
	for i := range views {
		views[i] = &memTarget{impl, t.fs.As(memfs.Cred{Uid: uint32(2000 + i), Gid: 2000})}
	}
	before := heapInUse()
	for _, v := range views {
		if _, err := v.inos(paths); err != nil {
			return fmt.Errorf("another user: %w", err)
		}
	}
	m.reportGrowth(before, credentials, unitCredential)
	return t.close()
}

// reportGrowth reports by how much the heap has grown since it was of before
// bytes, for each of n.
func (m *meter) reportGrowth(before uint64, n int, unit string) {
	grown := float64(heapInUse()) - float64(before)
	m.report(metricMemory, max(grown, 0)/float64(n), unit)
}

// closeEach closes targets; until then they are in use.
func closeEach(targets []*memTarget) error {
	for _, t := range targets {
		if err := t.close(); err != nil {
			return err
		}
	}
	return nil
}
