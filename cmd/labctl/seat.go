package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
)

// A seat is a pair whose name says so: one of several alike on one machine, each
// in a private hypervisor of its own.
const seatPrefix = "seat-"

// maxSeat is the largest number of a seat; memory ends long before it.
const maxSeat = 999

func seatName(seat int) string { return seatPrefix + strconv.Itoa(seat) }

// seatNumber is the seat that a pair's name means; 0 if it means none.
func seatNumber(pair string) int {
	digits, found := strings.CutPrefix(pair, seatPrefix)
	n, err := strconv.Atoi(digits)
	if !found || err != nil || n < 1 || n > maxSeat || seatName(n) != pair {
		return 0
	}
	return n
}

// firstSeats are the seats 1 to n.
func firstSeats(n int) []int {
	seats := make([]int, n)
	for i := range seats {
		seats[i] = i + 1
	}
	return seats
}

// seatsThere are the seats that have a folder, whatever is in it. That there are
// none is an error.
func (a *app) seatsThere() ([]int, error) {
	state, err := a.stateDir()
	if err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(filepath.Join(state, "pairs"))
	if err != nil && !os.IsNotExist(err) {
		return nil, fmt.Errorf("listing seats: %w", err)
	}
	var seats []int
	for _, e := range entries {
		if n := seatNumber(e.Name()); n > 0 {
			seats = append(seats, n)
		}
	}
	if len(seats) == 0 {
		return nil, noSeatsError{}
	}
	slices.Sort(seats)
	return seats, nil
}

// noSeatsError says that there are none.
type noSeatsError struct{}

func (noSeatsError) Error() string { return "choosing seats: there are none" }
func (noSeatsError) Hint() string  { return "bring some up: labctl up pair --seats 2" }

// meant is which pair a command line means: by --name, by --seat, which is short
// for the name of a seat, or all seats. Only one of them may be said.
type meant struct {
	name     string
	allSeats bool
	parallel int    // how many of all seats at once; 0 leaves it to us
	by       string // the flag that was used
}

// pairFlag is one of the flags that say so.
type pairFlag struct {
	*meant
	flag string
}

func (f pairFlag) Set(value string) error {
	if f.by != "" && f.by != f.flag {
		return fmt.Errorf("--%s says already which pair is meant", f.by)
	}
	switch f.flag {
	case "name":
		f.name = value
	case "seat":
		n, err := strconv.Atoi(value)
		if err != nil || n < 1 || n > maxSeat {
			return fmt.Errorf("seats have numbers from 1 to %d", maxSeat)
		}
		f.name = seatName(n)
	default:
		all, err := strconv.ParseBool(value)
		if err != nil {
			return err
		}
		f.allSeats = all
	}
	f.by = f.flag
	return nil
}

func (f pairFlag) String() string {
	if f.meant == nil || f.by != f.flag || f.flag == "all-seats" {
		return ""
	}
	return f.name
}

func (f pairFlag) Type() string {
	return map[string]string{"name": "string", "seat": "int", "all-seats": "bool"}[f.flag]
}

// nameFlag adds --name and --seat.
func nameFlag(cmd *cobra.Command, m *meant, unless string) {
	cmd.Flags().Var(pairFlag{m, "name"}, "name", "name of the pair (default: "+unless+")")
	seatFlag(cmd, m)
}

// onlyOne is what nameFlag's pair is where none is named.
const onlyOne = "the only one"

// seatFlag adds --seat alone, where a name is an argument.
func seatFlag(cmd *cobra.Command, m *meant) {
	cmd.Flags().Var(pairFlag{m, "seat"}, "seat", "the pair of this seat `NUMBER`, which is called seat-NUMBER")
}

// allSeatsFlag adds --all-seats and --parallel.
func allSeatsFlag(cmd *cobra.Command, m *meant) {
	cmd.Flags().Var(pairFlag{m, "all-seats"}, "all-seats", "all seats there are, several at once")
	cmd.Flags().Lookup("all-seats").NoOptDefVal = "true"
	parallelFlag(cmd, &m.parallel, "one for each CPU")
}

// or is the pair that an argument names, or else the flags.
func (m *meant) or(args []string) (string, error) {
	if len(args) > 0 && m.by != "" {
		return "", usagef("leave out one of them", "choosing a pair: both %q and --%s", args[0], m.by)
	}
	if m.parallel != 0 && !m.allSeats {
		return "", usagef("leave it out, or say --all-seats", "reading --parallel: it is for --all-seats")
	}
	return firstOr(args, m.name), checkParallel(m.parallel)
}
