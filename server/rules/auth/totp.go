package auth

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha1" //nolint:gosec // RFC 6238 and every authenticator app use SHA-1
	"crypto/subtle"
	"encoding/base32"
	"encoding/binary"
	"fmt"
	"net/url"
	"strings"
	"time"

	"svc/server/platform/config"
)

// totpKeyLen is how long a TOTP secret is, in bytes.
const totpKeyLen = 10

var base32NoPadding = base32.StdEncoding.WithPadding(base32.NoPadding)

func newTOTPKey() string {
	var b [totpKeyLen]byte
	_, _ = rand.Read(b[:]) // never fails, by crypto/rand's contract
	return base32NoPadding.EncodeToString(b[:])
}

// totpCode returns the code of a time step: RFC 4226, 5.3, with the counter of
// RFC 6238.
func totpCode(key []byte, step int64, digits int) string {
	var counter [8]byte
	binary.BigEndian.PutUint64(counter[:], uint64(step))
	mac := hmac.New(sha1.New, key)
	mac.Write(counter[:])
	sum := mac.Sum(nil)
	offset := sum[len(sum)-1] & 0x0f
	n := binary.BigEndian.Uint32(sum[offset:]) & 0x7fffffff
	mod := uint32(1)
	for range digits {
		mod *= 10
	}
	return fmt.Sprintf("%0*d", digits, n%mod)
}

// totpStep returns the time step of a code, among the present one and its
// neighbours.
func totpStep(secret, code string, rules config.MFA, now time.Time) (int64, bool) {
	key, err := base32NoPadding.DecodeString(secret)
	if err != nil || len(key) == 0 {
		return 0, false
	}
	code = strings.Join(strings.Fields(code), "")
	present := now.Unix() / int64(rules.TOTPPeriod/time.Second)
	found, ok := int64(0), false
	for step := present - 1; step <= present+1; step++ {
		if subtle.ConstantTimeCompare([]byte(totpCode(key, step, rules.TOTPDigits)), []byte(code)) == 1 {
			found, ok = step, true
		}
	}
	return found, ok
}

// provisioningURI is the content of a QR code for an authenticator app. Shape:
// the key URI format of Google Authenticator.
func provisioningURI(secret, label, issuer string, rules config.MFA) string {
	return "otpauth://totp/" + url.PathEscape(label) + "?digits=" + fmt.Sprint(rules.TOTPDigits) +
		"&issuer=" + strings.ReplaceAll(url.QueryEscape(issuer), "+", "%20") +
		"&period=" + fmt.Sprint(int64(rules.TOTPPeriod/time.Second)) + "&secret=" + secret
}
