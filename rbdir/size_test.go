//go:build !invariants

package rbdir_test

// maxDirSize bounds an empty directory, in bytes.
const maxDirSize = 72
