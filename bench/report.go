package bench

import (
	"cmp"
	"slices"

	"golang.org/x/perf/benchmath"
)

// Report is the result of a run.
type Report struct {
	Machine Machine
	Rows    []Row // in the order in which they were measured

	order map[place]int       // params in the order in which the experiments declared them
	notes map[string][]string // what an experiment has to say above its table
}

type place struct{ bench, param string }

func newReport(m Machine) *Report {
	return &Report{Machine: m, order: make(map[place]int), notes: make(map[string][]string)}
}

// declare gives param its place in the table.
func (r *Report) declare(bench, param string) {
	p := place{bench, param}
	if _, ok := r.order[p]; !ok {
		r.order[p] = len(r.order)
	}
}

func (r *Report) add(row Row) {
	r.declare(row.Bench, row.Param)
	r.Rows = append(r.Rows, row)
}

// Failures returns the rows that say that something is wrong with memfs: an
// error of memfs or of one of its variants that is no skip, and anything that
// the experiment tree found. Errors of the other rivals are results.
func (r *Report) Failures() []Row {
	var failed []Row
	for _, row := range r.Rows {
		if row.Error == "" || row.Skipped() {
			continue
		}
		switch {
		case row.Bench == "tree", row.Impl == "memfs", row.Impl == "list", row.Impl == "rwmutex", isStage(row.Impl):
			failed = append(failed, row)
		}
	}
	return failed
}

// figureKey names a figure.
type figureKey struct{ bench, param, metric, impl, unit string }

func keyOf(r Row) figureKey { return figureKey{r.Bench, r.Param, r.Metric, r.Impl, r.Unit} }

// figure is what a table shows in a line: the samples of one key.
type figure struct {
	figureKey
	values []float64
	err    string
}

// sample returns the figure's values for benchmath, which sorts in place.
func (f *figure) sample() *benchmath.Sample {
	return benchmath.NewSample(slices.Clone(f.values), &benchmath.DefaultThresholds)
}

func (f *figure) median() float64 {
	return benchmath.AssumeNothing.Summary(f.sample(), 0.95).Center
}

// spread is the largest distance of a sample from the median, as a part of it.
func (f *figure) spread() float64 {
	m := f.median()
	if m == 0 {
		return 0
	}
	return max(slices.Max(f.values)-m, m-slices.Min(f.values)) / m
}

// moreIsBetter reports whether a larger value of metric is the better one.
func moreIsBetter(metric string) bool { return metric == metricThroughput }

// figures collects rows into figures, in the order of first appearance.
func figures(rows []Row) []*figure {
	var all []*figure
	index := make(map[figureKey]*figure)
	for _, r := range rows {
		k := keyOf(r)
		f := index[k]
		if f == nil {
			f = &figure{figureKey: k}
			index[k] = f
			all = append(all, f)
		}
		if r.Error != "" {
			f.err = r.Error
		} else {
			f.values = append(f.values, r.Value)
		}
	}
	return all
}

// sortedFigures returns the report's figures in the order of the table.
func (r *Report) sortedFigures() []*figure {
	all := figures(r.Rows)
	slices.SortStableFunc(all, func(a, b *figure) int {
		return cmp.Or(
			cmp.Compare(benchRank(a.bench), benchRank(b.bench)),
			cmp.Compare(r.order[place{a.bench, a.param}], r.order[place{b.bench, b.param}]),
			cmp.Compare(rank(metricOrder, a.metric), rank(metricOrder, b.metric)),
			cmp.Compare(rank(implOrder, a.impl), rank(implOrder, b.impl)),
		)
	})
	return all
}

var (
	metricOrder = []string{metricTime, metricThroughput, metricMemory, metricAllocs}
	implOrder   = []string{"memfs", "stage", "stage-list", "stage-hash", "original", "full-path",
		"list", "rwmutex", "afero", "billy", "tmpfs", "os"}
)

// rank is the place of s in order; what is not in it comes last.
func rank(order []string, s string) int {
	if i := slices.Index(order, s); i >= 0 {
		return i
	}
	return len(order)
}

func benchRank(name string) int {
	return slices.IndexFunc(experiments, func(e Experiment) bool { return e.Name == name })
}
