//go:build !unix

package main

import (
	"os"
	"syscall"
)

// endSignals end a run in good order, so that it takes its directories with it.
var endSignals = []os.Signal{os.Interrupt, syscall.SIGTERM}

// writeErrors has nothing to do here: a closed pipe is an error of the write.
func writeErrors() {}
