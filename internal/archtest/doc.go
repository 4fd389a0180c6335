// Package archtest holds the tests of the shape of the module: which package may import which, what a program that
// embeds the file system is made to link, and that no source file is left out of every build.
//
// The packages are floors of a house. Nothing imports upwards:
//
//	cmd/stagefs           flags to options, nothing else
//	bench                 measurements, and the rivals they need
//	memfs                 the file system
//	rbdir  dcache         one directory; the name cache
//	locking               lock order, name locks
//
// A new package has to be entered in the table of imports_test.go before the tests pass.
package archtest
