package bench

import (
	"slices"
	"strings"
)

// The tree of stage-modify, the paper's: level 1 is one directory, each
// directory of the next levels is one of several in one of the level above, and
// each of the last level has a file.
const (
	treeLevels   = 5
	treePivots   = 16
	treeFileSize = 4096
)

// levelTree is the tree's paths. Those of a level are as long as each other and
// in ascending order.
type levelTree struct {
	levels [treeLevels][]string // directories
	files  []string
}

// newLevelTree names a tree with fan directories in each directory.
func newLevelTree(fan int) *levelTree {
	tree := new(levelTree)
	tree.levels[0] = []string{"/tree"}
	for l := 1; l < treeLevels; l++ {
		for _, dir := range tree.levels[l-1] {
			tree.levels[l] = append(tree.levels[l], below(dir, 'd', fan)...)
		}
	}
	for _, dir := range tree.levels[treeLevels-1] {
		tree.files = append(tree.files, dir+"/"+fileName(0))
	}
	return tree
}

// fill makes the tree and looks all of it up once.
func (tree *levelTree) fill(t *memTarget) error {
	for _, dirs := range tree.levels {
		if err := each(dirs, t.mkdir); err != nil {
			return err
		}
	}
	data := make([]byte, treeFileSize)
	if err := each(tree.files, func(name string) error { return t.writeFile(name, data) }); err != nil {
		return err
	}
	return tree.lookUp(t)
}

// lookUp looks up every directory and file.
func (tree *levelTree) lookUp(t *memTarget) error {
	lookup := t.newLookup()
	for _, dirs := range tree.levels {
		if err := each(dirs, lookup); err != nil {
			return err
		}
	}
	return each(tree.files, lookup)
}

// all returns all paths, directories first.
func (tree *levelTree) all() []string {
	return slices.Concat(slices.Concat(tree.levels[:]...), tree.files)
}

// within returns those of the paths of a level that are dir or below it.
func within(paths []string, dir string) []string {
	first, _ := slices.BinarySearch(paths, dir)
	n := slices.IndexFunc(paths[first:], func(p string) bool { return !isWithin(p, dir) })
	if n < 0 {
		n = len(paths) - first
	}
	return paths[first : first+n]
}

// isWithin reports whether path is dir or below it.
func isWithin(path, dir string) bool {
	rest, ok := strings.CutPrefix(path, dir)
	return ok && (rest == "" || rest[0] == '/')
}

// changed returns the directory that is changed at level: the last one there.
func (tree *levelTree) changed(level int) string {
	dirs := tree.levels[level-1]
	return dirs[len(dirs)-1]
}

// pivots returns the pool for a change of dir: directories of the last level,
// all of them below dir if it has as many. If not, all that it has and some
// beside it; a directory of the last level is a pivot itself.
func (tree *levelTree) pivots(dir string) []string {
	last := tree.levels[treeLevels-1]
	first, _ := slices.BinarySearch(last, dir)
	first = min(first, len(last)-treePivots)
	return last[first : first+treePivots]
}
