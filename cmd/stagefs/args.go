package main

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// longFlags puts a second dash before the long flags that args has with one,
// as other Go commands take them. Only flags that some command below root
// defines are touched, and nothing after "--".
func longFlags(root *cobra.Command, args []string) []string {
	known := map[string]bool{"help": true}
	collect(root, known)
	long := make([]string, len(args))
	copy(long, args)
	for i, arg := range long {
		if arg == "--" {
			break
		}
		name, single := strings.CutPrefix(arg, "-")
		name, _, _ = strings.Cut(name, "=")
		if single && len(name) > 1 && known[name] {
			long[i] = "-" + arg
		}
	}
	return long
}

func collect(cmd *cobra.Command, known map[string]bool) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) { known[f.Name] = true })
	cmd.PersistentFlags().VisitAll(func(f *pflag.Flag) { known[f.Name] = true })
	for _, sub := range cmd.Commands() {
		collect(sub, known)
	}
}
