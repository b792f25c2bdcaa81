package social

import (
	"context"
	"slices"

	"svc/db"
	"svc/server/federation/mrf"
	"svc/server/platform/config"
	"svc/server/platform/hosts"
	"svc/server/platform/jobs"
)

// fetchForPolicies enqueues the fetches that policies want for a remote status:
// its pictures before they are viewed, and its emoji for local use.
func (s *Service) fetchForPolicies(ctx context.Context, tx *db.DB, d *RemoteDraft, row *db.Status) error {
	settings := s.settings.Load()
	author := mrf.ActorOf(d.author, s.host)
	if urls := warmed(settings, author, d.files); len(urls) > 0 {
		if err := jobs.Enqueue(ctx, tx, jobs.WarmMedia{URLs: urls}); err != nil {
			return err
		}
	}
	if urls := s.stolen(settings, author, row.Emojis); len(urls) > 0 {
		return jobs.Enqueue(ctx, tx, jobs.StealEmoji{URLs: urls})
	}
	return nil
}

func warmed(settings *config.Settings, author mrf.Actor, files []db.MediaAttachment) []string {
	if len(files) == 0 || !settings.MediaProxy.Enabled || !mrf.Acts(&settings.Policies, author, "MediaProxyWarmingPolicy") {
		return nil
	}
	var urls []string
	for i := range files {
		for _, url := range []string{files[i].RemoteURL, files[i].URL} {
			if url != "" && !slices.Contains(urls, url) {
				urls = append(urls, url)
			}
		}
	}
	return urls
}

// stolen returns the addresses of the emoji to copy, by shortcode, without the
// shortcodes that exist here.
func (s *Service) stolen(settings *config.Settings, author mrf.Actor, emojis []db.Emoji) map[string]string {
	steal := &settings.Policies.StealEmoji
	if len(emojis) == 0 || !hosts.Among(steal.Hosts, author.Host) || !mrf.Acts(&settings.Policies, author, "StealEmojiPolicy") {
		return nil
	}
	urls := map[string]string{}
	for _, e := range emojis {
		refused := slices.ContainsFunc(steal.RejectedShortcodes, func(p config.Pattern) bool { return p.Match(e.Shortcode) })
		if !refused && len(s.emojis.In(":"+e.Shortcode+":")) == 0 {
			urls[e.Shortcode] = e.URL
		}
	}
	return urls
}
