package api

// InstanceDocument is a text about the server, in HTML. UpdatedAt is nil for one that
// nobody wrote.
type InstanceDocument struct {
	UpdatedAt *Time  `json:"updated_at"`
	Content   string `json:"content"`
}

// TermsOfService are the terms of service, in HTML. EffectiveDate is a day: 2006-01-02.
type TermsOfService struct {
	EffectiveDate string  `json:"effective_date" schema:"date"`
	Effective     bool    `json:"effective"`
	Content       string  `json:"content"`
	SucceededBy   *string `json:"succeeded_by"`
}

// The severities of domain blocks.
const (
	SeveritySuspend = "suspend"
	SeveritySilence = "silence"
)

// LimitedDomain is a host that this server limits. Digest is the SHA-256 of the domain, in
// hexadecimal digits.
type LimitedDomain struct {
	Domain   string `json:"domain" schema:"filled"`
	Digest   string `json:"digest" schema:"filled"`
	Severity string `json:"severity" schema:"enum=suspend silence"`
	Comment  string `json:"comment"`
}

// Language is a language by its code of ISO 639-1.
type Language struct {
	Code string `json:"code" schema:"filled"`
	Name string `json:"name" schema:"filled"`
}
