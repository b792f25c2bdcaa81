package activitypub

import (
	"time"

	"svc/db"
)

// Context is the @context of every written document. Shape: JSON-LD 1.1, with
// the terms and namespaces of the fediverse.
func Context() []any {
	id := func(term string) Object { return Object{"@id": term, "@type": "@id"} }
	return []any{
		"https://www.w3.org/ns/activitystreams", "https://w3id.org/security/v1",
		Object{
			"toot": "http://joinmastodon.org/ns#", "schema": "http://schema.org#", "ostatus": "http://ostatus.org#", "litepub": "http://litepub.social/ns#",
			"gts": "https://gotosocial.org/ns#", "fep044f": "https://w3id.org/fep/044f#",
			"sensitive": "as:sensitive", "Hashtag": "as:Hashtag", "manuallyApprovesFollowers": "as:manuallyApprovesFollowers",
			"alsoKnownAs": id("as:alsoKnownAs"), "movedTo": id("as:movedTo"),
			"Emoji": "toot:Emoji", "discoverable": "toot:discoverable", "indexable": "toot:indexable", "featured": id("toot:featured"),
			"votersCount": "toot:votersCount", "blurhash": "toot:blurhash", "focalPoint": Object{"@id": "toot:focalPoint", "@container": "@list"},
			"PropertyValue": "schema:PropertyValue", "value": "schema:value",
			"conversation": id("ostatus:conversation"), "atomUri": "ostatus:atomUri",
			"EmojiReact": "litepub:EmojiReact", "ChatMessage": "litepub:ChatMessage", "capabilities": "litepub:capabilities",
			"invisible": "litepub:invisible", "directMessage": "litepub:directMessage", "listMessage": id("litepub:listMessage"),
			"interactionPolicy": id("gts:interactionPolicy"), "canQuote": id("gts:canQuote"), "automaticApproval": id("gts:automaticApproval"),
			"interactingObject": id("gts:interactingObject"), "interactionTarget": id("gts:interactionTarget"),
			"QuoteRequest": "fep044f:QuoteRequest", "QuoteAuthorization": "fep044f:QuoteAuthorization",
		},
	}
}

// document adds the context to o.
func document(o Object) Object {
	o["@context"] = Context()
	return o
}

// Part returns v as part of another document, without its own context.
func Part(v any) any {
	var from map[string]any
	switch v := v.(type) {
	case Object:
		from = v
	case map[string]any:
		from = v
	default:
		return v
	}
	out := make(Object, len(from))
	for key, value := range from {
		if key != "@context" && key != "bto" && key != "bcc" {
			out[key] = value
		}
	}
	return out
}

// Stamp writes a time for documents: RFC 3339 in UTC with milliseconds, so that
// a row always gives the same text.
func Stamp(t db.Time) string { return stamp(t.Time) }

func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

// list returns a list that is never null in JSON.
func list(from []string) []string {
	if from == nil {
		return []string{}
	}
	return from
}
