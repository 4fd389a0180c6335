//go:build !unix

package bench

import "os"

func newStatCall() func(string) error {
	return func(name string) error {
		_, err := os.Stat(name)
		return err
	}
}
