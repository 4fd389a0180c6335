package bench

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"stagefs/memfs"
)

// outcome is how a call ended, as far as a replay can be held to it.
type outcome uint8

const (
	outcomeOK outcome = iota
	outcomeMissing
	outcomeExists
	outcomeNotDir
	outcomeIsDir
	outcomeNotEmpty
	outcomeDenied
	outcomeLoop
	outcomeInvalid
	outcomeOther
)

var outcomes = map[syscall.Errno]outcome{
	syscall.ENOENT:    outcomeMissing,
	syscall.EEXIST:    outcomeExists,
	syscall.ENOTDIR:   outcomeNotDir,
	syscall.EISDIR:    outcomeIsDir,
	syscall.ENOTEMPTY: outcomeNotEmpty,
	syscall.EACCES:    outcomeDenied,
	syscall.EPERM:     outcomeDenied,
	syscall.ELOOP:     outcomeLoop,
	syscall.EINVAL:    outcomeInvalid,
}

// wanted is the outcome that a trace tells.
func wanted(errno string) outcome {
	switch errno {
	case "":
		return outcomeOK
	case "ENOENT":
		return outcomeMissing
	case "EEXIST":
		return outcomeExists
	case "ENOTDIR":
		return outcomeNotDir
	case "EISDIR":
		return outcomeIsDir
	case "ENOTEMPTY":
		return outcomeNotEmpty
	case "EACCES", "EPERM":
		return outcomeDenied
	case "ELOOP":
		return outcomeLoop
	case "EINVAL":
		return outcomeInvalid
	}
	return outcomeOther
}

// String names the outcome for people.
func (o outcome) String() string {
	return [...]string{"success", "ENOENT", "EEXIST", "ENOTDIR", "EISDIR", "ENOTEMPTY", "EACCES", "ELOOP", "EINVAL", "another error"}[o]
}

// got is the outcome of a call of the replay.
func got(err error) outcome {
	var errno syscall.Errno
	switch {
	case err == nil:
		return outcomeOK
	case errors.As(err, &errno):
		if o, ok := outcomes[errno]; ok {
			return o
		}
	case errors.Is(err, fs.ErrNotExist):
		return outcomeMissing
	}
	return outcomeOther
}

// matchShare is the least part of the calls that must end as in the trace.
const matchShare = 0.99

// verified is what a first, checked replay found.
type verified struct {
	failed int // calls that failed; every other replay must fail as often
	loose  int // calls whose outcome cannot be held against the trace
	wrong  int // calls that ended otherwise than in the trace
	first  string
}

// verify replays once and compares each outcome with the trace.
func (p *player) verify() (verified, error) {
	var v verified
	var st memfs.Stat
	for n, i := range p.order {
		op := &p.ops[i]
		err := p.do(op, &st)
		if err != nil {
			v.failed++
		}
		switch {
		case op.loose:
			v.loose++
		case got(err) != op.want:
			if v.wrong++; v.first == "" {
				v.first = fmt.Sprintf("call %d, of %s: %s, in the trace %s", n+1, op.path, got(err), op.want)
			}
		}
	}
	p.stray = v.wrong+v.loose > 0
	if float64(v.wrong) > (1-matchShare)*float64(len(p.order)) {
		return v, fmt.Errorf("self-check: %d of the %d calls of trace %s end otherwise than in the trace, first %s; %s",
			v.wrong, len(p.order), p.name, v.first, p.left)
	}
	return v, nil
}
