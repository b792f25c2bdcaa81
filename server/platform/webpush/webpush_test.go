package webpush

import (
	"bytes"
	"crypto/ecdh"
	"encoding/base64"
	"errors"
	"strings"
	"testing"
)

// The values of RFC 8291, Appendix A.
const (
	exampleText    = "When I grow up, I want to be a watermelon"
	exampleSender  = "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"
	exampleKey     = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
	exampleAuth    = "BTBZMqHH6r4Tts7J_aSIgg"
	exampleSalt    = "DGv6ra1nlYgDCS1FRnbzlw"
	exampleMessage = "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27ml" +
		"mlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPT" +
		"pK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"
)

func TestMessagesAreThoseOfTheStandard(t *testing.T) {
	r, err := NewReceiver(exampleKey, exampleAuth)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := decode(exampleSender)
	if err != nil {
		t.Fatal(err)
	}
	sender, err := ecdh.P256().NewPrivateKey(raw)
	if err != nil {
		t.Fatal(err)
	}
	salt, err := decode(exampleSalt)
	if err != nil {
		t.Fatal(err)
	}
	got, err := r.encrypt([]byte(exampleText), 0, sender, salt)
	if err != nil {
		t.Fatal(err)
	}
	want, err := decode(exampleMessage)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", base64.RawURLEncoding.EncodeToString(got), exampleMessage)
	}
}

func TestMessagesFitEveryPushService(t *testing.T) {
	r, err := NewReceiver(exampleKey, exampleAuth)
	if err != nil {
		t.Fatal(err)
	}
	for length, want := range map[int]int{0: headerSize + overhead, 1: 512 + headerSize + overhead, 513: 1024 + headerSize + overhead, MaxText: recordSize} {
		body, err := r.Encrypt(make([]byte, length))
		if err != nil {
			t.Fatal(err)
		}
		if len(body) != want {
			t.Errorf("a text of %d bytes makes a body of %d, want %d", length, len(body), want)
		}
	}
	if _, err := r.Encrypt(make([]byte, MaxText+1)); err == nil {
		t.Error("a text that is too long is encrypted")
	}
}

func TestKeysOfReceiversAreChecked(t *testing.T) {
	point, _ := decode(exampleKey)
	off := bytes.Clone(point)
	off[64] ^= 1
	b64 := base64.StdEncoding.EncodeToString
	for name, c := range map[string]struct {
		key, auth string
		want      error
	}{
		"standard base64":  {b64(point), exampleAuth + "==", nil},
		"no base64":        {"???", exampleAuth, ErrKey},
		"off the curve":    {b64(off), exampleAuth, ErrKey},
		"compressed":       {b64(append([]byte{2}, point[1:33]...)), exampleAuth, ErrKey},
		"infinity":         {b64([]byte{0}), exampleAuth, ErrKey},
		"a shorter secret": {exampleKey, strings.TrimSuffix(exampleAuth, "gg"), ErrAuth},
		"a longer secret":  {exampleKey, exampleAuth + "AAAA", ErrAuth},
		"no secret":        {exampleKey, "", ErrAuth},
	} {
		if _, err := NewReceiver(c.key, c.auth); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
}
