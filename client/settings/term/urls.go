package term

import "net/url"

// HasPassword reports whether a text is a URL with a password: such a text is a secret.
func HasPassword(text string) bool {
	u, err := url.Parse(text)
	if err != nil || u.User == nil {
		return false
	}
	password, _ := u.User.Password()
	return password != ""
}
