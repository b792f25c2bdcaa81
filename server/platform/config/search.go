package config

// The values of Instance.LimitToLocalContent: who may search remote content.
const (
	LimitAnonymous = ":unauthenticated" // the signed in
	LimitAll       = ":all"             // nobody
	LimitNobody    = "false"            // everybody
)

// SearchesLocal reports whether a caller may only search local content.
func (s *Settings) SearchesLocal(signedIn bool) bool {
	limit := s.Instance.LimitToLocalContent
	return limit == LimitAll || limit == LimitAnonymous && !signedIn
}

func searchSettings() []Setting {
	return []Setting{
		row(":instance", ":limit_to_local_content", Word, LimitAnonymous, func(s *Settings) any { return &s.Instance.LimitToLocalContent },
			"Whose searches find local statuses and accounts only: those of callers without a token (:unauthenticated), of everybody (:all), or of nobody (false)").oneOf(LimitAnonymous, LimitAll, LimitNobody),
	}
}
