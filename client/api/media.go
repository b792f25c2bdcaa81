package api

// MediaForm is the form of POST /api/v1/media, beside the file, and of PUT
// /api/v1/media/:id. What is absent stays as it is. Focus is the point of a
// picture that cuts keep: "x,y", each from -1 to 1.
type MediaForm struct {
	Description *string `json:"description,omitempty" form:"description"`
	Focus       *string `json:"focus,omitempty" form:"focus"`
}
