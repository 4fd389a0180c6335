package rbdir_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"stagefs/rbdir"
)

var benchSizes = []int{4, 1000, 10000, 100000}

// filled returns a directory of size names, the names in random order, and
// their hashes.
func filled(b *testing.B, h rbdir.Hasher, size int) (d *rbdir.Dir[uint64], names []string, sums []uint64) {
	d = new(rbdir.Dir[uint64])
	names = make([]string, size)
	sums = make([]uint64, size)
	for i := range names {
		names[i] = fmt.Sprintf("longername%d", i)
	}
	r := rand.New(rand.NewPCG(1, 2))
	r.Shuffle(size, func(i, j int) { names[i], names[j] = names[j], names[i] })
	for i, name := range names {
		sums[i] = h.Sum(name)
	}
	fill(b, d, names, sums)
	r.Shuffle(size, func(i, j int) {
		names[i], names[j] = names[j], names[i]
		sums[i], sums[j] = sums[j], sums[i]
	})
	return d, names, sums
}

func fill(b *testing.B, d *rbdir.Dir[uint64], names []string, sums []uint64) {
	for i, name := range names {
		var c rbdir.Change[uint64]
		c.Add(d, sums[i])
		c.Begin()
		if _, err := d.Insert(sums[i], name, uint64(i)); err != nil {
			b.Fatal(err)
		}
		c.End()
	}
}

func empty(b *testing.B, d *rbdir.Dir[uint64], names []string, sums []uint64) {
	for i, name := range names {
		var c rbdir.Change[uint64]
		c.Add(d, sums[i])
		c.Begin()
		if _, ok := d.Delete(sums[i], name); !ok {
			b.Fatal(name)
		}
		c.End()
	}
}

func eachSize(b *testing.B, h rbdir.Hasher, f func(b *testing.B, d *rbdir.Dir[uint64], names []string, sums []uint64)) {
	for _, size := range benchSizes {
		b.Run(fmt.Sprint("n=", size), func(b *testing.B) {
			d, names, sums := filled(b, h, size)
			f(b, d, names, sums)
		})
	}
}

func BenchmarkGet(b *testing.B) {
	eachSize(b, rbdir.NewHasher(1), func(b *testing.B, d *rbdir.Dir[uint64], names []string, sums []uint64) {
		b.ReportAllocs()
		i := 0
		for b.Loop() {
			if _, ok := d.Get(sums[i], names[i]); !ok {
				b.Fatal(names[i])
			}
			if i++; i == len(names) {
				i = 0
			}
		}
	})
}

func BenchmarkGetMissing(b *testing.B) {
	h := rbdir.NewHasher(1)
	eachSize(b, h, func(b *testing.B, d *rbdir.Dir[uint64], names []string, _ []uint64) {
		missing := make([]uint64, len(names))
		for i := range missing {
			missing[i] = h.Sum(fmt.Sprint("missing", i))
		}
		i := 0
		for b.Loop() {
			if _, ok := d.Get(missing[i], "missing"); ok {
				b.Fatal("found")
			}
			if i++; i == len(missing) {
				i = 0
			}
		}
	})
}

// BenchmarkInsert and BenchmarkDelete report the time of one name, on average
// over filling an empty directory and emptying a full one.
func BenchmarkInsert(b *testing.B) { benchFillEmpty(b, rbdir.NewHasher(1), true) }

func BenchmarkDelete(b *testing.B) { benchFillEmpty(b, rbdir.NewHasher(1), false) }

// BenchmarkInsertEqualHash and BenchmarkDeleteEqualHash are the same when all
// names collide.
func BenchmarkInsertEqualHash(b *testing.B) { benchFillEmpty(b, constant, true) }

func BenchmarkDeleteEqualHash(b *testing.B) { benchFillEmpty(b, constant, false) }

func benchFillEmpty(b *testing.B, h rbdir.Hasher, insert bool) {
	for _, size := range benchSizes[1:] { // below, the clock costs more than the work
		if size > 1<<rbdir.OrdBits && h.Sum("a") == h.Sum("b") {
			continue // more than one hash can have
		}
		b.Run(fmt.Sprint("n=", size), func(b *testing.B) {
			d, names, sums := filled(b, h, size)
			if insert {
				empty(b, d, names, sums)
			}
			b.ReportAllocs()
			b.ResetTimer()
			for range b.N {
				if insert {
					fill(b, d, names, sums)
				} else {
					empty(b, d, names, sums)
				}
				b.StopTimer()
				if insert {
					empty(b, d, names, sums)
				} else {
					fill(b, d, names, sums)
				}
				b.StartTimer()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(size), "ns/name")
		})
	}
}

// BenchmarkRename renames within one directory: two lookups, one insert, one
// delete.
func BenchmarkRename(b *testing.B) {
	h := rbdir.NewHasher(1)
	eachSize(b, h, func(b *testing.B, d *rbdir.Dir[uint64], names []string, sums []uint64) {
		fresh := h.Sum("fresh")
		move := func(hf uint64, from string, ht uint64, to string) {
			var c rbdir.Change[uint64]
			c.Add(d, hf)
			c.Add(d, ht)
			c.Begin()
			e, _ := d.Find(hf, from)
			if _, err := d.Insert(ht, to, e.Value); err != nil {
				b.Fatal(err)
			}
			d.Delete(hf, from)
			c.End()
		}
		i := 0
		for b.Loop() {
			move(sums[i], names[i], fresh, "fresh")
			move(fresh, "fresh", sums[i], names[i])
			if i++; i == len(names) {
				i = 0
			}
		}
	})
}

// BenchmarkBatch lists a directory in pages of 100 and of 1,024 and reports the
// time of one entry.
func BenchmarkBatch(b *testing.B) {
	for _, page := range []int{100, 1024} {
		b.Run(fmt.Sprint("page=", page), func(b *testing.B) {
			eachSize(b, rbdir.NewHasher(1), func(b *testing.B, d *rbdir.Dir[uint64], names []string, _ []uint64) {
				buf := make([]rbdir.Entry[uint64], 0, page)
				for b.Loop() {
					n := 0
					for after := uint64(0); ; after = buf[len(buf)-1].Key {
						if buf = d.Batch(buf[:0], after, page); len(buf) == 0 {
							break
						}
						n += len(buf)
					}
					if n != len(names) {
						b.Fatal(n)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(names)), "ns/name")
			})
		})
	}
}
