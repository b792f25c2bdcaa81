// Package docs has the documents that programs read.
package docs

import _ "embed"

// OpenAPI is the description of the API, which a test of package server writes from the
// table of routes.
//
//go:embed openapi.json
var OpenAPI []byte
