package settings

import (
	"testing"

	"svc/cmd/svcctl/cli/output/outputtest"
)

// TestNoTableWrapsAt80Columns prints each shape of the package with long values.
func TestNoTableWrapsAt80Columns(t *testing.T) {
	tested := map[string]bool{}
	outputtest.Wrapless(t, tested, "configShape", configShape)
	outputtest.Wrapless(t, tested, "entryShape", entryShape)
	outputtest.Wrapless(t, tested, "fieldShape", fieldShape)
	outputtest.Wrapless(t, tested, "pastShape", pastShape)
	outputtest.Wrapless(t, map[string]bool{}, "differenceShape", differenceShape("now", "new"))
	outputtest.AllTested(t, tested)
}
