//go:build linux

package twin

import (
	"slices"
	"testing"

	"stagefs/memfs"
)

// TestOS compares a memfs with package os.
func TestOS(t *testing.T) {
	t.Parallel()
	Run(t, NewHost(Tmpfs(t)), memWorld{}, InSystem, Cases())
}

// TestRoot compares a view from OpenRoot with os.Root.
func TestRoot(t *testing.T) {
	t.Parallel()
	Run(t, NewHost(Tmpfs(t)), memWorld{}, InRoot, Cases())
}

// tinyCache is a memfs whose walks find next to nothing cached, and whose names
// collide.
var tinyCache = memWorld{options: []memfs.Option{
	memfs.WithDcache(1),
	memfs.WithHash(func(h uint64) uint64 { return h & 3 }),
}}

// TestTinyCache compares a memfs in which nearly every step takes the slow way.
func TestTinyCache(t *testing.T) {
	t.Parallel()
	Run(t, NewHost(Tmpfs(t)), tinyCache, InSystem, slices.Concat(PairCases, PathCases, DirCases, RemoveCases))
}

// TestLimits compares file systems with little room.
func TestLimits(t *testing.T) {
	t.Parallel()
	needPrivilege(t)
	host := NewLimitedHost(Tmpfs(t), LimitBytes, LimitInodes)
	mem := memWorld{options: []memfs.Option{memfs.WithSize(LimitBytes), memfs.WithInodes(LimitInodes)}}
	Run(t, host, mem, InSystem, LimitCases)
}
