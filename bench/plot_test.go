package bench

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"image/png"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// plotRows are rows as the stage experiments make them, three rounds each.
func plotRows() []Row {
	rng := rand.New(rand.NewPCG(1, 1))
	var rows []Row
	add := func(bench, impl, param string, ns float64) {
		for range 3 {
			rows = append(rows, Row{bench, impl, param, metricTime, ns * (0.95 + rng.Float64()/10), unitTime, ""})
		}
	}
	for walk := range 9 {
		for i, pool := range []int{1, 2, 4, 8, 16, 256, 1024} {
			p := param("op", "stat", "shape", "siblings", "walk", walk, "pool", pool)
			add("stage-stat", "original", p, 215)
			add("stage-stat", "full-path", p, 128)
			add("stage-stat", "stage", p, 60+float64(21*walk)+3*float64(i))
			add("stage-stat", "stage-list", p, 55+float64(21*walk)+9*float64(i*i))
		}
	}
	for i, trace := range []string{"trace=paper", "trace=go-build,threads=4", "trace=git-status"} {
		for _, cache := range []string{"cold", "warm"} {
			for k, impl := range []string{"original", "full-path", "stage", "stage-list"} {
				ns := 300 + 40*float64(i) - 50*float64(k)
				if cache == "cold" {
					ns *= 40
				}
				add("stage-replay", impl, trace+",cache="+cache, ns)
			}
		}
	}
	for level := 1; level <= 5; level++ {
		for _, op := range []string{"rename", "chmod"} {
			p := param("op", op, "level", level)
			add("stage-modify", "original", p, 900)
			add("stage-modify", "stage", p, 1010)
			add("stage-modify", "full-path", p, 1000+4e6/float64(level*level*level*level*level*level))
			add("stage-modify", "stage", p+",then=lookup", 500)
			add("stage-modify", "stage", p+",then=pivots", 5000)
		}
	}
	return rows
}

// replayRows are those of one figure.
func replayRows() []Row {
	return slices.DeleteFunc(plotRows(), func(r Row) bool {
		return r.Bench != "stage-replay" || paramValue(r.Param, "cache") != "cold"
	})
}

