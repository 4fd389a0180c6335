package bench

import (
	"fmt"
	"slices"
	"strings"
)

// spine are the components of the path that is looked up, all paths having as
// many, as in the paper. strays are beginnings of names beside them. Those sort
// before all of spine, so that the one pivot that is on the path comes last.
var (
	spine  = []string{"users", "marina", "projects", "stagefs", "internal", "testdata", "scenarios", "golden"}
	strays = []string{"admin", "backup", "cache", "deploy", "drafts", "export", "fetch"}
)

// aside takes the place of the path's first component where no pivot shall be
// on the path.
const aside = "volumes"

// stray returns name i beside spine[at]. Half of them begin as that does.
func stray(at, i int) string {
	if name := spine[at]; i%2 == 0 {
		return fmt.Sprintf("%s-%02d", name[:len(name)-1], i/2)
	}
	return fmt.Sprintf("%s%02d", strays[(at+i)%len(strays)], i/2)
}

// Where the useless pivots leave the useful one.
const (
	shapeRoot     = "root"     // at the first component
	shapeSiblings = "siblings" // at the last
	shapeBinary   = "binary"   // at each in turn, so that every component branches
)

// stagePivots returns the pool of n pivots for lookups that have walk
// components left to walk, in ascending order: directories of len(spine)-walk
// components, of which only the last is on the path. Where nothing shall be
// skipped they have len(spine) components and none is on the path.
func stagePivots(shape string, walk, n int) []string {
	useful := slices.Clone(spine[:len(spine)-walk])
	if walk == len(spine) {
		useful = slices.Clone(spine)
		useful[0] = aside
	}
	pool := make([][]string, n)
	pool[n-1] = useful
	for i := range n - 1 {
		at := 0
		switch shape {
		case shapeSiblings:
			at = len(useful) - 1
		case shapeBinary:
			at = i % len(useful)
		}
		pool[i] = slices.Clone(useful)
		pool[i][at] = stray(at, i)
	}
	slices.SortFunc(pool, slices.Compare[[]string])
	paths := make([]string, n)
	for i, p := range pool {
		paths[i] = "/" + strings.Join(p, "/")
	}
	return paths
}

// stageTargets returns the directories that are looked up: the pivot itself
// where all is skipped, else as many siblings as other lookups go round.
func stageTargets(walk int) []string {
	path := "/" + strings.Join(spine, "/")
	if walk == 0 {
		return []string{path}
	}
	paths := make([]string, leaves)
	for i := range paths {
		paths[i] = fmt.Sprintf("%s%02d", path, i)
	}
	return paths
}
