package rbdir

import (
	"errors"
	"fmt"
	"reflect"
)

func (s *shard[V]) checkTree() error {
	if s.root != nil && s.root.Parent != nil {
		return errors.New("the root has a parent")
	}
	c := newNodeChecker[V]()
	n, _, err := c.check(s.root, 0)
	if err != nil {
		return err
	}
	if n != int(s.n) {
		return fmt.Errorf("shard says %d nodes, has %d", s.n, n)
	}
	if s.root != nil && c.red(s.root) {
		return errors.New("the root is red")
	}
	return nil
}

// nodeChecker reads the colours of nodes, which package redblacktree does not
// export, by reflection.
type nodeChecker[V any] struct {
	field int  // the colour's place in a node
	isRed bool // what stands there in a red one
}

func newNodeChecker[V any]() nodeChecker[V] {
	var c nodeChecker[V]
	f, ok := reflect.TypeFor[node[V]]().FieldByName("color")
	if !ok || f.Type.Kind() != reflect.Bool {
		panic("rbdir: nodes of another kind than of gods v2.0.0-alpha")
	}
	c.field = f.Index[0]
	c.isRed = c.colour(&newColours[V]().red)
	return c
}

func (c nodeChecker[V]) colour(n *node[V]) bool {
	return reflect.ValueOf(n).Elem().Field(c.field).Bool()
}

func (c nodeChecker[V]) red(n *node[V]) bool { return n != nil && c.colour(n) == c.isRed }

// check checks links, order and colours below n and returns the number of nodes
// there, and of black ones on each way down: equal numbers of those, and no red
// node below a red one, bound the depth by 2*log2(n+1).
func (c nodeChecker[V]) check(n *node[V], depth int) (count, black int, err error) {
	if n == nil {
		return 0, 0, nil
	}
	if depth > 2*64 {
		return 0, 0, errors.New("tree without an end")
	}
	count = 1
	for i, child := range [2]*node[V]{n.Left, n.Right} {
		if child != nil && child.Parent != n {
			return 0, 0, fmt.Errorf("a child of %#x has another parent", n.Key)
		}
		if child != nil && (child.Key < n.Key) != (i == 0) {
			return 0, 0, fmt.Errorf("%#x on the wrong side of %#x", child.Key, n.Key)
		}
		if c.red(n) && c.red(child) {
			return 0, 0, fmt.Errorf("%#x and %#x below it are red", n.Key, child.Key)
		}
		nodes, b, err := c.check(child, depth+1)
		if err != nil {
			return 0, 0, err
		}
		count += nodes
		if i == 1 && b != black {
			return 0, 0, fmt.Errorf("ways of %d and %d black nodes below %#x", black, b, n.Key)
		}
		black = b
	}
	if !c.red(n) {
		black++
	}
	return count, black, nil
}
