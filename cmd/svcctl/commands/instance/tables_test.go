package instance

import (
	"testing"

	"svc/cmd/svcctl/cli/output/outputtest"
)

// TestNoTableWrapsAt80Columns prints each shape of the package with long values.
func TestNoTableWrapsAt80Columns(t *testing.T) {
	tested := map[string]bool{}
	outputtest.Wrapless(t, tested, "accountShape", accountShape)
	outputtest.Wrapless(t, tested, "appShape", appShape)
	outputtest.Wrapless(t, tested, "cachedShape", cachedShape)
	outputtest.Wrapless(t, tested, "emojiShape", emojiShape)
	outputtest.Wrapless(t, tested, "hostShape", hostShape)
	outputtest.Wrapless(t, tested, "instanceShape", instanceShape)
	outputtest.Wrapless(t, tested, "jobShape", jobShape)
	outputtest.Wrapless(t, tested, "knownShape", knownShape)
	outputtest.Wrapless(t, tested, "limitedShape", limitedShape)
	outputtest.Wrapless(t, tested, "mediaShape", mediaShape)
	outputtest.Wrapless(t, tested, "packShape", packShape)
	outputtest.Wrapless(t, tested, "queueShape", queueShape)
	outputtest.Wrapless(t, tested, "rebootShape", rebootShape)
	outputtest.Wrapless(t, tested, "relayShape", relayShape)
	outputtest.Wrapless(t, tested, "restrictionShape", restrictionShape)
	outputtest.Wrapless(t, tested, "announcementShape", announcementShape)
	outputtest.Wrapless(t, tested, "ruleShape", ruleShape)
	outputtest.Wrapless(t, tested, "statsShape", statsShape)
	outputtest.AllTested(t, tested)
}
