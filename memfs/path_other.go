//go:build !windows

package memfs

// toSlash returns path with slashes as separators; only on Windows there is something to do.
func toSlash(path string) string { return path }

func isSeparator(c byte) bool { return c == '/' }

// hasForeignSeparator reports whether an io/fs name contains what separates names on this system but not in io/fs.
func hasForeignSeparator(string) bool { return false }
