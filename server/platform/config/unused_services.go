package config

func inertFederation() []inert {
	const svc, pub, pool = ":svc", ":activitypub", ":connections_pool"
	return []inert{
		{svc, ":http", ":adapter", `[]`, "Options of the HTTP client"},
		{svc, pool, ":connection_acquisition_wait", `250`, "How long a call waits for a free connection, in milliseconds"},
		{svc, pool, ":connection_acquisition_retries", `5`, "How often a call waits for a free connection"},
		{svc, pool, ":reclaim_multiplier", `0.1`, "Part of the idle connections that is closed when there are too many"},
		{svc, pool, ":retry", `0`, "How often a failed connection is tried again"},
		{svc, ":pools", ":upload :size", `25`, "Calls at once, for uploads"},
		{svc, ":pools", ":upload :max_waiting", `5`, "Calls that may wait, for uploads"},
		{svc, ":pools", ":upload :recv_timeout", `15000`, "How long an answer may take, for uploads, in milliseconds"},
		{svc, ":hackney_pools", ":federation :max_connections", `50`, "Connections of another HTTP client, for federation"},
		{svc, ":hackney_pools", ":federation :timeout", `150000`, "How long idle connections are kept, in milliseconds"},
		{svc, ":hackney_pools", ":media :max_connections", `50`, "Connections of another HTTP client, for files"},
		{svc, ":hackney_pools", ":media :timeout", `150000`, "How long idle connections are kept, in milliseconds"},
		{svc, ":hackney_pools", ":upload :max_connections", `25`, "Connections of another HTTP client, for uploads"},
		{svc, ":hackney_pools", ":upload :timeout", `300000`, "How long idle connections are kept, in milliseconds"},
	}
}

func inertServices() []inert {
	const svc, push = ":svc", ":web_push_encryption"
	return []inert{
		{svc, "Oban", ":queues :token_expiration", `5`, "Jobs at once that delete tokens"},
		{svc, "Oban", ":queues :ingestion_queue", `50`, "Jobs at once that read activities"},
		{svc, "Oban", ":queues :transmogrifier", `20`, "Jobs at once that convert activities"},
		{svc, "Oban", ":queues :new_users_digest", `1`, "Jobs at once that tell admins of new accounts"},
		{svc, "Oban", ":queues :mute_expire", `5`, "Jobs at once that end mutes"},
		{svc, "Oban", ":log", `false`, "Whether jobs are logged"},
		{svc, "Oban", ":plugins", `[]`, "Plugins of the job queue"},
		{svc, "Oban", ":repo", `"Svc.Repo"`, "Database of the job queue"},
		{push, ":gcm_api_key", "", "", "Key for old browsers" + secretNote},
		{":logger", ":console", ":format", `"$metadata[$level] $message"`, "Format of the lines of the log"},
		{":logger", ":console", ":metadata", `[":request_id"]`, "Further values in each line of the log"},
		{":prometheus", "Svc.Web.Endpoint.MetricsExporter", ":format", `":text"`, "Format of the metrics"},
		{svc, ":streamer", ":workers", `3`, "Processes that push what is new"},
		{svc, ":streamer", ":overflow_workers", `2`, "Further processes under load"},
		{svc, ":modules", ":runtime_dir", `"instance/modules"`, "Folder of programs that are loaded" + lockedNote},
		{svc, ":majic_pool", ":size", `2`, "Processes that recognise files"},
		{svc, ":gopher", ":enabled", `false`, "Whether gopher is served"},
		{svc, ":gopher", ":ip", `{"tuple":[0,0,0,0]}`, "Address that gopher is served on"},
		{svc, ":gopher", ":port", `9999`, "Port that gopher is served on"},
		{svc, ":gopher", ":dstport", "", "Port at which people reach gopher"},
		{":quack", ":webhook_url", "", "", "Address that errors are posted to" + secretNote},
	}
}
