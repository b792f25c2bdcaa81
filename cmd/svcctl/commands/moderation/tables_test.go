package moderation

import (
	"testing"

	"svc/cmd/svcctl/cli/output/outputtest"
)

// TestNoTableWrapsAt80Columns prints each shape of the package with long values.
func TestNoTableWrapsAt80Columns(t *testing.T) {
	tested := map[string]bool{}
	outputtest.Wrapless(t, tested, "chatShape", chatShape)
	outputtest.Wrapless(t, tested, "credentialsShape", credentialsShape)
	outputtest.Wrapless(t, tested, "digestShape", digestShape)
	outputtest.Wrapless(t, tested, "draftShape", draftShape)
	outputtest.Wrapless(t, tested, "groupShape", groupShape)
	outputtest.Wrapless(t, tested, "historyShape", historyShape)
	outputtest.Wrapless(t, tested, "inviteShape", inviteShape)
	outputtest.Wrapless(t, tested, "journalShape", journalShape)
	outputtest.Wrapless(t, tested, "lineShape", lineShape)
	outputtest.Wrapless(t, tested, "logInShape", logInShape)
	outputtest.Wrapless(t, tested, "logShape", logShape)
	outputtest.Wrapless(t, tested, "mailDomainShape", mailDomainShape)
	outputtest.Wrapless(t, tested, "messageShape", messageShape)
	outputtest.Wrapless(t, tested, "pendingShape", pendingShape)
	outputtest.Wrapless(t, tested, "reportShape", reportShape)
	outputtest.Wrapless(t, tested, "resetShape", resetShape)
	outputtest.Wrapless(t, tested, "roleShape", roleShape)
	outputtest.Wrapless(t, tested, "sshKeyShape", sshKeyShape)
	outputtest.Wrapless(t, tested, "statusGroupShape", statusGroupShape)
	outputtest.Wrapless(t, tested, "statusShape", statusShape)
	outputtest.Wrapless(t, tested, "threadShape", threadShape)
	outputtest.Wrapless(t, tested, "userShape", userShape)
	outputtest.AllTested(t, tested)
}
