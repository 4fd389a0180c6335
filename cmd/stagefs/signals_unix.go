//go:build unix

package main

import (
	"os"
	"os/signal"
	"syscall"
)

// endSignals end a run in good order, so that it takes its directories with it.
var endSignals = []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP}

// writeErrors makes a closed pipe an error of the write, which ends a run as
// any other, and not the sudden end of the program.
func writeErrors() { signal.Ignore(syscall.SIGPIPE) }
