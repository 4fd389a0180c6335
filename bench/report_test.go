package bench

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// samples returns a row for each value.
func samples(bench, impl, param, metric, unit string, values ...float64) []Row {
	var rows []Row
	for _, v := range values {
		rows = append(rows, Row{Bench: bench, Impl: impl, Param: param, Metric: metric, Unit: unit, Value: v})
	}
	return rows
}

func TestWriteTable(t *testing.T) {
	r := newReport(Machine{})
	r.declare("file-create", "files=10")
	r.declare("file-create", "files=20")
	for _, rows := range [][]Row{
		samples("parallel", "memfs", "op=stat", metricThroughput, unitThroughput, 4e6, 4e6, 4e6, 4e6),
		samples("parallel", "afero", "op=stat", metricThroughput, unitThroughput, 1e6, 1e6, 1e6, 1e6),
		samples("file-create", "afero", "files=20", metricTime, unitTime, 1.5e6),
		samples("file-create", "afero", "files=10", metricTime, unitTime, 1800, 1820, 1760, 1810, 1830),
		samples("file-create", "memfs", "files=10", metricTime, unitTime, 990, 1010, 1000, 900, 1005),
		samples("file-create", "billy", "files=10", metricTime, unitTime, 990, 1010, 1000, 900, 1006),
		samples("file-create", "memfs", "files=10", metricAllocs, unitAllocs, 2, 2, 2, 2, 2),
		samples("file-create", "afero", "files=10", metricAllocs, unitAllocs, 7, 7, 7, 7, 7),
		{{Bench: "file-create", Impl: "list", Param: "files=20", Metric: metricTime, Unit: unitTime, Error: "skipped: quadratic"}},
		samples("memory", "memfs", "files=empty", metricMemory, unitMemory, 213.4),
	} {
		for _, row := range rows {
			r.add(row)
		}
	}
	var out bytes.Buffer
	if err := r.WriteTable(&out); err != nil {
		t.Fatal(err)
	}
	want := `
file-create: create empty files in one directory of 1,000, 10,000 and 100,000
  param     impl        median   spread  vs memfs
  files=10  memfs   1.00 µs/op     ±10%     1.00x
            afero   1.81 µs/op      ±3%     1.81x
            billy   1.00 µs/op     ±10%   1.00x ~
            memfs  2 allocs/op      ±0%     1.00x
            afero  7 allocs/op      ±0%     3.50x
  files=20  list   skipped: quadratic
            afero   1.50 ms/op  1 round         -

memory: bytes of heap a file, empty and 1 KiB, with and without cache entries
  param        impl       median   spread  vs memfs
  files=empty  memfs  213 B/file  1 round     1.00x

parallel: look up, stat, create and remove on 1, 2, 4 and 8 goroutines
  param    impl        median  spread  vs memfs
  op=stat  memfs  4.00 Mops/s     ±0%     1.00x
           afero  1.00 Mops/s     ±0%     4.00x
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("table differs (-want +got):\n%s", diff)
	}
}

func TestFormatValue(t *testing.T) {
	for _, c := range []struct {
		v    float64
		unit string
		want string
	}{
		{0, unitTime, "0 ns/op"},
		{0.1234, unitTime, "0.123 ns/op"},
		{12.345, unitTime, "12.3 ns/op"},
		{999.4, unitTime, "999 ns/op"},
		{1000, unitTime, "1.00 µs/op"},
		{123456, unitTime, "123 µs/op"},
		{2.5e9, unitTime, "2.50 s/op"},
		{4e12, unitTime, "4000 s/op"},
		{950, unitThroughput, "950 ops/s"},
		{12345, unitThroughput, "12.3 kops/s"},
		{1.5, unitAllocs, "1.50 allocs/op"},
		{1280.25, unitMemory, "1280 B/file"},
	} {
		if got := formatValue(c.v, c.unit); got != c.want {
			t.Errorf("formatValue(%v, %q) = %q, want %q", c.v, c.unit, got, c.want)
		}
	}
}

func TestFailures(t *testing.T) {
	r := newReport(Machine{})
	for _, row := range []Row{
		{Bench: "rename", Impl: "memfs", Error: "skipped: no"},
		{Bench: "rename", Impl: "afero", Error: "broken"},
		{Bench: "rename", Impl: "memfs", Error: "lost a file"},
		{Bench: "rename", Impl: "list", Error: "lost a file"},
		{Bench: "rename", Impl: "memfs", Value: 1},
		{Bench: "tree", Impl: "os", Error: "mode differs"},
	} {
		r.add(row)
	}
	var got []string
	for _, f := range r.Failures() {
		got = append(got, f.Impl+" "+f.Error)
	}
	if want := "memfs lost a file, list lost a file, os mode differs"; strings.Join(got, ", ") != want {
		t.Errorf("Failures: %q, want %q", got, want)
	}
}

func TestMachine(t *testing.T) {
	m := Machine{OS: "linux", Arch: "amd64", CPUs: 2, Procs: 1, Go: "go1.26", Count: 7, Seed: 1, Scale: 10}
	want := "linux/amd64, 2 CPUs, GOMAXPROCS=1, go1.26, count=7, seed=1, sizes divided by 10 (no measurement)"
	if got := m.String(); got != want {
		t.Errorf("Machine: %q, want %q", got, want)
	}
}
