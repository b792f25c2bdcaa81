package server

import (
	"context"
	"log/slog"

	"svc/server/platform/config"
)

// leveled logs from the level of the settings, in place of the handler's own.
type leveled struct {
	slog.Handler
	settings *config.Live
}

// Enabled asks the settings, and of the handler only whether it logs at all.
func (l leveled) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= l.settings.Load().LeastLogged() && l.Handler.Enabled(ctx, slog.LevelError)
}

// WithAttrs keeps the level.
func (l leveled) WithAttrs(a []slog.Attr) slog.Handler {
	return leveled{l.Handler.WithAttrs(a), l.settings}
}

// WithGroup keeps the level.
func (l leveled) WithGroup(n string) slog.Handler { return leveled{l.Handler.WithGroup(n), l.settings} }
