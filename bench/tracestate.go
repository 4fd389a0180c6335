package bench

import (
	"path"
	"strconv"
	"strings"
)

// Why lines are left out.
const (
	skipSignal     = "signals and exits"
	skipUnreadable = "unreadable"
	skipUnfinished = "never finished"
	skipUnknown    = "calls without a path to look up"
	skipDescriptor = "calls on a descriptor"
	skipNoDir      = "relative to an unknown descriptor"
	skipCut        = "with a path that is cut"
	skipLimit      = "beyond the limit"
)

// startMark stands for the working directory at the beginning of a trace until
// something tells which it is.
const startMark = "\x00"

// traceState follows the processes of a trace: where they are and what
// directories their descriptors stand for.
//
// strace -e trace=%file shows neither how a process came to be nor what it
// closes. So a process that was never heard of counts as a thread of the living
// one with the next lower number: it shares its working directory until it
// changes it, and its descriptors until it executes a program. Where the trace
// has clone and fork too, they say it exactly.
type traceState struct {
	t       *trace
	pids    map[int]*process
	threads map[int]int    // pid to number
	halves  map[int]string // pid to the text of its unfinished call
	start   string         // "" while unknown
}

type process struct {
	dir   *string // working directory
	files *descriptors
	own   bool // dir is changed for all who share it
}

type descriptors map[int]string

func newTraceState(t *trace) *traceState {
	return &traceState{t: t, pids: make(map[int]*process), threads: make(map[int]int), halves: make(map[int]string)}
}

func (s *traceState) process(pid int) *process {
	p := s.pids[pid]
	if p != nil {
		return p
	}
	parent, from := (*process)(nil), -1
	for other, q := range s.pids {
		if parent == nil || (other < pid) == (from < pid) && other > from || other < pid && from > pid {
			parent, from = q, other
		}
	}
	if parent == nil {
		dir := startMark
		p = &process{&dir, &descriptors{}, true}
	} else {
		p = &process{parent.dir, parent.files, false}
	}
	s.pids[pid] = p
	return p
}

// line takes in one line and returns why it was left out, "" if it was not.
func (s *traceState) line(line string) string {
	pid, text := linePrefix(line)
	switch {
	case text == "":
		return ""
	case strings.HasPrefix(text, "---"):
		return skipSignal
	case strings.HasPrefix(text, "+++"):
		if len(s.pids) > 1 {
			delete(s.pids, pid)
		}
		return skipSignal
	case strings.HasPrefix(text, "<..."):
		_, rest, ok := strings.Cut(text, " resumed>")
		half, known := s.halves[pid]
		if !ok || !known {
			return skipUnreadable
		}
		delete(s.halves, pid)
		text = half + rest
	}
	if half, ok := strings.CutSuffix(text, "<unfinished ...>"); ok {
		s.halves[pid] = half
		return ""
	}
	l, ok := parseCall(text)
	if !ok {
		return skipUnreadable
	}
	l.pid = pid
	return s.call(&l)
}

// finish makes the last adjustments when the trace has ended.
func (s *traceState) finish() {
	if n := len(s.halves); n > 0 {
		s.t.skipped[skipUnfinished] += n
	}
	if s.start == "" {
		s.start = defaultTraceDir
	}
	s.t.start = s.start
	s.t.threads = len(s.threads)
	for i := range s.t.calls {
		c := &s.t.calls[i]
		c.dir, c.dir2 = s.placed(c.dir), s.placed(c.dir2)
	}
}

// placed puts the start in the place of its mark.
func (s *traceState) placed(dir string) string {
	if rest, ok := strings.CutPrefix(dir, startMark); ok {
		return joinDir(s.start, strings.TrimPrefix(rest, "/"))
	}
	return dir
}

// joinDir is where name leads from dir; it does not touch "..", which may lead
// back over a link.
func joinDir(dir, name string) string {
	switch {
	case strings.HasPrefix(name, "/"):
		return name
	case name == "" || name == ".":
		return dir
	case dir == "/":
		return "/" + name
	}
	return dir + "/" + name
}

func (s *traceState) call(l *traceLine) string {
	p := s.process(l.pid)
	switch l.name {
	case "getcwd":
		if len(l.args) > 0 && l.args[0].quoted && !l.args[0].cut && l.errno == "" && path.IsAbs(l.args[0].str) {
			s.isAt(p, l.args[0].str)
		}
		return skipUnknown
	case "clone", "clone3", "fork", "vfork":
		s.clone(l, p)
		return skipUnknown
	case "fchdir":
		if dir, ok := s.descriptor(p, l, 0); ok && l.errno == "" {
			s.goTo(p, dir)
		}
		return skipDescriptor
	}
	sig, ok := signatures[l.name]
	if !ok {
		return skipUnknown
	}
	c := traceCall{kind: sig.kind, errno: l.errno}
	if why := s.name(p, l, sig.dir, sig.path, &c.dir, &c.path); why != "" {
		return why
	}
	if sig.path2 >= 0 {
		if why := s.name(p, l, sig.dir2, sig.path2, &c.dir2, &c.path2); why != "" {
			return why
		}
	}
	if why := s.details(l, &sig, &c); why != "" {
		return why
	}
	s.effects(p, l, &sig, &c)
	if len(s.t.calls) == maxTraceCalls {
		return skipLimit
	}
	n, ok := s.threads[l.pid]
	if !ok {
		n = len(s.threads)
		s.threads[l.pid] = n
	}
	c.thread = n
	s.t.calls = append(s.t.calls, c)
	return ""
}

