//go:build !js

package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// A lock of the lock order that is taken without a report is one that the rank checks do not see. So each function that
// locks a mutex field of these packages reports it, in itself. (Those of package locking are below every rank.)
func TestLocksReportTheirRank(t *testing.T) {
	for _, pkg := range []string{"rbdir", "dcache", "stage", "memfs"} {
		locks := 0
		files, err := filepath.Glob("../../" + pkg + "/*.go")
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %d files, %v", pkg, len(files), err)
		}
		for _, name := range files {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			for _, decl := range file.Decls {
				fn, isFunc := decl.(*ast.FuncDecl)
				if !isFunc || fn.Body == nil {
					continue
				}
				taken, reported := lockCalls(fn.Body)
				locks += taken
				if taken > reported {
					t.Errorf("%s: %s takes %d locks and reports %d", name, fn.Name.Name, taken, reported)
				}
			}
		}
		if locks == 0 {
			t.Errorf("%s: no lock was found, so this test looks for the wrong thing", pkg)
		}
	}
}

// lockCalls counts the calls of Lock and RLock on a field (x.mu.Lock()), and those of locking.Acquired.
func lockCalls(body *ast.BlockStmt) (taken, reported int) {
	ast.Inspect(body, func(n ast.Node) bool {
		call, isCall := n.(*ast.CallExpr)
		if !isCall {
			return true
		}
		method, isMethod := call.Fun.(*ast.SelectorExpr)
		if !isMethod {
			return true
		}
		switch method.Sel.Name {
		case "Lock", "RLock":
			field, isField := method.X.(*ast.SelectorExpr)
			if isField && field.Sel.Name != "names" { // the name locks report themselves
				taken++
			}
		case "Acquired":
			reported++
		}
		return true
	})
	return taken, reported
}

func TestLockCallsSeesWhatIsNotReported(t *testing.T) {
	const source = "package p; func f() { x.mu.Lock(); c.names.Lock(k); locking.Acquired(r, 0, 0); y.z.mu.RLock() }"
	file, err := parser.ParseFile(token.NewFileSet(), "", source, 0)
	if err != nil {
		t.Fatal(err)
	}
	if taken, reported := lockCalls(file.Decls[0].(*ast.FuncDecl).Body); taken != 2 || reported != 1 {
		t.Errorf("%d taken, %d reported", taken, reported)
	}
}
