package captcha

import (
	"crypto/md5"
	"encoding/base64"
	"encoding/hex"
	"net/http"
	"time"
)

// Foreign is a captcha of another service: the address of its picture, and the
// MD5 sum, in hex, of its answer.
type Foreign struct {
	Token   string
	URL     string
	Sum     string
	Picture []byte
}

// Seal returns a captcha of another service that is valid until expires, sealed
// with secret like those of New.
func Seal(secret string, f Foreign, expires time.Time) (*Challenge, error) {
	sealed, err := seal(secret, f.Token, Answer{Sum: f.Sum, Expires: expires})
	return &Challenge{Token: f.Token, Sealed: sealed, Picture: f.Picture, URL: f.URL}, err
}

// DataURL returns the picture as a data address.
func (c *Challenge) DataURL() string {
	return "data:" + http.DetectContentType(c.Picture) + ";base64," + base64.StdEncoding.EncodeToString(c.Picture)
}

// sumOf returns the sum of a solution in the form of other services.
func sumOf(solution string) string {
	sum := md5.Sum([]byte(solution))
	return hex.EncodeToString(sum[:])
}
