package auth

import "time"

// CodeAt is what an authenticator app shows for a secret at a moment.
func CodeAt(secret string, at time.Time) string {
	key, err := base32NoPadding.DecodeString(secret)
	if err != nil {
		panic(err)
	}
	return totpCode(key, at.Unix()/30, 6)
}
