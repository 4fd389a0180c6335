package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"stagefs/bench"
)

func newBench() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Measure memfs beside other file systems",
		Long: `bench measures memfs beside what a program could use instead, in one run on
one machine, and prints medians, their spread, and each rival's cost in memfs's.

The rivals, the column impl:
  memfs    stagefs/memfs with its defaults
  list     memfs with directories kept as linked lists
  rwmutex  memfs without its dentry cache: a walk latches each directory, shared
  afero    github.com/spf13/afero, MemMapFs
  billy    github.com/go-git/go-billy/v5, memfs
  tmpfs    package os on a kernel tmpfs (/dev/shm), where there is one
  os       package os in the directory for temporary files (tree only)

In the experiments stage-..., which are about finding paths:
  stage       memfs with its defaults
  stage-list  the same, its pivots in the list of the Stage Lookup paper
  stage-hash  the same, its pivots in a hash table
  original    memfs without its stage
  full-path   memfs with Tsai's cache of whole paths in its place`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		Example: `  stagefs bench list
  stagefs bench run
  stagefs bench run file-create rename -count 10
  stagefs bench run tree ~/src/project
  stagefs bench run -json > old.json
  stagefs bench run -baseline old.json -fail-on 5%`,
	}
	cmd.AddCommand(newBenchList(), newBenchRun(), newBenchPlot())
	return cmd
}

func newBenchList() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the experiments",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			for _, e := range bench.Experiments() {
				if _, err := fmt.Fprintf(cmd.OutOrStdout(), "%-12s %s\n", e.Name, e.Doc); err != nil {
					return failure(err)
				}
			}
			return nil
		},
	}
}
