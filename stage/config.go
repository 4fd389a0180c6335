package stage

import "time"

// Bounds and defaults of Config.
const (
	DefaultPivots    = 16
	MaxPivots        = 1024
	MaxCandidates    = 1 << 16
	DefaultThreshold = 2
	DefaultPeriod    = 2 * time.Second
	DefaultSample    = 64
	MaxSample        = 1 << 16
)

// Config says how a stage works. The zero value has the defaults; a value out of range is brought into it.
type Config struct {
	// Pivots is the most pivots a pool holds, 1 to MaxPivots; 0 means DefaultPivots.
	Pivots int

	// Candidates is the size of the Candidate Set, Pivots to MaxCandidates; 0 means four times Pivots.
	Candidates int

	// Threshold is by how much the heat of a newcomer must exceed that of least_popular_cand to take its place, in
	// counted lookups; 0 means DefaultThreshold, less means none.
	Threshold int

	// Period is the time between two pools, as the process sees time; 0 or less means DefaultPeriod. A stage whose pool is empty, or was cut, does
	// not wait for more than a sixteenth of it.
	Period time.Duration

	// Sample is how many lookups there are for one that is counted, chosen at random; rounded up to a power of two, at
	// most MaxSample; 0 means DefaultSample. 1 counts all of them.
	Sample int

	// Pool is how pivots are searched.
	Pool Kind
}

// Kind is a way to search the pivots for the one that shares most components with a path.
type Kind uint8

const (
	Tree Kind = iota // a digital tree: the cost grows with the branchings on the path
	List             // the paper's ascending list with overlaps: the cost grows with the pool
	Hash             // a hash table of all prefixes, the longest asked for first: the cost grows with the path
)

// String returns the kind's name.
func (k Kind) String() string {
	switch k {
	case Tree:
		return "tree"
	case List:
		return "list"
	case Hash:
		return "hash"
	}
	return "kind?"
}
