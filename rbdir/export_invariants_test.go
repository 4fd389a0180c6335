//go:build invariants

package rbdir

// Steps returns the number of steps of all directories so far.
func Steps() int64 { return steps.Load() }
