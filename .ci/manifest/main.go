// Command manifest reads Kubernetes manifests as strictly as an API server does:
// a field that a kind does not have, or one that is there twice, is an error. A
// module of its own, since Kubernetes' types are none of labctl's dependencies.
package main

import (
	"bytes"
	"fmt"
	"os"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/json"
)

func main() {
	for _, file := range os.Args[1:] {
		if err := check(file); err != nil {
			fmt.Fprintln(os.Stderr, "error:", err)
			os.Exit(1)
		}
	}
}

func check(file string) error {
	content, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	scheme := runtime.NewScheme()
	if err := corev1.AddToScheme(scheme); err != nil {
		return err
	}
	if err := batchv1.AddToScheme(scheme); err != nil {
		return err
	}
	read := json.NewSerializerWithOptions(json.DefaultMetaFactory, scheme, scheme, json.SerializerOptions{Yaml: true, Strict: true})
	documents := bytes.Split(content, []byte("\n---\n"))
	for i, document := range documents {
		if _, _, err := read.Decode(document, nil, nil); err != nil {
			return fmt.Errorf("reading %q, document %d of %d: %w", file, i+1, len(documents), err)
		}
	}
	return nil
}
