//go:build linux

package twin

import (
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"
	"syscall"
)

// buildLayout makes a tree. Each entry of layout is one of
//
//	d/           a directory
//	f            a file that contains its own name
//	f: text      a file that contains text
//	f*N          a file of N bytes
//	a -> b       a symbolic link a with the text b
//	a == b       a hard link a to b
//	...  @M U:G  any of these, with the octal mode M and, if given, its owner;
//	             M may be "-"; a name that is there already only gets these
//
// Parent directories are made as needed, with mode 0755.
func buildLayout(sys System, base string, layout []string) error {
	for _, entry := range layout {
		if err := buildEntry(sys, base, entry); err != nil {
			return fmt.Errorf("layout %q: %w", entry, err)
		}
	}
	return nil
}

func buildEntry(sys System, base, entry string) error {
	what, attrs, _ := strings.Cut(entry, " @")
	name := what
	create := func(p string) error { return sys.WriteFile(p, []byte(what), 0o644) }
	if n, target, ok := strings.Cut(what, " -> "); ok {
		name = n
		create = func(p string) error { return sys.Symlink(target, p) }
	} else if n, old, ok := strings.Cut(what, " == "); ok {
		name = n
		create = func(p string) error { return sys.Link(path.Join(base, old), p) }
	} else if n, text, ok := strings.Cut(what, ": "); ok {
		name = n
		create = func(p string) error { return sys.WriteFile(p, []byte(text), 0o644) }
	} else if n, size, ok := strings.Cut(what, "*"); ok {
		name = n
		count, err := strconv.Atoi(size)
		if err != nil {
			return err
		}
		create = func(p string) error { return sys.WriteFile(p, pattern(count), 0o644) }
	} else if strings.HasSuffix(what, "/") {
		create = func(p string) error { return mkdirs(sys, p) }
	}
	p := path.Join(base, name)
	if attrs != "" && name == what {
		if _, err := sys.Lstat(p); err == nil {
			return setAttrs(sys, p, attrs)
		}
	}
	if err := mkdirs(sys, path.Dir(p)); err != nil {
		return err
	}
	if err := create(p); err != nil {
		return err
	}
	return setAttrs(sys, p, attrs)
}

// mkdirs makes directory p and its parents, whatever the umask.
func mkdirs(sys System, p string) error {
	if fi, err := sys.Lstat(p); err == nil && fi.IsDir() {
		return nil
	}
	if err := mkdirs(sys, path.Dir(p)); err != nil {
		return err
	}
	return sys.Mkdir(p, 0o755)
}

// setAttrs sets the mode and owner of "M U:G". The owner comes first, since
// changing it clears set-id bits.
func setAttrs(sys System, p, attrs string) error {
	if attrs == "" {
		return nil
	}
	modeText, owner, hasOwner := strings.Cut(attrs, " ")
	if hasOwner {
		var uid, gid int
		if _, err := fmt.Sscanf(owner, "%d:%d", &uid, &gid); err != nil {
			return err
		}
		if err := sys.Lchown(p, uid, gid); err != nil {
			return err
		}
	}
	if modeText == "-" {
		return nil
	}
	mode, err := strconv.ParseUint(modeText, 8, 32)
	if err != nil {
		return err
	}
	return sys.Chmod(p, fileMode(uint32(mode)))
}

// fileMode turns the twelve bits of a Unix mode into a FileMode.
func fileMode(m uint32) fs.FileMode {
	mode := fs.FileMode(m & 0o777)
	if m&syscall.S_ISUID != 0 {
		mode |= fs.ModeSetuid
	}
	if m&syscall.S_ISGID != 0 {
		mode |= fs.ModeSetgid
	}
	if m&syscall.S_ISVTX != 0 {
		mode |= fs.ModeSticky
	}
	return mode
}

// pattern is n bytes that differ from page to page and from zero.
func pattern(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte('a' + (i+i/4096)%26)
	}
	return b
}