// Drawing pixels is slow under the race detector: most tests look at SVGs.
func TestPlot(t *testing.T) {
	a := filepath.Join(t.TempDir(), "made", "on the way")
	first, err := (&Report{Rows: replayRows()}).Plot(a)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{filepath.Join(a, "stage-replay-cold.svg"), filepath.Join(a, "stage-replay-cold.png")}
	if diff := cmp.Diff(want, first); diff != "" {
		t.Fatal(diff)
	}
	data, err := os.ReadFile(first[1])
	if err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	if size := img.Bounds().Size(); size.X != 1800 || size.Y != 1080 {
		t.Errorf("the PNG has %v pixels", size)
	}

	// The order of the rounds and what was there before make no difference.
	b := t.TempDir()
	if err := os.WriteFile(filepath.Join(b, "stage-replay-cold.svg"), []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	rows := replayRows()
	for i := 0; i+2 < len(rows); i += 3 { // the rounds of one bar
		rows[i], rows[i+2] = rows[i+2], rows[i]
	}
	second, err := (&Report{Rows: rows}).Plot(b)
	if err != nil {
		t.Fatal(err)
	}
	for i := range first {
		x, err := os.ReadFile(first[i])
		if err != nil {
			t.Fatal(err)
		}
		y, err := os.ReadFile(second[i])
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(x, y) {
			t.Errorf("%s differs", filepath.Base(first[i]))
		}
	}
	for _, dir := range []string{a, b} {
		if in, err := os.ReadDir(dir); err != nil || len(in) != 2 {
			t.Errorf("in the directory: %v, %v", in, err)
		}
	}
}

func TestCharts(t *testing.T) {
	want := map[string][]string{
		"stage-stat-stat-siblings": {"original", "pool 1", "pool 16", "pool 1024", "full-path", "latency (ns)", "0", "8",
			"components walked in stage two", "shape siblings: pivots differ in the last component only"},
		"stage-stat-stat-siblings-list": {"stat of paths of 8 components: stage-list beside the plain walk"},
		"stage-replay-cold":             {"paper", "go-build", "threads=4", "git-status", "stage-list", "time of a call (µs)"},
		"stage-replay-warm":             {"caches warm", "time of a call (ns)"},
		"stage-modify-rename":           {"rename of a directory", "1 µs", "1 ms", "original", "full-path", "stage"},
		"stage-modify-chmod":            {"chmod of a directory", "latency of a chmod (logarithmic)"},
	}
	charts := (&Report{Rows: plotRows()}).charts()
	if len(charts) != len(want) {
		t.Errorf("%d charts, not %d", len(charts), len(want))
	}
	for _, c := range charts {
		texts := svgTexts(t, c)
		if want[c.file] == nil {
			t.Errorf("a chart called %s", c.file)
		}
		for _, l := range want[c.file] {
			if !slices.Contains(texts, l) {
				t.Errorf("%s: no %q in %q", c.file, l, texts)
			}
		}
		all := strings.Join(texts, "\n")
		if strings.Contains(all, "Missing") {
			t.Errorf("%s: says that something is missing: %s", c.file, all)
		}
	}
}

func TestPlotWithoutBars(t *testing.T) {
	for name, rows := range map[string][]Row{
		"no rows": nil,
		"rows of others": {
			{"rename", "memfs", "files=10", metricTime, 10, unitTime, ""},
			{"stage-stat", "stage", "op=stat,shape=root,walk=0,pool=16", metricAllocs, 0, unitAllocs, ""},
		},
		"only errors":     {{"stage-stat", "stage", "op=stat,shape=root,walk=0,pool=16", metricTime, 0, unitTime, "broken"}},
		"only afterwards": {{"stage-modify", "stage", "op=rename,level=1,then=lookup", metricTime, 10, unitTime, ""}},
	} {
		dir := t.TempDir()
		files, err := (&Report{Rows: rows}).Plot(dir)
		if err != nil || len(files) != 0 {
			t.Errorf("%s: %v, %v", name, files, err)
		}
	}
}

func TestPlotNamesWhatIsMissing(t *testing.T) {
	p := func(walk, pool int) string { return param("op", "open", "shape", "root", "walk", walk, "pool", pool) }
	var rows []Row
	for walk := range 8 {
		for _, pool := range []int{1, 2, 4, 8, 16} {
			rows = append(rows, Row{"stage-stat", "original", p(walk, pool), metricTime, 100, unitTime, ""})
			r := Row{"stage-stat", "stage", p(walk, pool), metricTime, 100, unitTime, ""}
			if walk == 3 && pool == 4 {
				r.Error = "cannot <look>\x00 up"
			}
			if pool != 8 {
				rows = append(rows, r)
			}
		}
	}
	rows = append(rows, Row{"stage-stat", "full-path", p(0, 1), metricTime, 0, unitTime, "skipped: does not apply"})
	charts := (&Report{Rows: rows}).charts()
	if len(charts) != 1 {
		t.Fatalf("%d charts", len(charts))
	}
	all := strings.Join(svgTexts(t, charts[0]), " ")
	for _, note := range []string{
		"Missing: no values at all at 8;",
		"no value of pool 4 at 3 (cannot <look>? up)",
		"no value of pool 8;",
		"no value of full-path (skipped: does not apply).",
	} {
		if !strings.Contains(all, note) {
			t.Errorf("no %q in %s", note, all)
		}
	}
}

// One slow round does not make the bars small.
func TestPlotOutlier(t *testing.T) {
	var rows []Row
	for i, v := range []float64{99, 100, 5000, 101, 102} {
		for _, impl := range []string{"original", "full-path", "stage"} {
			if impl != "original" && i == 2 {
				v = 100
			}
			rows = append(rows, Row{"stage-replay", impl, "trace=a,cache=warm", metricTime, v, unitTime, ""})
		}
	}
	charts := (&Report{Rows: rows}).charts()
	if len(charts) != 1 {
		t.Fatalf("%d charts", len(charts))
	}
	if top := charts[0].scale().max; top != 101*1.5 {
		t.Errorf("the axis ends at %v", top)
	}
	if all := strings.Join(svgTexts(t, charts[0]), " "); !strings.Contains(all, "with an arrow") {
		t.Errorf("no word about the arrow in %s", all)
	}
}

// Numbers and texts that no experiment makes, but a file may hold.
func TestPlotStrangeRows(t *testing.T) {
	long := strings.Repeat("long ", 200)
	row := func(bench, impl, param string, v float64, err string) Row {
		return Row{bench, impl, param, metricTime, v, unitTime, err}
	}
	for name, rows := range map[string][]Row{
		"zero":         {row("stage-replay", "stage", "trace=a", 0, ""), row("stage-modify", "stage", "level=1", 0, "")},
		"small, large": {row("stage-modify", "stage", "op=chmod,level=1", 1e-9, ""), row("stage-modify", "original", "op=chmod,level=2", 1e15, "")},
		"no params":    {row("stage-stat", "stage", "", 1, ""), row("stage-replay", "stage", "", 1, ""), row("stage-modify", "stage", "", 1, "")},
		"long": {row("stage-replay", "stage", "trace="+long+",cache=warm", 5, ""),
			row("stage-replay", "stage", "trace=\xff\x01&<>,cache=warm", 5, ""), row("stage-replay", "original", "trace="+long+",cache=warm", 5, long)},
		"paths": {row("stage-replay", "stage", "trace=a,cache=../../x", 5, ""), row("stage-replay", "stage", "trace=a,cache=..:..:x", 5, "")},
		"many":  nil,
	} {
		if name == "many" {
			for i := range 200 {
				rows = append(rows, row("stage-replay", "stage", fmt.Sprintf("trace=t%d,cache=warm", i), 5, ""))
			}
		}
		var files []string
		for _, c := range (&Report{Rows: rows}).charts() {
			if filepath.Base(c.file) != c.file || strings.ContainsAny(c.file, `/\:`) {
				t.Errorf("%s: %s is no name of a file", name, c.file)
			}
			if !slices.Contains(files, c.file) {
				files = append(files, c.file)
			}
			svgTexts(t, c)
		}
		if name == "paths" && len(files) != 2 {
			t.Errorf("%s: %v", name, files)
		}
	}
}

func TestPlotErrors(t *testing.T) {
	r := &Report{Rows: replayRows()}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{file, filepath.Join(file, "below"), ""} {
		if _, err := r.Plot(dir); err == nil {
			t.Errorf("%q: no error of Plot", dir)
		}
		if err := CheckPlotDir(dir); err == nil {
			t.Errorf("%q: no error of CheckPlotDir", dir)
		}
	}

	// A directory is in the way of a file.
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "stage-replay-cold.png", "x"), 0o777); err != nil {
		t.Fatal(err)
	}
	files, err := r.Plot(dir)
	if err == nil || !strings.Contains(err.Error(), "stage-replay-cold.png") {
		t.Errorf("error %v", err)
	}
	if diff := cmp.Diff([]string{filepath.Join(dir, "stage-replay-cold.svg")}, files); diff != "" {
		t.Error(diff)
	}
	if in, _ := filepath.Glob(filepath.Join(dir, ".plot*")); len(in) > 0 {
		t.Errorf("left behind: %v", in)
	}
}

func TestCheckPlotDir(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	for range 2 {
		if err := CheckPlotDir(dir); err != nil {
			t.Fatal(err)
		}
		if in, err := os.ReadDir(dir); err != nil || len(in) > 0 {
			t.Errorf("in the directory: %v, %v", in, err)
		}
	}
}

// svgTexts returns the texts of a chart and fails if its SVG is no XML.
func svgTexts(t *testing.T, c *chart) []string {
	t.Helper()
	data, err := c.svg()
	if err != nil {
		t.Fatalf("%s: %v", c.file, err)
	}
	d := xml.NewDecoder(bytes.NewReader(data))
	var texts []string
	in := ""
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return texts
		}
		if err != nil {
			t.Fatalf("%s: %v", c.file, err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			in = token.Name.Local
		case xml.EndElement:
			in = ""
		case xml.CharData:
			if in == "text" {
				texts = append(texts, string(token))
			}
		}
	}
}
