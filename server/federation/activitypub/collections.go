package activitypub

// OrderedCollection is a collection that is read by pages, from the address
// first on; an empty one has none. A negative total is hidden.
func OrderedCollection(id string, total int64, first string) Object {
	out := Object{"id": id, "type": "OrderedCollection"}
	if total >= 0 {
		out["totalItems"] = total
	}
	if first != "" {
		out["first"] = first
	}
	return document(out)
}

// OrderedItems is a collection on one page.
func OrderedItems(id string, items []any) Object {
	return document(Object{"id": id, "type": "OrderedCollection", "totalItems": len(items), "orderedItems": parts(items)})
}

// Items is an unordered collection on one page.
func Items(id string, items []any) Object {
	return document(Object{"id": id, "type": "Collection", "totalItems": len(items), "items": parts(items)})
}

// PageInput is the content of one page of a collection. Prev and Next are
// addresses, or empty; a negative Total is hidden.
type PageInput struct {
	ID, PartOf, Prev, Next string
	Total                  int64
	Items                  []any // ids or documents
}

// Page is a page of an ordered collection.
func Page(in PageInput) Object {
	out := Object{"id": in.ID, "type": "OrderedCollectionPage", "partOf": in.PartOf, "orderedItems": parts(in.Items)}
	if in.Total >= 0 {
		out["totalItems"] = in.Total
	}
	if in.Prev != "" {
		out["prev"] = in.Prev
	}
	if in.Next != "" {
		out["next"] = in.Next
	}
	return document(out)
}

func parts(items []any) []any {
	out := make([]any, len(items))
	for i, item := range items {
		out[i] = Part(item)
	}
	return out
}
