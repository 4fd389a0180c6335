//go:build invariants

package locking

// checking tells whether every change of a bucket tests its invariants (build
// tag invariants).
const checking = true
