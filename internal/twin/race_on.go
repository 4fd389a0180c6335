//go:build linux && race

package twin

const raceDetector = true
