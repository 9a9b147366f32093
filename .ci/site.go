// Command site makes web pages of the project's documents:
//
//	go run .ci/site.go FOLDER
package main

import (
	"fmt"
	"os"

	"labctl/internal/site"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: go run .ci/site.go FOLDER")
		os.Exit(2)
	}
	pages, err := site.Build(".", os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
	fmt.Printf("%d pages: %s/index.html\n", pages, os.Args[1])
}
