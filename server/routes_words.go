package server

// takes says which form a route reads: of a GET from its query, else from its body.
func (r *Route) takes(form any) *Route {
	r.Takes = form
	return r
}

// files names the parts of a body that may be files.
func (r *Route) files(names ...string) *Route {
	r.Files = names
	return r
}

// answers says what a route answers if all goes well: one of these.
func (r *Route) answers(what ...any) *Route {
	r.Answers = what
	return r
}

// At is an answer with another status than 200.
type At struct {
	Status int
	Of     any
}

func at(status int, of any) At { return At{status, of} }

// Nothing is an answer without a body.
type Nothing struct{}

var none = Nothing{}

// File is an answer that is not JSON, by its type.
type File struct{ Type string }

func file(kind string) File { return File{kind} }

// With is an answer, or the items of a list, that always has fields which are absent
// elsewhere.
type With struct {
	Of     any
	Fields []string
}

func with(of any, fields ...string) With { return With{of, fields} }
