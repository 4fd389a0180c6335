package main

import (
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"stagefs": main})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:  "testdata/script",
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){"exits": exits},
	})
}

// exits runs a command and checks its exit code: exits CODE PROGRAM [ARG...].
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE PROGRAM [ARG...]")
	}
	err := ts.Exec(args[1], args[2:]...)
	code := "0"
	if exit, ok := err.(interface{ ExitCode() int }); ok {
		code = strconv.Itoa(exit.ExitCode())
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	if code != args[0] {
		ts.Fatalf("exit code %s, want %s", code, args[0])
	}
}

func TestLongFlags(t *testing.T) {
	for _, c := range []struct{ in, want []string }{
		{[]string{"bench", "run", "-count", "5", "-json"}, []string{"bench", "run", "--count", "5", "--json"}},
		{[]string{"-fail-on=5%", "--seed=3", "-h"}, []string{"--fail-on=5%", "--seed=3", "-h"}},
		{[]string{"-help"}, []string{"--help"}},
		{[]string{"-unknown", "-", "-1"}, []string{"-unknown", "-", "-1"}},
		{[]string{"run", "--", "-count"}, []string{"run", "--", "-count"}},
	} {
		if diff := cmp.Diff(c.want, longFlags(newRoot(), c.in)); diff != "" {
			t.Errorf("longFlags(%q) (-want +got):\n%s", c.in, diff)
		}
	}
}

func TestParseNames(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		args  []string
		flag  string
		names []string
		tree  string
		err   string
	}{
		{args: nil, names: nil},
		{args: []string{"tree", "rename"}, names: []string{"tree", "rename"}},
		{args: []string{"tree", dir, "rename"}, names: []string{"tree", "rename"}, tree: dir},
		{args: []string{"rename", "tree=" + dir}, names: []string{"rename", "tree"}, tree: dir},
		{args: []string{"tree"}, flag: dir, names: []string{"tree"}, tree: dir},
		{args: []string{"tree", dir}, flag: dir, names: []string{"tree"}, tree: dir},
		{args: nil, flag: dir, names: nil, tree: dir},
		{args: []string{"rename", dir}, err: "no experiment"},
		{args: []string{"rename=3"}, err: "no experiment"},
		{args: []string{"tree=" + dir, dir}, err: "no experiment"},
		{args: []string{"tree", dir, dir}, err: "no experiment"},
		{args: []string{"tree", dir + "/missing"}, err: "the directory of tree"},
		{args: []string{"tree", dir}, flag: "/", err: "two directories"},
		{args: []string{"rename"}, flag: dir, err: "-tree is of use"},
	} {
		b := benchFlags{tree: c.flag}
		names, err := b.parseNames(c.args)
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%q: %v, want an error with %q", c.args, err, c.err)
			}
			continue
		}
		if err != nil || !cmp.Equal(names, c.names) || b.tree != c.tree {
			t.Errorf("%q: %q, tree %q, %v; want %q, %q", c.args, names, b.tree, err, c.names, c.tree)
		}
	}
}
