package cli

import (
	"encoding/json"

	"svc/cmd/svcctl/cli/output"
)

// Schema is what the commands of one noun print.
type Schema struct {
	Name     string // the noun, with the verb where one prints something else
	Command  string // one that prints it
	Fields   []output.Field
	Document func() json.RawMessage
}

// SchemaOf is the schema of a shape.
func SchemaOf[T any](name, command string, shape output.Shape[T]) Schema {
	return Schema{name, command, shape.Fields(), shape.Schema}
}
