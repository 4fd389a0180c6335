package bench

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"time"
)

// rfcSizes are the numbers in test1.sh and the counts that its steps must leave.
type rfcSizes struct {
	files          int
	first, renames int // the numbers that are renamed
	after1, after2 int // entries after the first and second round of renames
}

var (
	// The RFC's: the first round overwrites 1100 to 1998, the second 3100 to 3998.
	rfcReal = rfcSizes{5000, 100, 899, 4101, 3202}
	// A tenth of it, for scaled runs: 110 to 198 and 310 to 398 are overwritten.
	rfcTenth = rfcSizes{500, 10, 89, 411, 322}
)

func runRFCTest1(c *Context) error {
	sizes := rfcReal
	if c.cfg.Scale > 1 {
		sizes = rfcTenth
	}
	var subjects []subject
	for _, impl := range everyone {
		subjects = append(subjects, subject{impl, param("files", sizes.files), func(m *meter) error {
			return fresh(impl, func(t target) error { return rfcRound(m, t, sizes) })
		}})
	}
	c.compare(subjects...)
	trim()
	return nil
}

// rfcScript is test1.sh with all names and contents made beforehand.
type rfcScript struct {
	rfcSizes
	t                target
	dir              string
	names            []string // longername1 ...
	contents         [][]byte
	from1, to1       []string // the two rounds of renames
	from2, to2       []string
	created, between int // what the two listings found
}

func newRFCScript(t target, sizes rfcSizes) *rfcScript {
	s := &rfcScript{rfcSizes: sizes, t: t, dir: t.root() + "/d"}
	base := s.dir + "/longername"
	for i := 1; i <= s.files; i++ {
		s.names = append(s.names, base+strconv.Itoa(i))
		s.contents = append(s.contents, []byte(strconv.Itoa(i)+"\n"))
	}
	for i := s.first; i < s.first+s.renames; i++ {
		n := strconv.Itoa(i)
		s.from1, s.to1 = append(s.from1, base+n), append(s.to1, base+"1"+n)
		s.from2, s.to2 = append(s.from2, base+"2"+n), append(s.to2, base+"3"+n)
	}
	return s
}

// rfcRound times the script; one operation is all of it.
func rfcRound(m *meter, t target, sizes rfcSizes) error {
	s := newRFCScript(t, sizes)
	if err := t.mkdir(s.dir); err != nil {
		return err
	}
	settle()
	toTheEnd, err := timed(s.createAndRename)
	if err != nil {
		return err
	}
	if err := s.check(); err != nil {
		return fmt.Errorf("self-check: %w", err)
	}
	var removal time.Duration
	if removal, err = timed(s.removeAll); err != nil {
		return err
	}
	if err := expect(t, s.dir, 0); err != nil {
		return err
	}
	m.reportTime(toTheEnd+removal, 1)
	return nil
}

func (s *rfcScript) createAndRename() (err error) {
	for i, name := range s.names {
		if err := s.t.writeFile(name, s.contents[i]); err != nil {
			return err
		}
	}
	if s.created, err = s.t.listSorted(s.dir); err != nil {
		return err
	}
	for i := range s.from1 {
		if err := s.t.rename(s.from1[i], s.to1[i]); err != nil {
			return err
		}
	}
	if s.between, err = s.t.listSorted(s.dir); err != nil {
		return err
	}
	for i := range s.from2 {
		if err := s.t.rename(s.from2[i], s.to2[i]); err != nil {
			return err
		}
	}
	return nil
}

// removeAll removes all first names; those that were renamed are not there, and
// the script throws rm's complaint away.
func (s *rfcScript) removeAll() error {
	for _, name := range s.names {
		if err := s.t.remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// check compares the counts and every file's contents with what test1.sh
// leaves before it removes them.
func (s *rfcScript) check() error {
	left, err := s.t.listSorted(s.dir)
	if err != nil {
		return err
	}
	if s.created != s.files || s.between != s.after1 || left != s.after2 {
		return fmt.Errorf("%d, %d and %d entries instead of %d, %d and %d",
			s.created, s.between, left, s.files, s.after1, s.after2)
	}
	want := make(map[string][]byte)
	for i, name := range s.names {
		want[name] = s.contents[i]
	}
	move := func(from, to []string) {
		for i := range from {
			want[to[i]] = want[from[i]]
			delete(want, from[i])
		}
	}
	move(s.from1, s.to1)
	move(s.from2, s.to2)
	buf := make([]byte, 16)
	for name, contents := range want {
		n, err := s.t.openRead(name, buf)
		if err != nil {
			return err
		}
		if !bytes.Equal(buf[:n], contents) {
			return fmt.Errorf("%s has %q instead of %q", name, buf[:n], contents)
		}
	}
	return nil
}
