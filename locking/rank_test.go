package locking

import (
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

//go:embed doc.go
var doc string

//go:embed rank.go
var source string

// TestDocAgreesWithRanks reads the tree out of the package documentation and
// the constants out of their source: same names, same order, one level deeper
// each.
func TestDocAgreesWithRanks(t *testing.T) {
	var tree []string
	for _, m := range regexp.MustCompile(`(?m)^//\t( *)([a-z]+) +\S`).FindAllStringSubmatch(doc, -1) {
		if len(m[1]) != 2*len(tree) {
			t.Errorf("%q stands %d deep, want %d", m[2], len(m[1])/2, len(tree))
		}
		tree = append(tree, m[2])
	}
	var constants []string
	for _, m := range regexp.MustCompile(`(?m)^\tRank([A-Z][a-z]+) `).FindAllStringSubmatch(source, -1) {
		constants = append(constants, strings.ToLower(m[1]))
	}
	if len(tree) == 0 || !slices.Equal(tree, constants) {
		t.Errorf("doc.go has the order %v,\nrank.go %v", tree, constants)
	}
	for i, name := range tree {
		if got := Rank(i + 1).String(); got != name {
			t.Errorf("rank %d is called %q, in the tree %q", i+1, got, name)
		}
	}
	for _, none := range []Rank{0, RankLeaf + 1, 255} {
		if got := none.String(); got != "rank?" {
			t.Errorf("Rank(%d) = %q", none, got)
		}
	}
}

// place is the argument list of acquired.
type place struct {
	rank         Rank
	major, minor uint64
}

// try takes the places in order and gives back those it got; it returns the
// panic of the last, if any.
func try(places ...place) (report string) {
	var got []place
	defer func() {
		if r := recover(); r != nil {
			report = r.(string)
		}
		for _, p := range got {
			released(p.rank, p.major, p.minor)
		}
	}()
	for _, p := range places {
		acquired(p.rank, p.major, p.minor)
		got = append(got, p)
	}
	return ""
}

// TestEveryPairOfRanks takes two locks of every pair of ranks, with the second
// place below, equal to and above the first.
func TestEveryPairOfRanks(t *testing.T) {
	first := place{major: 5, minor: 5}
	seconds := map[place]bool{ // may follow first within a rank
		{major: 4, minor: 9}: false,
		{major: 5, minor: 4}: false,
		{major: 5, minor: 5}: false,
		{major: 5, minor: 6}: true,
		{major: 6, minor: 0}: true,
	}
	for a := RankManager; a <= RankLeaf; a++ {
		for b := RankManager; b <= RankLeaf; b++ {
			for second, ascending := range seconds {
				first.rank, second.rank = a, b
				want := a < b || a == b && ascending && a != RankManager && a != RankFreeze && a != RankRename && a != RankLeaf
				report := try(first, second)
				if (report == "") != want {
					t.Errorf("%v under %v: allowed %v, want %v", second, first, report == "", want)
				}
				if left := held(); left != nil {
					t.Fatalf("left behind: %v", left)
				}
			}
		}
	}
}

// TestInversionUnderAnOuterLock: the lock that is in the way need not be the
// last one taken.
func TestInversionUnderAnOuterLock(t *testing.T) {
	acquired(RankContents, 1, 0)
	acquired(RankLeaf, 0, 0)
	released(RankLeaf, 0, 0)
	acquired(RankContents, 3, 0)
	released(RankContents, 3, 0)
	if report := try(place{rank: RankAttributes, major: 9}); report == "" {
		t.Error("attributes under contents went through")
	}
	released(RankContents, 1, 0)
	assertNone()
}

func TestReportNamesRanksAndStacks(t *testing.T) {
	report := takeThenWant()
	for _, want := range []string{
		"name(7,8) wanted under directory(1,2)", "takeOuter", "takeInner", "checker.go",
	} {
		if want == "checker.go" {
			if strings.Contains(report, want) {
				t.Errorf("the checker's own frames are in the report:\n%s", report)
			}
			continue
		}
		if !strings.Contains(report, want) {
			t.Errorf("no %q in the report:\n%s", want, report)
		}
	}
}

func takeThenWant() (report string) {
	defer func() { report, _ = recover().(string); released(RankDirectory, 1, 2) }()
	takeOuter()
	takeInner()
	return ""
}

//go:noinline
func takeOuter() { call(acquired, RankDirectory, 1, 2) }

//go:noinline
func takeInner() { call(acquired, RankName, 7, 8) }

// call stands in for Acquired, whose frame the report leaves out.
//
//go:noinline
func call(f func(Rank, uint64, uint64), r Rank, major, minor uint64) { f(r, major, minor) }

func TestReleasedWithoutAcquired(t *testing.T) {
	acquired(RankName, 1, 1)
	defer released(RankName, 1, 1)
	for _, p := range []place{{RankName, 1, 2}, {RankName, 2, 1}, {RankDirectory, 1, 1}} {
		if !panics(func() { released(p.rank, p.major, p.minor) }) {
			t.Errorf("released(%v) went through", p)
		}
	}
	if got := held(); !slices.Equal(got, []string{"name(1,1)"}) {
		t.Errorf("held %v", got)
	}
}

// TestHeldIsPerGoroutine: what one goroutine holds is nothing to another.
func TestHeldIsPerGoroutine(t *testing.T) {
	acquired(RankLeaf, 0, 0)
	defer released(RankLeaf, 0, 0)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for range 50 {
				assertNone()
				acquired(RankFreeze, 0, 0)
				acquired(RankName, uint64(i), 1)
				acquired(RankName, uint64(i), 2)
				want := []string{"freeze(0,0)", fmt.Sprintf("name(%d,1)", i), fmt.Sprintf("name(%d,2)", i)}
				if got := held(); !slices.Equal(got, want) {
					t.Errorf("held %v, want %v", got, want)
				}
				released(RankName, uint64(i), 1) // not the order of taking
				released(RankFreeze, 0, 0)
				released(RankName, uint64(i), 2)
			}
		})
	}
	wg.Wait()
	if !panics(assertNone) {
		t.Error("AssertNone is content with a held leaf")
	}
}

// TestBuildVariant: the exported functions check exactly where Checking says
// so, and cost no allocation where not.
func TestBuildVariant(t *testing.T) {
	inversion := func() {
		Acquired(RankLeaf, 0, 0)
		defer Released(RankLeaf, 0, 0)
		Acquired(RankName, 1, 1)
	}
	if got := panics(inversion); got != Checking {
		t.Errorf("an inversion panics: %v, Checking is %v", got, Checking)
	}
	Acquired(RankLeaf, 1, 2)
	if got := Held(); (len(got) == 1) != Checking {
		t.Errorf("Held() = %v, Checking is %v", got, Checking)
	}
	if got := panics(AssertNone); got != Checking {
		t.Errorf("AssertNone panics: %v, Checking is %v", got, Checking)
	}
	Released(RankLeaf, 1, 2)
	AssertNone()
	if !Checking {
		n := testing.AllocsPerRun(100, func() { Acquired(RankLeaf, 0, 0); Released(RankLeaf, 0, 0) })
		if n != 0 {
			t.Errorf("%v allocations without the check", n)
		}
	}
}

func panics(f func()) (did bool) {
	defer func() { did = recover() != nil }()
	f()
	return false
}
