package bench

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// plotted are the experiments that have figures.
var plotted = []struct {
	bench  string
	charts func([]*figure) []*chart
}{
	{"stage-stat", lookupCharts},
	{"stage-replay", replayCharts},
	{"stage-modify", modifyCharts},
}

// PlottedExperiments returns the names of the experiments that Plot draws.
func PlottedExperiments() []string {
	var names []string
	for _, p := range plotted {
		names = append(names, p.bench)
	}
	return names
}

// Plot draws the figures of the stage experiments, each as NAME.svg and
// NAME.png in dir, and returns the paths of these files in the order in which
// they were written. A figure without a single value is not drawn; a bar that
// is missing in one that is, is named below it. The same rows give the same
// bytes. dir is made if it is not there, and files that are there already are
// replaced, each at once: a reader sees the old one or the new one. After an
// error the files returned are complete.
//
// The layout is that of figures 7, 8 and 9 of the Stage Lookup paper: a bar is
// the median of the rounds, its whisker reaches from the best to the worst.
func (r *Report) Plot(dir string) ([]string, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, fmt.Errorf("the directory for figures: %w", err)
	}
	var written []string
	for _, c := range r.charts() {
		for _, f := range []struct {
			ext  string
			make func() ([]byte, error)
		}{{".svg", c.svg}, {".png", c.png}} {
			name := filepath.Join(dir, c.file+f.ext)
			data, err := f.make()
			if err == nil {
				err = replaceFile(name, data)
			}
			if err != nil {
				return written, fmt.Errorf("figure %s: %w", c.file+f.ext, err)
			}
			written = append(written, name)
		}
	}
	return written, nil
}

// charts returns the figures of the report, each with a name of its own.
func (r *Report) charts() []*chart {
	times := slices.DeleteFunc(figures(r.Rows), func(f *figure) bool {
		return f.metric != metricTime || f.unit != unitTime
	})
	var charts []*chart
	names := make(map[string]int)
	for _, p := range plotted {
		var own []*figure
		for _, f := range times {
			if f.bench == p.bench {
				own = append(own, f)
			}
		}
		for _, c := range p.charts(own) {
			if !c.hasBars() {
				continue
			}
			c.file = fileSafe(c.file)
			if names[c.file]++; names[c.file] > 1 {
				c.file = fmt.Sprintf("%s-%d", c.file, names[c.file])
			}
			charts = append(charts, c)
		}
	}
	return charts
}

// CheckPlotDir makes dir, with its parents, if it is not there, and returns an
// error if no file can be made in it. It leaves nothing else behind.
func CheckPlotDir(dir string) error {
	if dir == "" {
		return fmt.Errorf("the directory for figures has no name")
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, ".plot-*")
	if err != nil {
		return err
	}
	closeErr := f.Close()
	if err := os.Remove(f.Name()); err != nil {
		return err
	}
	return closeErr
}

// replaceFile puts data at name by renaming a file that is complete.
func replaceFile(name string, data []byte) (err error) {
	f, err := os.CreateTemp(filepath.Dir(name), ".plot-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(f.Name()) // the first error is the one to tell
		}
	}()
	_, err = bytes.NewReader(data).WriteTo(f)
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return err
	}
	// CreateTemp keeps others from reading; a figure is there to be shown.
	if err := os.Chmod(f.Name(), 0o644); err != nil {
		return err
	}
	return os.Rename(f.Name(), name)
}
