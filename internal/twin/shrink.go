//go:build linux

package twin

import (
	"fmt"
	"slices"
)

// Differ runs a script in both worlds and gives the first difference, or
// nothing.
func (s Script) Differ(want, got World, inRoot bool) (string, error) {
	c := s.Case(Nothing)
	w, err := c.Record(want, inRoot, nil)
	if err != nil {
		return "", fmt.Errorf("reference: %w", err)
	}
	g, err := c.Record(got, inRoot, w)
	if err != nil {
		return err.Error(), nil
	}
	for i, line := range w.Sections[0].Lines {
		if i >= len(g.Sections[0].Lines) {
			return fmt.Sprintf("line %d is missing: %s", i, line), nil
		}
		if other := g.Sections[0].Lines[i]; other != line {
			return fmt.Sprintf("- %s\n+ %s", line, other), nil
		}
	}
	return "", nil
}

// Shrink takes steps out of a script that makes the twins differ, in halves
// first and one by one in the end, as long as they still do.
func (s Script) Shrink(want, got World, inRoot bool) (Script, string, error) {
	diff, err := s.Differ(want, got, inRoot)
	if err != nil || diff == "" {
		return s, diff, err
	}
	for size := (len(s.Steps) + 1) / 2; size > 0; {
		shorter := false
		for at := 0; at < len(s.Steps); {
			end := min(at+size, len(s.Steps))
			try := Script{s.Seed, slices.Concat(s.Steps[:at], s.Steps[end:])}
			d, err := try.Differ(want, got, inRoot)
			if err != nil {
				return s, diff, err
			}
			if d == "" {
				at = end
				continue
			}
			s, diff, shorter = try, d, true
		}
		if !shorter || size > 1 {
			size /= 2
		}
	}
	return s, diff, nil
}
