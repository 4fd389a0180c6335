package stage

import "time"

// Stats is a snapshot of what a stage did. The first three are estimates: Config.Sample for each lookup that was counted,
// so a program that makes few may read 0. Everything else is exact.
type Stats struct {
	Lookups uint64 // walks from a path, failed ones and those of changes included; one call may make several
	Hits    uint64 // those that began at a pivot
	Skipped uint64 // components that they did not walk

	Invalidations uint64 // changes of directories that pivots led through
	Cut           uint64 // pivots shortened by them, each time counted
	Swaps         uint64 // pools that took the place of another
	Discarded     uint64 // pools thrown away because a directory was moved while they were made

	Pivots     int // in the pool now
	Candidates int // in the Candidate Set now
	Period     time.Duration
}
