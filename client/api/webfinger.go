package api

// WebFinger names an account and where to find more about it. Shape: RFC 7033.
type WebFinger struct {
	Subject string              `json:"subject"`
	Aliases List[string]        `json:"aliases"`
	Links   List[WebFingerLink] `json:"links"`
}

// WebFingerLink is one place to find more.
type WebFingerLink struct {
	Rel      string `json:"rel"`
	Type     string `json:"type,omitempty"`
	Href     string `json:"href,omitempty"`
	Template string `json:"template,omitempty"` // {uri} stands for the account
}

// WebFingerQuery asks for an account by its handle, acct:user@host, or by the address of
// its actor or profile.
type WebFingerQuery struct {
	Resource string `json:"resource" form:"resource" binding:"required"`
}
