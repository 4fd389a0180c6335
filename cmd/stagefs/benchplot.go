package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"stagefs/bench"
)

func newBenchPlot() *cobra.Command {
	return &cobra.Command{
		Use:   "plot DIR",
		Short: "Draw the figures of an earlier run with -json",
		Long: fmt.Sprintf(`plot reads the output of "bench run -json" from standard input and draws the
figures of %s in DIR, as SVG
and PNG. It makes DIR if it is not there and replaces figures of the same name.
The names of the files are printed on stderr.`, plottedNames()),
		Example: `  stagefs bench run stage-stat stage-modify -json > rows.json
  stagefs bench plot figures < rows.json`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			rows, err := bench.ReadRows(cmd.InOrStdin())
			if err != nil {
				return fmt.Errorf("standard input is not the output of a run with -json: %w", err)
			}
			if !slices.ContainsFunc(rows, func(r bench.Row) bool {
				return slices.Contains(bench.PlottedExperiments(), r.Bench)
			}) {
				return fmt.Errorf("no row of %s on standard input", plottedNames())
			}
			if err := bench.CheckPlotDir(args[0]); err != nil {
				return err
			}
			return plot(cmd.ErrOrStderr(), rows, args[0])
		},
	}
}

// checkPlot finds out before anything is measured whether -plot can be
// followed. No names are all experiments.
func checkPlot(dir string, names []string) error {
	if len(names) > 0 && !slices.ContainsFunc(names, func(name string) bool {
		return slices.Contains(bench.PlottedExperiments(), name)
	}) {
		return fmt.Errorf("-plot: there are figures of %s, not of %s", plottedNames(), strings.Join(names, ", "))
	}
	if err := bench.CheckPlotDir(dir); err != nil {
		return fmt.Errorf("-plot: %w", err)
	}
	return nil
}

// plot draws what rows have figures of, and prints the names of the files.
func plot(w io.Writer, rows []bench.Row, dir string) error {
	files, err := (&bench.Report{Rows: rows}).Plot(dir)
	for _, name := range files {
		if _, werr := fmt.Fprintln(w, name); err == nil {
			err = werr
		}
	}
	if err == nil && len(files) == 0 {
		err = errors.New("no figure drawn: no value to draw")
	}
	return failure(err)
}

// plottedNames lists the experiments that have figures.
func plottedNames() string {
	names := bench.PlottedExperiments()
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " and " + names[last]
}
