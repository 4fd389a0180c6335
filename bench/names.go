package bench

import (
	"math/rand/v2"
	"strconv"
)

// fileName returns the name of 8 bytes of file i, freshly allocated.
func fileName(i int) string { return numbered('f', i) }

// numbered returns letter and i in 7 digits.
func numbered(letter byte, i int) string {
	var b [8]byte
	b[0] = letter
	for p := len(b) - 1; p > 0; p-- {
		b[p] = byte('0' + i%10)
		i /= 10
	}
	return string(b[:])
}

// below returns the paths of the names letter0000000... in dir.
func below(dir string, letter byte, n int) []string {
	paths := make([]string, n)
	for i := range paths {
		paths[i] = dir + "/" + numbered(letter, i)
	}
	return paths
}

// shuffled returns the numbers 0 to n-1 in an order that depends on the seed
// only, the same for every rival.
func (c *Context) shuffled(n int) []int {
	return rand.New(rand.NewPCG(c.cfg.Seed, uint64(n))).Perm(n)
}

// pick returns paths in the given order.
func pick(paths []string, order []int) []string {
	picked := make([]string, len(order))
	for i, at := range order {
		picked[i] = paths[at]
	}
	return picked
}

// fill makes dir, if it is not the root, and creates the files in it.
func fill(t target, dir string, paths []string) error {
	if dir != t.root() {
		if err := t.mkdir(dir); err != nil {
			return err
		}
	}
	return each(paths, t.create)
}

func each(paths []string, do func(string) error) error {
	for _, p := range paths {
		if err := do(p); err != nil {
			return err
		}
	}
	return nil
}

// param makes a Param of pairs: param("files", 10, "op", "stat").
func param(pairs ...any) string {
	s := ""
	for i := 0; i < len(pairs); i += 2 {
		if i > 0 {
			s += ","
		}
		s += pairs[i].(string) + "="
		switch v := pairs[i+1].(type) {
		case int:
			s += strconv.Itoa(v)
		case int64:
			s += strconv.FormatInt(v, 10)
		case string:
			s += v
		}
	}
	return s
}
