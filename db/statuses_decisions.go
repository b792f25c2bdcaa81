package db

// A decision of a moderator about a status stands in Sensitive or Visibility,
// which everything reads. While it stands, AuthorSensitive or AuthorVisibility has
// the author's own value: edits by the author change only that.

// SaidSensitive returns the sensitivity by the author's own word.
func (s *Status) SaidSensitive() bool {
	if s.AuthorSensitive != nil {
		return *s.AuthorSensitive
	}
	return s.Sensitive
}

// SaySensitive stores the author's word. It has no effect while a moderator's
// decision stands. The columns are sensitive and author_sensitive.
func (s *Status) SaySensitive(sensitive bool) {
	if s.AuthorSensitive != nil {
		s.AuthorSensitive = &sensitive
		return
	}
	s.Sensitive = sensitive
}

// DecideSensitive stores a moderator's decision. "Not sensitive", where the
// author says the same, takes a decision back. The columns are those of
// SaySensitive.
func (s *Status) DecideSensitive(sensitive bool) {
	said := s.SaidSensitive()
	if s.AuthorSensitive = &said; !said && !sensitive {
		s.AuthorSensitive = nil
	}
	s.Sensitive = sensitive
}

// SaidVisibility returns the visibility by the author's own word.
func (s *Status) SaidVisibility() string {
	if s.AuthorVisibility != "" {
		return s.AuthorVisibility
	}
	return s.Visibility
}

// DecideVisibility stores a moderator's decision; the author's own visibility
// takes one back. The columns are visibility and author_visibility.
func (s *Status) DecideVisibility(visibility string) {
	said := s.SaidVisibility()
	if s.AuthorVisibility = said; said == visibility {
		s.AuthorVisibility = ""
	}
	s.Visibility = visibility
}
