package bench

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
)

// Bounds of what is read of a trace.
const (
	maxTraceLine  = 1 << 20 // bytes; a longer line is left out
	maxTraceCalls = 4 << 20 // what comes after so many is left out
	maxTracePath  = 4095    // bytes, as in Linux
)

// defaultTraceDir is where a trace begins that does not say where it does.
const defaultTraceDir = "/home/user"

// traceCall is one call of a trace that names a file.
type traceCall struct {
	thread   int // of the trace, from 0 in the order of appearance
	kind     callKind
	dir      string // where path starts unless it begins with a slash
	path     string
	dir2     string // rename, link: of the new name
	path2    string
	flags    callFlags
	errno    string // "" after success
	fileType byte   // what stat said: 'd', 'l', 'f', 0
	text     string // of the link: readlink's answer, symlink's argument
}

type callFlags uint16

const (
	flagNoFollow callFlags = 1 << iota
	flagWrite
	flagReadWrite
	flagCreate
	flagExclusive
	flagTruncate
	flagDirectory
	flagRemoveDir
)

func (f callFlags) has(g callFlags) bool { return f&g != 0 }

// trace is what strace -f -e trace=%file wrote.
type trace struct {
	name    string
	start   string // the working directory at its beginning
	calls   []traceCall
	threads int
	skipped map[string]int // lines that are no calls to replay, by reason
}

// readTraceFile reads a trace; one that is compressed with gzip too.
func readTraceFile(file string) (*trace, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	in := bufio.NewReader(f)
	name, _, _ := strings.Cut(path.Base(strings.ReplaceAll(file, `\`, "/")), ".")
	if magic, _ := in.Peek(2); string(magic) != "\x1f\x8b" {
		return readTrace(name, in)
	}
	unzip, err := gzip.NewReader(in)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return readTrace(name, unzip)
}

// readTrace reads what strace wrote. It fails if reading does, or if nothing of
// it is of use; lines that make no sense are counted and left out.
func readTrace(name string, r io.Reader) (*trace, error) {
	t := &trace{name: name, skipped: make(map[string]int)}
	state := newTraceState(t)
	in := bufio.NewReaderSize(r, 64<<10)
	first := "" // what was wrong with the first line that was left out
	for number := 1; ; number++ {
		line, err := readLine(in)
		if line != "" {
			if why := state.line(line); why != "" {
				t.skipped[why]++
				if first == "" {
					first = fmt.Sprintf("line %d: %s", number, why)
				}
			}
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("trace %s, line %d: %w", name, number, err)
		}
	}
	state.finish()
	if len(t.calls) == 0 {
		if first == "" {
			first = "it is empty"
		}
		return nil, fmt.Errorf("trace %s has no call that names a file, as \"strace -f -e trace=%%file -o FILE COMMAND\" writes it: %s", name, first)
	}
	return t, nil
}

// readLine returns the next line without its end; for one that is too long,
// something that is no call.
func readLine(in *bufio.Reader) (string, error) {
	var line []byte
	long := false
	for {
		part, err := in.ReadSlice('\n')
		if len(line)+len(part) > maxTraceLine {
			long, line = true, nil
		}
		if !long {
			line = append(line, part...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if long {
			return "(too long)", err
		}
		return strings.TrimRight(string(line), "\r\n"), err
	}
}

// summary says what was left out: "12 lines left out (8 signals, 4 ...)".
func (t *trace) summary() string {
	n := 0
	var reasons []string
	for _, why := range slices.Sorted(maps.Keys(t.skipped)) {
		n += t.skipped[why]
		reasons = append(reasons, fmt.Sprintf("%d %s", t.skipped[why], why))
	}
	if n == 0 {
		return "no line left out"
	}
	return fmt.Sprintf("%d lines left out (%s)", n, strings.Join(reasons, ", "))
}
