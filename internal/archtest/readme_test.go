//go:build !js

package archtest

import (
	"os"
	"strings"
	"testing"
)

// The example in the README is the one that the tests run.
func TestReadmeExample(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	example, err := os.ReadFile("../../memfs/readme_test.go")
	if err != nil {
		t.Fatal(err)
	}
	code := strings.TrimPrefix(string(example), "package memfs_test\n\n")
	if !strings.Contains(string(readme), "```go\n"+code+"```") {
		t.Error("README.md shows another example than memfs/readme_test.go")
	}
}
