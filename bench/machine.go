package bench

import (
	"fmt"
	"runtime"
)

// Machine is where and how a report was measured.
type Machine struct {
	OS, Arch string
	CPUs     int // runtime.NumCPU
	Procs    int // GOMAXPROCS
	Go       string
	Count    int
	Seed     uint64
	Scale    int
}

func machine(cfg *Config) Machine {
	return Machine{OS: runtime.GOOS, Arch: runtime.GOARCH, CPUs: runtime.NumCPU(), Procs: runtime.GOMAXPROCS(0),
		Go: runtime.Version(), Count: cfg.Count, Seed: cfg.Seed, Scale: cfg.Scale}
}

// String returns the machine as one line.
func (m Machine) String() string {
	s := fmt.Sprintf("%s/%s, %d CPUs, GOMAXPROCS=%d, %s, count=%d, seed=%d",
		m.OS, m.Arch, m.CPUs, m.Procs, m.Go, m.Count, m.Seed)
	if m.Scale > 1 {
		s += fmt.Sprintf(", sizes divided by %d (no measurement)", m.Scale)
	}
	return s
}
