package remote

import "context"

// Behind has fn done with nobody waiting for it.
func (s *Service) Behind(ctx context.Context, fn func(context.Context)) { s.inBackground(ctx, fn) }
