//go:build !invariants

package memfs

// checkLocks tells whether every change of locks tests their invariants (build tag invariants).
const checkLocks = false
