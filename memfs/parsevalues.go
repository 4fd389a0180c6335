package memfs

import (
	"math"
	"math/bits"
	"strconv"
	"strings"
)

// The largest values that tmpfs takes.
const (
	maxBlocksOption = math.MaxInt64
	maxInodesOption = math.MaxUint64 / 1024
)

// parseMemory reads a number as the kernel's memparse does: decimal, hexadecimal after 0x, octal after 0, then a suffix
// of k, m, g, t, p or e. Without digits it is 0. rest is what follows; fits is false beyond 64 bits.
func parseMemory(s string) (value uint64, rest string, fits bool) {
	base, fits := uint64(10), true
	if len(s) > 1 && s[0] == '0' {
		base = 8
		if len(s) > 2 && s[1]|' ' == 'x' && digit(s[2]) < 16 {
			base, s = 16, s[2:]
		}
	}
	for len(s) > 0 && digit(s[0]) < base {
		over, product := bits.Mul64(value, base)
		sum, carry := bits.Add64(product, digit(s[0]), 0)
		fits = fits && over == 0 && carry == 0
		value, s = sum, s[1:]
	}
	if s != "" {
		if power := strings.IndexByte("kmgtpe", s[0]|' '); power >= 0 {
			shift := 10 * (power + 1)
			fits = fits && value <= math.MaxUint64>>shift
			value, s = value<<shift, s[1:]
		}
	}
	return value, s, fits
}

// digit returns the value of a digit of a number to base 16, and more than 15 of all else.
func digit(c byte) uint64 {
	switch {
	case '0' <= c && c <= '9':
		return uint64(c - '0')
	case 'a' <= c|' ' && c|' ' <= 'f':
		return uint64(c|' '-'a') + 10
	}
	return math.MaxUint64
}

// size reads the value of "size=".
func (p *optionParser) size(value string) (why string) {
	n, rest, fits := parseMemory(value)
	pages := int64(n >> pageShift)
	if n&(pageSize-1) != 0 {
		pages++
	}
	if strings.HasPrefix(rest, "%") {
		rest, pages = rest[1:], percentPages(n)
	}
	switch {
	case rest != "":
		return whyValue
	case !fits:
		return whyTooLarge
	}
	p.add(WithBlocks(pages))
	return ""
}

// limitOption reads a number up to most.
func limitOption(most uint64, set func(*optionParser, int64)) func(*optionParser, string) string {
	return func(p *optionParser, value string) (why string) {
		n, rest, fits := parseMemory(value)
		switch {
		case rest != "":
			return whyValue
		case !fits || n > most:
			return whyTooLarge
		}
		set(p, int64(n))
		return ""
	}
}

// hardLimitOption reads the limit of a quota, which is not 0.
func hardLimitOption(set func(*optionParser, int64)) func(*optionParser, string) string {
	read := limitOption(math.MaxInt64, set)
	return func(p *optionParser, value string) (why string) {
		if n, _, _ := parseMemory(value); n == 0 {
			return whyValue
		}
		return read(p, value)
	}
}

// mode reads the value of "mode=", of whose bits those count that are permissions.
func (p *optionParser) mode(value string) (why string) {
	n, err := strconv.ParseUint(unsigned(value), 8, 32)
	if err != nil {
		return whyValue
	}
	p.add(func(c *config) { c.rootMode = uint32(n) & 0o7777 })
	return ""
}

// idOption reads a user or group.
func idOption(set func(*optionParser, uint32)) func(*optionParser, string) string {
	return func(p *optionParser, value string) (why string) {
		value = unsigned(value)
		base := 10
		if len(value) > 1 && value[0] == '0' {
			base, value = 8, value[1:]
			if len(value) > 1 && value[0]|' ' == 'x' {
				base, value = 16, value[1:]
			}
		}
		n, err := strconv.ParseUint(value, base, 32)
		if err != nil || uint32(n) == keepID {
			return whyValue
		}
		set(p, uint32(n))
		return ""
	}
}

// unsigned takes the one "+" away that the kernel takes in front of a number.
func unsigned(s string) string { return strings.TrimPrefix(s, "+") }

// isMemoryPolicy checks the value of "mpol=": mode[=flag][:nodes]. Which nodes there are is not looked at.
func isMemoryPolicy(s string) bool {
	s, nodes, hasNodes := strings.Cut(s, ":")
	mode, flag, hasFlag := strings.Cut(s, "=")
	if hasNodes && !isNodeList(nodes) {
		return false
	}
	if hasFlag && mode != "default" && flag != "static" && flag != "relative" {
		return false
	}
	switch mode {
	case "default":
		return !hasNodes
	case "local":
		return !hasNodes && !hasFlag
	case "bind", "prefer (many)":
		return hasNodes
	case "prefer":
		return !hasNodes && !hasFlag || hasNodes && strings.Trim(nodes, "0123456789") == ""
	case "interleave", "weighted interleave":
		return true
	}
	return false
}

// isNodeList checks a list of numbers and ranges, of which there is one.
func isNodeList(s string) bool {
	some := false
	for part := range strings.SplitSeq(s, ",") {
		if part == "" {
			continue
		}
		from, to, isRange := strings.Cut(part, "-")
		if !isRange {
			to = from
		}
		first, err := strconv.ParseUint(from, 10, 10)
		last, errLast := strconv.ParseUint(to, 10, 10)
		if err != nil || errLast != nil || last < first {
			return false
		}
		some = true
	}
	return some
}
