// Package strictyaml decodes the project's YAML files so that a slip of the
// hand is found where it stands: unknown and duplicate keys, values of the
// wrong kind and missing fields are errors with file:line:column, and an
// unknown word comes with the nearest valid one.
package strictyaml
