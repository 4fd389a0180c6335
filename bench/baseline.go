package bench

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/perf/benchmath"
)

// Comparison is a run of memfs beside an earlier one; in the experiments
// stage-..., of memfs as impl stage.
type Comparison struct {
	Changes []Change
	Limit   float64 // the part by which a figure may get worse: 0.05 for 5%
}

// Change is one figure of memfs, then and now.
type Change struct {
	Bench, Param, Metric, Unit string
	Old, New                   float64 // medians
	OldRounds, NewRounds       int
	P                          float64 // of the U-test; 1 where there are too few rounds for it
	Worse                      float64 // part by which New is worse than Old; negative: better
	Significant                bool
	Regression                 bool // significant, and worse by more than the limit
}

// CompareRows compares the figures of memfs, or of stage in the experiments
// that are about it, in rows with those of an earlier run. A change is
// significant if the Mann-Whitney U-test rejects equality at a level of 0.05.
// Where either side has too few rounds for the test to reject anything (less
// than 4 each), every new round must lie beyond every old one by more than
// limit. It is an error if the runs have no figure in common.
func CompareRows(old, rows []Row, limit float64) (*Comparison, error) {
	before := make(map[figureKey]*figure)
	for _, f := range figures(old) {
		before[f.figureKey] = f
	}
	c := &Comparison{Limit: limit}
	for _, now := range figures(rows) {
		then := before[now.figureKey]
		if now.impl != BaseImpl(now.bench) || then == nil || len(then.values) == 0 || len(now.values) == 0 {
			continue
		}
		c.Changes = append(c.Changes, change(then, now, limit))
	}
	if len(c.Changes) == 0 {
		return nil, errors.New("the baseline has no figure of memfs in common with this run")
	}
	return c, nil
}

func change(then, now *figure, limit float64) Change {
	ch := Change{Bench: now.bench, Param: now.param, Metric: now.metric, Unit: now.unit,
		Old: then.median(), New: now.median(), OldRounds: len(then.values), NewRounds: len(now.values), P: 1}
	ch.Worse = worse(now.metric, ch.Old, ch.New)
	if testable(ch.OldRounds, ch.NewRounds) {
		t := benchmath.AssumeNothing.Compare(then.sample(), now.sample())
		ch.P, ch.Significant = t.P, t.P <= t.Alpha
	} else {
		ch.Significant = apart(then, now, limit)
	}
	ch.Regression = ch.Significant && ch.Worse > limit
	return ch
}

// worse is the part by which now is worse than then.
func worse(metric string, then, now float64) float64 {
	if moreIsBetter(metric) {
		then, now = now, then
	}
	if then == now {
		return 0
	}
	return now/then - 1 // +Inf if something was free and is not any more
}

// apart reports whether all values of one figure are worse than all of the
// other by more than limit.
func apart(a, b *figure, limit float64) bool {
	beyond := func(best, bad *figure) bool {
		if moreIsBetter(a.metric) {
			return worse(a.metric, slices.Min(best.values), slices.Max(bad.values)) > limit
		}
		return worse(a.metric, slices.Max(best.values), slices.Min(bad.values)) > limit
	}
	return beyond(a, b) || beyond(b, a)
}

// testable reports whether the U-test of samples of n and m values can reject
// equality at all: two samples that lie apart have p = 2 / (n+m over n).
func testable(n, m int) bool {
	p := 2.0
	for i := 1; i <= n; i++ {
		p *= float64(i) / float64(m+i)
	}
	return p <= benchmath.DefaultThresholds.CompareAlpha
}

// Regressions returns the changes for the worse that are significant and over
// the limit.
func (c *Comparison) Regressions() []Change {
	var found []Change
	for _, ch := range c.Changes {
		if ch.Regression {
			found = append(found, ch)
		}
	}
	return found
}

// WriteTable writes the comparison for people.
func (c *Comparison) WriteTable(w io.Writer) error {
	bw := bufio.NewWriter(w)
	lines := [][]string{{"bench", "param", "metric", ">baseline", ">now", ">worse by", "rounds", ""}}
	few := false
	for _, ch := range c.Changes {
		rounds := fmt.Sprintf("n=%d+%d", ch.OldRounds, ch.NewRounds)
		if testable(ch.OldRounds, ch.NewRounds) {
			rounds = fmt.Sprintf("p=%.3f %s", ch.P, rounds)
		} else {
			few = true
		}
		verdict := ""
		if ch.Regression {
			verdict = "REGRESSION"
		}
		delta := "~"
		if ch.Significant {
			delta = fmt.Sprintf("%+.1f%%", 100*ch.Worse)
		}
		lines = append(lines, []string{ch.Bench, ch.Param, ch.Metric, ">" + formatValue(ch.Old, ch.Unit),
			">" + formatValue(ch.New, ch.Unit), ">" + delta, rounds, verdict})
	}
	fmt.Fprintf(bw, "memfs beside the baseline (limit %s):\n", formatPercent(c.Limit))
	writeGrid(bw, lines)
	if few {
		fmt.Fprintf(bw, "Some figures have less than 4 rounds on a side, too few for a test of significance;\n"+
			"for them all rounds must lie apart by more than the limit.\n")
	}
	fmt.Fprintf(bw, "%d of %d figures worse by more than %s\n", len(c.Regressions()), len(c.Changes), formatPercent(c.Limit))
	return bw.Flush()
}

func formatPercent(part float64) string {
	return strconv.FormatFloat(math.Round(part*1e8)/1e6, 'f', -1, 64) + "%"
}

// ParsePercent parses a limit such as "5%" or "2.5" and returns it as a part
// of one. Less than 0% is an error.
func ParsePercent(s string) (float64, error) {
	v, err := strconv.ParseFloat(strings.TrimSuffix(s, "%"), 64)
	if err != nil || v < 0 || math.IsInf(v, 0) || math.IsNaN(v) {
		return 0, fmt.Errorf("%q is no percentage; write it as 5%%", s)
	}
	return v / 100, nil
}
