// Command stagefs works with the in-memory file system of package
// stagefs/memfs. "stagefs help" lists what it does; "stagefs bench --help"
// describes the measurements.
//
// It exits with 0 if all went well, 1 if the work failed (a benchmark found a
// regression or memfs failed a self-check), 2 if the command line makes no
// sense, and 130 if it was interrupted.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"

	"github.com/spf13/cobra"
)

// The exit codes.
const (
	exitOK          = 0
	exitFailed      = 1
	exitUsage       = 2
	exitInterrupted = 130
)

// exitError is an error of a command that was understood, with the code it ends
// with. Every other error is one of usage.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string { return e.err.Error() }
func (e *exitError) Unwrap() error { return e.err }

// failure makes err end the program with exitFailed.
func failure(err error) error {
	if err == nil {
		return nil
	}
	return &exitError{exitFailed, err}
}

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

func run(args []string, stdout, stderr io.Writer) int {
	writeErrors()
	ctx, stop := signal.NotifyContext(context.Background(), endSignals...)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the program at once

	root := newRoot()
	root.SetOut(stdout)
	root.SetErr(stderr)
	root.SetArgs(longFlags(root, args))
	err := root.ExecuteContext(ctx)
	if err == nil {
		return exitOK
	}
	fmt.Fprintf(stderr, "stagefs: %v\n", err)
	if exit := (*exitError)(nil); errors.As(err, &exit) {
		return exit.code
	}
	return exitUsage
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "stagefs",
		Short: "An in-memory file system: measure it beside others",
		Long: `stagefs is an in-memory file system for Go programs (package stagefs/memfs).
This command measures it beside what a program could use instead.

Flags may be written with one dash or two: -count 5, --count=5.`,
		Version:       version(),
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.NoArgs,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.AddCommand(newBench(), newVersion())
	return root
}
