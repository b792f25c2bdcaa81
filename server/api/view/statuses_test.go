package view

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/s2"

	"svc/client/api"
	"svc/db"
)

// hostile is text that contains the marks of the splicer.
const hostile = `"account":null,"favourited":false,"reblogged":false,"muted":false,"bookmarked":false,"poll":null,"emoji_reactions":[],"expires_at":null,"direct_conversation_id":null,"thread_muted":false,"parent_visible":false \\u003c <b>&amp;</b> \u003cp "reblog":{"id":""`

var testDict = func() *s2.Dict {
	d, err := dictionary("https://svc.example")
	if err != nil {
		panic(err)
	}
	return d
}()

func TestStatusesPackWell(t *testing.T) {
	cut, err := cutStatus(1, &api.Status{ID: "BCg6sciw2jxFXTUh1M", URI: "https://svc.example/objects/01a1fee2-1ffc-7a35-aad2-8ec951717103",
		URL: "https://svc.example/notice/BCg6sciw2jxFXTUh1N", Visibility: db.Public, Content: "A sentence that nobody has ever posted."}, testDict)
	if err != nil {
		t.Fatal(err)
	}
	if len(cut.packed) > cut.size()/3 {
		t.Errorf("%d bytes are packed into %d", cut.size(), len(cut.packed))
	}
}

func BenchmarkUnpack(b *testing.B) {
	cut, err := cutStatus(1, &api.Status{ID: "1", Content: strings.Repeat("words of a status, ", 10)}, testDict)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(cut.size()))
	for b.Loop() {
		if _, ok := cut.unpack(testDict, new([]byte)); !ok {
			b.Fatal("not unpacked")
		}
	}
}

func decode(t *testing.T, raw []byte) any {
	t.Helper()
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatalf("%v: %s", err, raw)
	}
	return v
}

// A status that is put together from pieces equals the output of client/api's
// encoder.
func TestASplicedStatusIsTheEncodedOne(t *testing.T) {
	account := api.Account{ID: "a", DisplayName: hostile}
	accountJSON, err := json.Marshal(account)
	if err != nil {
		t.Fatal(err)
	}
	text := hostile
	for flags := range 64 {
		want := api.Status{ID: "1", URI: hostile, Content: hostile, SpoilerText: hostile, Text: &text,
			Mentions: api.List[api.Mention]{{Acct: hostile}}, Svc: api.StatusSvc{Local: true, Content: api.PlainText{Plain: hostile}}}
		cut, err := cutStatus(1, &want, testDict)
		if err != nil {
			t.Fatal(err)
		}
		ref := db.StatusRef{ID: "1", AccountID: "a", Favourited: flags&1 > 0, Reblogged: flags&2 > 0, Muted: flags&4 > 0, ThreadMuted: flags&8 > 0, ParentVisible: flags&16 > 0, Bookmarked: flags&32 > 0}
		p := &prepared{dict: testDict, statuses: map[string]*statusJSON{"1": cut}, accounts: map[string][]byte{"a": accountJSON}}
		var got bytes.Buffer
		if !p.write(&got, &ref) {
			t.Fatal("nothing was written")
		}
		want.Account, want.Favourited, want.Reblogged, want.Muted, want.Bookmarked = &account, ref.Favourited, ref.Reblogged, ref.Muted, ref.Bookmarked
		want.Svc.ThreadMuted, want.Svc.ParentVisible = ref.ThreadMuted, ref.ParentVisible
		encoded, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(decode(t, encoded), decode(t, got.Bytes())); diff != "" {
			t.Fatalf("flags %b: %s", flags, diff)
		}

		boost := api.Status{ID: "2", Content: hostile, Reblog: &api.Status{}, Svc: api.StatusSvc{Local: true}}
		wrapped, err := cutStatus(1, &boost, testDict)
		if err != nil {
			t.Fatal(err)
		}
		p.statuses["2"] = wrapped
		outer := ref
		outer.ID, outer.ReblogOfID, outer.ReblogAccountID = "2", "1", "a"
		got.Reset()
		if !p.write(&got, &outer) {
			t.Fatal("no boost was written")
		}
		boost.Account, boost.Reblog, boost.Favourited, boost.Reblogged, boost.Bookmarked = &account, &want, ref.Favourited, ref.Reblogged, ref.Bookmarked
		if encoded, err = json.Marshal(boost); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(decode(t, encoded), decode(t, got.Bytes())); diff != "" {
			t.Fatalf("boost, flags %b: %s", flags, diff)
		}
	}
}

func TestABoostOfSomethingGoneIsLeftOut(t *testing.T) {
	wrapped, err := cutStatus(1, &api.Status{ID: "2", Reblog: &api.Status{}}, testDict)
	if err != nil {
		t.Fatal(err)
	}
	p := &prepared{dict: testDict, statuses: map[string]*statusJSON{"2": wrapped}, accounts: map[string][]byte{"a": []byte("{}")}}
	if p.write(new(bytes.Buffer), &db.StatusRef{ID: "2", AccountID: "a", ReblogOfID: "1"}) {
		t.Error("a boost of nothing was written")
	}
}

func TestPlainHTMLUndoesOnlyTheEscapes(t *testing.T) {
	for _, s := range []string{"<p>a & b</p>", `\u003c`, `\\u003c`, `\\\u003c <`, "\\", "\u2028", "\x7f\x01", strings.Repeat(`\<`, 50)} {
		raw, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		var got string
		plain := plainHTML(raw)
		if err := json.Unmarshal(plain, &got); err != nil || got != s {
			t.Errorf("%q became %q: %v", s, got, err)
		}
		if strings.Contains(s, "<") && !bytes.Contains(plain, []byte("<")) {
			t.Errorf("%q is still escaped: %s", s, plain)
		}
	}
}

func FuzzSplice(f *testing.F) {
	f.Add(hostile, hostile)
	f.Fuzz(func(t *testing.T, content, name string) {
		s := api.Status{ID: "1", Content: content, SpoilerText: name}
		cut, err := cutStatus(1, &s, testDict)
		if err != nil {
			t.Fatal(err)
		}
		p := &prepared{dict: testDict, statuses: map[string]*statusJSON{"1": cut}, accounts: map[string][]byte{"a": []byte(`{"id":"a"}`)}}
		var out bytes.Buffer
		p.write(&out, &db.StatusRef{ID: "1", AccountID: "a", Favourited: true})
		var got api.Status
		if err := json.Unmarshal(out.Bytes(), &got); err != nil || !got.Favourited || got.Account == nil || got.Account.ID != "a" {
			t.Fatalf("%v: %s", err, out.Bytes())
		}
	})
}
