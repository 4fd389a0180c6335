package bench

import (
	"bytes"
	"math"
	"strings"
	"testing"
)

func TestCompareRows(t *testing.T) {
	old := []float64{100, 101, 102, 99, 98}
	for _, c := range []struct {
		name          string
		metric, unit  string
		old, new      []float64
		significant   bool
		regression    bool
		limit, worse  float64
		wantInTheText string
	}{
		{"same", metricTime, unitTime, old, []float64{101, 99, 100, 98, 102}, false, false, 0.05, 0, "~"},
		{"slower", metricTime, unitTime, old, []float64{111, 110, 112, 109, 110}, true, true, 0.05, 0.10, "REGRESSION"},
		{"slower within the limit", metricTime, unitTime, old, []float64{111, 110, 112, 109, 110}, true, false, 0.2, 0.10, "+10.0%"},
		{"slower but noisy", metricTime, unitTime, old, []float64{90, 95, 120, 125, 99}, false, false, 0.05, -0.01, "~"},
		{"faster", metricTime, unitTime, old, []float64{50, 51, 52, 49, 50}, true, false, 0.05, -0.50, "-50.0%"},
		{"less throughput", metricThroughput, unitThroughput, old, []float64{80, 81, 79, 80, 80}, true, true, 0.05, 0.25, "+25.0%"},
		{"more throughput", metricThroughput, unitThroughput, old, []float64{200, 200, 200, 201, 199}, true, false, 0.05, -0.5, "-50.0%"},
		{"bigger", metricMemory, unitMemory, []float64{200, 200, 200, 200}, []float64{220, 220, 220, 220}, true, true, 0.05, 0.1, "REGRESSION"},
		{"equal", metricAllocs, unitAllocs, []float64{2, 2, 2, 2}, []float64{2, 2, 2, 2}, false, false, 0, 0, "~"},
		{"no longer free", metricAllocs, unitAllocs, []float64{0, 0, 0, 0}, []float64{1, 1, 1, 1}, true, true, 0.05, math.Inf(1), "+Inf%"},
		{"few rounds, far apart", metricTime, unitTime, []float64{100, 102}, []float64{150, 151}, true, true, 0.05, 0.49, "too few"},
		{"few rounds, near", metricTime, unitTime, []float64{100, 110}, []float64{112, 130}, false, false, 0.05, 0.15, "too few"},
		{"one round", metricTime, unitTime, []float64{100}, []float64{104}, false, false, 0.05, 0.04, "too few"},
	} {
		then := samples("rename", "memfs", "files=10", c.metric, c.unit, c.old...)
		now := samples("rename", "memfs", "files=10", c.metric, c.unit, c.new...)
		cmp, err := CompareRows(then, now, c.limit)
		if err != nil || len(cmp.Changes) != 1 {
			t.Errorf("%s: %+v, %v", c.name, cmp, err)
			continue
		}
		ch := cmp.Changes[0]
		if ch.Significant != c.significant || ch.Regression != c.regression || len(cmp.Regressions()) == 1 != c.regression {
			t.Errorf("%s: significant %v, regression %v (p=%v)", c.name, ch.Significant, ch.Regression, ch.P)
		}
		if math.Abs(ch.Worse-c.worse) > 0.006 {
			t.Errorf("%s: worse by %v, want %v", c.name, ch.Worse, c.worse)
		}
		var out bytes.Buffer
		if err := cmp.WriteTable(&out); err != nil || !strings.Contains(out.String(), c.wantInTheText) {
			t.Errorf("%s: no %q (%v) in:\n%s", c.name, c.wantInTheText, err, out.String())
		}
	}
}

// TestCompareOtherRows: only memfs counts, and only what both runs have.
func TestCompareOtherRows(t *testing.T) {
	old := append(samples("rename", "afero", "files=10", metricTime, unitTime, 1, 1, 1, 1),
		samples("rename", "memfs", "files=10", metricTime, unitTime, 5, 5, 5, 5)...)
	old = append(old, Row{Bench: "mkdir", Impl: "memfs", Param: "dirs=10", Metric: metricTime, Unit: unitTime, Error: "broken"})
	now := append(samples("rename", "afero", "files=10", metricTime, unitTime, 9, 9, 9, 9),
		samples("rename", "memfs", "files=20", metricTime, unitTime, 50, 50, 50, 50)...)
	now = append(now, samples("mkdir", "memfs", "dirs=10", metricTime, unitTime, 3)...)
	if c, err := CompareRows(old, now, 0.05); err == nil {
		t.Errorf("nothing in common, but %+v", c)
	}
	now = append(now, samples("rename", "memfs", "files=10", metricTime, unitTime, 5, 5, 5, 5)...)
	if c, err := CompareRows(old, now, 0.05); err != nil || len(c.Changes) != 1 || len(c.Regressions()) != 0 {
		t.Errorf("one figure in common, but %+v, %v", c, err)
	}
}

func TestParsePercent(t *testing.T) {
	for s, want := range map[string]float64{"5%": 0.05, "2.5": 0.025, "0%": 0, "150%": 1.5} {
		if got, err := ParsePercent(s); err != nil || got != want {
			t.Errorf("ParsePercent(%q) = %v, %v; want %v", s, got, err, want)
		}
	}
	for _, s := range []string{"", "%", "five", "-1%", "NaN", "Inf%", "5%%", "5 %", "1e400"} {
		if got, err := ParsePercent(s); err == nil {
			t.Errorf("ParsePercent(%q) = %v, want an error", s, got)
		}
	}
}

func TestTestable(t *testing.T) {
	for _, c := range []struct {
		n, m int
		want bool
	}{{1, 1, false}, {3, 3, false}, {4, 4, true}, {1, 7, false}, {3, 7, true}, {7, 7, true}, {2, 5, false}} {
		if got := testable(c.n, c.m); got != c.want {
			t.Errorf("testable(%d, %d) = %v", c.n, c.m, got)
		}
	}
}
