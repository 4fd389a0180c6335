//go:build linux

package twin

import (
	"fmt"
	"io/fs"
	"strings"
	"syscall"
	"time"
)

// Times that a case sets: long gone, all different.
var (
	oldAtime = time.Unix(1_000_000, 111)
	oldMtime = time.Unix(2_000_000, 222)
	oldTime3 = time.Unix(3_000_000, 333)
)

// timeText gives a time that a case has set as it is, and the present as
// "now".
func (t *T) timeText(tm time.Time) string {
	if tm.IsZero() {
		return "zero"
	}
	if tm.After(t.start.Add(-time.Second)) && tm.Before(time.Now().Add(time.Second)) {
		return "now"
	}
	return fmt.Sprintf("%d.%09d", tm.Unix(), tm.Nanosecond())
}

// stamps are the times of an inode.
type stamps struct{ atime, mtime, ctime time.Time }

func stampsOf(fi fs.FileInfo) (stamps, bool) {
	st, ok := fi.Sys().(*syscall.Stat_t)
	if !ok {
		return stamps{}, false
	}
	return stamps{
		atime: time.Unix(st.Atim.Unix()),
		mtime: time.Unix(st.Mtim.Unix()),
		ctime: time.Unix(st.Ctim.Unix()),
	}, true
}

// stamps gives the times of names; a missing one is left out.
func (t *T) stamps(names []string) map[string]stamps {
	m := map[string]stamps{}
	for _, n := range names {
		if fi, err := t.tree.Lstat(n); err == nil {
			if s, ok := stampsOf(fi); ok {
				m[n] = s
			}
		}
	}
	return m
}

// Times writes the times of name down: set ones as they are.
func (t *T) Times(name string) {
	s, ok := t.stamps([]string{name})[name]
	if !ok {
		t.Logf("Times(%s) unknown", t.q(name))
		return
	}
	t.Logf("Times(%s) = atime %s, mtime %s, ctime %s", t.q(name), t.timeText(s.atime), t.timeText(s.mtime), t.timeText(s.ctime))
}

// Newborn tells whether name, which the last call has made, has one time in
// all places.
func (t *T) Newborn(name string) {
	s := t.stamps([]string{name})[name]
	t.Logf("Newborn(%s) = %v", t.q(name), s.atime.Equal(s.mtime) && s.mtime.Equal(s.ctime))
}

// Age gives files and directories times long gone, atime before mtime, so
// that a read updates the former also with relatime.
func (t *T) Age(names ...string) {
	for _, n := range names {
		t.must(t.tree.Chtimes(n, oldAtime, oldMtime))
	}
}

// Touches makes a call and writes down which times of names it changed, and
// whether mtime and ctime still agree where both did.
func (t *T) Touches(what string, names []string, call func()) {
	before := t.stamps(names)
	t.world.Tick()
	call()
	after := t.stamps(names)
	var lines []string
	for _, n := range names {
		b, was := before[n]
		a, is := after[n]
		switch {
		case was && is:
			lines = append(lines, fmt.Sprintf("%s:%s", t.q(n), changed(b, a)))
		case is:
			lines = append(lines, fmt.Sprintf("%s:new", t.q(n)))
		case was:
			lines = append(lines, fmt.Sprintf("%s:gone", t.q(n)))
		}
	}
	t.Logf("%s touches %s", what, strings.Join(lines, " "))
}

func changed(b, a stamps) string {
	var out strings.Builder
	for _, p := range []struct {
		letter string
		b, a   time.Time
	}{{"a", b.atime, a.atime}, {"m", b.mtime, a.mtime}, {"c", b.ctime, a.ctime}} {
		switch {
		case p.a.After(p.b):
			out.WriteString(p.letter)
		case p.a.Before(p.b):
			out.WriteString(p.letter + "(back)")
		}
	}
	if a.mtime.After(b.mtime) && a.ctime.After(b.ctime) && !a.mtime.Equal(a.ctime) {
		out.WriteString("(m differs from c)")
	}
	if out.Len() == 0 {
		return "-"
	}
	return out.String()
}
