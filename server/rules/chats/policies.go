package chats

import (
	"errors"

	"svc/db"
	"svc/server/federation/mrf"
	"svc/server/platform/fault"
)

// judge applies the policies of statuses to a local account's message: they
// refuse it, or change its contents and the descriptions of its files.
func (s *Service) judge(by, to *db.Account, m *db.ChatMessage, files []db.MediaAttachment) error {
	if !by.Local {
		return nil
	}
	var descriptions []string
	for _, f := range files {
		descriptions = append(descriptions, f.Description)
	}
	here := mrf.Here{Host: s.host, Now: s.now(), Texts: s.settings.Texts()}
	a, err := mrf.Filter(&s.settings.Load().Policies, here, mrf.Activity{
		Type: mrf.Create, Actor: mrf.ActorOf(by, s.host), To: []string{to.URI},
		Object: &mrf.Object{Type: mrf.ChatMessage, Content: m.Content, Source: m.Text, Attachments: m.HasMedia, Descriptions: descriptions},
	})
	var r *mrf.Rejection
	if errors.As(err, &r) {
		return fault.Invalid(r.Error())
	}
	if err != nil {
		return err
	}
	if a.Object.Content != m.Content || a.Object.Source != m.Text {
		m.Content, m.Text = here.Texts.Sanitize(a.Object.Content), a.Object.Source
		m.Emojis = s.emojis.In(m.Text)
	}
	m.HasMedia = a.Object.Attachments
	for i := range files {
		files[i].Description = a.Object.Descriptions[i]
	}
	return nil
}
