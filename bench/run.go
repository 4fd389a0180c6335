package bench

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
)

// Defaults of Config and the constants of every run.
const (
	DefaultCount = 5        // rounds, as in the RFC; the U-test needs 4 to tell two runs apart
	DefaultSeed  = 1        // of the order of rivals and of random names
	ballastBytes = 64 << 20 // heap that is always there, the same for every rival
)

// Config says how to run. The zero value is ready to use.
type Config struct {
	Count int    // rounds of each comparison; 0 means DefaultCount
	Seed  uint64 // of the order of rivals and of random names; 0 means DefaultSeed

	// Scale divides the sizes and operation counts of every experiment; 0
	// means 1. The figures of a scaled run are no measurement: it shows that
	// everything works.
	Scale int

	// TreeDir is the directory that the experiment tree copies; "" means the
	// src directory below what "go env GOROOT" prints.
	TreeDir string

	// Traces are files with the output of "strace -f -e trace=%file", plain or
	// compressed by gzip, which the experiment stage-replay replays instead of
	// its own.
	Traces []string

	// Cold restricts stage-replay to runs that begin with empty caches.
	Cold bool

	OnRow  func(Row)  // called for each row when it is measured, from one goroutine
	OnStep func(Step) // called before each measurement or preparation, from one goroutine
}

// Step says how far a run has come. Experiments announce their measurements
// comparison by comparison, so Total is 0 at first and may grow while one runs.
type Step struct {
	Bench, Impl, Param string // what is measured or prepared next
	Preparing          bool   // it is prepared
	Done, Total        int    // measurements of this experiment
}

func (c *Config) setDefaults() error {
	if c.Count == 0 {
		c.Count = DefaultCount
	}
	if c.Seed == 0 {
		c.Seed = DefaultSeed
	}
	if c.Scale == 0 {
		c.Scale = 1
	}
	if c.Count < 0 {
		return fmt.Errorf("count must be at least 1, not %d", c.Count)
	}
	if c.Scale < 0 {
		return fmt.Errorf("scale must be at least 1, not %d", c.Scale)
	}
	return nil
}

// Run runs the named experiments, all of them without a name, and returns
// their rows. Names keep their order; a repeated name runs once. If ctx ends,
// Run returns what there is together with ctx's error. Any other error means
// that nothing was run. Run changes no state of the process but the heap;
// calls at the same time disturb each other's figures.
func Run(ctx context.Context, cfg Config, names ...string) (*Report, error) {
	if err := cfg.setDefaults(); err != nil {
		return nil, err
	}
	todo, err := choose(names)
	if err != nil {
		return nil, err
	}
	ballast := make([]byte, ballastBytes)
	defer runtime.KeepAlive(ballast)

	report := newReport(machine(&cfg))
	for _, e := range todo {
		c := &Context{ctx: ctx, cfg: &cfg, bench: e.Name, report: report,
			rng: rand.New(rand.NewPCG(cfg.Seed, 0))}
		if err := guard(func() error { return e.run(c) }); err != nil && ctx.Err() == nil {
			c.fail(BaseImpl(e.Name), "", err)
		}
		if ctx.Err() != nil {
			return report, ctx.Err()
		}
	}
	return report, nil
}

func choose(names []string) ([]Experiment, error) {
	if len(names) == 0 {
		return experiments, nil
	}
	var todo []Experiment
	seen := make(map[string]bool)
	for _, name := range names {
		e, ok := Lookup(name)
		if !ok {
			return nil, fmt.Errorf("no experiment %q; there are %s", name, experimentNames())
		}
		if !seen[name] {
			seen[name] = true
			todo = append(todo, e)
		}
	}
	return todo, nil
}

// Context is what a running experiment knows.
type Context struct {
	ctx    context.Context
	cfg    *Config
	bench  string
	report *Report
	rng    *rand.Rand

	done, total int
}

