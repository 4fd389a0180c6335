package main

import (
	"io"
	"os"
	"sync/atomic"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
	"golang.org/x/term"

	"stagefs/bench"
)

// progress shows how far an experiment has come, in one line that goes away.
type progress struct {
	out *mpb.Progress
	bar *mpb.Bar
	now atomic.Value // string: what is measured
}

// newProgress returns nil if w is no terminal.
func newProgress(w io.Writer) *progress {
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return nil
	}
	p := &progress{}
	p.now.Store("")
	// Two updates a second: drawing takes time from what is measured.
	p.out = mpb.New(mpb.WithOutput(f), mpb.WithRefreshRate(500*time.Millisecond), mpb.WithWidth(40))
	return p
}

// step is for bench.Config.OnStep.
func (p *progress) step(s bench.Step) {
	if p.bar == nil {
		p.bar = p.out.AddBar(int64(s.Total), mpb.BarRemoveOnComplete(),
			mpb.PrependDecorators(decor.Name(s.Bench, decor.WC{C: decor.DextraSpace})),
			mpb.AppendDecorators(
				decor.CountersNoUnit("%d/%d", decor.WCSyncSpace),
				decor.Any(func(decor.Statistics) string { return p.now.Load().(string) })))
	}
	now := "  " + s.Impl + " " + s.Param
	if s.Preparing {
		now += " (preparing)"
	}
	p.now.Store(now)
	p.bar.SetTotal(int64(s.Total), false)
	p.bar.SetCurrent(int64(s.Done))
}

// close removes the line.
func (p *progress) close() {
	if p.bar != nil {
		p.bar.Abort(true)
	}
	p.out.Wait()
}
