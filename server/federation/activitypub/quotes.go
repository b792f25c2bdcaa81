package activitypub

import "svc/db"

// interactionPolicy says who may quote a post without being asked back: everybody
// what everybody may see, else the author alone. Shape: FEP-044f.
func interactionPolicy(s *db.Status, author *db.Account) Object {
	who := author.URI
	if s.Quotable() {
		who = Public
	}
	return Object{"canQuote": Object{"automaticApproval": []string{who}}}
}

// QuoteID is the id of the leave to quote a post.
func QuoteID(object, id string) string { return object + "/quotes/" + id }

// QuoteAuthorization is the leave for a post, quoting, to quote one of this
// server, quoted. Shape: FEP-044f.
func QuoteAuthorization(id, author, quoting, quoted string) Object {
	return document(Object{
		"id": id, "type": "QuoteAuthorization", "attributedTo": author, "interactingObject": quoting, "interactionTarget": quoted,
	})
}
