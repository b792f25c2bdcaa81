package api

// MediaForm is the form of POST /api/v1/media, beside the file, and of PUT
// /api/v1/media/:id. An absent description stays as it is. The focus is taken
// and not kept.
type MediaForm struct {
	Description *string `json:"description,omitempty" form:"description"`
	Focus       *string `json:"focus,omitempty" form:"focus"`
}
