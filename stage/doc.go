// Package stage keeps pivots: popular directories from which a path walk can start.
package stage
