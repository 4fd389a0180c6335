package bench

import "math/rand/v2"

// The one-day statistic of the Stage Lookup paper (section I): 13 million
// lookups made 89 million searches for a component, which only met 235
// different dentries. paperShare is the part of the day that a round replays.
const (
	paperLookups = 13_000_000
	paperVisits  = 89_000_000
	paperDirs    = 235
	paperShare   = 100

	paperFiles = 4 // in each directory that has files
)

// paperLevels is how many of the 235 directories are at each depth, a tree that
// widens and narrows as those of users, projects and runs do.
var paperLevels = []int{3, 8, 18, 32, 44, 50, 45, 35}

// paperLeast is the depth of the first directories that have files.
const paperLeast = 4

// newPaperReplay makes a day of lookups in the paper's proportions, smaller by
// scale. Popularity follows Zipf's law (exponent 1), separately for directories
// of depth 4 and 5 and for those of 6 to 8; how often each of the two groups
// is chosen makes the mean number of components what it was, 6.85. Files of a
// directory are equally popular. The same seed makes the same trace.
func newPaperReplay(seed uint64, scale int) *replay {
	rng := rand.New(rand.NewPCG(seed, paperDirs))
	r := &replay{name: "paper", left: "made from a seed"}
	m := newTraceTree(&trace{})
	r.root = m.root

	var shallow, deep paperGroup
	parents := []string{""}
	for level, n := range paperLevels {
		var dirs []string
		for i := range n {
			dir := parents[rng.IntN(len(parents))] + "/" + numbered('d', i)
			if i < len(parents) {
				dir = parents[i] + "/" + numbered('d', i) // no directory of the level above stays empty if there are enough
			}
			m.evident(dir, 'd')
			dirs = append(dirs, dir)
			if depth := level + 1; depth >= paperLeast {
				group := &shallow
				if depth > paperLeast+1 {
					group = &deep
				}
				group.add(r, m, dir, depth+1)
			}
		}
		parents = dirs
	}
	shallow.weigh(rng)
	deep.weigh(rng)

	const mean = float64(paperVisits) / paperLookups
	often := (deep.mean() - mean) / (deep.mean() - shallow.mean())
	r.order = make([]int32, max(paperLookups/paperShare/scale, 1000))
	for i := range r.order {
		group := &deep
		if rng.Float64() < often {
			group = &shallow
		}
		r.order[i] = group.pick(rng)
	}
	r.turns = [][]int32{r.order}
	return r
}

// evident notes that there is something of kind at path from the beginning.
func (m *traceTree) evident(path string, kind byte) {
	m.node(m.walk("/", path, false)).is(kind)
}

// paperGroup is a group of directories with their popularity.
type paperGroup struct {
	first  []int32   // of the lookups of each directory's files
	parts  []int     // components of their paths
	weight []float64 // summed up
}

// add makes files in dir and lookups of them.
func (g *paperGroup) add(r *replay, m *traceTree, dir string, parts int) {
	g.first = append(g.first, int32(len(r.ops)))
	g.parts = append(g.parts, parts)
	for _, file := range below(dir, 'f', paperFiles) {
		m.evident(file, 'f')
		r.ops = append(r.ops, replayOp{kind: callStat, path: file})
	}
}

// weigh gives the directories Zipf's weights in random order.
func (g *paperGroup) weigh(rng *rand.Rand) {
	g.weight = make([]float64, len(g.first))
	for i, rank := range rng.Perm(len(g.first)) {
		g.weight[i] = 1 / float64(rank+1)
	}
	for i := 1; i < len(g.weight); i++ {
		g.weight[i] += g.weight[i-1]
	}
}

// mean is the mean number of components of a lookup in the group.
func (g *paperGroup) mean() float64 {
	sum, before := 0.0, 0.0
	for i, w := range g.weight {
		sum += (w - before) * float64(g.parts[i])
		before = w
	}
	return sum / before
}

func (g *paperGroup) pick(rng *rand.Rand) int32 {
	at := rng.Float64() * g.weight[len(g.weight)-1]
	i := 0
	for g.weight[i] < at {
		i++
	}
	return g.first[i] + int32(rng.IntN(paperFiles))
}
