package bench

import (
	"bytes"
	"fmt"
	"image/color"
	"image/png"
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// The size of a figure, in points of 1/72 inch, and of its PNG in pixels: twice
// the 900 by 540 at which a figure is shown, for screens that have them.
const (
	plotWidth  = 675
	plotHeight = 405
	plotDPI    = 192

	plotMargin = 8
	groupShare = 0.84 // of the room of a group that bars may take
	widestBar  = 0.26 // of the room of a group
)

var (
	inkText  = color.RGBA{0x22, 0x22, 0x22, 0xff}
	inkNotes = color.RGBA{0x55, 0x55, 0x55, 0xff}
	inkGrid  = color.RGBA{0xdd, 0xdd, 0xdd, 0xff}
)

// svg returns the chart as an SVG.
func (c *chart) svg() ([]byte, error) {
	canvas := vgsvg.New(plotWidth, plotHeight)
	c.draw(draw.New(canvas))
	var b bytes.Buffer
	if _, err := canvas.WriteTo(&b); err != nil {
		return nil, err
	}
	// The font is not part of the file; these have letters of the same widths.
	return bytes.ReplaceAll(b.Bytes(), []byte("font-family:Liberation Sans;"),
		[]byte("font-family:'Liberation Sans',Arial,Helvetica,sans-serif;")), nil
}

// png returns the chart as a PNG.
func (c *chart) png() ([]byte, error) {
	canvas := vgimg.NewWith(vgimg.UseWH(plotWidth, plotHeight), vgimg.UseDPI(plotDPI))
	c.draw(draw.New(canvas))
	var b bytes.Buffer
	if err := png.Encode(&b, canvas.Image()); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// draw fills the canvas: title and legend above the bars, notes below.
func (c *chart) draw(dc draw.Canvas) {
	dc.FillPolygon(color.White, corners(dc.Rectangle))
	dc = draw.Crop(dc, plotMargin, -plotMargin, plotMargin, -plotMargin)
	top := c.drawHead(dc)
	bottom := c.drawNotes(dc)
	body := draw.Crop(dc, 0, 0, bottom-dc.Min.Y, top-dc.Max.Y)
	c.plot(body).Draw(body)
}

// drawHead draws title, subtitle and legend and returns where they end.
func (c *chart) drawHead(dc draw.Canvas) vg.Length {
	y := dc.Max.Y
	line := func(size vg.Length, s string) {
		if s == "" {
			return
		}
		style := textStyle(size, inkText, draw.XLeft, draw.YTop)
		dc.FillText(style, vg.Point{X: dc.Min.X, Y: y}, fit(style, s, dc.Max.X-dc.Min.X))
		y -= size * 1.4
	}
	line(14, c.title)
	line(10.5, c.subtitle)
	y -= 5

	const box, gap = 9, 14
	style := textStyle(10.5, inkText, draw.XLeft, draw.YTop)
	x := dc.Min.X
	for _, s := range c.series {
		if !s.hasBars() {
			continue
		}
		width := box + 4 + style.Width(s.label)
		if x > dc.Min.X && x+width > dc.Max.X {
			x, y = dc.Min.X, y-15
		}
		fillBox(&dc, s.fill, vg.Rectangle{Min: vg.Point{X: x, Y: y - box - 1}, Max: vg.Point{X: x + box, Y: y - 1}})
		dc.FillText(style, vg.Point{X: x + box + 4, Y: y}, s.label)
		x += width + gap
	}
	return y - 15 - 6
}

// drawNotes draws what is missing, in few lines, and returns where they begin.
func (c *chart) drawNotes(dc draw.Canvas) vg.Length {
	const size, most = 8.5, 4
	style := textStyle(size, inkNotes, draw.XLeft, draw.YBottom)
	lines := []string{"Bars: median of the rounds; whiskers: the fastest and the slowest round."}
	if high, _ := c.highest(); !c.log && high > c.ceiling() {
		lines[0] = "Bars: median of the rounds; whiskers: the fastest and the slowest round, with an arrow where that is beyond the axis."
	}
	if notes := c.notes(); len(notes) > 0 {
		lines = append(lines, wrap(style, "Missing: "+strings.Join(notes, "; ")+".", dc.Max.X-dc.Min.X)...)
	}
	if len(lines) > most {
		lines = append(lines[:most-1:most-1], fit(style, lines[most-1]+" …", dc.Max.X-dc.Min.X))
	}
	y := dc.Min.Y
	for i := len(lines) - 1; i >= 0; i-- {
		dc.FillText(style, vg.Point{X: dc.Min.X, Y: y}, lines[i])
		y += size * 1.3
	}
	return y + 5
}

// plot returns the axes with the bars between them.
func (c *chart) plot(dc draw.Canvas) *plot.Plot {
	p := plot.New()
	s := c.scale()
	room := (dc.Max.X - dc.Min.X - 50) / vg.Length(len(c.groups)) // about 50 go to the y axis

	p.X.Min, p.X.Max, p.X.Padding = -0.5, float64(len(c.groups))-0.5, 0
	p.X.Label.Padding = 4
	p.X.Label.Text, p.X.Label.TextStyle = c.x, textStyle(11, inkText, draw.XCenter, draw.YBottom)
	p.X.Tick.Label, p.X.Tick.Length = textStyle(10.5, inkText, draw.XCenter, draw.YTop), 4
	var ticks []plot.Tick
	most := 0
	for _, g := range c.groups {
		most = max(most, strings.Count(g, "\n"))
	}
	for i, g := range c.groups {
		lines := strings.Split(g+strings.Repeat("\n ", most-strings.Count(g, "\n")), "\n") // all begin at one height
		for j := range lines {
			lines[j] = fit(p.X.Tick.Label, lines[j], room-6)
		}
		ticks = append(ticks, plot.Tick{Value: float64(i), Label: strings.Join(lines, "\n")})
	}
	p.X.Tick.Marker = plot.ConstantTicks(ticks)

	p.Y.Min, p.Y.Max, p.Y.Padding = s.min, s.max, 0
	p.Y.Label.Text, p.Y.Label.TextStyle = s.label, textStyle(11, inkText, draw.XCenter, draw.YBottom)
	p.Y.Tick.Label, p.Y.Tick.Length = textStyle(10, inkText, draw.XRight, draw.YCenter), 4
	p.Y.Tick.Marker = plot.ConstantTicks(s.ticks)
	p.Add(&barPlotter{c, s})
	return p
}

// barPlotter draws grid, bars, whiskers and, where there is room, the medians.
type barPlotter struct {
	chart *chart
	scale yScale
}

// Plot implements plot.Plotter.
func (b *barPlotter) Plot(dc draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&dc)
	for _, t := range b.scale.ticks {
		if t.Label != "" {
			dc.StrokeLine2(draw.LineStyle{Color: inkGrid, Width: 0.6}, dc.Min.X, y(t.Value), dc.Max.X, y(t.Value))
		}
	}
	var shown []barSeries
	for _, s := range b.chart.series {
		if s.hasBars() {
			shown = append(shown, s)
		}
	}
	room := x(1) - x(0)
	width := room * vg.Length(min(groupShare/float64(len(shown)), widestBar))
	style := textStyle(8.5, inkText, draw.XCenter, draw.YBottom)
	labelled := b.labelled(style, width)
	whisker := draw.LineStyle{Color: color.Black, Width: 0.7}
	for i := range b.chart.groups {
		left := x(float64(i)) - width*vg.Length(len(shown))/2
		for k, s := range shown {
			v := s.bars[i]
			if !v.drawn {
				continue
			}
			l := left + width*vg.Length(k)
			r, mid := l+width, l+width/2
			fillBox(&dc, s.fill, vg.Rectangle{Min: vg.Point{X: l, Y: dc.Min.Y}, Max: vg.Point{X: r, Y: y(b.scale.of(v.median))}})
			low, high := y(b.scale.of(v.low)), min(y(b.scale.of(v.high)), dc.Max.Y)
			beam, tip := min(width/4, 3), vg.Length(0)
			if b.scale.of(v.high) > b.scale.max {
				tip = 4
			}
			dc.StrokeLine2(whisker, mid, low, mid, high)
			dc.StrokeLine2(whisker, mid-beam, low, mid+beam, low)
			dc.StrokeLines(whisker, []vg.Point{{X: mid - beam, Y: high - tip}, {X: mid, Y: high}, {X: mid + beam, Y: high - tip}})
			if labelled && tip > 0 { // beside the whisker's end, inside the axis
				dc.FillText(style, vg.Point{X: mid + style.Width(b.scale.text(v.median))/2 + 4, Y: y(b.scale.of(v.median)) + 2}, b.scale.text(v.median))
			} else if labelled {
				dc.FillText(style, vg.Point{X: mid, Y: high + 2}, b.scale.text(v.median))
			}
		}
	}
}

// labelled reports whether every median fits over its bar.
func (b *barPlotter) labelled(style text.Style, width vg.Length) bool {
	for v := range b.chart.allBars() {
		if style.Width(b.scale.text(v.median)) > width {
			return false
		}
	}
	return true
}

// yScale is the axis of the values. Linear axes begin at 0 and count in the unit
// that suits the largest value; logarithmic ones count in powers of ten of a ns,
// and the unit is on every mark. (The library's own scale puts the label of the
// axis where the middle would be on a linear one, and leaves room for it.)
type yScale struct {
	unit     float64 // in ns; of a linear axis
	min, max float64
	label    string
	ticks    []plot.Tick
	log      bool
}

// of returns where on the axis ns is.
func (s *yScale) of(ns float64) float64 {
	if s.log {
		return math.Log10(ns)
	}
	return ns / s.unit
}

func (s *yScale) text(ns float64) string {
	if s.log {
		return strings.TrimSuffix(formatValue(ns, unitTime), "/op")
	}
	return threeDigits(s.of(ns))
}

// ceiling returns where a linear axis ends, in ns: above all whiskers and the
// label of a bar, but no single slow round makes the bars small.
func (c *chart) ceiling() float64 {
	high, median := c.highest()
	return min(high*1.08, median*1.5)
}

func (c *chart) scale() yScale {
	if c.log {
		return c.logScale()
	}
	high := c.ceiling()
	if high == 0 {
		high = 1
	}
	unit, name := timeUnit(high, 1e4)
	s := yScale{unit: unit, label: fmt.Sprintf("%s (%s)", c.y, name)}
	step := niceStep(s.of(high) / 6)
	s.max = s.of(high)
	for i := range int(s.max/step) + 1 {
		v := float64(i) * step
		s.ticks = append(s.ticks, plot.Tick{Value: v, Label: strconv.FormatFloat(v, 'g', 6, 64)})
	}
	return s
}

// logScale begins at a decade, with room below the smallest value so that its
// bar can be seen, and ends with room for a label above the largest.
func (c *chart) logScale() yScale {
	s := yScale{log: true, label: c.y + " (logarithmic)"}
	s.min = math.Floor(math.Log10(c.lowest() * 0.8))
	high, _ := c.highest()
	s.max = max(math.Log10(high*1.6), s.min+1)
	for d := s.min; d <= s.max; d++ {
		ns := math.Pow(10, d)
		unit, name := timeUnit(ns, 1e3)
		s.ticks = append(s.ticks, plot.Tick{Value: d, Label: strconv.FormatFloat(ns/unit, 'g', 6, 64) + " " + name})
		for m := 2.0; m < 10; m++ {
			s.ticks = append(s.ticks, plot.Tick{Value: d + math.Log10(m)})
		}
	}
	return s
}

// timeUnit returns the unit in which ns has few digits before the point, and
// the unit's name; microseconds begin at micro.
func timeUnit(ns, micro float64) (unit float64, name string) {
	switch {
	case ns >= 1e9:
		return 1e9, "s"
	case ns >= 1e6:
		return 1e6, "ms"
	case ns >= micro:
		return 1e3, "µs"
	}
	return 1, "ns"
}

// niceStep returns the smallest of 1, 2 and 5 times a power of ten that is at
// least v.
func niceStep(v float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(v)))
	for _, m := range []float64{1, 2, 5} {
		if m*power >= v {
			return m * power
		}
	}
	return 10 * power
}

