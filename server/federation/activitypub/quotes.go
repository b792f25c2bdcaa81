package activitypub

import "svc/db"

// interactionPolicy says who may quote a status without approval: everybody if
// everybody may see it, else its author. Shape: FEP-044f.
func interactionPolicy(s *db.Status, author *db.Account) Object {
	who := author.URI
	if s.Quotable() {
		who = Public
	}
	return Object{"canQuote": Object{"automaticApproval": []string{who}}}
}

// QuoteID returns the id of a permission to quote a status.
func QuoteID(object, id string) string { return object + "/quotes/" + id }

// QuoteAuthorization is the permission for the status quoting to quote the
// local status quoted. Shape: FEP-044f.
func QuoteAuthorization(id, author, quoting, quoted string) Object {
	return document(Object{
		"id": id, "type": "QuoteAuthorization", "attributedTo": author, "interactingObject": quoting, "interactionTarget": quoted,
	})
}
