package bench

import "strings"

// callKind is what a call does with its path.
type callKind uint8

const (
	callStat callKind = iota // stat, access, execve, statfs, getxattr ...: looks up what the path leads to
	callLstat
	callOpen
	callReadlink
	callChdir
	callMkdir
	callUnlink
	callRmdir
	callRename
	callLink
	callSymlink
	callMknod
	callChmod
	callChown
	callLchown
	callTimes
	callTruncate
)

// signature says where a system call has its arguments; -1 is nowhere.
type signature struct {
	kind        callKind
	dir, path   int
	dir2, path2 int
	flags       int // of the at-calls and of open
	result      int // the struct or the text that the kernel fills in
	returnsFile bool
}

func plain(kind callKind, path int) signature {
	return signature{kind: kind, dir: -1, path: path, dir2: -1, path2: -1, flags: -1, result: -1}
}

func (s signature) at(dir int) signature         { s.dir = dir; return s }
func (s signature) second(dir, at int) signature { s.dir2, s.path2 = dir, at; return s }
func (s signature) withFlags(at int) signature   { s.flags = at; return s }
func (s signature) fills(at int) signature       { s.result = at; return s }
func (s signature) opens() signature             { s.returnsFile = true; return s }

// signatures has the calls of strace's class %file that name a file.
var signatures = map[string]signature{
	"open":      plain(callOpen, 0).withFlags(1).opens(),
	"openat":    plain(callOpen, 1).at(0).withFlags(2).opens(),
	"openat2":   plain(callOpen, 1).at(0).withFlags(2).opens(),
	"creat":     plain(callOpen, 0).opens(),
	"stat":      plain(callStat, 0).fills(1),
	"stat64":    plain(callStat, 0).fills(1),
	"oldstat":   plain(callStat, 0).fills(1),
	"lstat":     plain(callLstat, 0).fills(1),
	"lstat64":   plain(callLstat, 0).fills(1),
	"oldlstat":  plain(callLstat, 0).fills(1),
	"statx":     plain(callStat, 1).at(0).withFlags(2).fills(4),
	"access":    plain(callStat, 0),
	"faccessat": plain(callStat, 1).at(0), // its flags are the C library's, not the kernel's
	"readlink":  plain(callReadlink, 0).fills(1),
	"execve":    plain(callStat, 0),
	"rename":    plain(callRename, 0).second(-1, 1),
	"renameat":  plain(callRename, 1).at(0).second(2, 3),
	"renameat2": plain(callRename, 1).at(0).second(2, 3).withFlags(4),
	"mkdir":     plain(callMkdir, 0),
	"mkdirat":   plain(callMkdir, 1).at(0),
	"rmdir":     plain(callRmdir, 0),
	"unlink":    plain(callUnlink, 0),
	"unlinkat":  plain(callUnlink, 1).at(0).withFlags(2),
	"link":      plain(callLink, 0).second(-1, 1),
	"linkat":    plain(callLink, 1).at(0).second(2, 3),
	"symlink":   plain(callSymlink, 1),
	"symlinkat": plain(callSymlink, 2).at(1),
	"mknod":     plain(callMknod, 0),
	"mknodat":   plain(callMknod, 1).at(0),
	"chmod":     plain(callChmod, 0),
	"fchmodat":  plain(callChmod, 1).at(0),
	"fchmodat2": plain(callChmod, 1).at(0).withFlags(3),
	"chown":     plain(callChown, 0),
	"chown32":   plain(callChown, 0),
	"lchown":    plain(callLchown, 0),
	"lchown32":  plain(callLchown, 0),
	"fchownat":  plain(callChown, 1).at(0).withFlags(4),
	"utime":     plain(callTimes, 0),
	"utimes":    plain(callTimes, 0),
	"futimesat": plain(callTimes, 1).at(0),
	"utimensat": plain(callTimes, 1).at(0).withFlags(3),
	"truncate":  plain(callTruncate, 0),
	"chdir":     plain(callChdir, 0),
	"statfs":    plain(callStat, 0),
	"getxattr":  plain(callStat, 0),
	"listxattr": plain(callStat, 0),

	"fstatat64":         plain(callStat, 1).at(0).withFlags(3).fills(2),
	"newfstatat":        plain(callStat, 1).at(0).withFlags(3).fills(2),
	"faccessat2":        plain(callStat, 1).at(0).withFlags(3),
	"readlinkat":        plain(callReadlink, 1).at(0).fills(2),
	"execveat":          plain(callStat, 1).at(0).withFlags(4),
	"statfs64":          plain(callStat, 0),
	"truncate64":        plain(callTruncate, 0),
	"utimensat_time64":  plain(callTimes, 1).at(0).withFlags(3),
	"lgetxattr":         plain(callLstat, 0),
	"llistxattr":        plain(callLstat, 0),
	"setxattr":          plain(callStat, 0),
	"lsetxattr":         plain(callLstat, 0),
	"removexattr":       plain(callStat, 0),
	"lremovexattr":      plain(callLstat, 0),
	"inotify_add_watch": plain(callStat, 1),
	"name_to_handle_at": plain(callLstat, 1).at(0),
}

// parseFlags reads the names of the flags that matter for a replay.
func parseFlags(text string) callFlags {
	var f callFlags
	words := strings.FieldsFunc(text, func(r rune) bool {
		return (r < 'A' || r > 'Z') && r != '_'
	})
	for _, w := range words {
		switch w {
		case "O_WRONLY":
			f |= flagWrite
		case "O_RDWR":
			f |= flagReadWrite
		case "O_CREAT":
			f |= flagCreate
		case "O_EXCL":
			f |= flagExclusive
		case "O_TRUNC":
			f |= flagTruncate
		case "O_DIRECTORY":
			f |= flagDirectory
		case "O_NOFOLLOW", "AT_SYMLINK_NOFOLLOW", "RESOLVE_NO_SYMLINKS":
			f |= flagNoFollow
		case "AT_REMOVEDIR":
			f |= flagRemoveDir
		case "RENAME_NOREPLACE":
			f |= flagExclusive
		}
	}
	return f
}

// unsupported reports whether the flags make another call of it.
func unsupported(text string) bool {
	return strings.Contains(text, "RENAME_EXCHANGE") || strings.Contains(text, "RENAME_WHITEOUT") ||
		strings.Contains(text, "O_TMPFILE")
}

// statType returns the type that a printed struct stat or statx has: 'd', 'l',
// 'f' for everything else, 0 if there is none.
func statType(text string) byte {
	_, mode, ok := strings.Cut(text, "_mode=S_I")
	switch {
	case !ok:
		return 0
	case strings.HasPrefix(mode, "FDIR"):
		return 'd'
	case strings.HasPrefix(mode, "FLNK"):
		return 'l'
	}
	return 'f'
}
