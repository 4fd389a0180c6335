//go:build !invariants

package dcache

// checking tells whether every change tests what it touched (build tag
// invariants).
const checking = false
