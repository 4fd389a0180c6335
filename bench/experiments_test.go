package bench

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestExperiments runs every experiment with tiny sizes: all rivals must get
// through, and what they do not do they say.
func TestExperiments(t *testing.T) {
	tree := makeTree(t)
	for _, e := range Experiments() {
		t.Run(e.Name, func(t *testing.T) {
			var seen []Row
			report, err := Run(t.Context(), Config{Count: 2, Scale: 1000, TreeDir: tree,
				OnRow: func(r Row) { seen = append(seen, r) }}, e.Name)
			if err != nil {
				t.Fatal(err)
			}
			if len(seen) != len(report.Rows) {
				t.Errorf("OnRow saw %d rows of %d", len(seen), len(report.Rows))
			}
			impls := make(map[string]int)
			for _, r := range report.Rows {
				switch {
				case r.Bench != e.Name || r.Impl == "" || r.Metric == "" || r.Unit == "":
					t.Errorf("incomplete row %+v", r)
				case r.Error != "" && !r.Skipped() && !knownFault(r):
					t.Errorf("%s %s: %s", r.Impl, r.Param, r.Error)
				case r.Error == "":
					impls[r.Impl]++
				}
			}
			if impls[BaseImpl(e.Name)] == 0 || len(impls) < 2 {
				t.Errorf("figures of %v only", impls)
			}
			checkStageRows(t, e.Name, report.Rows)
			if f := report.Failures(); len(f) > 0 {
				t.Errorf("failures %+v", f)
			}
		})
	}
}

// knownFault: go-billy's Rename also moves what begins with the same text.
func knownFault(r Row) bool {
	return r.Bench == "rfc-test1" && r.Impl == "billy"
}

// makeTree makes a small directory tree with all that a copy can get wrong.
func makeTree(t *testing.T) string {
	t.Helper()
	root := filepath.Join(t.TempDir(), "tree")
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.MkdirAll(filepath.Join(root, "a", "b"), 0o755))
	must(os.Mkdir(filepath.Join(root, "locked"), 0o755))
	must(os.WriteFile(filepath.Join(root, "empty"), nil, 0o644))
	must(os.WriteFile(filepath.Join(root, "a", "big"), []byte(strings.Repeat("0123456789", 20_000)), 0o640))
	must(os.WriteFile(filepath.Join(root, "a", "b", "run"), []byte("#!/bin/sh\n"), 0o755))
	must(os.WriteFile(filepath.Join(root, "locked", "read-only"), []byte("x"), 0o444))
	must(os.Mkdir(filepath.Join(root, "locked", "inner"), 0o755))
	if runtime.GOOS != "windows" {
		must(os.Symlink("b/run", filepath.Join(root, "a", "link")))
		must(os.Symlink("nowhere", filepath.Join(root, "broken")))
	}
	must(os.Chmod(filepath.Join(root, "locked"), 0o555))
	t.Cleanup(func() { must(os.Chmod(filepath.Join(root, "locked"), 0o755)) })
	return root
}

// lossy is a target that does not remove what it is told to.
type lossy struct{ target }

func (lossy) remove(string) error { return nil }

// swapped is a target whose renames also damage the contents.
type swapped struct{ target }

func (s swapped) rename(from, to string) error {
	if err := s.target.rename(from, to); err != nil {
		return err
	}
	return s.target.writeFile(to, []byte("?\n"))
}

// TestSelfChecks: an experiment notices a file system that does not do its work.
func TestSelfChecks(t *testing.T) {
	real := func(m *meter, t target) error { return rfcRound(m, t, rfcReal) }
	rfc := func(m *meter, t target) error { return rfcRound(m, t, rfcTenth) }
	remove := func(m *meter, t target) error { return removeRound(m, t, []int{1, 0, 2}) }
	for _, c := range []struct {
		name  string
		wrap  func(target) target
		round func(*meter, target) error
		want  string
	}{
		{"rfc-test1", func(t target) target { return t }, real, ""},
		{"rfc-test1 without remove", func(t target) target { return lossy{t} }, rfc, "self-check: 322 entries instead of 0"},
		{"rfc-test1 with damage", func(t target) target { return swapped{t} }, rfc, `has "?\n" instead of`},
		{"remove", func(t target) target { return t }, remove, ""},
		{"remove without remove", func(t target) target { return lossy{t} }, remove, "self-check: 3 entries instead of 0"},
	} {
		err := fresh("memfs", func(t target) error { return c.round(&meter{}, c.wrap(t)) })
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

// TestPages: every way of paging finds every entry once.
func TestPages(t *testing.T) {
	for _, impl := range []string{"memfs", "list", "tmpfs"} {
		for _, n := range []int{0, 1, 99, 100, 101, 250} {
			err := fresh(impl, func(target target) error {
				dir := target.root() + "/d"
				if err := fill(target, dir, below(dir, 'f', n)); err != nil {
					return err
				}
				got, err := target.pages(dir, 100)
				if err == nil && got != n {
					t.Errorf("%s: pages found %d entries of %d", impl, got, n)
				}
				return err
			})
			if _, skip := err.(skipped); err != nil && !skip {
				t.Errorf("%s, %d entries: %v", impl, n, err)
			}
		}
	}
}
