package bench

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"strings"
	"unicode/utf8"

	"golang.org/x/perf/benchmath"
)

// Legend explains the columns of the tables.
const Legend = `median: of the rounds. spread: the round that is furthest from it.
vs memfs, vs stage: cost in memfs's or the stage's (time, memory, allocations, or the inverse of
throughput): 2x is twice that; ~ marks a difference that is not significant (Mann-Whitney U-test, 0.05).
`

// BaseImpl returns the impl whose figures are the base of an experiment's
// ratios, and the only one that is compared with an earlier run.
func BaseImpl(bench string) string {
	if strings.HasPrefix(bench, "stage-") {
		return "stage"
	}
	return "memfs"
}

// WriteTable writes a table for each experiment of the report, each after a
// blank line, for people.
func (r *Report) WriteTable(w io.Writer) error {
	bw := bufio.NewWriter(w)
	all := r.sortedFigures()
	bases := make(map[figureKey]*figure)
	for _, f := range all {
		if f.impl == BaseImpl(f.bench) {
			bases[f.figureKey] = f
		}
	}
	for len(all) > 0 {
		n := 0
		for n < len(all) && all[n].bench == all[0].bench {
			n++
		}
		e, _ := Lookup(all[0].bench)
		fmt.Fprintf(bw, "\n%s: %s\n", e.Name, e.Doc)
		for _, note := range r.notes[e.Name] {
			fmt.Fprintf(bw, "  %s\n", note)
		}
		writeGrid(bw, experimentLines(all[:n], bases))
		all = all[n:]
	}
	return bw.Flush()
}

func experimentLines(figs []*figure, bases map[figureKey]*figure) [][]string {
	base := BaseImpl(figs[0].bench)
	lines := [][]string{{"param", "impl", ">median", ">spread", ">vs " + base}}
	last := ""
	for _, f := range figs {
		param := f.param
		if param == last {
			param = ""
		}
		last = f.param
		if f.err != "" && len(f.values) == 0 {
			lines = append(lines, []string{param, f.impl, f.err})
			continue
		}
		key := f.figureKey
		key.impl = base
		line := []string{param, f.impl, ">" + formatValue(f.median(), f.unit), ">" + formatSpread(f), ">" + ratio(f, bases[key])}
		if f.err != "" {
			line = append(line, "then "+f.err)
		}
		lines = append(lines, line)
	}
	return lines
}

// ratio is f's cost in base's.
func ratio(f, base *figure) string {
	switch {
	case base == nil || len(base.values) == 0:
		return "-"
	case f == base:
		return "1.00x"
	}
	x, y := f.median(), base.median()
	if moreIsBetter(f.metric) {
		x, y = y, x
	}
	if y == 0 {
		if x == 0 {
			return "1.00x"
		}
		return "-"
	}
	s := threeDigits(x/y) + "x"
	if n, m := len(f.values), len(base.values); testable(n, m) {
		if c := benchmath.AssumeNothing.Compare(f.sample(), base.sample()); c.P > c.Alpha {
			s += " ~"
		}
	}
	return s
}

func formatSpread(f *figure) string {
	if len(f.values) == 1 {
		return "1 round"
	}
	return fmt.Sprintf("±%.0f%%", 100*f.spread())
}

// formatValue writes v with its unit and three digits.
func formatValue(v float64, unit string) string {
	switch unit {
	case unitTime:
		for _, step := range []struct {
			limit float64
			unit  string
		}{{1e3, "ns"}, {1e6, "µs"}, {1e9, "ms"}} {
			if v < step.limit {
				return threeDigits(v/step.limit*1e3) + " " + step.unit + "/op"
			}
		}
		return threeDigits(v/1e9) + " s/op"
	case unitThroughput:
		switch {
		case v >= 1e6:
			return threeDigits(v/1e6) + " Mops/s"
		case v >= 1e3:
			return threeDigits(v/1e3) + " kops/s"
		}
	case unitAllocs:
		if v == math.Trunc(v) {
			return fmt.Sprintf("%.0f %s", v, unit)
		}
	}
	return threeDigits(v) + " " + unit
}

// threeDigits writes v with three significant digits, more where it has more
// before the point.
func threeDigits(v float64) string {
	if v == 0 {
		return "0"
	}
	digits := 2 - int(math.Floor(math.Log10(math.Abs(v))))
	return fmt.Sprintf("%.*f", min(max(digits, 0), 6), v)
}

// writeGrid writes lines as columns two spaces apart. A cell that begins with
// ">" is set to the right; the last cell of a line that has fewer cells than
// the head takes no part in the widths.
func writeGrid(w io.Writer, lines [][]string) {
	columns := len(lines[0])
	widths := make([]int, columns)
	for _, line := range lines {
		for i, cell := range line {
			if i < columns && (len(line) >= columns || i < len(line)-1) {
				widths[i] = max(widths[i], utf8.RuneCountInString(strings.TrimPrefix(cell, ">")))
			}
		}
	}
	for _, line := range lines {
		var b strings.Builder
		for i, cell := range line {
			text, right := strings.CutPrefix(cell, ">")
			pad := 0
			if i < columns {
				pad = max(widths[i]-utf8.RuneCountInString(text), 0)
			}
			if right {
				text = strings.Repeat(" ", pad) + text
			} else {
				text += strings.Repeat(" ", pad)
			}
			b.WriteString("  " + text)
		}
		fmt.Fprintf(w, "%s\n", strings.TrimRight(b.String(), " "))
	}
}
