package memfs

import (
	"path/filepath"
	"strings"
)

// toSlash returns path without its volume name and with slashes as separators, so that a program for Windows can use
// the paths it builds with package filepath.
func toSlash(path string) string { return filepath.ToSlash(path[len(filepath.VolumeName(path)):]) }

func isSeparator(c byte) bool { return c == '/' || c == '\\' }

// hasForeignSeparator reports whether an io/fs name contains what separates names on this system but not in io/fs.
func hasForeignSeparator(name string) bool { return strings.IndexByte(name, '\\') >= 0 }
