package social

import "svc/server/platform/text"

// formatting completes the options for a text from the settings.
func (s *Service) formatting(o text.Options) text.Options {
	o.BaseURL, o.Rules = s.base, s.settings.Texts()
	return o
}