// scaled returns n divided by the run's scale, at least least.
func (c *Context) scaled(n, least int) int {
	return max(n/c.cfg.Scale, least)
}

// subject is one rival in one comparison. Its round measures once; it is
// called once in each round of the run unless it failed before.
type subject struct {
	impl, param string
	round       func(*meter) error
}

// compare runs the rounds of all subjects in turn. Subjects of different
// params may be compared together, where their ratio is of interest.
func (c *Context) compare(subjects ...subject) {
	c.compareRounds(c.cfg.Count, subjects...)
}

func (c *Context) compareRounds(rounds int, subjects ...subject) {
	for _, s := range subjects {
		c.report.declare(c.bench, s.param)
	}
	c.total += rounds * len(subjects)
	failed := make([]bool, len(subjects))
	for range rounds {
		for _, i := range c.rng.Perm(len(subjects)) {
			if c.ctx.Err() != nil {
				return
			}
			s := subjects[i]
			c.step(s.impl, s.param, false)
			c.done++
			if failed[i] {
				continue
			}
			m := &meter{ctx: c.ctx, param: s.param}
			if err := guard(func() error { return s.round(m) }); err != nil {
				failed[i] = true
				if c.ctx.Err() == nil {
					c.fail(s.impl, s.param, err)
				}
				continue
			}
			for _, v := range m.values {
				c.add(Row{Bench: c.bench, Impl: s.impl, Param: v.param, Metric: v.metric, Value: v.value, Unit: v.unit})
			}
		}
	}
}

func (c *Context) step(impl, param string, preparing bool) {
	if c.cfg.OnStep != nil {
		c.cfg.OnStep(Step{Bench: c.bench, Impl: impl, Param: param, Preparing: preparing, Done: c.done, Total: c.total})
	}
}

// fail records that impl has no figure for param.
func (c *Context) fail(impl, param string, err error) {
	metric, unit := metricTime, unitTime
	switch c.bench {
	case "memory":
		metric, unit = metricMemory, unitMemory
	case "stage-space":
		metric, unit = metricMemory, unitPool
	case "parallel":
		metric, unit = metricThroughput, unitThroughput
	}
	c.report.declare(c.bench, param)
	c.add(Row{Bench: c.bench, Impl: impl, Param: param, Metric: metric, Unit: unit, Error: err.Error()})
}

func (c *Context) add(r Row) {
	c.report.add(r)
	if c.cfg.OnRow != nil {
		c.cfg.OnRow(r)
	}
}

// note adds a line above the experiment's table.
func (c *Context) note(format string, args ...any) {
	c.report.notes[c.bench] = append(c.report.notes[c.bench], fmt.Sprintf(format, args...))
}

// skipped is the error of a rival to which an experiment does not apply.
type skipped string

func (s skipped) Error() string { return skipPrefix + string(s) }

const skipPrefix = "skipped: "

// guard calls f and turns a panic of it into an error: a broken rival must not
// end the run.
func guard(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			if e, ok := p.(error); ok && errors.As(e, new(runtime.Error)) {
				err = fmt.Errorf("panic: %w at %s", e, panicSite())
				return
			}
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return f()
}

// panicSite returns the file and line that panicked, from the stack of the
// deferred call that recovers.
func panicSite() string {
	pcs := make([]uintptr, 32)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs)])
	for {
		f, more := frames.Next()
		if f.Function != "" && !isRuntime(f.Function) {
			return fmt.Sprintf("%s:%d", baseName(f.File), f.Line)
		}
		if !more {
			return "unknown place"
		}
	}
}

func isRuntime(function string) bool {
	return len(function) > 8 && function[:8] == "runtime."
}

// settle brings the heap to rest before a measurement.
func settle() {
	runtime.GC()
}

// trim gives memory of closed file systems back, so that one experiment does
// not begin with the heap of another.
func trim() {
	debug.FreeOSMemory()
}
