package memfs

import (
	"fmt"
	"strings"
	"syscall"
)

// ParseOptions turns a string of mount options as tmpfs(5) has them, "size=2g,nr_inodes=1m,mode=1777", into options for
// New. A later option wins over an earlier one, and empty ones between commas are skipped. An error wraps
// syscall.EINVAL and names the option and where it begins, counted in bytes from 0.
//
//	size=       bytes, or with % a part of this machine's memory; 0 means no limit
//	nr_blocks=  the same in blocks of 4 KiB
//	nr_inodes=  inodes; 0 means no limit
//	mode=       permissions of the root directory, in octal
//	uid=, gid=  its owner, as numbers: names are resolved by mount(8), which is not here
//	huge=, mpol=, noswap, inode32, inode64
//	            are checked and have no effect
//	usrquota, grpquota, quota (both)
//	            count what users and groups have, as WithQuota does
//	usrquota_block_hardlimit=, usrquota_inode_hardlimit=, grpquota_block_hardlimit=, grpquota_inode_hardlimit=
//	            limit all users or groups, in bytes or inodes; as on Linux only together with usrquota or grpquota
//	relatime, strictatime, noatime, atime (as relatime), diratime, nodiratime
//	            as WithAtime and WithDirAtime
//	defaults, rw, async, sync, dirsync, lazytime, nolazytime, suid, dev, exec
//	            have no effect
//
// Sizes and numbers of inodes are decimal, 0x hexadecimal or 0 octal, with one of the suffixes k, m, g, t, p and e for
// powers of 1,024. What restricts a mount and not the file system (ro, nosuid, nodev, noexec) is refused, and so is
// casefold.
func ParseOptions(s string) ([]Option, error) {
	var p optionParser
	for at := 0; at < len(s); {
		item := s[at : at+optionLen(s[at:])]
		if item != "" {
			name, value, has := strings.Cut(item, "=")
			if why := p.option(name, value, has); why != "" {
				return nil, fmt.Errorf("memfs: mount option %q at byte %d: %s: %w", item, at, why, syscall.EINVAL)
			}
		}
		at += len(item) + 1
	}
	for kind, on := range p.quotaOn {
		if on {
			p.options = append(p.options, WithQuota(QuotaKind(kind), p.quota[kind]))
		}
	}
	return p.options, nil
}

// optionLen returns the length of the option at the beginning of s. A comma before a digit is part of a list of memory
// nodes.
func optionLen(s string) int {
	list := strings.HasPrefix(s, "mpol=")
	for i := range len(s) {
		if s[i] == ',' && !(list && i+1 < len(s) && '0' <= s[i+1] && s[i+1] <= '9') {
			return i
		}
	}
	return len(s)
}

// optionParser is what the options read so far come to.
type optionParser struct {
	options []Option
	quotaOn [2]bool
	quota   [2]Quota
}

func (p *optionParser) add(o Option) { p.options = append(p.options, o) }

// Why an option is refused.
const (
	whyUnknown  = "unknown"
	whyValue    = "bad value"
	whyNoValue  = "takes no value"
	whyTooLarge = "too large"
	whyMount    = "belongs to a mount, not to the file system"
	whyCasefold = "directories that ignore case are not supported"
)

// option takes one option in, or says why it cannot; value is what follows "=", if there is one.
func (p *optionParser) option(name, value string, has bool) (why string) {
	if flag, known := optionFlags[name]; known {
		switch {
		case has:
			return whyNoValue
		case flag != nil:
			flag(p)
		}
		return ""
	}
	read, known := optionValues[name]
	switch {
	case known && value == "":
		return whyValue
	case known:
		return read(p, value)
	}
	switch name {
	case "ro", "nosuid", "nodev", "noexec":
		return whyMount
	case "casefold", "strict_encoding":
		return whyCasefold
	}
	return whyUnknown
}

// optionFlags are the options without a value; nil: without effect.
var optionFlags = map[string]func(p *optionParser){
	"usrquota": func(p *optionParser) { p.quotaOn[UserQuota] = true },
	"grpquota": func(p *optionParser) { p.quotaOn[GroupQuota] = true },
	"quota":    func(p *optionParser) { p.quotaOn = [2]bool{true, true} },

	"atime":       func(p *optionParser) { p.add(WithAtime(AtimeRelative)) },
	"relatime":    func(p *optionParser) { p.add(WithAtime(AtimeRelative)) },
	"strictatime": func(p *optionParser) { p.add(WithAtime(AtimeStrict)) },
	"noatime":     func(p *optionParser) { p.add(WithAtime(AtimeNever)) },
	"diratime":    func(p *optionParser) { p.add(WithDirAtime(true)) },
	"nodiratime":  func(p *optionParser) { p.add(WithDirAtime(false)) },

	"noswap": nil, "inode32": nil, "inode64": nil,
	"defaults": nil, "rw": nil, "async": nil, "sync": nil, "dirsync": nil, "lazytime": nil, "nolazytime": nil,
	"suid": nil, "dev": nil, "exec": nil,
}

// optionValues are the options with a value, which is not empty.
var optionValues = map[string]func(p *optionParser, value string) (why string){
	"size":      (*optionParser).size,
	"nr_blocks": limitOption(maxBlocksOption, func(p *optionParser, n int64) { p.add(WithBlocks(n)) }),
	"nr_inodes": limitOption(maxInodesOption, func(p *optionParser, n int64) { p.add(WithInodes(n)) }),
	"mode":      (*optionParser).mode,
	"uid": idOption(func(p *optionParser, id uint32) {
		p.add(func(c *config) { c.rootUid = id })
	}),
	"gid": idOption(func(p *optionParser, id uint32) {
		p.add(func(c *config) { c.rootGid = id })
	}),
	"huge": func(_ *optionParser, value string) string {
		switch value {
		case "never", "always", "within_size", "advise":
			return ""
		}
		return whyValue
	},
	"mpol": func(_ *optionParser, value string) string {
		if !isMemoryPolicy(value) {
			return whyValue
		}
		return ""
	},
	"usrquota_block_hardlimit": hardLimitOption(func(p *optionParser, n int64) { p.quota[UserQuota].HardBytes = n }),
	"usrquota_inode_hardlimit": hardLimitOption(func(p *optionParser, n int64) { p.quota[UserQuota].HardInodes = n }),
	"grpquota_block_hardlimit": hardLimitOption(func(p *optionParser, n int64) { p.quota[GroupQuota].HardBytes = n }),
	"grpquota_inode_hardlimit": hardLimitOption(func(p *optionParser, n int64) { p.quota[GroupQuota].HardInodes = n }),
}
