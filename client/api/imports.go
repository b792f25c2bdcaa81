package api

// NewImport is the form of the imports: a list of handles, one a line or in the
// first column of CSV. It may also come as a file.
type NewImport struct {
	List string `json:"list" form:"list"`
}
