package commands

import (
	"testing"

	"svc/cmd/svcctl/cli/output/outputtest"
)

// TestNoTableWrapsAt80Columns prints each shape of the package with long values.
func TestNoTableWrapsAt80Columns(t *testing.T) {
	tested := map[string]bool{}
	outputtest.Wrapless(t, tested, "aliasShape", aliasShape)
	outputtest.Wrapless(t, tested, "checkShape", checkShape)
	outputtest.Wrapless(t, tested, "contextShape", contextShape)
	outputtest.Wrapless(t, tested, "docShape", docShape)
	outputtest.Wrapless(t, tested, "schemaFieldShape", schemaFieldShape)
	outputtest.AllTested(t, tested)
}
