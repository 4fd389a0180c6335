// Package need is for tests that need something of the machine.
package need

import (
	"os"
	"testing"
)

// Missing tells that the machine lacks what. The test is skipped, but where STAGEFS_CI is set it fails: there the machine
// must have it all.
func Missing(t testing.TB, what string) {
	t.Helper()
	if os.Getenv("STAGEFS_CI") != "" {
		t.Fatalf("this machine lacks %s", what)
	}
	t.Skipf("this machine lacks %s", what)
}
