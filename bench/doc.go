// Package bench measures package memfs beside what a user could pick instead,
// all in one run on one machine, and reports ratios with their spread. It is
// the engine of "stagefs bench"; docs/bench.md lists the experiments.
//
// # Rivals
//
// Every figure belongs to one implementation, the column impl:
//
//	memfs    stagefs/memfs with its defaults
//	list     memfs with directories kept as linked lists (FreeBSD's tmpfs before its RB-tree)
//	rwmutex  memfs without its dentry cache: a walk latches each directory on the path, shared
//	afero    github.com/spf13/afero, MemMapFs, no wrapper around it
//	billy    github.com/go-git/go-billy/v5, memfs
//	tmpfs    package os on a kernel tmpfs (/dev/shm)
//	os       package os in the directory for temporary files (experiment tree only)
//
// The experiments called stage-... compare ways to look up a path:
//
//	stage       memfs with its defaults
//	stage-list  the same with the paper's list as pool
//	stage-hash  the same with a hash table of the pivots' prefixes as pool
//	original    memfs without its stage
//	full-path   memfs with Tsai's directory cache in the stage's place
//
// list, rwmutex and the last four do the same work as memfs, permissions, errors
// and inode numbers included, and differ from it in one part.
//
// # A measurement
//
// An Experiment builds the file systems it compares and hands their rounds to
// Context.compare. In round i every rival measures once, in an order shuffled
// from the seed, so that a change in the machine's speed meets all of them. A
// round prepares what it needs, calls runtime.GC, then times a loop over names
// that were built before; the harness neither allocates nor hashes inside the
// loop. A ballast of 64 MiB stays allocated for the whole run: without it the
// collector would run more often for a rival with a small heap.
//
// The result of a round is a Row. Rows of one key (bench, impl, param, metric,
// unit) are the samples of one figure. A rival that fails, panics or cannot do
// an experiment gets a single row with an error; the error begins with
// "skipped: " where the experiment does not apply to it.
//
// # Reading order
//
// experiment.go and run.go are the frame, meter.go the clock, target.go and
// its siblings the rivals, stagetargets.go those of the stage, list.go the linked
// list, fullpath.go Tsai's cache; row.go, report.go, table.go
// and baseline.go are the results. trace*.go read what strace writes and follow
// its processes, tracetree.go and traceplay.go find out what there was before,
// replay*.go make the calls again. Each other file is one experiment.
//
// Statistics are those of benchstat (golang.org/x/perf/benchmath): medians,
// compared with the Mann-Whitney U-test at a level of 0.05.
//
// # Adding an experiment
//
// A function run...(*Context) error in a file of its own (openread.go is the shortest), a line in experiments
// (experiment.go), and a row in docs/bench.md.
package bench
