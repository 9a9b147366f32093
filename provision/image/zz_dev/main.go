package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"labctl/provision/image"
)

func main() {
	s, err := image.Open(os.Args[1])
	if err != nil { panic(err) }
	start := time.Now()
	say := func(t string) { fmt.Fprintf(os.Stderr, "%6.1fs %s\n", time.Since(start).Seconds(), t) }
	switch os.Args[2] {
	case "lock":
		l, err := s.Lock(context.Background(), say)
		if err != nil { fmt.Println(err); os.Exit(1) }
		for _, c := range s.CurrentLock().Changes(l) { fmt.Fprintln(os.Stderr, c) }
		os.WriteFile("provision/image/image.lock", []byte(l.String()), 0o644)
	case "build":
		v := image.Variant{Recipe: os.Args[3]}
		if len(os.Args) > 4 { v.Kernel = os.Args[4] }
		if len(os.Args) > 5 { v.Kubernetes = os.Args[5] }
		i, err := s.Build(context.Background(), v, say)
		if err != nil { fmt.Println(err); os.Exit(1) }
		say("done")
		fmt.Println(i.Dir)
	}
}
