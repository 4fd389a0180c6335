package bench

import (
	"bytes"
	"compress/gzip"
	"embed"
	"fmt"
	"slices"
	"strconv"
	"time"

	"stagefs/memfs"
	"stagefs/stage"
)

// shippedTraces are what "strace -f -e trace=%file -o FILE COMMAND" wrote:
// go-build of "go build" of a program of one file with a warm build cache,
// git-status of "git status" in a repository of 714 files.
//
//go:embed traces/*.gz
var shippedTraces embed.FS

var shippedNames = []string{"go-build", "git-status"}

const (
	// replayOps is how many calls a run makes at least: a shorter trace is
	// replayed again and again, as such commands are.
	replayOps = 60_000

	// replayRuns is how many runs a round makes. The round's result is their
	// median, which what else the machine does in between does not move.
	replayRuns = 5

	// coldPeriod is the time between two pools in a run that begins cold. The
	// paper cuts every pause of its trace to two periods of 2 s; a replay without
	// any pause takes some 20 ms, in which this leaves room for ten pools. Making
	// them is part of the time that is measured.
	coldPeriod = 2 * time.Millisecond
)

func runStageReplay(c *Context) error {
	replays, err := c.replays()
	if err != nil {
		return err
	}
	for _, r := range replays {
		c.note("trace %s: %d calls of %d threads, %s", r.name, len(r.order), len(r.turns), r.left)
		if !c.cfg.Cold {
			c.replayWarm(r)
		}
		c.replayCold(r)
		trim()
		if c.ctx.Err() != nil {
			break
		}
	}
	return nil
}

// replays returns the traces to replay: the user's, or paper and the shipped.
func (c *Context) replays() ([]*replay, error) {
	var all []*replay
	if len(c.cfg.Traces) > 0 {
		times := make(map[string]int)
		for _, file := range c.cfg.Traces {
			t, err := readTraceFile(file)
			if err != nil {
				return nil, err
			}
			if times[t.name]++; times[t.name] > 1 {
				t.name += "-" + strconv.Itoa(times[t.name])
			}
			all = append(all, newReplay(t))
		}
		return all, nil
	}
	all = append(all, newPaperReplay(c.cfg.Seed, c.cfg.Scale))
	for _, name := range shippedNames {
		t, err := shippedTrace(name)
		if err != nil {
			return nil, err
		}
		all = append(all, newReplay(t))
	}
	return all, nil
}

// CheckTraces tells what keeps files from being Config.Traces.
func CheckTraces(files ...string) error {
	for _, file := range files {
		if _, err := readTraceFile(file); err != nil {
			return err
		}
	}
	return nil
}

func shippedTrace(name string) (*trace, error) {
	data, err := shippedTraces.ReadFile("traces/" + name + ".gz")
	if err != nil {
		return nil, err
	}
	unzip, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	return readTrace(name, unzip)
}

// passes is how often a run replays the trace.
func (c *Context) passes(r *replay) int {
	return max(c.scaled(replayOps, 1)/len(r.order), 1)
}

// replayWarm compares replays on file systems on which the trace was replayed
// before, as often as in a run, and whose pool was made by what that found
// popular. It stays as it is.
func (c *Context) replayWarm(r *replay) {
	p := param("trace", r.name, "cache", "warm")
	all := param("trace", r.name, "cache", "warm", "threads", "all")
	passes := c.passes(r)
	var single, threads []subject
	for _, impl := range stageImpls {
		c.step(impl, p, true)
		play, err := openReplay(impl, r, time.Hour)
		if err != nil {
			c.fail(impl, p, err)
			continue
		}
		defer play.fsys.Close()
		v, err := play.verify()
		if err == nil {
			err = play.warmUp(passes, v)
		}
		if err != nil {
			c.fail(impl, p, err)
			continue
		}
		single = append(single, subject{impl, p, func(m *meter) error {
			return c.medianRun(m, passes*len(r.order), func() (time.Duration, error) { return play.passes(passes, v) })
		}})
		threads = append(threads, subject{impl, all, func(m *meter) error {
			return c.medianRun(m, passes*len(r.order), func() (time.Duration, error) { return play.passesThreads(passes) })
		}})
	}
	c.compare(single...)
	if len(r.turns) > 1 {
		c.compare(threads...)
	}
}

