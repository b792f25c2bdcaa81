package safe

import "testing"

func TestAnAddressInASCIIIsTheShownOne(t *testing.T) {
	for in, want := range map[string]string{
		`<a href="https://a.example/%E6%A0%87?q=%22x%22#%C3%BC">https://a.example/标?q="x"#ü</a>`: `https://a.example/标?q="x"#ü`,
		`<a href="https://a.example/%7Bx%7D">a.example/{x}</a>`:                                  `a.example/{x}`,
		`<a href="https://a.example/100%25">https://a.example/100%</a>`:                          `https://a.example/100%`,
		`<a href="https://b.example/%E6%A0%87">https://a.example/标</a>`:                          `-> link shows https://a.example/标, goes to [b.example/%E6%A0%87]`,
		`<a href="https://a.example%2Fx">https://a.example/x</a>`:                                `-> link shows https://a.example/x, goes to [a.example%2Fx]`,
		`<a href="https://xn--80ak6aa92e.example/">https://аррӏе.example/</a>`:                   `-> link shows https://аррӏе.example/, goes to [xn--80ak6aa92e.example]`,
	} {
		if got := HTML(in).String(); got != want {
			t.Errorf("%s\n got %s\nwant %s", in, got, want)
		}
	}
}
