package bench

import (
	"image/color"
	"slices"
	"strings"
)

// The colours are those of Okabe and Ito, which people with any kind of colour
// vision tell apart; pools are shades from light to dark, those larger than
// the paper's in a second hue.
var (
	colourOriginal = color.RGBA{0x99, 0x99, 0x99, 0xff}
	colourFullPath = color.RGBA{0xe6, 0x9f, 0x00, 0xff}
	colourOther    = color.RGBA{0xf0, 0xe4, 0x42, 0xff}

	colourPools = map[string]color.RGBA{
		"1":    {0xde, 0xeb, 0xf7, 0xff},
		"2":    {0xb3, 0xd3, 0xea, 0xff},
		"4":    {0x7a, 0xb6, 0xdb, 0xff},
		"8":    {0x3a, 0x8a, 0xc2, 0xff},
		"16":   {0x08, 0x45, 0x94, 0xff},
		"256":  {0xb5, 0xa8, 0xd9, 0xff},
		"1024": {0x54, 0x27, 0x8f, 0xff},
	}
)

// rival is an implementation as a figure shows it.
type rival struct {
	impl   string
	fill   color.RGBA
	always bool // in the paper's figure: its absence is noted
}

// rivals are in the order of the bars.
var rivals = []rival{
	{"original", colourOriginal, true},
	{"full-path", colourFullPath, true},
	{"stage", color.RGBA{0x00, 0x72, 0xb2, 0xff}, true},
	{"stage-list", color.RGBA{0x56, 0xb4, 0xe9, 0xff}, false},
	{"stage-hash", color.RGBA{0x00, 0x9e, 0x73, 0xff}, false},
}

// shapeNotes says what differs in the pivots of stage-stat.
var shapeNotes = map[string]string{
	"root":     "pivots differ in the first component",
	"siblings": "pivots differ in the last component only",
	"binary":   "pivots branch at every component",
}

// lookupCharts lays stage-stat out like figure 7: a figure for each operation,
// shape and kind of pool. Original and full-path measure the same for every
// size of the pool; their bar is the median of all.
func lookupCharts(figs []*figure) []*chart {
	var charts []*chart
	names, parts := split(figs, func(f *figure) string {
		var values []string
		for _, kv := range paramRest(f.param, "walk", "pool") {
			values = append(values, kv.value)
		}
		return strings.Join(values, "-")
	})
	for _, name := range names {
		for _, kind := range []string{"stage", "stage-list", "stage-hash"} {
			isKind := func(f *figure) bool { return f.impl == kind }
			if kind != "stage" && !slices.ContainsFunc(parts[name], isKind) {
				continue
			}
			c := lookupChart(parts[name], kind)
			c.file = "stage-stat-" + name + strings.TrimPrefix(kind, "stage")
			charts = append(charts, c)
		}
	}
	return charts
}

func lookupChart(figs []*figure, kind string) *chart {
	values := make(cells)
	var walks, pools []string
	for _, f := range figs {
		walk, pool := paramValue(f.param, "walk"), paramValue(f.param, "pool")
		switch f.impl {
		case kind:
			pools = append(pools, pool)
			values.add(pool, walk, f)
		case "original", "full-path":
			values.add(f.impl, walk, f)
		default:
			continue
		}
		walks = append(walks, walk)
	}
	op, shape := paramValue(figs[0].param, "op"), paramValue(figs[0].param, "shape")
	c := &chart{
		title:    clean(op + " of paths of 8 components: " + kind + " beside the plain walk"),
		subtitle: clean("shape " + shape),
		x:        "components walked in stage two",
		y:        "latency",
		groups:   numbers([]string{"0", "1", "2", "3", "4", "5", "6", "7", "8"}, walks),
	}
	if about := shapeNotes[shape]; about != "" {
		c.subtitle += ": " + about
	}
	c.series = append(c.series, values.series("original", "original", colourOriginal, c.groups, false))
	if shape != "root" {
		c.known = map[string]string{"7": "pivots of one component have one shape, see root"}
	}
	usual := []string{"1", "2", "4", "8", "16"}
	if len(numbers(nil, pools)) == 1 {
		usual = nil // it is not about their sizes
	}
	for _, p := range numbers(usual, pools) {
		fill, ok := colourPools[p]
		if !ok {
			fill = colourOther
		}
		c.series = append(c.series, values.series(p, "pool "+p, fill, c.groups, false))
	}
	c.series = append(c.series, values.series("full-path", "full-path", colourFullPath, c.groups, false))
	return c
}

// replayCharts lays stage-replay out like figure 8: a group for each trace, and
// a figure each for cold and warm caches.
func replayCharts(figs []*figure) []*chart {
	var charts []*chart
	caches, parts := split(figs, func(f *figure) string { return paramValue(f.param, "cache") })
	for _, cache := range caches {
		c := &chart{file: "stage-replay", title: "replay of lookups", x: "trace", y: "time of a call"}
		if cache != "" {
			c.file += "-" + cache
			c.subtitle = clean("caches " + cache)
		}
		values := make(cells)
		for _, f := range parts[cache] {
			group := clean(paramValue(f.param, "trace"))
			for _, kv := range paramRest(f.param, "trace", "cache") {
				group += "\n" + clean(kv.key+"="+kv.value)
			}
			if !slices.Contains(c.groups, group) {
				c.groups = append(c.groups, group)
			}
			values.add(f.impl, group, f)
		}
		c.addRivals(values)
		charts = append(charts, c)
	}
	return charts
}

// modifyCharts lays stage-modify out like figure 9, a figure for each
// operation. The rows of what follows the change are not in it.
func modifyCharts(figs []*figure) []*chart {
	figs = slices.DeleteFunc(slices.Clone(figs), func(f *figure) bool { return paramValue(f.param, "then") != "" })
	var charts []*chart
	names, parts := split(figs, func(f *figure) string {
		var values []string
		for _, kv := range paramRest(f.param, "level") {
			values = append(values, kv.value)
		}
		return strings.Join(values, "-")
	})
	for _, name := range names {
		values := make(cells)
		var levels []string
		for _, f := range parts[name] {
			level := paramValue(f.param, "level")
			levels = append(levels, level)
			values.add(f.impl, level, f)
		}
		op := clean(paramValue(parts[name][0].param, "op"))
		c := &chart{
			file:     "stage-modify-" + name,
			title:    op + " of a directory",
			subtitle: "in a tree of six levels, everything below looked up before",
			x:        "level of the directory (1 is next to the root)",
			y:        "latency of a " + op,
			log:      true,
			groups:   numbers([]string{"1", "2", "3", "4", "5"}, levels),
		}
		c.addRivals(values)
		charts = append(charts, c)
	}
	return charts
}

// addRivals adds a series for each implementation that values or the paper has.
func (c *chart) addRivals(values cells) {
	for _, r := range rivals {
		if r.always || values.has(r.impl) {
			c.series = append(c.series, values.series(r.impl, r.impl, r.fill, c.groups, c.log))
		}
	}
}
