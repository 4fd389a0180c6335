package bench

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestRowJSON(t *testing.T) {
	for _, c := range []struct {
		row  Row
		want string
	}{
		{Row{Bench: "rename", Impl: "memfs", Param: "files=10", Metric: "time", Value: 912.5, Unit: "ns/op"},
			`{"bench":"rename","impl":"memfs","param":"files=10","metric":"time","value":912.5,"unit":"ns/op"}`},
		{Row{Bench: "rename", Impl: "afero", Param: "files=10", Metric: "time", Unit: "ns/op", Error: "skipped: why"},
			`{"bench":"rename","impl":"afero","param":"files=10","metric":"time","value":null,"unit":"ns/op","error":"skipped: why"}`},
	} {
		got, err := json.Marshal(c.row)
		if err != nil || string(got) != c.want {
			t.Errorf("Marshal: %s, %v; want %s", got, err, c.want)
		}
		rows, err := ReadRows(strings.NewReader(c.want + "\n\n"))
		if err != nil || len(rows) != 1 || rows[0] != c.row {
			t.Errorf("ReadRows: %+v, %v; want %+v", rows, err, c.row)
		}
	}
}

func TestReadRowsErrors(t *testing.T) {
	const good = `{"bench":"a","impl":"memfs","param":"","metric":"time","value":1,"unit":"ns/op"}`
	for name, c := range map[string]struct{ text, want string }{
		"empty":       {"", "no rows"},
		"table":       {"linux/amd64, 2 CPUs", "line 1: invalid character"},
		"second line": {good + "\n[1]\n", "line 2: "},
		"cut":         {good[:30], "line 1: unexpected end"},
		"no impl":     {strings.Replace(good, "memfs", "", 1), "line 1: a row needs"},
		"no value":    {strings.Replace(good, `"value":1,`, "", 1), "line 1: a row without an error needs a value"},
		"negative":    {strings.Replace(good, ":1,", ":-1,", 1), "line 1: value -1 is no measurement"},
		"text value":  {strings.Replace(good, ":1,", `:"1",`, 1), "line 1: json: cannot unmarshal"},
		"long line":   {strings.Repeat("x", 2<<20), "line 1: "},
	} {
		rows, err := ReadRows(strings.NewReader(c.text))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, %v; want an error with %q", name, rows, err, c.want)
		}
	}
}
