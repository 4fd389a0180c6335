package dcache

import (
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
)

// filled returns a cache of n entries in directory 1 and their names of 8 bytes,
// in memory of their own, as a walk would find them in its path.
func filled(n int) (*Cache[int], []string) {
	c := New[int](n)
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("f%07d", i)
		v := i
		c.Fill(1, strings.Clone(names[i]), &v)
	}
	return c, names
}

func BenchmarkGet(b *testing.B) {
	for _, n := range []int{1, 1000, 50_000} {
		c, names := filled(n)
		b.Run("hot/entries="+strconv.Itoa(n), func(b *testing.B) {
			name := names[n/2]
			for b.Loop() {
				if _, ok := c.Get(1, name); !ok {
					b.Fatal("miss")
				}
			}
		})
		b.Run("round/entries="+strconv.Itoa(n), func(b *testing.B) {
			i := 0
			for b.Loop() {
				if _, ok := c.Get(1, names[i]); !ok {
					b.Fatal("miss")
				}
				if i++; i == n {
					i = 0
				}
			}
		})
		b.Run("miss/entries="+strconv.Itoa(n), func(b *testing.B) {
			for b.Loop() {
				if _, ok := c.Get(2, names[0]); ok {
					b.Fatal("hit")
				}
			}
		})
	}
}

// BenchmarkParallelGet must not be slower a goroutine than BenchmarkGet: hits
// share no written memory.
func BenchmarkParallelGet(b *testing.B) {
	c, names := filled(1024)
	b.Run("same", func(b *testing.B) {
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				c.Get(1, names[7])
			}
		})
	})
	b.Run("different", func(b *testing.B) {
		var start atomic.Int64
		b.RunParallel(func(pb *testing.PB) {
			i := int(start.Add(101))
			for pb.Next() {
				c.Get(1, names[i&1023])
				i++
			}
		})
	})
}

func BenchmarkFillDrop(b *testing.B) {
	c, names := filled(1024)
	v := new(int)
	b.Run("cycle", func(b *testing.B) {
		i := 0
		for b.Loop() {
			c.Drop(1, names[i&1023])
			c.Fill(1, names[i&1023], v)
			i++
		}
	})
	b.Run("absent", func(b *testing.B) {
		for b.Loop() {
			c.Drop(2, names[0])
		}
	})
	b.Run("evicting", func(b *testing.B) {
		c := New[int](512)
		i := 0
		for b.Loop() {
			c.Fill(1, names[i&1023], v)
			i++
		}
	})
	b.Run("parallel", func(b *testing.B) {
		var next atomic.Uint64
		b.RunParallel(func(pb *testing.PB) {
			dir := next.Add(1) + 10
			for i := 0; pb.Next(); i++ {
				c.Fill(dir, names[i&255], v)
				c.Drop(dir, names[i&255])
			}
		})
	})
}

func BenchmarkCount(b *testing.B) {
	c := New[int](100)
	b.Run("miss", func(b *testing.B) {
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				c.CountMiss()
			}
		})
	})
}
