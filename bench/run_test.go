package bench

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// testContext is the Context of an experiment that the test plays itself.
func testContext(ctx context.Context, cfg *Config) *Context {
	return &Context{ctx: ctx, cfg: cfg, bench: "rename", report: newReport(Machine{}),
		rng: rand.New(rand.NewPCG(cfg.Seed, 0))}
}

// TestCompareInterleaves: each round has every subject once, the rounds come
// one after the other, and not all in one order.
func TestCompareInterleaves(t *testing.T) {
	var calls []string
	subjects := make([]subject, 0, 4)
	for _, impl := range []string{"memfs", "list", "afero", "billy"} {
		subjects = append(subjects, subject{impl, "p", func(m *meter) error {
			calls = append(calls, impl)
			m.report(metricTime, 1, unitTime)
			return nil
		}})
	}
	var steps []Step
	c := testContext(t.Context(), &Config{Count: 20, Seed: 1, OnStep: func(s Step) { steps = append(steps, s) }})
	c.compare(subjects...)
	if len(calls) != 80 || len(c.report.Rows) != 80 || len(steps) != 80 {
		t.Fatalf("%d calls, %d rows, %d steps; want 80", len(calls), len(c.report.Rows), len(steps))
	}
	orders := make(map[string]bool)
	for round := range slices.Chunk(calls, 4) {
		orders[strings.Join(round, " ")] = true
		slices.Sort(round)
		if got := strings.Join(round, " "); got != "afero billy list memfs" {
			t.Errorf("a round of %s", got)
		}
	}
	if len(orders) < 5 {
		t.Errorf("20 rounds in only %d orders", len(orders))
	}
	if last := steps[79]; last.Done != 79 || last.Total != 80 {
		t.Errorf("last step %+v", last)
	}
}

// TestCompareKeepsGoing: a rival that fails or panics has one row, the others
// have all.
func TestCompareKeepsGoing(t *testing.T) {
	rounds := 0
	var none []int
	c := testContext(t.Context(), &Config{Count: 3, Seed: 1})
	c.compare(
		subject{"memfs", "p", func(m *meter) error { m.report(metricTime, 1, unitTime); return nil }},
		subject{"afero", "p", func(m *meter) error {
			if rounds++; rounds == 2 {
				return errors.New("broken")
			}
			m.report(metricTime, 2, unitTime)
			return nil
		}},
		subject{"billy", "p", func(*meter) error { panic("ouch") }},
		subject{"tmpfs", "p", func(*meter) error { none[len(none)+1]++; return nil }},
		subject{"list", "p", func(*meter) error { return skipped("not here") }},
	)
	got := make(map[string][]string)
	for _, r := range c.report.Rows {
		got[r.Impl] = append(got[r.Impl], r.Error)
	}
	for impl, want := range map[string][]string{"memfs": {"", "", ""}, "afero": {"", "broken"},
		"billy": {"panic: ouch"}, "list": {"skipped: not here"}} {
		if !slices.Equal(got[impl], want) {
			t.Errorf("%s: rows %q, want %q", impl, got[impl], want)
		}
	}
	if e := got["tmpfs"]; len(e) != 1 || !strings.HasPrefix(e[0], "panic: runtime error: index out of range") ||
		!strings.Contains(e[0], "run_test.go:") {
		t.Errorf("tmpfs: rows %q, want one with the panic and its place", e)
	}
}

func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	rows := 0
	report, err := Run(ctx, Config{Scale: 1000, OnRow: func(Row) {
		if rows++; rows == 5 {
			cancel()
		}
	}}, "rename-dir", "mkdir")
	if !errors.Is(err, context.Canceled) || report == nil || len(report.Rows) == 0 {
		t.Fatalf("Run: %v, %v", report, err)
	}
	for _, r := range report.Rows {
		if r.Bench == "mkdir" || r.Error != "" {
			t.Errorf("row after the end: %+v", r)
		}
	}
}

func TestRunRefuses(t *testing.T) {
	for _, c := range []struct {
		cfg   Config
		names []string
		want  string
	}{
		{Config{}, []string{"rename", "renam"}, `no experiment "renam"; there are file-create, `},
		{Config{Count: -1}, nil, "count must be at least 1"},
		{Config{Scale: -1}, nil, "scale must be at least 1"},
	} {
		if report, err := Run(t.Context(), c.cfg, c.names...); report != nil || err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("Run(%+v, %q): %v, %v; want an error with %q", c.cfg, c.names, report, err, c.want)
		}
	}
}

// TestFanOut: workers run at the same time, and a failing one is an error.
func TestFanOut(t *testing.T) {
	meet := make(chan int)
	if _, err := fanOut(2, func(w int) error {
		if w == 0 {
			meet <- 1
		} else {
			<-meet
		}
		return nil
	}); err != nil {
		t.Error(err)
	}
	_, err := fanOut(3, func(w int) error {
		if w == 1 {
			panic("ouch")
		}
		return nil
	})
	if err == nil || err.Error() != "panic: ouch" {
		t.Errorf("fanOut: %v, want the panic", err)
	}
}

func TestShuffled(t *testing.T) {
	c := testContext(t.Context(), &Config{Seed: 1})
	d := testContext(t.Context(), &Config{Seed: 2})
	a, b := c.shuffled(100), c.shuffled(100)
	if !slices.Equal(a, b) {
		t.Error("the same seed gives two orders")
	}
	if slices.Equal(a, d.shuffled(100)) {
		t.Error("two seeds give one order")
	}
	slices.Sort(a)
	for i, v := range a {
		if i != v {
			t.Fatalf("no permutation: %d at %d", v, i)
		}
	}
}
