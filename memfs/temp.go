package memfs

import (
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
)

// TempDir is where CreateTemp and MkdirTemp put what is given no directory. They create it, with mode 1777, if it is not
// there.
func (f *FS) TempDir() string { return "/tmp" }

// tempTries is how often a random name is tried, as in package os.
const tempTries = 10000

// CreateTemp creates a file whose name is pattern with a random number at the place of its last "*" or at its end, in
// dir or, if that is empty, in TempDir, with mode 0600.
func (f *FS) CreateTemp(dir, pattern string) (*File, error) {
	var file *File
	err := f.temp("createtemp", dir, pattern, func(name string) (err error) {
		file, err = f.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
		return err
	})
	return file, err
}

// MkdirTemp is CreateTemp for a directory, of mode 0700. It returns its path.
func (f *FS) MkdirTemp(dir, pattern string) (string, error) {
	path := ""
	err := f.temp("mkdirtemp", dir, pattern, func(name string) error {
		path = name
		return f.Mkdir(name, 0o700)
	})
	if errors.Is(err, fs.ErrNotExist) {
		if _, missing := f.Stat(dir); errors.Is(missing, fs.ErrNotExist) {
			err = missing // names the directory that was asked for
		}
	}
	if err != nil {
		return "", err
	}
	return path, nil
}

// temp calls create with one random name after another until one is free.
func (f *FS) temp(op, dir, pattern string, create func(name string) error) error {
	if strings.ContainsFunc(pattern, func(r rune) bool { return r < 0x80 && isSeparator(byte(r)) }) {
		return wrapPath(op, pattern, errSeparator)
	}
	if dir == "" {
		dir = f.TempDir()
		if f.confined {
			dir = "."
		} else if err := f.makeTempDir(dir); err != nil {
			return err
		}
	}
	prefix, suffix := pattern, ""
	if at := strings.LastIndexByte(pattern, '*'); at >= 0 {
		prefix, suffix = pattern[:at], pattern[at+1:]
	}
	prefix = joinPath(dir, prefix)
	for range tempTries {
		err := create(prefix + strconv.FormatUint(uint64(rand.Uint32()), 10) + suffix)
		if !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	return wrapPath(op, prefix+"*"+suffix, fs.ErrExist)
}

// makeTempDir makes the default directory for temporary files, open to all users.
func (f *FS) makeTempDir(dir string) error {
	err := f.WithUmask(0).Mkdir(dir, 0o777|fs.ModeSticky)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	return err
}
