//go:build !js

package archtest

import (
	"slices"
	"strings"
	"testing"
)

// arrows tells for each package of the module which others it may import. Tests of a package may import testing packages
// as well, but go no further upwards.
var arrows = map[string][]string{
	"locking":           {},
	"rbdir":             {"locking"},
	"dcache":            {"locking"},
	"stage":             {"locking"},
	"memfs":             {"locking", "rbdir", "dcache", "stage", "internal/need"},
	"bench":             {"locking", "rbdir", "dcache", "stage", "memfs"},
	"cmd/stagefs":       {"bench", "memfs"},
	"internal/twin":     {"memfs", "internal/need"},
	"internal/need":     {},
	"internal/archtest": {},
}

func TestArrows(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range list(t, "./...") {
		allowed, known := arrows[p.short()]
		if !known {
			t.Errorf("%s is in no table: enter it in arrows", p.ImportPath)
			continue
		}
		seen[p.short()] = true
		if p.short() != "internal/twin" && slices.Contains(p.Imports, module+"/internal/need") {
			t.Errorf("%s imports internal/need, which is for tests", p.ImportPath)
		}
		for _, imports := range [][]string{p.Imports, p.TestImports, p.XTestImports} {
			for _, path := range imports {
				name, own := strings.CutPrefix(path, module+"/")
				if own && name != p.short() && !slices.Contains(allowed, name) {
					t.Errorf("%s imports %s, which is not below it", p.ImportPath, path)
				}
			}
		}
	}
	for name := range arrows {
		if !seen[name] {
			t.Errorf("the table has %s, which is not there", name)
		}
	}
}

// The table itself has no way back up.
func TestArrowsPointDown(t *testing.T) {
	var visit func(name string, path []string)
	visit = func(name string, path []string) {
		if slices.Contains(path, name) {
			t.Fatalf("a circle: %s", strings.Join(append(path, name), " -> "))
		}
		for _, below := range arrows[name] {
			if _, known := arrows[below]; !known {
				t.Errorf("%s may import %s, which is in no table", name, below)
			}
			visit(below, append(path, name))
		}
	}
	for name := range arrows {
		visit(name, nil)
	}
}

// linked are the modules that a program which embeds the file system gets from elsewhere: no command line, no plots, no
// FUSE, no rival.
var linked = []string{"github.com/emirpasic/gods/v2", "github.com/cespare/xxhash/v2"}

func TestWhatEmbeddingLinks(t *testing.T) {
	for _, p := range list(t, "-deps", "./memfs") {
		switch {
		case p.Standard, p.ImportPath == module, strings.HasPrefix(p.ImportPath, module+"/"):
			continue
		}
		if !slices.ContainsFunc(linked, func(m string) bool {
			return p.ImportPath == m || strings.HasPrefix(p.ImportPath, m+"/")
		}) {
			t.Errorf("memfs reaches %s", p.ImportPath)
		}
	}
}

// heavy are packages of the standard library that a file system has no use for, and that cost a program that embeds it
// start-up time or size.
var heavy = []string{"net", "net/http", "os/exec", "plugin", "testing", "flag", "go/build", "log"}

func TestWhatEmbeddingDoesNotLink(t *testing.T) {
	for _, p := range list(t, "-deps", "./memfs") {
		if slices.Contains(heavy, p.ImportPath) {
			t.Errorf("memfs reaches %s", p.ImportPath)
		}
	}
}
