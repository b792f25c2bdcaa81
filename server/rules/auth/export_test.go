package auth

import "time"

// CodeAt returns the code that an authenticator app shows for a secret at a
// time.
func CodeAt(secret string, at time.Time) string {
	key, err := base32NoPadding.DecodeString(secret)
	if err != nil {
		panic(err)
	}
	return totpCode(key, at.Unix()/30, 6)
}
