//go:build linux

package twin

import (
	"fmt"
	"os"
	"strings"
	"syscall"
)

var flagNames = []struct {
	bit  int
	name string
}{
	{os.O_CREATE, "CREATE"},
	{os.O_EXCL, "EXCL"},
	{os.O_TRUNC, "TRUNC"},
	{os.O_APPEND, "APPEND"},
	{syscall.O_DIRECTORY, "DIRECTORY"},
	{syscall.O_NOFOLLOW, "NOFOLLOW"},
	{os.O_SYNC, "SYNC"},
}

// flagText writes flags of OpenFile by name.
func flagText(flag int) string {
	access := []string{"RDONLY", "WRONLY", "RDWR", "ACCMODE"}
	parts := []string{access[flag&syscall.O_ACCMODE]}
	rest := flag &^ syscall.O_ACCMODE
	for _, f := range flagNames {
		if rest&f.bit == f.bit {
			parts = append(parts, f.name)
			rest &^= f.bit
		}
	}
	if rest != 0 {
		parts = append(parts, fmt.Sprintf("%#x", rest))
	}
	return strings.Join(parts, "|")
}
