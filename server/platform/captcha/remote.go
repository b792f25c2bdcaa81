package captcha

import (
	"crypto/md5"
	"encoding/base64"
	"encoding/hex"
	"net/http"
	"time"
)

// Foreign is a captcha that another service drew: where its picture is, and the
// MD5 sum, in hex, of what it shows.
type Foreign struct {
	Token   string
	URL     string
	Sum     string
	Picture []byte
}

// Seal returns a captcha of another service that may be solved until expires,
// sealed with secret as those of New are.
func Seal(secret string, f Foreign, expires time.Time) (*Challenge, error) {
	sealed, err := seal(secret, f.Token, Answer{Sum: f.Sum, Expires: expires})
	return &Challenge{Token: f.Token, Sealed: sealed, Picture: f.Picture, URL: f.URL}, err
}

// DataURL is the picture as an address that holds it.
func (c *Challenge) DataURL() string {
	return "data:" + http.DetectContentType(c.Picture) + ";base64," + base64.StdEncoding.EncodeToString(c.Picture)
}

// sumOf is what other services tell of a solution.
func sumOf(solution string) string {
	sum := md5.Sum([]byte(solution))
	return hex.EncodeToString(sum[:])
}
