package bench

import (
	"strconv"
	"strings"
)

// traceLine is one line of strace's output, taken apart.
type traceLine struct {
	pid   int    // 0 without -f
	name  string // of the system call
	args  []traceArg
	ret   int64  // -1 with errno
	errno string // "ENOENT"; "" after success
	where string // with -y: what a returned descriptor stands for
}

// traceArg is an argument: its text, and the string that it is if it is one.
type traceArg struct {
	text   string
	str    string
	quoted bool
	cut    bool // strace did not print all of the string
}

// linePrefix takes pid and time stamps from the front of a line: "[pid 7] ",
// "7 ", "12:34:56.789 ", "0.000012 ".
func linePrefix(line string) (pid int, rest string) {
	rest = strings.TrimLeft(line, " \t")
	if after, ok := strings.CutPrefix(rest, "[pid"); ok {
		id, after, ok := strings.Cut(after, "]")
		if n, err := strconv.Atoi(strings.TrimSpace(id)); ok && err == nil && n > 0 {
			pid, rest = n, strings.TrimLeft(after, " ")
		}
	}
	for rest != "" && rest[0] >= '0' && rest[0] <= '9' {
		word, after, ok := strings.Cut(rest, " ")
		if !ok {
			break
		}
		if n, err := strconv.Atoi(word); err == nil && pid == 0 {
			pid = n
		} else if strings.Trim(word, "0123456789:.") != "" {
			break
		}
		rest = strings.TrimLeft(after, " ")
	}
	return pid, rest
}

// parseCall takes "name(args) = result" apart.
func parseCall(text string) (traceLine, bool) {
	var l traceLine
	open := strings.IndexByte(text, '(')
	if open <= 0 || strings.Trim(text[:open], "abcdefghijklmnopqrstuvwxyz_0123456789") != "" {
		return l, false
	}
	l.name = text[:open]
	rest, ok := l.parseArgs(text[open+1:])
	if !ok {
		return l, false
	}
	rest = strings.TrimLeft(rest, " \t")
	if rest, ok = strings.CutPrefix(rest, "="); !ok {
		return l, false
	}
	return l, l.parseResult(strings.TrimSpace(rest))
}

// parseArgs reads up to the parenthesis that closes the call and returns what
// follows it.
func (l *traceLine) parseArgs(s string) (rest string, ok bool) {
	depth, begin := 0, 0
	var arg traceArg
	end := func(at int) {
		arg.text = strings.TrimSpace(s[begin:at])
		if arg.text != "" {
			l.args = append(l.args, arg)
		}
		arg, begin = traceArg{}, at+1
	}
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '"':
			str, n, ok := unquote(s[i:])
			if !ok {
				return "", false
			}
			cut := strings.HasPrefix(s[i+n:], "...")
			if depth == 0 && !arg.quoted {
				arg.str, arg.quoted, arg.cut = str, true, cut
			}
			i += n - 1
		case '<': // of -y
			if i > 0 && (isDigit(s[i-1]) || s[i-1] == 'D') && !strings.HasPrefix(s[i:], "<<") {
				if n := strings.IndexByte(s[i:], '>'); n > 0 {
					i += n
				}
			}
		case '(', '[', '{':
			depth++
		case ']', '}':
			depth--
		case ')':
			if depth <= 0 {
				end(i)
				return s[i+1:], true
			}
			depth--
		case ',':
			if depth <= 0 {
				end(i)
			}
		}
	}
	return "", false
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// parseResult reads "-1 ENOENT (No such file or directory)", "3</etc>", "0".
func (l *traceLine) parseResult(s string) bool {
	n := 0
	for n < len(s) && (isDigit(s[n]) || n == 0 && s[n] == '-') {
		n++
	}
	ret, err := strconv.ParseInt(s[:n], 10, 64)
	if err != nil {
		return false // "?": the call never returned
	}
	l.ret = ret
	s = s[n:]
	if strings.HasPrefix(s, "<") {
		l.where, _ = descriptorPath(s)
	}
	if ret < 0 {
		l.errno, _, _ = strings.Cut(strings.TrimSpace(s), " ")
		if !strings.HasPrefix(l.errno, "E") || strings.HasPrefix(l.errno, "ERESTART") {
			return false
		}
	}
	return true
}

// descriptorPath reads "</etc/passwd>", which -y puts behind a descriptor.
func descriptorPath(s string) (string, bool) {
	if !strings.HasPrefix(s, "</") {
		return "", false
	}
	end := strings.IndexByte(s, '>')
	if end < 0 {
		return "", false
	}
	return strings.TrimSuffix(unescape(s[1:end]), " (deleted)"), true
}

// unquote reads the C string at the beginning of s and returns it with the
// length of what it read.
func unquote(s string) (str string, n int, ok bool) {
	for n = 1; n < len(s); n++ {
		switch s[n] {
		case '\\':
			n++
		case '"':
			return unescape(s[1:n]), n + 1, true
		}
	}
	return "", 0, false
}

// unescape replaces the escapes of C: \n and its like, up to three octal digits,
// \x and two hexadecimal ones.
func unescape(s string) string {
	if !strings.Contains(s, `\`) {
		return strings.Clone(s)
	}
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b = append(b, s[i])
			continue
		}
		i++
		digits, base := 0, 8
		from := i
		switch c := s[i]; {
		case c == 'x':
			base, from = 16, i+1
			digits = run(s[from:], 2, "0123456789abcdefABCDEF")
		case '0' <= c && c <= '7':
			digits = run(s[from:], 3, "01234567")
		}
		if digits > 0 {
			v, _ := strconv.ParseUint(s[from:from+digits], base, 16)
			b = append(b, byte(v))
			i = from + digits - 1
			continue
		}
		if at := strings.IndexByte(`nrtvfab`, s[i]); at >= 0 {
			b = append(b, "\n\r\t\v\f\a\b"[at])
		} else {
			b = append(b, s[i])
		}
	}
	return string(b)
}

// run returns how many of the first limit bytes of s are in set.
func run(s string, limit int, set string) int {
	n := 0
	for n < len(s) && n < limit && strings.IndexByte(set, s[n]) >= 0 {
		n++
	}
	return n
}
