package memfs_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"stagefs/memfs"
	"stagefs/stage"
)

func deepPath(b testing.TB, fsys *memfs.FS, depth int) string {
	parts := make([]string, depth)
	for i := range parts {
		parts[i] = fmt.Sprintf("dir%d", i)
	}
	dir := "/" + strings.Join(parts[:depth-1], "/")
	if err := fsys.MkdirAll(dir, 0o755); err != nil {
		b.Fatal(err)
	}
	path := "/" + strings.Join(parts, "/")
	if err := fsys.WriteFile(path, nil, 0o644); err != nil {
		b.Fatal(err)
	}
	return path
}

func BenchmarkNew(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		memfs.New()
	}
}

func BenchmarkStatInto(b *testing.B) {
	for _, depth := range []int{1, 4, 8, 16} {
		b.Run(fmt.Sprintf("depth=%d", depth), func(b *testing.B) {
			fsys := memfs.New()
			path := deepPath(b, fsys, depth)
			var st memfs.Stat
			b.ReportAllocs()
			for b.Loop() {
				if err := fsys.StatInto(path, &st); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkStat(b *testing.B) {
	fsys := memfs.New()
	path := deepPath(b, fsys, 8)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := fsys.Stat(path); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkStatIntoParallel(b *testing.B) {
	fsys := memfs.New()
	path := deepPath(b, fsys, 8)
	b.RunParallel(func(pb *testing.PB) {
		var st memfs.Stat
		for pb.Next() {
			if err := fsys.StatInto(path, &st); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkCreate(b *testing.B) {
	const files = 10000
	names := make([]string, files)
	for i := range names {
		names[i] = fmt.Sprintf("/d/file%d", i)
	}
	b.ReportAllocs()
	for b.Loop() {
		b.StopTimer()
		fsys := memfs.New()
		if err := fsys.Mkdir("/d", 0o755); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
		for _, name := range names {
			f, err := fsys.Create(name)
			if err != nil {
				b.Fatal(err)
			}
			f.Close()
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/files, "ns/file")
}

func BenchmarkRename(b *testing.B) {
	fsys := memfs.New()
	for i := range 10000 {
		if err := fsys.WriteFile(fmt.Sprintf("/file%d", i), nil, 0o644); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		if err := fsys.Rename("/file77", "/other"); err != nil {
			b.Fatal(err)
		}
		if err := fsys.Rename("/other", "/file77"); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkOpenReadClose(b *testing.B) {
	fsys := memfs.New()
	if err := fsys.WriteFile("/f", make([]byte, 4096), 0o644); err != nil {
		b.Fatal(err)
	}
	buf := make([]byte, 4096)
	b.ReportAllocs()
	for b.Loop() {
		f, err := fsys.Open("/f")
		if err != nil {
			b.Fatal(err)
		}
		if _, err := io.ReadFull(f, buf); err != nil {
			b.Fatal(err)
		}
		f.Close()
	}
}

func BenchmarkReadDir(b *testing.B) {
	fsys := memfs.New()
	for i := range 10000 {
		if err := fsys.WriteFile(fmt.Sprintf("/file%d", i), nil, 0o644); err != nil {
			b.Fatal(err)
		}
	}
	b.Run("sorted", func(b *testing.B) {
		for b.Loop() {
			if es, err := fsys.ReadDir("/"); err != nil || len(es) != 10000 {
				b.Fatal(err)
			}
		}
	})
	b.Run("order", func(b *testing.B) {
		for b.Loop() {
			f, _ := fsys.Open("/")
			if es, err := f.ReadDir(-1); err != nil || len(es) != 10000 {
				b.Fatal(err)
			}
			f.Close()
		}
	})
}

// BenchmarkStatFrom looks up a directory of 8 components below where the view stands: at the root, in a working directory,
// in a view from OpenRoot (for the root, 10 components); with the stage, which has it and 15 others as pivots, and without.
func BenchmarkStatFrom(b *testing.B) {
	const dir, path = "/srv/data", "home/alice/projects/stagefs/internal/testdata/cases/golden"
	for name, option := range map[string]memfs.Option{
		"stage": memfs.WithStage(stage.Config{Period: time.Hour}), "original": memfs.WithoutStage(),
	} {
		fsys := memfs.New(option)
		pivots := []string{dir + "/" + path}
		for i := range 15 {
			pivots = append(pivots, fmt.Sprintf("%s/user%02d/projects/stagefs/internal/testdata/cases/golden", dir, i))
		}
		for _, p := range pivots {
			if err := fsys.MkdirAll(p, 0o755); err != nil {
				b.Fatal(err)
			}
		}
		cwd := fsys.WithUmask(0o022)
		root, err := fsys.OpenRoot(dir)
		if err = errors.Join(err, cwd.Chdir(dir), fsys.Promote(pivots...)); err != nil {
			b.Fatal(err)
		}
		for where, view := range map[string]*memfs.FS{"cwd": cwd, "OpenRoot": root} {
			b.Run(where+"/"+name, func(b *testing.B) {
				var st memfs.Stat
				for b.Loop() {
					if err := view.StatInto(path, &st); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
		b.Run("root/"+name, func(b *testing.B) {
			var st memfs.Stat
			for b.Loop() {
				if err := fsys.StatInto(dir+"/"+path, &st); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
