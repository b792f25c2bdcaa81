package server

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	"svc/server/platform/fault"
	"svc/server/platform/jobs"
	"svc/server/platform/mail"
)

// staleMail is the age at which a queued mail is dropped, since its text is
// outdated.
const staleMail = 24 * time.Hour

// mailWorkers binds the jobs that send mail.
func (s *Server) mailWorkers(w *river.Workers, r *runner) {
	river.AddWorker(w, river.WorkFunc(func(ctx context.Context, j *river.Job[jobs.SendMail]) error {
		return s.send(ctx, r, j.JobRow, func(ctx context.Context, id string) error { return s.Mail.Send(ctx, id, j.Args) })
	}))
	river.AddWorker(w, river.WorkFunc(func(ctx context.Context, j *river.Job[jobs.SendLink]) error {
		return s.send(ctx, r, j.JobRow, func(ctx context.Context, id string) error { return s.Signup.SendLink(ctx, id, j.Args) })
	}))
	perform(w, func(ctx context.Context, args jobs.Welcome) error {
		err := s.Signup.Greet(ctx, args)
		var refused *fault.Error
		if errors.As(err, &refused) && refused.Kind != fault.KindUnavailable { // a refusal by a rule is final
			s.log.WarnContext(ctx, "cannot welcome a new account", "account", args.AccountID, "err", err)
			return river.JobCancel(err)
		}
		return err
	})
}

// send sends a mail while the job still belongs to this runner. It gives up if
// another attempt is useless.
func (s *Server) send(ctx context.Context, r *runner, j *rivertype.JobRow, send func(ctx context.Context, id string) error) error {
	if s.now().Sub(j.CreatedAt) > staleMail {
		return river.JobCancel(errors.New("the mail was not sent in time"))
	}
	ctx, err := r.claimed(ctx, j.ID)
	if err != nil {
		return err
	}
	err = send(ctx, fmt.Sprintf("%s.%d.%d", j.Kind, j.ID, j.CreatedAt.UnixMicro()))
	var refused *mail.Refused
	if errors.As(err, &refused) {
		s.log.WarnContext(ctx, "gave up a mail", "kind", j.Kind, "job", j.ID, "err", err)
		return river.JobCancel(err)
	}
	return err
}