// replayCold compares replays on file systems of which nothing was looked up
// before: the dentry cache is empty, and so is the pool.
func (c *Context) replayCold(r *replay) {
	p := param("trace", r.name, "cache", "cold")
	passes := c.passes(r)
	var subjects []subject
	for _, impl := range stageImpls {
		c.step(impl, p, true)
		v, err := verifyReplay(impl, r)
		if err != nil {
			c.fail(impl, p, err)
			continue
		}
		subjects = append(subjects, subject{impl, p, func(m *meter) error {
			return c.medianRun(m, passes*len(r.order), func() (time.Duration, error) {
				play, err := openReplay(impl, r, coldPeriod)
				if err != nil {
					return 0, err
				}
				defer play.fsys.Close()
				play.stray = v.wrong+v.loose > 0
				return play.passes(passes, v)
			})
		}})
	}
	c.compare(subjects...)
}

// openReplay makes a file system of impl with the tree of r, on which nothing
// was looked up.
func openReplay(impl string, r *replay, period time.Duration) (*player, error) {
	var opts []memfs.Option
	if hasPool(impl) {
		opts = append(opts, memfs.WithStage(stage.Config{Pool: stagePool(impl), Period: period}))
	}
	t, err := openStage(impl, opts...)
	if err != nil {
		return nil, err
	}
	play, err := newPlayer(r, t.fs)
	if err != nil {
		_ = t.close() // the first error is the one to tell
	}
	return play, err
}

// verifyReplay is a first, checked replay on a file system of its own.
func verifyReplay(impl string, r *replay) (verified, error) {
	play, err := openReplay(impl, r, coldPeriod)
	if err != nil {
		return verified{}, err
	}
	defer play.fsys.Close()
	return play.verify()
}

// warmUp replays as often as a run does, and then makes the pool.
func (p *player) warmUp(passes int, v verified) error {
	if err := p.reset(); err != nil {
		return err
	}
	for range passes {
		if err := p.pass(v); err != nil {
			return err
		}
	}
	p.fsys.Stage().Step()
	return nil
}

// pass replays once, untimed, and undoes it.
func (p *player) pass(v verified) error {
	if failed := p.run(p.order); failed != v.failed {
		return p.differs(failed, v)
	}
	return p.reset()
}

func (p *player) differs(failed int, v verified) error {
	return fmt.Errorf("self-check: %d calls of trace %s fail, and %d did in its first replay", failed, p.name, v.failed)
}

// medianRun reports the time of the median of several runs.
func (c *Context) medianRun(m *meter, ops int, run func() (time.Duration, error)) error {
	times := make([]time.Duration, c.scaled(replayRuns, 1))
	for i := range times {
		var err error
		if times[i], err = run(); err != nil {
			return err
		}
		if err := m.ctx.Err(); err != nil {
			return err
		}
	}
	slices.Sort(times)
	m.reportTime(times[len(times)/2], ops)
	return nil
}

// passes replays n times. Undoing what the trace changed is not timed.
func (p *player) passes(n int, v verified) (time.Duration, error) {
	settle()
	var total time.Duration
	for range n {
		start := time.Now()
		failed := p.run(p.order)
		total += time.Since(start)
		if failed != v.failed {
			return 0, p.differs(failed, v)
		}
		if err := p.reset(); err != nil {
			return 0, err
		}
	}
	return total, nil
}

// passesThreads replays n times, each thread of the trace on a goroutine of its
// own, all at once; what they change meets in another order than in the trace.
func (p *player) passesThreads(n int) (time.Duration, error) {
	var total time.Duration
	for range n {
		elapsed, err := fanOut(len(p.turns), func(worker int) error {
			p.run(p.turns[worker])
			return nil
		})
		if err != nil {
			return 0, err
		}
		total += elapsed
		if err := p.reset(); err != nil {
			return 0, err
		}
	}
	return total, nil
}
