//go:build !js

package archtest

import (
	"go/build"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// platform is one kind of build.
type platform struct {
	goos, goarch string
	tags         []string
}

// platforms are what the module is built for. Tests with the race detector run with the tags of all checks.
var platforms = []platform{
	{"linux", "amd64", nil}, {"linux", "arm64", nil}, {"linux", "386", nil}, {"linux", "arm", nil},
	{"darwin", "arm64", nil}, {"windows", "amd64", nil}, {"freebsd", "amd64", nil}, {"js", "wasm", nil},
}

var checks = []string{"lockcheck", "invariants", "race"}

// context is a build context in which nothing is looked up but the files of one directory.
func (p *platform) context(tags []string) *build.Context {
	c := build.Default
	c.GOOS, c.GOARCH, c.CgoEnabled = p.goos, p.goarch, false
	c.BuildTags = append(append([]string(nil), p.tags...), tags...)
	return &c
}

// Every source file is part of some build: one whose constraints exclude each other, or whose name claims a system that
// does not exist, would rot unseen.
func TestEveryFileIsBuilt(t *testing.T) {
	for _, p := range list(t, "./...") {
		entries, err := os.ReadDir(p.Dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, entry := range entries {
			name := entry.Name()
			if ext := filepath.Ext(name); ext != ".go" && ext != ".s" {
				continue
			}
			if !builtSomewhere(t, p.Dir, name) {
				t.Errorf("%s/%s is part of no build", p.short(), name)
			}
		}
	}
}

func builtSomewhere(t *testing.T, dir, name string) bool {
	t.Helper()
	for i := range platforms {
		for _, tags := range [][]string{nil, checks} {
			matches, err := platforms[i].context(tags).MatchFile(dir, name)
			if err != nil {
				t.Fatal(err)
			}
			if matches {
				return true
			}
		}
	}
	return false
}

// A package has something on every platform and with every combination of checks, unless it is for Linux alone.
func TestEveryPlatformHasFiles(t *testing.T) {
	for _, p := range list(t, "./...") {
		for i := range platforms {
			if p.short() == "internal/twin" && platforms[i].goos != "linux" {
				continue // compares with the kernel
			}
			for mask := range 1 << len(checks) {
				var tags []string
				for bit, tag := range checks {
					if mask>>bit&1 == 1 {
						tags = append(tags, tag)
					}
				}
				c := platforms[i].context(tags)
				if got, err := c.ImportDir(p.Dir, 0); err != nil || len(got.GoFiles) == 0 {
					t.Errorf("%s on %s/%s with tags %v: %v", p.short(), c.GOOS, c.GOARCH, tags, err)
				}
			}
		}
	}
}

// A file of one system has a sibling for the others, so that what it declares is there everywhere: x_linux.go or
// x_unix.go asks for an x_other.go, or for one file for each other system.
func TestSystemFilesHaveSiblings(t *testing.T) {
	for _, p := range list(t, "./...") {
		if p.short() == "internal/twin" {
			continue // compares with the kernel
		}
		stems := map[string]map[string]bool{} // the systems on which some file of a stem is built
		for i := range platforms {
			c := platforms[i].context(nil)
			got, err := c.ImportDir(p.Dir, 0)
			if err != nil {
				t.Errorf("%s on %s: %v", p.short(), c.GOOS, err)
				continue
			}
			for _, name := range got.GoFiles {
				if stem, of := systemFile(name); of {
					if stems[stem] == nil {
						stems[stem] = map[string]bool{}
					}
					stems[stem][c.GOOS] = true
				}
			}
		}
		for stem, systems := range stems {
			for i := range platforms {
				if !systems[platforms[i].goos] {
					t.Errorf("%s: no %s_*.go for %s", p.short(), stem, platforms[i].goos)
				}
			}
		}
	}
}

// systemFile splits the name of a file of one system, or of the others.
func systemFile(name string) (stem string, of bool) {
	stem = strings.TrimSuffix(name, ".go")
	at := strings.LastIndexByte(stem, '_')
	if at < 0 {
		return "", false
	}
	switch stem[at+1:] {
	case "linux", "darwin", "windows", "freebsd", "js", "unix", "other":
		return stem[:at], true
	}
	return "", false
}
