package bench

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
)

// Row is one measurement, or the reason why there is none. Rows that differ in
// Value only are samples of one figure.
type Row struct {
	Bench  string  // the experiment
	Impl   string  // memfs, stage, original, afero ...: one of doc.go's list
	Param  string  // key=value, comma-separated: "files=10000"
	Metric string  // time, memory, allocs or throughput
	Value  float64 // in Unit; without meaning if there is an Error
	Unit   string  // ns/op, B/file, B/dentry, B/pool, allocs/op or ops/s
	Error  string  // "" or why there is no value
}

// Skipped reports whether the experiment does not apply to the rival, as
// opposed to a rival that failed.
func (r Row) Skipped() bool { return strings.HasPrefix(r.Error, skipPrefix) }

// jsonRow is a Row as it is written: a row with an error has a null value, so
// that nobody takes it for a fast one.
type jsonRow struct {
	Bench  string   `json:"bench"`
	Impl   string   `json:"impl"`
	Param  string   `json:"param"`
	Metric string   `json:"metric"`
	Value  *float64 `json:"value"`
	Unit   string   `json:"unit"`
	Error  string   `json:"error,omitempty"`
}

// MarshalJSON implements json.Marshaler: an object with the keys bench, impl,
// param, metric, value, unit and, if there is one, error.
func (r Row) MarshalJSON() ([]byte, error) {
	j := jsonRow{r.Bench, r.Impl, r.Param, r.Metric, &r.Value, r.Unit, r.Error}
	if r.Error != "" {
		j.Value = nil
	}
	return json.Marshal(j)
}

// UnmarshalJSON implements json.Unmarshaler.
func (r *Row) UnmarshalJSON(data []byte) error {
	var j jsonRow
	if err := json.Unmarshal(data, &j); err != nil {
		return err
	}
	*r = Row{j.Bench, j.Impl, j.Param, j.Metric, 0, j.Unit, j.Error}
	switch {
	case j.Bench == "" || j.Impl == "" || j.Metric == "" || j.Unit == "":
		return errors.New("a row needs bench, impl, metric and unit")
	case j.Error != "":
		return nil
	case j.Value == nil:
		return errors.New("a row without an error needs a value")
	case *j.Value < 0 || math.IsInf(*j.Value, 0):
		return fmt.Errorf("value %v is no measurement", *j.Value)
	}
	r.Value = *j.Value
	return nil
}

// ReadRows reads what "stagefs bench run -json" wrote: one object a line.
// Blank lines are skipped. It is an error if there is no row.
func ReadRows(r io.Reader) ([]Row, error) {
	var rows []Row
	sc := bufio.NewScanner(r)
	sc.Buffer(nil, 1<<20)
	line := 0
	for sc.Scan() {
		line++
		text := bytes.TrimSpace(sc.Bytes())
		if len(text) == 0 {
			continue
		}
		var row Row
		if err := json.Unmarshal(text, &row); err != nil {
			return nil, fmt.Errorf("line %d: %w", line, err)
		}
		rows = append(rows, row)
	}
	if err := sc.Err(); err != nil {
		return nil, fmt.Errorf("line %d: %w", line+1, err)
	}
	if len(rows) == 0 {
		return nil, errors.New("no rows")
	}
	return rows, nil
}
