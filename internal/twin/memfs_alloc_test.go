//go:build linux

package twin

import (
	"testing"

	"stagefs/memfs"
)

func (m memSystem) Allocate(f File, mode uint32, off, length int64) error {
	return f.(*memfs.File).Allocate(memfs.AllocMode(mode), off, length)
}

func (m memSystem) CopyRange(dst File, dstOff int64, src File, srcOff, length int64) (int64, error) {
	return m.view.CopyFileRange(dst.(*memfs.File), dstOff, src.(*memfs.File), srcOff, length)
}

// TestAllocLimits compares allocations in file systems with little room.
func TestAllocLimits(t *testing.T) {
	t.Parallel()
	needPrivilege(t)
	host := NewLimitedHost(Tmpfs(t), LimitBytes, LimitInodes)
	mem := memWorld{options: []memfs.Option{memfs.WithSize(LimitBytes), memfs.WithInodes(LimitInodes)}}
	Run(t, host, mem, InSystem, AllocLimitCases)
}
