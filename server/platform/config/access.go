package config

import "time"

func accessSettings() []Setting {
	restrict := func(path, description string, field func(*Restrict) any) Setting {
		return row(":restrict_unauthenticated", path, RestrictKind, IfPrivate, func(s *Settings) any { return field(&s.Restrict) }, description).inMap()
	}
	rows := []Setting{
		restrict(":timelines :local", "Whether the local timeline needs a login", func(r *Restrict) any { return &r.TimelinesLocal }),
		restrict(":timelines :federated", "Whether the federated timeline needs a login", func(r *Restrict) any { return &r.TimelinesFederated }),
		restrict(":profiles :local", "Whether local profiles need a login", func(r *Restrict) any { return &r.ProfilesLocal }),
		restrict(":profiles :remote", "Whether remote profiles need a login", func(r *Restrict) any { return &r.ProfilesRemote }),
		restrict(":activities :local", "Whether single local statuses need a login", func(r *Restrict) any { return &r.ActivitiesLocal }),
		restrict(":activities :remote", "Whether single remote statuses need a login", func(r *Restrict) any { return &r.ActivitiesRemote }),
	}
	limits := []struct {
		bucket          Bucket
		name            string
		anonymous, user Rate
		description     string
	}{
		{BucketAuthentication, ":authentication", per(time.Minute, 15), per(time.Minute, 15), "Log-ins"},
		{BucketTimeline, ":timeline", per(500*time.Millisecond, 3), per(500*time.Millisecond, 3), "Reads of timelines, counted for each kind of timeline"},
		{BucketSearch, ":search", per(time.Second, 10), per(time.Second, 30), "Searches"},
		{BucketAccountCreation, ":app_account_creation", per(30*time.Minute, 25), per(30*time.Minute, 25), "Registrations"},
		{BucketRelations, ":relations_actions", per(10*time.Second, 10), per(10*time.Second, 10), "Follows and unfollows of any accounts"},
		{BucketRelation, ":relation_id_action", per(time.Minute, 2), per(time.Minute, 2), "Follows and unfollows of one account"},
		{BucketStatuses, ":statuses_actions", per(10*time.Second, 15), per(10*time.Second, 15), "Posts, deletions, reblogs and favourites of any statuses"},
		{BucketStatus, ":status_id_action", per(time.Minute, 3), per(time.Minute, 3), "Reblogs and favourites of one status"},
		{BucketPasswordReset, ":password_reset", per(30*time.Minute, 5), per(30*time.Minute, 5), "Requests for a new password by mail"},
		{BucketConfirmationResend, ":account_confirmation_resend", per(8640*time.Second, 5), per(8640*time.Second, 5), "Requests for another confirmation mail"},
		{BucketUploads, ":uploads", per(10*time.Minute, 60), per(10*time.Minute, 60), "Uploads of files"},
		{BucketCaptcha, ":captcha", per(time.Minute, 30), per(time.Minute, 30), "Requests for a captcha"},
		{BucketDocument, ":ap_routes", per(time.Minute, 15), per(time.Minute, 15), "Requests of other servers for one post or activity"},
	}
	for _, l := range limits {
		rows = append(rows, row(":rate_limit", l.name, RateKind, Limit{l.anonymous, l.user},
			func(s *Settings) any { return &s.RateLimits[l.bucket] }, l.description).null(Limit{}))
	}
	return append(rows,
		row(":streaming", ":connections_per_user", Integer, 100, func(s *Settings) any { return &s.Streams.PerUser },
			"Streams that a user may have open at once in a process; 0 is any number").between(0, 100000),
		row(":streaming", ":connections_per_address", Integer, 100, func(s *Settings) any { return &s.Streams.PerAddress },
			"Streams without a user that an address may have open at once in a process; 0 is any number").between(0, 100000),
		row(":chat", ":enabled", Boolean, true, func(s *Settings) any { return &s.ChatRoom }, "Whether there is a chat room of the instance"),
	)
}

func per(window time.Duration, count int) Rate { return Rate{Window: window, Count: count} }
