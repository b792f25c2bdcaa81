package view

import (
	"bytes"
	"encoding/json"
	"errors"

	"github.com/klauspost/compress/s2"

	"svc/client/api"
	"svc/db"
)

// statusJSON is a status at one version, as JSON with gaps for the account, a
// reblogged status, and the parts that depend on the viewer. The encoder of
// client/api makes it, so the wire is defined once. It is kept packed: many
// more fit into the same memory, and unpacking is quick.
type statusJSON struct {
	version int64
	reblog  bool
	ends    [4]int32 // where the first four of five parts end
	packed  []byte
	extras  *extras // nil for most
}

// The texts that are cut out of a rendered status. In a JSON string quotes are
// escaped, so none of these can stand inside one.
const (
	accountHole = `"account":null`
	flagsHole   = `"poll":null,"quote":null,` + reblogHole
	reblogHole  = `"favourited":false,"reblogged":false,"muted":false,"bookmarked":false,`
	filterName  = `"filtered":`
	filterHole  = filterName + `[]`
	svcHole     = `"direct_conversation_id":null,"expires_at":null,"emoji_reactions":[],"thread_muted":false,"parent_visible":false`
)

var errShape = errors.New("a rendered status has not the expected shape")

// cutStatus renders s, cuts it and packs it. A reblogged status is cut out whole.
func cutStatus(version int64, s *api.Status, dict *s2.Dict) (*statusJSON, error) {
	raw, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	out := &statusJSON{version: version, reblog: s.Reblog != nil}
	rest, kept := plainHTML(raw), make([]byte, 0, len(raw))
	part := 0
	cut := func(hole string, keep int) bool {
		i := bytes.Index(rest, []byte(hole))
		if i < 0 {
			return false
		}
		kept = append(kept, rest[:i+keep]...)
		out.ends[part] = int32(len(kept))
		part++
		rest = rest[i+len(hole):]
		return true
	}
	ok := cut(accountHole, len(`"account":`))
	if out.reblog {
		empty, err := json.Marshal(s.Reblog)
		if err != nil {
			return nil, err
		}
		ok = ok && cut(`"reblog":`+string(plainHTML(empty)), len(`"reblog":`)) && cut(reblogHole, 0) && cut(filterHole, len(filterName))
	} else {
		ok = ok && cut(flagsHole, 0) && cut(filterHole, len(filterName)) && cut(svcHole, 0)
	}
	if !ok {
		return nil, errShape
	}
	out.packed = bytes.Clone(dict.Encode(nil, append(kept, rest...)))
	return out, nil
}

// size is how long the parts are together.
func (s *statusJSON) size() int {
	n, err := s2.DecodedLen(s.packed)
	if err != nil {
		return 0
	}
	return n
}

// unpack returns the parts. They stand in scratch, until it is used again.
func (s *statusJSON) unpack(dict *s2.Dict, scratch *[]byte) (parts [5][]byte, ok bool) {
	raw, err := dict.Decode((*scratch)[:cap(*scratch)], s.packed)
	if err == nil {
		*scratch = raw
	}
	if err != nil || len(raw) < int(s.ends[3]) {
		return parts, false
	}
	start := 0
	for i, end := range s.ends {
		parts[i] = raw[start:end]
		start = int(end)
	}
	parts[4] = raw[start:]
	return parts, true
}

// dictionary has the text that packed statuses share: the names of the fields,
// and frequent values.
func dictionary(base string) (*s2.Dict, error) {
	id, uri := "BCg6sciw2jxFXTUh1M", base+"/objects/01a1fee2-1ffc-7a35-aad2-8ec951717102"
	conversation := int64(1)
	sample := api.Status{
		ID: id, URI: uri, URL: base + "/notice/" + id, InReplyToID: &id, InReplyToAccountID: &id, Visibility: db.Unlisted,
		Content: `<span class="h-card"><a class="u-url mention" data-user="` + id + `" href="` + base + `/users/" rel="ugc">@<span></span></a></span> ` +
			`<a class="hashtag" data-tag="" href="` + base + `/tag/" rel="tag ugc">#</a> <a href="https://" rel="ugc">https://</a><br>`,
		Mentions: api.List[api.Mention]{{ID: id, URL: base + "/users/"}}, Tags: api.List[api.Tag]{{URL: base + "/tag/"}},
		MediaAttachments: api.List[api.Attachment]{{Type: "image", URL: base + "/media/", Svc: api.AttachmentSvc{MimeType: "image/png"}}},
		Application:      &api.Application{Name: "Web"}, Svc: api.StatusSvc{Local: true, ConversationID: &conversation, InReplyToAccountAcct: &id},
	}
	plain := api.Status{ID: id, URI: uri, URL: base + "/notice/" + id, Visibility: db.Public, Svc: api.StatusSvc{Local: true, ConversationID: &conversation}}
	reblog := api.Status{ID: id, Reblog: &api.Status{}, Svc: api.StatusSvc{Local: true}}
	var all []byte
	for _, s := range []api.Status{sample, reblog, plain} { // the nearest to the end packs best
		raw, err := json.Marshal(s)
		if err != nil {
			return nil, err
		}
		all = append(all, plainHTML(raw)...)
	}
	dict := s2.MakeDict(all, []byte(`{"id":"`))
	if dict == nil {
		return nil, errShape
	}
	return dict, nil
}
