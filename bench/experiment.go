package bench

import (
	"slices"
	"strings"
)

// Experiment is one named group of comparisons.
type Experiment struct {
	Name string // as in "stagefs bench run NAME"
	Doc  string // one line
	run  func(*Context) error
}

// experiments is in the order in which they run and are listed.
var experiments = []Experiment{
	{"file-create", "create empty files in one directory of 1,000, 10,000 and 100,000", runFileCreate},
	{"rfc-test1", "the RFC's test1.sh as calls: create 5,000, list, overwriting renames, list, remove", runRFCTest1},
	{"rename", "rename files in a directory of 10,000", runRename},
	{"remove", "remove all files of a directory of 10,000", runRemove},
	{"mkdir", "make directories in one directory, 10,000 of them", runMkdir},
	{"readdir", "list a directory: sorted, in directory order, in pages resumed by cookie", runReadDir},
	{"stat-depth", "look up paths of 1, 4, 8 and 16 components", runStatDepth},
	{"stat-random", "look up random paths among 300,000 files", runStatRandom},
	{"open-read", "open, read and close files of 4 KiB", runOpenRead},
	{"rename-dir", "rename a directory with up to 10,000 files below", runRenameDir},
	{"memory", "bytes of heap a file, empty and 1 KiB, with and without cache entries", runMemory},
	{"parallel", "look up, stat, create and remove on 1, 2, 4 and 8 goroutines", runParallel},
	{"stage-stat", "look up directories of 8 components, all but 0 to 8 skipped, in pools of 1 to 1,024 pivots", runStageStat},
	{"stage-replay", "replay lookups: a day in the paper's proportions, go build, git status, or traces of yours", runStageReplay},
	{"stage-modify", "rename a directory and change its mode, at levels 1 to 5 of a cached tree, and look up below", runStageModify},
	{"stage-fig1", "stat and open files of 1 to 16 components, read and write a byte of open ones", runStageFig1},
	{"stage-space", "bytes of the stage in each directory, and of pools of 16, 256 and 1,024 pivots", runStageSpace},
	{"tree", "copy, check, walk, stat, read, rename and remove a real directory tree", runTree},
}

// Experiments returns all experiments in the order in which they run.
func Experiments() []Experiment {
	return slices.Clone(experiments)
}

// Lookup returns the experiment called name.
func Lookup(name string) (Experiment, bool) {
	i := slices.IndexFunc(experiments, func(e Experiment) bool { return e.Name == name })
	if i < 0 {
		return Experiment{}, false
	}
	return experiments[i], true
}

func experimentNames() string {
	var names []string
	for _, e := range experiments {
		names = append(names, e.Name)
	}
	return strings.Join(names, ", ")
}