func textStyle(size vg.Length, ink color.Color, x text.XAlignment, y text.YAlignment) text.Style {
	return text.Style{
		Color: ink, Font: font.From(font.Font{Typeface: "Liberation", Variant: "Sans"}, size),
		XAlign: x, YAlign: y, Handler: plot.DefaultTextHandler,
	}
}

// fit shortens s until it is no wider than width.
func fit(style text.Style, s string, width vg.Length) string {
	for n := len([]rune(s)) - 1; style.Width(s) > width && n > 0; n-- {
		s = shorten(strings.TrimSuffix(s, "…"), n)
	}
	return s
}

// wrap breaks s into lines no wider than width, between words.
func wrap(style text.Style, s string, width vg.Length) []string {
	var lines []string
	for word := range strings.FieldsSeq(s) {
		if n := len(lines); n > 0 && style.Width(lines[n-1]+" "+word) <= width {
			lines[n-1] += " " + word
			continue
		}
		lines = append(lines, fit(style, word, width))
	}
	return lines
}

// fillBox fills r, with a thin edge that keeps light colours and white apart.
func fillBox(dc *draw.Canvas, fill color.Color, r vg.Rectangle) {
	dc.FillPolygon(fill, corners(r))
	edge := append(corners(r), r.Min)
	dc.StrokeLines(draw.LineStyle{Color: inkNotes, Width: 0.3}, edge)
}

func corners(r vg.Rectangle) []vg.Point {
	return []vg.Point{r.Min, {X: r.Max.X, Y: r.Min.Y}, r.Max, {X: r.Min.X, Y: r.Max.Y}}
}
