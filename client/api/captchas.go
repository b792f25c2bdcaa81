package api

// Captcha is the question of a registration: type none asks for nothing, native
// shows a picture of digits at URL, a data: URI. AnswerData goes back unchanged
// with the solution.
type Captcha struct {
	Type         string `json:"type" schema:"filled"`
	Token        string `json:"token,omitempty" schema:"filled"`
	URL          string `json:"url,omitempty" schema:"filled"`
	AnswerData   string `json:"answer_data,omitempty" schema:"filled"`
	SecondsValid int    `json:"seconds_valid,omitempty"`
}

// WhoIs names a user without a login, by nickname or mail address.
type WhoIs struct {
	Email    string `json:"email,omitempty" form:"email"`
	Nickname string `json:"nickname,omitempty" form:"nickname"`
}
