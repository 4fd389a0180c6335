package bench

import (
	"fmt"
	"testing"

	"stagefs/memfs"
)

var fullPathSink testNode

// BenchmarkFullPathGet is a hit on a path of 8 components of 7 bytes, of which
// the signature is a part of its own.
func BenchmarkFullPathGet(b *testing.B) {
	c := newFullPathOf[testNode](memfs.DefaultDcache)
	cred := new(memfs.Cred)
	path, nodes := eightComponents()
	addPath(c, cred, path, nodes...)
	b.Run("8", func(b *testing.B) {
		for b.Loop() {
			fullPathSink, _ = c.Get(path, cred)
		}
	})
	b.Run("1", func(b *testing.B) {
		for b.Loop() {
			fullPathSink, _ = c.Get(path[:8], cred)
		}
	})
	b.Run("sign=8", func(b *testing.B) {
		for b.Loop() {
			c.signer.sign(path)
		}
	})
}

// BenchmarkFullPathAdd is a walk of 8 components, none or all of which are
// known.
func BenchmarkFullPathAdd(b *testing.B) {
	cred := new(memfs.Cred)
	path, nodes := eightComponents()
	steps := stepsOf(path, nodes...)
	b.Run("known", func(b *testing.B) {
		c := newFullPathOf[testNode](100)
		for b.Loop() {
			addSteps(c, c.Begin(), cred, path, steps)
		}
	})
	b.Run("invalid", func(b *testing.B) {
		c := newFullPathOf[testNode](100)
		addSteps(c, c.Begin(), cred, path, steps)
		for b.Loop() {
			c.Change(nodes[0])
			c.Changed(nodes[0])
			addSteps(c, c.Begin(), cred, path, steps)
		}
	})
}

// BenchmarkFullPathChange is a change of a directory with so many cached paths
// below.
func BenchmarkFullPathChange(b *testing.B) {
	for _, below := range []int{10, 1000, 10000} {
		b.Run(fmt.Sprint(below), func(b *testing.B) {
			c := newFullPathOf[testNode](memfs.DefaultDcache)
			cred := new(memfs.Cred)
			a := testNode{2, true}
			for i := range below {
				addPath(c, cred, fmt.Sprintf("/a/file%05d", i), a, testNode{uint64(3 + i), false})
			}
			for b.Loop() {
				c.Change(a)
				c.Changed(a)
			}
		})
	}
}

// BenchmarkFullPathStat is the hit seen from memfs, beside a walk from the root
// through the dentry cache.
func BenchmarkFullPathStat(b *testing.B) {
	path, _ := eightComponents()
	for _, c := range []struct {
		name   string
		option memfs.Option
	}{{"original", memfs.WithoutStage()}, {"full-path", memfs.WithPathCache(newFullPath)}} {
		b.Run(c.name, func(b *testing.B) {
			f := memfs.New(memfs.WithCred(memfs.Cred{Uid: 1000}), c.option)
			if err := f.MkdirAll(path, 0o755); err != nil {
				b.Fatal(err)
			}
			var st memfs.Stat
			for b.Loop() {
				if err := f.StatInto(path, &st); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
