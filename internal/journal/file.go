package journal

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
)

// File appends events to a file, one JSON object per line. Each event is
// written whole, at once and unbuffered: what was appended survives the end of
// this process, whichever it is.
type File struct{ f *os.File }

// Open opens the journal at path, and makes it if there is none, readable by
// its owner only. A line that a crash left unfinished is cut off.
func Open(path string) (*File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("opening journal: %w", err)
	}
	if err := cut(f); err != nil {
		return nil, errors.Join(fmt.Errorf("opening journal %q: %w", path, err), f.Close())
	}
	return &File{f: f}, nil
}

// cut removes what follows the last newline and leaves the file at its end.
func cut(f *os.File) error {
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	buf := make([]byte, 64<<10)
	end := size
	for end > 0 {
		n := min(int64(len(buf)), end)
		if _, err := f.ReadAt(buf[:n], end-n); err != nil {
			return err
		}
		if i := bytes.LastIndexByte(buf[:n], '\n'); i >= 0 {
			end = end - n + int64(i) + 1
			break
		}
		end -= n
	}
	if end < size {
		if err := f.Truncate(end); err != nil {
			return err
		}
	}
	_, err = f.Seek(end, io.SeekStart)
	return err
}

// Append writes one event.
func (j *File) Append(e Event) error {
	line, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("encoding event %q: %w", e.Type, err)
	}
	if _, err := j.f.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("appending to journal: %w", err)
	}
	return nil
}

// Close ends the journal and makes sure that it is on the disk.
func (j *File) Close() error {
	return errors.Join(j.f.Sync(), j.f.Close())
}

// Read returns all events of a journal, also while it is being written: an
// unfinished last line is left out. Any other line that is no event is an
// error, which names it and comes with the events before it.
func Read(path string) ([]Event, error) { return read[Event](path, func(e Event) Event { return e }) }

// ReadOutline is Read without what only a report of the run itself needs:
// scripts, streams, checks and captures are left out. It takes half the time.
func ReadOutline(path string) ([]Event, error) { return read(path, outline.event) }

func read[T any](path string, made func(T) Event) ([]Event, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("reading journal: %w", err)
	}
	defer f.Close()
	events, _, err := readLines(f, path, 0, made)
	return events, err
}

// readLines reads the whole lines of a journal from where from stands, behind line
// number after, and returns how many bytes they are.
func readLines[T any](from io.Reader, path string, after int, made func(T) Event) (events []Event, size int64, err error) {
	r := bufio.NewReaderSize(from, 64<<10)
	for n := after + 1; ; n++ {
		line, err := r.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return events, size, nil
		}
		if err != nil {
			return events, size, fmt.Errorf("reading journal: %w", err)
		}
		var e T
		if err := json.Unmarshal(line, &e); err != nil {
			return events, size, fmt.Errorf("reading journal %s:%d: %w", path, n, err)
		}
		events, size = append(events, made(e)), size+int64(len(line))
	}
}