// name reads the path in argument at, relative to the descriptor in argument
// dirAt.
func (s *traceState) name(p *process, l *traceLine, dirAt, at int, dir, name *string) string {
	if at >= len(l.args) {
		return skipUnreadable
	}
	arg := l.args[at]
	switch {
	case !arg.quoted || arg.str == "":
		return skipDescriptor // NULL, or "" with AT_EMPTY_PATH
	case arg.cut:
		return skipCut
	case len(arg.str) > maxTracePath || strings.IndexByte(arg.str, 0) >= 0:
		return skipUnreadable
	}
	*name = arg.str
	if path.IsAbs(arg.str) {
		return ""
	}
	if dirAt < 0 {
		*dir = *p.dir
		return ""
	}
	d, ok := s.descriptor(p, l, dirAt)
	if !ok {
		return skipNoDir
	}
	*dir = d
	return ""
}

// descriptor returns the directory that argument at stands for.
func (s *traceState) descriptor(p *process, l *traceLine, at int) (string, bool) {
	if at >= len(l.args) {
		return "", false
	}
	text := l.args[at].text
	number, where, told := strings.Cut(text, "<")
	if told {
		if dir, ok := descriptorPath("<" + where); ok {
			if number == "AT_FDCWD" {
				s.isAt(p, dir)
			}
			return dir, true
		}
	}
	if number == "AT_FDCWD" || number == "-100" {
		return *p.dir, true
	}
	n, err := strconv.Atoi(number)
	if err != nil {
		return "", false
	}
	dir, ok := (*p.files)[n]
	return dir, ok
}

// isAt notes that p is in dir, for whatever reason.
func (s *traceState) isAt(p *process, dir string) {
	if s.start == "" && *p.dir == startMark {
		s.start = dir
	}
	if s.placed(*p.dir) != dir {
		s.goTo(p, dir)
	}
}

// goTo changes p's working directory.
func (s *traceState) goTo(p *process, dir string) {
	if len(dir) > maxTracePath {
		return
	}
	if !p.own {
		p.dir, p.own = new(string), true
	}
	*p.dir = dir
}

// clone notes who the parent of a new process or thread is.
func (s *traceState) clone(l *traceLine, parent *process) {
	if l.ret <= 0 {
		return
	}
	flags := ""
	for _, a := range l.args {
		if strings.Contains(a.text, "CLONE_") {
			flags += a.text
		}
	}
	child := &process{parent.dir, parent.files, true}
	if !strings.Contains(flags, "CLONE_FS") {
		dir := *parent.dir
		child.dir = &dir
	}
	if !strings.Contains(flags, "CLONE_FILES") {
		child.files = parent.files.clone()
	}
	s.pids[int(l.ret)] = child
}

func (d *descriptors) clone() *descriptors {
	c := make(descriptors, len(*d))
	for n, dir := range *d {
		c[n] = dir
	}
	return &c
}

// details reads flags and results.
func (s *traceState) details(l *traceLine, sig *signature, c *traceCall) string {
	if l.name == "creat" {
		c.flags = flagWrite | flagCreate | flagTruncate
	}
	if sig.flags >= 0 && sig.flags < len(l.args) {
		text := l.args[sig.flags].text
		if unsupported(text) {
			return skipUnknown
		}
		c.flags |= parseFlags(text)
	}
	switch {
	case c.kind == callStat && c.flags.has(flagNoFollow):
		c.kind = callLstat
	case c.kind == callChown && c.flags.has(flagNoFollow):
		c.kind = callLchown
	case c.kind == callUnlink && c.flags.has(flagRemoveDir):
		c.kind = callRmdir
	case c.kind == callSymlink:
		if len(l.args) == 0 || !l.args[0].quoted || l.args[0].cut || l.args[0].str == "" {
			return skipCut
		}
		c.text = l.args[0].str
	}
	if sig.result >= 0 && sig.result < len(l.args) && l.errno == "" {
		arg := l.args[sig.result]
		c.fileType = statType(arg.text)
		if c.kind == callReadlink && arg.quoted && !arg.cut && strings.IndexByte(arg.str, 0) < 0 {
			c.text = arg.str
		}
	}
	return ""
}

// effects follows a call that changes where a process is, or its descriptors.
func (s *traceState) effects(p *process, l *traceLine, sig *signature, c *traceCall) {
	if l.errno != "" {
		return
	}
	switch {
	case sig.returnsFile && l.ret >= 0:
		where := l.where
		if where == "" {
			where = joinDir(c.dir, c.path)
		}
		(*p.files)[int(l.ret)] = where
	case c.kind == callChdir:
		s.goTo(p, joinDir(c.dir, c.path))
	case l.name == "execve" || l.name == "execveat":
		dir := *p.dir
		p.dir, p.files, p.own = &dir, p.files.clone(), true
	}
}
