//go:build linux

package twin

import (
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stagefs/internal/need"
)

// Mode tells what a case can be run on.
type Mode int

const (
	InSystem Mode = 1 << iota // on a whole file system, as package os
	InRoot                    // on a directory of one, as os.Root
	Anywhere = InSystem | InRoot
)

// Need is what a case asks of the machine.
type Need int

const (
	Nothing Need = iota
	// Privilege is to be root, for owners, credentials, absolute paths and
	// ".." at the root.
	Privilege
	// Protected is the usual value of fs.protected_hardlinks besides, for hard
	// links that ordinary users make to files of others.
	Protected
)

// missing tells what is not there, or nothing.
func (n Need) missing() string {
	if n != Nothing && os.Geteuid() != 0 {
		return "root for owners, credentials and absolute paths"
	}
	if n == Protected && sysctl("protected_hardlinks") != "1" {
		return "fs.protected_hardlinks = 1"
	}
	return ""
}

// sysctl reads a setting of the kernel's file systems, "" if there is none.
func sysctl(name string) string {
	value, err := os.ReadFile("/proc/sys/fs/" + name)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(value))
}

// Case is one conformance case.
type Case struct {
	Name string
	Mode Mode
	Need Need
	Run  func(t *T)
}

// Record runs a case in one world. A transcript of an earlier run gives the
// choices to follow.
func (c Case) Record(w World, inRoot bool, follow *Transcript) (tr *Transcript, err error) {
	t := &T{world: w, inRoot: inRoot, titles: map[string]int{}}
	if follow != nil {
		t.follows, t.choices = true, slices.Clone(follow.choices)
	}
	enterErr := w.Enter(func(fresh func() System) {
		t.newSys = fresh
		defer t.closeAll()
		defer func() {
			if p := recover(); p != nil {
				where := "before the first section"
				if t.cur != nil {
					where = fmt.Sprintf("in section %q after\n%s\n", t.cur.Title, strings.Join(lastLines(t.cur.Lines), "\n"))
				}
				if e, ok := p.(setupError); ok {
					err = fmt.Errorf("%s: %s", where, describeError(e.err, quote))
				} else {
					err = fmt.Errorf("%s: panic: %v\n%s", where, p, debug.Stack())
				}
			}
		}()
		c.Run(t)
	})
	if enterErr != nil {
		return nil, enterErr
	}
	return &Transcript{Sections: t.sections, choices: t.choices}, err
}

// lastLines gives what happened just before.
func lastLines(lines []string) []string { return lines[max(0, len(lines)-5):] }

// Transcript is all that a case wrote down.
type Transcript struct {
	Sections []*Section
	choices  []bool
}

// Run runs the cases that fit as subtests, first in want, then in got, and
// compares the transcripts.
func Run(t *testing.T, want, got World, mode Mode, cases []Case) {
	for _, c := range cases {
		if c.Mode&mode == 0 {
			continue
		}
		t.Run(c.Name, func(t *testing.T) {
			if what := c.Need.missing(); what != "" {
				need.Missing(t, what)
			}
			w, err := c.Record(want, mode == InRoot, nil)
			if err != nil {
				t.Fatalf("reference: %v", err)
			}
			g, err := c.Record(got, mode == InRoot, w)
			if err != nil {
				t.Errorf("file system under test: %v", err)
			}
			if g != nil {
				report(t, Compare(w, g))
			}
		})
	}
}

// maxReported bounds the sections that a failing case prints.
const maxReported = 12

func report(t *testing.T, diffs []string) {
	t.Helper()
	for i, d := range diffs {
		if i == maxReported && !testing.Verbose() {
			t.Errorf("and %d more sections differ (all with -v)", len(diffs)-i)
			return
		}
		t.Errorf("%s", d)
	}
}

// Compare gives a text for each section that differs: the layout, and the
// lines with - as the reference has them and + as they were got.
func Compare(want, got *Transcript) []string {
	byTitle := map[string]*Section{}
	for _, s := range got.Sections {
		byTitle[s.Title] = s
	}
	var diffs []string
	for _, w := range want.Sections {
		g := byTitle[w.Title]
		if g == nil {
			diffs = append(diffs, fmt.Sprintf("section %q is missing", w.Title))
			continue
		}
		if slices.Equal(w.Lines, g.Lines) {
			continue
		}
		diffs = append(diffs, fmt.Sprintf("section %q (-kernel +got)\nlayout: %s\n%s",
			w.Title, strings.Join(w.Layout, "; "), lineDiff(w.Lines, g.Lines)))
	}
	if n := len(got.Sections) - len(want.Sections); n > 0 {
		diffs = append(diffs, fmt.Sprintf("%d sections too many", n))
	}
	return diffs
}

// lineDiff shows the lines that differ. As the twins make the same calls,
// their lines go in pairs, unless they took different ways.
func lineDiff(want, got []string) string {
	if len(want) != len(got) {
		return cmp.Diff(strings.Join(want, "\n"), strings.Join(got, "\n"))
	}
	var b strings.Builder
	for i := range want {
		if want[i] != got[i] {
			fmt.Fprintf(&b, "- %s\n+ %s\n", want[i], got[i])
		}
	}
	return b.String()
}
