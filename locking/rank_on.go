//go:build lockcheck

package locking

// Checking tells whether the lock order is checked in this build (build tag
// lockcheck).
const Checking = true
