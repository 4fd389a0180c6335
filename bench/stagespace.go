package bench

import (
	"runtime"

	"stagefs/stage"
)

// The units of stage-space.
const (
	unitDentry = "B/dentry"
	unitPool   = "B/pool"
)

// spacePools are the sizes of the pools that stage-space weighs.
var spacePools = []int{16, 256, 1024}

// runStageSpace weighs what the paper weighs: what each cached directory takes
// more than without the stage, and a pool of pivots of 8 components.
func runStageSpace(c *Context) error {
	const perDentry = "part=dentry"
	c.report.declare(c.bench, perDentry)
	subjects := []subject{{"stage", perDentry, func(m *meter) error {
		m.report(metricMemory, float64(stage.NodeBytes), unitDentry)
		return nil
	}}}
	for _, size := range spacePools {
		p := param("part", "pool", "pool", size)
		c.report.declare(c.bench, p)
		for _, impl := range stageImpls {
			if !hasPool(impl) {
				c.fail(impl, p, skipped("has no pivots"))
				continue
			}
			subjects = append(subjects, subject{impl, p, func(m *meter) error {
				return poolRound(m, impl, size, max(1, c.scaled(2048, 1)/size))
			}})
		}
	}
	c.compareRounds(min(c.cfg.Count, memoryRounds), subjects...)
	trim()
	return nil
}

// poolRound reports by how much the heap grows with a pool of size pivots, each
// of which leads through directories of its own, in each of several file
// systems.
func poolRound(m *meter, impl string, size, systems int) error {
	pivots := stagePivots(shapeRoot, 0, size)
	targets := make([]*memTarget, systems)
	for i := range targets {
		t, err := openStill(impl, 0)
		if err != nil {
			return err
		}
		err = each(pivots, func(dir string) error { return t.fs.MkdirAll(dir, 0o777) })
		if err == nil {
			_, err = t.inos(pivots)
		}
		if err == nil {
			err = t.setPool(pivots...) // what is only made once is there from now on
		}
		if err == nil {
			err = t.setPool()
		}
		if err != nil {
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
	after := heapInUse()
	m.report(metricMemory, (float64(after)-float64(before))/float64(systems), unitPool)
	for _, t := range targets {
		if err := t.close(); err != nil { // also keeps t alive until here
			return err
		}
	}
	runtime.KeepAlive(pivots)
	return nil
}
