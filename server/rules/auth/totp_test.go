package auth

import (
	"testing"
	"time"

	"svc/server/platform/config"
)

// The vectors of RFC 6238, appendix B, for SHA-1.
func TestCodesAreThoseOfTheStandard(t *testing.T) {
	key := []byte("12345678901234567890")
	for at, want := range map[int64]string{
		59: "94287082", 1111111109: "07081804", 1111111111: "14050471", 1234567890: "89005924", 2000000000: "69279037", 20000000000: "65353130",
	} {
		if got := totpCode(key, at/30, 8); got != want {
			t.Errorf("at %d: %s, want %s", at, got, want)
		}
		if got := totpCode(key, at/30, 6); got != want[2:] {
			t.Errorf("six digits at %d: %s, want %s", at, got, want[2:])
		}
	}
}

func TestACodeCountsInItsStepAndTheNeighbours(t *testing.T) {
	rules := config.MFA{TOTPDigits: 6, TOTPPeriod: 30 * time.Second}
	secret := base32NoPadding.EncodeToString([]byte("12345678901234567890"))
	now := time.Unix(1111111109, 0)
	for _, tt := range []struct {
		secret, code string
		at           time.Duration
		want         int64
	}{
		{secret, "081804", 0, 37037036},
		{secret, " 081 804 ", 0, 37037036},
		{secret, "081804", 30 * time.Second, 37037036},
		{secret, "081804", -30 * time.Second, 37037036},
		{secret, "081804", 61 * time.Second, 0},
		{secret, "081804", -61 * time.Second, 0},
		{secret, "81804", 0, 0},
		{secret, "", 0, 0},
		{"", totpCode(nil, 37037036, 6), 0, 0},
		{"not base32!", "081804", 0, 0},
	} {
		step, ok := totpStep(tt.secret, tt.code, rules, now.Add(tt.at))
		if step != tt.want || ok != (tt.want != 0) {
			t.Errorf("%q %s later: step %d %v, want %d", tt.code, tt.at, step, ok, tt.want)
		}
	}
}

func TestTheAddressOfASecretIsReadByApps(t *testing.T) {
	got := provisioningURI("JBSWY3DPEHPK3PXP", "ann+a@example.org", "A & B", config.MFA{TOTPDigits: 6, TOTPPeriod: 30 * time.Second})
	if want := "otpauth://totp/ann+a@example.org?digits=6&issuer=A%20%26%20B&period=30&secret=JBSWY3DPEHPK3PXP"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
