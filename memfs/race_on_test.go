//go:build race

package memfs_test

// raceEnabled tells whether the race detector watches, which makes everything some five times slower.
const raceEnabled = true
