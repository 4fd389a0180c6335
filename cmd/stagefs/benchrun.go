package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"stagefs/bench"
)

// benchFlags are the flags of "bench run".
type benchFlags struct {
	count    int
	seed     uint64
	scale    int
	json     bool
	baseline string
	failOn   string
	tree     string
	plot     string
	traces   []string
	cold     bool
}

func newBenchRun() *cobra.Command {
	var flags benchFlags
	cmd := &cobra.Command{
		Use:   "run [NAME...]",
		Short: "Run experiments, all of them without a NAME",
		Long: `run runs the experiments called NAME in the given order, all of them without a
NAME, and prints a table for each.

In each of the -count rounds every rival measures once, in shuffled order.
A rival that fails is a line with its error, and so is one to which an
experiment does not apply ("skipped: ...").

The experiment tree copies a real directory tree. Give it as -tree DIR, tree=DIR
or as the argument after tree; without one it is the src directory of GOROOT.

The experiment stage-replay replays traces of its own, or those that are given
as -trace FILE: what "strace -f -e trace=%file -o FILE COMMAND" writes. It does
so with warm and with cold caches; with -cold only with cold ones.

With -json every measurement is a line as soon as it is made,
  {"bench":"rename","impl":"memfs","param":"files=10000","metric":"time","value":913.5,"unit":"ns/op"}
where lines that differ in value only are the rounds of one figure. The value
is null where there is an "error".

With -baseline the figures of memfs are compared with those of an earlier run
with -json. Worse by more than -fail-on, and significantly so, is a regression.

With -plot the stage experiments are drawn in DIR as well, as SVG and PNG, and
the names of the files are printed on stderr. "stagefs bench plot" draws them
again from a run with -json.

Exit codes: 0 all well; 1 a regression, or memfs failed, or a tree was not the
same as its source; 2 usage; 130 interrupted (what there is gets printed).`,
		Example: `  stagefs bench run tree file-create
  stagefs bench run tree /usr/share/doc -count 3
  stagefs bench run rename -count 10 -json > old.json
  stagefs bench run rename -count 10 -baseline old.json -fail-on 5%`,
		RunE: func(cmd *cobra.Command, args []string) error { return flags.run(cmd, args) },
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			var names []string
			for _, e := range bench.Experiments() {
				names = append(names, e.Name+"\t"+e.Doc)
			}
			return names, cobra.ShellCompDirectiveDefault
		},
	}
	f := cmd.Flags()
	f.IntVar(&flags.count, "count", bench.DefaultCount, "`rounds` of each comparison")
	f.BoolVar(&flags.json, "json", false, "print one JSON object a measurement")
	f.StringVar(&flags.baseline, "baseline", "", "compare with `FILE`, the output of an earlier run with -json")
	f.StringVar(&flags.failOn, "fail-on", "5%", "how much worse than the baseline is a regression, in `percent`")
	f.StringVar(&flags.tree, "tree", "", "`DIR` that the experiment tree copies (default: src in GOROOT)")
	f.StringArrayVar(&flags.traces, "trace", nil, "`FILE` that strace wrote, for stage-replay; may be repeated")
	f.BoolVar(&flags.cold, "cold", false, "let stage-replay begin with empty caches only")
	f.StringVar(&flags.plot, "plot", "", "draw figures of the stage experiments in `DIR`")
	f.Uint64Var(&flags.seed, "seed", bench.DefaultSeed, "`seed` of the order of rivals and names")
	f.IntVar(&flags.scale, "scale", 1, "divide all sizes by `N`: to see that it works, not to measure")
	_ = f.MarkHidden("scale") // the flag exists
	return cmd
}

// run checks the command line, runs the experiments one by one and reports.
func (b *benchFlags) run(cmd *cobra.Command, args []string) error {
	names, err := b.parseNames(args)
	if err != nil {
		return err
	}
	if b.count < 1 || b.scale < 1 || b.seed == 0 {
		return errors.New("-count and -seed must be at least 1")
	}
	if err := b.checkTraces(names); err != nil {
		return err
	}
	if cmd.Flags().Changed("fail-on") && b.baseline == "" {
		return errors.New("-fail-on needs a -baseline")
	}
	limit, err := bench.ParsePercent(b.failOn)
	if err != nil {
		return fmt.Errorf("-fail-on: %w", err)
	}
	var old []bench.Row
	if b.baseline != "" {
		if old, err = readBaseline(b.baseline); err != nil {
			return fmt.Errorf("-baseline: %w", err)
		}
		if !slices.ContainsFunc(old, func(r bench.Row) bool {
			return r.Impl == bench.BaseImpl(r.Bench) && (len(names) == 0 || slices.Contains(names, r.Bench))
		}) {
			return fmt.Errorf("-baseline: %s has no figure of memfs for this run", b.baseline)
		}
	}
	if cmd.Flags().Changed("plot") {
		if err := checkPlot(b.plot, names); err != nil {
			return err
		}
	}
	rows, failures, err := b.measure(cmd, names)
	if err != nil {
		return err
	}
	if b.plot != "" {
		if err := plot(cmd.ErrOrStderr(), rows, b.plot); err != nil {
			if len(failures) > 0 { // the likely reason
				err = failure(errors.Join(err, describe(failures)))
			}
			return err
		}
	}
	if old != nil {
		if err := compare(cmd, b.json, old, rows, limit); err != nil {
			return err
		}
	}
	if len(failures) > 0 {
		return failure(describe(failures))
	}
	return nil
}

