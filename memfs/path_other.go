//go:build !windows

package memfs

// toSlash returns path with slashes as separators; only on Windows there is something to do.
func toSlash(path string) string { return path }

func isSeparator(c byte) bool { return c == '/' }
