package bench

import (
	"context"
	"math"
	"runtime"
	"slices"
	"sync"
	"time"
)

// The metrics and their units. The first three of these are costs: less is
// better.
const (
	metricTime       = "time"
	unitTime         = "ns/op"
	metricMemory     = "memory"
	unitMemory       = "B/file"
	metricAllocs     = "allocs"
	unitAllocs       = "allocs/op"
	metricThroughput = "throughput"
	unitThroughput   = "ops/s"
)

// meter takes the measurements of one round of one subject.
type meter struct {
	ctx    context.Context
	param  string
	values []measured
}

type measured struct {
	param, metric, unit string
	value               float64
}

func (m *meter) report(metric string, value float64, unit string) {
	m.reportAs(m.param, metric, value, unit)
}

// reportAs reports under another param than the subject's own, for a subject
// that measures several steps.
func (m *meter) reportAs(param, metric string, value float64, unit string) {
	m.values = append(m.values, measured{param, metric, unit, value})
}

// time runs f once from a settled heap and reports its time divided by ops.
func (m *meter) time(ops int, f func() error) error {
	settle()
	elapsed, err := timed(f)
	if err != nil {
		return err
	}
	m.reportTime(elapsed, ops)
	return nil
}

// timeAllocs is time and also reports the allocated objects an operation.
// Reading the counters stays outside of the timed part.
func (m *meter) timeAllocs(ops int, f func() error) error {
	var before, after runtime.MemStats
	settle()
	runtime.ReadMemStats(&before)
	elapsed, err := timed(f)
	runtime.ReadMemStats(&after)
	if err != nil {
		return err
	}
	m.reportTime(elapsed, ops)
	// A few objects belong to the measurement itself, hence only two digits.
	allocs := float64(after.Mallocs-before.Mallocs) / float64(ops)
	m.report(metricAllocs, math.Round(allocs*100)/100, unitAllocs)
	return nil
}

func (m *meter) reportTime(elapsed time.Duration, ops int) {
	m.report(metricTime, float64(elapsed.Nanoseconds())/float64(ops), unitTime)
}

// pieces is into how many parts timePieces divides a round: each is so short
// that the scheduler seldom takes the processor away within one.
const pieces = 9

// timePieces times loop in pieces of a ninth of ops and reports, as param, the
// median piece's time of an operation. It is for rounds of few milliseconds of a
// loop without garbage. The first warm operations are not timed.
func (m *meter) timePieces(param string, ops, warm int, loop func(ops int) error) error {
	if err := loop(warm); err != nil {
		return err
	}
	part := max(ops/pieces, 1)
	times := make([]float64, pieces)
	for i := range times {
		elapsed, err := timed(func() error { return loop(part) })
		if err != nil {
			return err
		}
		times[i] = float64(elapsed.Nanoseconds()) / float64(part)
	}
	m.reportAs(param, metricTime, median(times), unitTime)
	return nil
}

// median sorts values and returns the middle one.
func median(values []float64) float64 {
	slices.Sort(values)
	n := len(values)
	return (values[(n-1)/2] + values[n/2]) / 2
}

func timed(f func() error) (time.Duration, error) {
	start := time.Now()
	err := f()
	return time.Since(start), err
}

// fanOut runs work on several goroutines that start together and returns the
// time from the start until the last one is done. A panic in a worker is its
// error.
func fanOut(workers int, work func(worker int) error) (time.Duration, error) {
	var ready, done sync.WaitGroup
	start := make(chan struct{})
	errs := make([]error, workers)
	for w := range workers {
		ready.Add(1)
		done.Go(func() {
			ready.Done()
			<-start
			errs[w] = guard(func() error { return work(w) })
		})
	}
	ready.Wait()
	settle()
	begin := time.Now()
	close(start)
	done.Wait()
	elapsed := time.Since(begin)
	for _, err := range errs {
		if err != nil {
			return elapsed, err
		}
	}
	return elapsed, nil
}
