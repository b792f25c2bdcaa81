package action

import (
	"testing"
	"time"
)

func TestLevelGrowsWithHarmAndNumber(t *testing.T) {
	tests := []struct {
		kind      Kind
		n         int
		protected bool
		want      Confirmation
	}{
		{ReportResolve, 1, false, L0},
		{ReportResolve, 2, false, L1},
		{ReportResolve, 20, false, L1},
		{ReportResolve, 21, false, L2},
		{ReportNote, 1, false, L0},
		{ReportNoteDelete, 1, false, L1},
		{UserActivate, 1, false, L0},
		{UserDeactivate, 1, false, L1},
		{StatusDelete, 1, false, L1},
		{StatusVisibility, 1, false, L0},
		{ReportResolve, 1, true, L1},
		{ReportResolve, 2, true, L2},
		{StatusDelete, 1, true, L2},
		{StatusDelete, 100, true, L2},
		{UserDelete, 1, false, L2},
		{UserMakeAdmin, 1, false, L2},
		{UserMakeModerator, 1, false, L0},
		{UserUnmakeAdmin, 1, false, L0},
		{UserApprove, 1, false, L1},
		{UserApprove, 2, false, L1},
		{UserForceReset, 1, false, L1},
		{UserLogOut, 1, false, L1},
		{InviteRevoke, 1, false, L1},
		{MediaPurge, 1, false, L0},
	}
	for _, tt := range tests {
		if got := Level(tt.kind, tt.n, tt.protected); got != tt.want {
			t.Errorf("Level(%s, %d, %t) = L%d, want L%d", tt.kind, tt.n, tt.protected, got, tt.want)
		}
	}
}

func TestDelayIsLongerForWhatCannotBeTakenBack(t *testing.T) {
	for _, kind := range Kinds() {
		want := 4 * time.Second
		if kind == StatusDelete || kind == UserDeactivate || kind == UserReject {
			want = 8 * time.Second
		}
		if got := Delay(kind); got != want {
			t.Errorf("Delay(%s) = %s, want %s", kind, got, want)
		}
	}
}

func TestEveryKindHasNounVerbAndRules(t *testing.T) {
	for _, kind := range Kinds() {
		if kind.facts().rules == nil {
			t.Errorf("%s has no rules", kind)
		}
		if kind.Verb() == "" || kind.Done() == "" {
			t.Errorf("%s: verb %q, done %q", kind, kind.Verb(), kind.Done())
		}
	}
}