// parseNames returns the experiments that the arguments name, each once, and
// takes the directory of tree out of them.
func (b *benchFlags) parseNames(args []string) ([]string, error) {
	var names []string
	afterTree := false
	setTree := func(dir string) error {
		if b.tree != "" && b.tree != dir {
			return fmt.Errorf("two directories for tree: %s and %s", b.tree, dir)
		}
		b.tree = dir
		return nil
	}
	for _, arg := range args {
		name, dir, given := strings.Cut(arg, "=")
		_, known := bench.Lookup(name)
		var err error
		switch {
		case given && name == "tree":
			err = setTree(dir)
		case known && !given:
		case afterTree:
			if err = setTree(arg); err == nil {
				afterTree = false
				continue
			}
		default:
			err = fmt.Errorf("no experiment %q (\"stagefs bench list\" lists them)", arg)
		}
		if err != nil {
			return nil, err
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
		afterTree = name == "tree" && !given
	}
	if b.tree == "" {
		return names, nil
	}
	if len(names) > 0 && !slices.Contains(names, "tree") {
		return nil, errors.New("-tree is of use to the experiment tree only")
	}
	if info, err := os.Stat(b.tree); err != nil {
		return nil, fmt.Errorf("the directory of tree: %w", err)
	} else if !info.IsDir() {
		return nil, fmt.Errorf("the directory of tree: %s is no directory", b.tree)
	} else if _, err := os.ReadDir(b.tree); err != nil {
		return nil, fmt.Errorf("the directory of tree: %w", err)
	}
	return names, nil
}

// checkTraces finds out before anything runs whether -trace and -cold make
// sense.
func (b *benchFlags) checkTraces(names []string) error {
	if len(names) > 0 && !slices.Contains(names, "stage-replay") {
		switch {
		case len(b.traces) > 0:
			return errors.New("-trace is of use to the experiment stage-replay only")
		case b.cold:
			return errors.New("-cold is of use to the experiment stage-replay only")
		}
	}
	return bench.CheckTraces(b.traces...)
}

func readBaseline(name string) ([]bench.Row, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	rows, err := bench.ReadRows(f)
	if err != nil {
		return nil, fmt.Errorf("%s is not the output of a run with -json: %w", name, err)
	}
	return rows, nil
}

// measure runs the experiments one after the other, so that each table is there
// as soon as its experiment is done. It returns all rows and those that say that
// memfs failed.
func (b *benchFlags) measure(cmd *cobra.Command, names []string) (rows, failures []bench.Row, err error) {
	if len(names) == 0 {
		for _, e := range bench.Experiments() {
			names = append(names, e.Name)
		}
	}
	ctx, cancel := context.WithCancelCause(cmd.Context())
	defer cancel(nil)
	out := cmd.OutOrStdout()
	cfg := bench.Config{Count: b.count, Seed: b.seed, Scale: b.scale, TreeDir: b.tree, Traces: b.traces, Cold: b.cold}
	if b.json {
		enc := json.NewEncoder(out)
		cfg.OnRow = func(r bench.Row) {
			if err := enc.Encode(r); err != nil {
				cancel(failure(err))
			}
		}
	}
	for i, name := range names {
		report, err := b.measureOne(ctx, cmd, cfg, name)
		if report != nil {
			rows, failures = append(rows, report.Rows...), append(failures, report.Failures()...)
			if !b.json {
				if werr := writeReport(out, report, i == 0, err != nil || i == len(names)-1); werr != nil {
					return rows, failures, failure(werr)
				}
			}
		}
		if err != nil && ctx.Err() == nil {
			return rows, failures, err
		}
		if err != nil {
			return rows, failures, interruption(ctx)
		}
	}
	return rows, failures, nil
}

// measureOne runs one experiment, with a display of its progress if the user
// watches and the display does not get into the output.
func (b *benchFlags) measureOne(ctx context.Context, cmd *cobra.Command, cfg bench.Config, name string) (*bench.Report, error) {
	if !b.json {
		if p := newProgress(cmd.ErrOrStderr()); p != nil {
			cfg.OnStep = p.step
			defer p.close()
		}
	}
	return bench.Run(ctx, cfg, name)
}

func writeReport(w io.Writer, report *bench.Report, first, last bool) error {
	if first {
		if _, err := fmt.Fprintln(w, report.Machine); err != nil {
			return err
		}
	}
	if err := report.WriteTable(w); err != nil {
		return err
	}
	if last {
		if _, err := fmt.Fprintf(w, "\n%s", bench.Legend); err != nil {
			return err
		}
	}
	return nil
}

// interruption is the error of a run that ended early: that of an output that
// takes nothing more, or a signal.
func interruption(ctx context.Context) error {
	if exit := (*exitError)(nil); errors.As(context.Cause(ctx), &exit) {
		return exit
	}
	return &exitError{exitInterrupted, errors.New("interrupted; what there is has been printed")}
}

// compare prints the comparison with the baseline, beside the output if that is
// JSON, and fails on a regression.
func compare(cmd *cobra.Command, beside bool, old, rows []bench.Row, limit float64) error {
	c, err := bench.CompareRows(old, rows, limit)
	if err != nil {
		return fmt.Errorf("-baseline: %w", err)
	}
	w := cmd.OutOrStdout()
	if beside {
		w = cmd.ErrOrStderr()
	}
	fmt.Fprintln(w)
	if err := c.WriteTable(w); err != nil {
		return failure(err)
	}
	if n := len(c.Regressions()); n > 0 {
		return failure(fmt.Errorf("%d figures of memfs are worse than the baseline", n))
	}
	return nil
}

// describe makes an error of what failed.
func describe(failures []bench.Row) error {
	lines := make([]string, 0, len(failures)+1)
	lines = append(lines, fmt.Sprintf("%d measurements failed:", len(failures)))
	for _, r := range failures {
		lines = append(lines, fmt.Sprintf("  %s %s %s: %s", r.Bench, r.Impl, r.Param, r.Error))
	}
	return errors.New(strings.Join(lines, "\n"))
}
