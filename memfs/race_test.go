package memfs_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync/atomic"
	"testing"

	"stagefs/memfs"
)

// race plays calls against each other, in many rounds. Each round has a directory of its own.
type race struct {
	fsys    *memfs.FS
	prepare func(dir string)               // fills the directory
	calls   []func(dir string) error       // are made at the same time, each by its goroutine
	judge   func(dir string, errs []error) // looks at the directory, and at what the calls returned
}

const raceBatch = 50 // rounds that the goroutines play without a stop

// run plays n rounds. Afterwards no inode may be left.
func (r *race) run(t *testing.T, n int) {
	t.Helper()
	before := r.fsys.Statfs()
	for ; n > 0 && !t.Failed(); n -= raceBatch {
		batch := min(n, raceBatch)
		for i := range batch {
			dir := fmt.Sprintf("/round%d", i)
			must(t, r.fsys.Mkdir(dir, 0o777))
			r.prepare(dir)
		}
		errs := make([][]error, batch)
		for i := range errs {
			errs[i] = make([]error, len(r.calls))
		}
		r.inStep(errs)
		for i := range batch {
			dir := fmt.Sprintf("/round%d", i)
			r.judge(dir, errs[i])
			must(t, r.fsys.RemoveAll(dir))
		}
		after := r.fsys.Statfs()
		if after.InodesUsed != before.InodesUsed || after.BlocksUsed != before.BlocksUsed {
			t.Fatalf("%d inodes and %d blocks before, %d and %d after", before.InodesUsed, before.BlocksUsed,
				after.InodesUsed, after.BlocksUsed)
		}
	}
	check(t, r.fsys)
}

// inStep makes the calls, round by round. The goroutines wait for each other at each round, but not for long: one may
// have lost its processor. A little delay, another one each time, lets many rounds see many orders.
func (r *race) inStep(errs [][]error) {
	at := make([]struct {
		round atomic.Int64
		_     [120]byte
	}, len(r.calls))
	members := make([]func(), len(r.calls))
	for me := range members {
		members[me] = func() {
			for round := range errs {
				at[me].round.Store(int64(round + 1))
				met := false
				for spin := 0; spin < 300 && !met; spin++ {
					met = true
					for other := range at {
						met = met && at[other].round.Load() > int64(round)
					}
				}
				if !met {
					runtime.Gosched()
				}
				for range rand.IntN(1 << rand.IntN(10)) {
					_ = at[me].round.Load()
				}
				errs[round][me] = r.calls[me](fmt.Sprintf("/round%d", round))
			}
		}
	}
	together(members...)
}
