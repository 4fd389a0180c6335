//go:build linux

package twin

import (
	"flag"
	"math/rand/v2"
	"testing"
	"time"

	"stagefs/memfs"

	"stagefs/internal/need"
)

var (
	randomTime = flag.Duration("twin.time", time.Second, "how long each random twin runs")
	randomSeed = flag.Uint64("twin.seed", 0, "the first seed of the random twins; 0 for one of their own")
)

// scriptSteps is long enough to fill the tree and short enough to shrink fast.
const scriptSteps = 200

func TestRandom(t *testing.T) {
	needPrivilege(t) // the paths of the scripts lead out of an ordinary directory
	randomTwin(t, memWorld{}, false, Mix{Sticky: true})
}

func TestRandomRoot(t *testing.T) {
	randomTwin(t, memWorld{}, true, Mix{Sticky: true})
}

func TestRandomUsers(t *testing.T) {
	if what := Protected.missing(); what != "" {
		need.Missing(t, what)
	}
	randomTwin(t, memWorld{}, false, Mix{Users: []Cred{someUser, inGroup, otherUser}, Sticky: StickyIsPlain()})
}

func TestRandomRootUsers(t *testing.T) {
	if what := Protected.missing(); what != "" {
		need.Missing(t, what)
	}
	randomTwin(t, memWorld{}, true, Mix{Users: []Cred{someUser, inGroup, otherUser}})
}

func TestRandomLimits(t *testing.T) {
	needPrivilege(t)
	mem := memWorld{options: []memfs.Option{memfs.WithSize(LimitBytes), memfs.WithInodes(LimitInodes)}}
	compareAtRandom(t, NewLimitedHost(Tmpfs(t), LimitBytes, LimitInodes), mem, false, Mix{Brief: true})
}

func TestRandomTinyCache(t *testing.T) {
	needPrivilege(t)
	randomTwin(t, tinyCache, false, Mix{Sticky: true})
}

func needPrivilege(t *testing.T) {
	t.Helper()
	if what := Privilege.missing(); what != "" {
		need.Missing(t, what)
	}
}

func randomTwin(t *testing.T, got World, inRoot bool, mix Mix) {
	compareAtRandom(t, NewHost(Tmpfs(t)), got, inRoot, mix)
}

// compareAtRandom runs scripts until the time is up or one makes a
// difference.
func compareAtRandom(t *testing.T, want, got World, inRoot bool, mix Mix) {
	seed := *randomSeed
	if seed == 0 {
		seed = rand.Uint64()
	}
	t.Logf("seed %d", seed)
	n := 0
	for end := time.Now().Add(*randomTime); time.Now().Before(end); n++ {
		script := NewScript(seed, scriptSteps, mix)
		diff, err := script.Differ(want, got, inRoot)
		if err != nil {
			t.Fatal(err)
		}
		if diff != "" {
			short, diff, err := script.Shrink(want, got, inRoot)
			if err != nil {
				t.Fatal(err)
			}
			t.Fatalf("-twin.seed %d makes a difference (-kernel +got):\n%sthen\n%s", seed, short, diff)
		}
		seed++
	}
	t.Logf("%d scripts of %d steps", n, scriptSteps)
}
