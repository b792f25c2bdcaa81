package hosts

import "testing"

func TestAddressesAreWrittenInASCII(t *testing.T) {
	for in, want := range map[string]string{
		"":                                "",
		"https://a.example/x?y=1&z=[]#f":  "https://a.example/x?y=1&z=[]#f",
		"https://a.example/%E6%A0%87?%2f": "https://a.example/%E6%A0%87?%2f",
		"https://a.example/标签?q=é#ü":      "https://a.example/%E6%A0%87%E7%AD%BE?q=%C3%A9#%C3%BC",
		"https://bücher.example:8443/x":   "https://xn--bcher-kva.example:8443/x",
		"http://BÜCHER.example:443":       "http://xn--bcher-kva.example:443",
		"https://u:pä@例え.テスト/":            "https://u:p%C3%A4@xn--r8jz45g.xn--zckzah/",
		"https://a.example/100%/50%2":     "https://a.example/100%25/50%252",
		"https://a.example/{x}^|`\"<> \\": "https://a.example/%7Bx%7D%5E%7C%60%22%3C%3E%20%5C",
		"https://[::1]:80/é":              "https://[::1]:80/%C3%A9",
		"https://a b/x":                   "https://a%20b/x",
		"mailto:josé@bücher.example":      "mailto:jos%C3%A9@b%C3%BCcher.example",
		"/tag/标":                          "/tag/%E6%A0%87",
		"https://é?x://y":                 "https://xn--9ca?x://y",
		"https://a.example/\xff":          "https://a.example/%FF",
	} {
		got := URI(in)
		if got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
		if again := URI(got); again != got {
			t.Errorf("%q becomes %q", got, again)
		}
	}
}
