package locking

import (
	"sync/atomic"
	"testing"
)

func BenchmarkAcquiredReleased(b *testing.B) {
	for b.Loop() {
		Acquired(RankLeaf, 0, 0)
		Released(RankLeaf, 0, 0)
	}
}

func BenchmarkName(b *testing.B) {
	table := NewTable()
	k := Key{1, 2}
	b.Run("exclusive", func(b *testing.B) {
		for b.Loop() {
			table.Lock(k)
			table.Unlock(k)
		}
	})
	b.Run("shared", func(b *testing.B) {
		for b.Loop() {
			table.RLock(k)
			table.RUnlock(k)
		}
	})
	b.Run("set", func(b *testing.B) {
		set := make([]Key, 2)
		for b.Loop() {
			set[0], set[1] = Key{2, 1}, k
			table.UnlockSet(table.LockSet(set))
		}
	})
}

func BenchmarkNameParallel(b *testing.B) {
	table := NewTable()
	run := func(name string, key func(goroutine uint64) Key) {
		b.Run(name, func(b *testing.B) {
			var next atomic.Uint64
			b.RunParallel(func(pb *testing.PB) {
				k := key(next.Add(1))
				for pb.Next() {
					table.Lock(k)
					table.Unlock(k)
				}
			})
		})
	}
	run("different", func(g uint64) Key { return Key{1, g} })
	run("same", func(uint64) Key { return Key{1, 1} })
}
