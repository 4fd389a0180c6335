//go:build !invariants

package rbdir

// invariants says whether the checks after each change are compiled in.
const invariants = false

// guard, cover and countStep are described in invariants_on.go; here they are
// nothing.
type (
	guard struct{}
	cover struct{}
)

func (*cover) addHash(uint64)   {}
func (*cover) addWhole()        {}
func (*guard) grant(*cover)     {}
func (*guard) revoke()          {}
func (*guard) mustCover(uint64) {}
func (*guard) mustCoverWhole()  {}
func (*guard) due(int) bool     { return false }

func countStep() {}
