package bench

import (
	"cmp"
	"fmt"
	"image/color"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// chart is a figure as it is drawn: groups of bars side by side, a bar of each
// series in every group.
type chart struct {
	file     string // without an extension
	title    string
	subtitle string // may be empty
	x        string // label of the axis
	y        string // label of the axis, without the unit
	log      bool   // the values differ by orders of magnitude
	groups   []string
	series   []barSeries
	known    map[string]string // why a group has no bars, if that is no lack
}

// barSeries is a colour of the legend.
type barSeries struct {
	label string
	fill  color.RGBA
	bars  []bar // one a group
}

// bar is a median in ns with the smallest and the largest sample, or nothing.
type bar struct {
	median, low, high float64
	drawn             bool
	err               string // why not, if a row tells it
}

// cells collects the samples of a chart by series and group.
type cells map[[2]string]*figure

func (c cells) add(series, group string, f *figure) {
	k := [2]string{series, group}
	if c[k] == nil {
		c[k] = &figure{}
	}
	c[k].values = append(c[k].values, f.values...)
	c[k].err = cmp.Or(c[k].err, f.err)
}

func (c cells) has(series string) bool {
	for k := range c {
		if k[0] == series {
			return true
		}
	}
	return false
}

// series returns the bars of a series in the order of groups. On a log scale
// there is no bar of zero height.
func (c cells) series(name, label string, fill color.RGBA, groups []string, log bool) barSeries {
	s := barSeries{label: label, fill: fill, bars: make([]bar, len(groups))}
	for i, g := range groups {
		f := c[[2]string{name, g}]
		switch {
		case f == nil:
		case len(f.values) == 0:
			s.bars[i].err = f.err
		case log && slices.Min(f.values) <= 0:
			s.bars[i].err = "no time passed"
		default:
			s.bars[i] = bar{f.median(), slices.Min(f.values), slices.Max(f.values), true, ""}
		}
	}
	return s
}

func (s *barSeries) hasBars() bool {
	return slices.ContainsFunc(s.bars, func(b bar) bool { return b.drawn })
}

func (c *chart) hasBars() bool {
	return slices.ContainsFunc(c.series, func(s barSeries) bool { return s.hasBars() })
}

// lowest returns the lowest end of a whisker. The chart has bars.
func (c *chart) lowest() float64 {
	v := math.Inf(1)
	for b := range c.allBars() {
		v = min(v, b.low)
	}
	return v
}

// highest returns the highest end of a whisker, and the highest bar.
func (c *chart) highest() (high, median float64) {
	for b := range c.allBars() {
		high, median = max(high, b.high), max(median, b.median)
	}
	return high, median
}

func (c *chart) allBars() func(yield func(bar) bool) {
	return func(yield func(bar) bool) {
		for _, s := range c.series {
			for _, b := range s.bars {
				if b.drawn && !yield(b) {
					return
				}
			}
		}
	}
}

// notes names the bars that are missing, as briefly as it can be told: groups
// without any bar, series without any, then single ones.
func (c *chart) notes() []string {
	var notes []string
	emptyGroup := make([]bool, len(c.groups))
	for i := range c.groups {
		emptyGroup[i] = !slices.ContainsFunc(c.series, func(s barSeries) bool { return s.bars[i].drawn })
	}
	for i, g := range c.groups {
		if why := c.known[g]; emptyGroup[i] && why != "" {
			notes = append(notes, fmt.Sprintf("none at %s (%s)", g, why))
		}
	}
	if names := c.groupNames(func(i int) bool { return emptyGroup[i] && c.known[c.groups[i]] == "" }); names != "" {
		notes = append(notes, fmt.Sprintf("no values at all at %s", names))
	}
	for _, s := range c.series {
		all := !s.hasBars()
		missing := func(i int) bool { return !s.bars[i].drawn && (all || !emptyGroup[i]) }
		names := c.groupNames(missing)
		if names == "" {
			continue
		}
		note := fmt.Sprintf("no value of %s", s.label)
		if !all {
			note += " at " + names
		}
		for i, b := range s.bars {
			if missing(i) && b.err != "" {
				note += " (" + shorten(clean(b.err), 60) + ")"
				break
			}
		}
		notes = append(notes, note)
	}
	return notes
}

// groupNames lists the groups that are chosen: "0, 1, 5".
func (c *chart) groupNames(chosen func(int) bool) string {
	var names []string
	for i, g := range c.groups {
		if chosen(i) {
			names = append(names, strings.ReplaceAll(g, "\n", " "))
		}
	}
	return strings.Join(names, ", ")
}

// keyValue is one part of a Param.
type keyValue struct{ key, value string }

// keyValues takes a Param apart.
func keyValues(param string) []keyValue {
	var all []keyValue
	for part := range strings.SplitSeq(param, ",") {
		if k, v, ok := strings.Cut(part, "="); ok {
			all = append(all, keyValue{k, v})
		}
	}
	return all
}

// paramValue returns the value of key in param, "" without one.
func paramValue(param, key string) string {
	for _, kv := range keyValues(param) {
		if kv.key == key {
			return kv.value
		}
	}
	return ""
}

// paramRest returns what param has beside keys.
func paramRest(param string, keys ...string) []keyValue {
	return slices.DeleteFunc(keyValues(param), func(kv keyValue) bool { return slices.Contains(keys, kv.key) })
}

// split groups figs by what name says of them, in the order of first
// appearance.
func split(figs []*figure, name func(*figure) string) (names []string, parts map[string][]*figure) {
	parts = make(map[string][]*figure)
	for _, f := range figs {
		n := name(f)
		if _, ok := parts[n]; !ok {
			names = append(names, n)
		}
		parts[n] = append(parts[n], f)
	}
	return names, parts
}

// numbers returns the strings of usual and seen that are numbers, each once, in
// ascending order.
func numbers(usual, seen []string) []string {
	all := slices.DeleteFunc(slices.Concat(usual, seen), func(s string) bool {
		_, err := strconv.Atoi(s)
		return err != nil
	})
	slices.SortFunc(all, func(a, b string) int {
		x, _ := strconv.Atoi(a)
		y, _ := strconv.Atoi(b)
		return cmp.Or(cmp.Compare(x, y), cmp.Compare(a, b))
	})
	return slices.Compact(all)
}

// fileSafe replaces what some system does not want in the name of a file.
func fileSafe(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r)), strings.ContainsRune("-_.", r):
			return r
		}
		return '_'
	}, s)
}

// clean replaces what XML cannot hold and a label has no use for.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' {
			return ' '
		}
		if !unicode.IsPrint(r) {
			return '?'
		}
		return r
	}, strings.ToValidUTF8(s, "?"))
}

// shorten cuts s to n characters, the last of which then says so.
func shorten(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:max(n-1, 0)]) + "…"
	}
	return s
}
