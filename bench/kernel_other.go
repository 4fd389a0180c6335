//go:build !linux

package bench

func tmpfsDir() (string, error) { return "", skipped("no kernel tmpfs on this system") }

func kernelPages(string, int) (int, error) {
	return 0, skipped("package os has no offset of a directory entry")
}
