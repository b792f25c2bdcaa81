// Package push brings notifications to the devices of their accounts, through
// push services (RFC 8030). A device is bound to one token and ends with it.
//
// The package notify decides which notifications exist. Whether a viewer may
// see one is decided by the queries of db, at the time its message is sent.
package push

import (
	"context"
	"errors"
	"log/slog"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"svc/db"
	"svc/server/platform/config"
	"svc/server/platform/fault"
	"svc/server/platform/media"
	"svc/server/platform/outgoing"
	"svc/server/platform/rights"
	"svc/server/platform/tracing"
	"svc/server/platform/webpush"
	"svc/server/rules/auth"
)

// Alerts are the types of notifications that a device may ask for.
var Alerts = []string{
	db.NotifyFollow, db.NotifyFollowRequest, db.NotifyFavourite, db.NotifyMention, db.NotifyReblog, db.NotifyPoll, db.NotifyStatus, db.NotifyUpdate,
	db.NotifySignUp, db.NotifyAdminReport, db.NotifyChat, db.NotifyReaction,
}

var policies = []string{db.PushAll, db.PushFollowed, db.PushFollower, db.PushNone}

// callTime bounds one call of a push service.
const callTime = 10 * time.Second

// maxEndpoint bounds the address of a device, in bytes.
const maxEndpoint = 4000

// Service keeps the devices and sends their messages. It is safe for many
// goroutines.
type Service struct {
	db         *db.DB
	settings   *config.Live
	rights     *rights.Service
	site       config.Site
	auth       *auth.Service
	identities *auth.Identities
	out        *outgoing.Client
	urls       *media.URLs
	now        func() time.Time
	log        *slog.Logger
	traces     *tracing.Traces

	lanes  *lanes
	own    atomic.Pointer[webpush.Keys]
	counts [outcomes]atomic.Int64
}

// Parts are the dependencies of New.
type Parts struct {
	DB         *db.DB
	Settings   *config.Live
	Rights     *rights.Service
	Site       config.Site
	Auth       *auth.Service
	Identities *auth.Identities
	Outgoing   *outgoing.Client
	URLs       *media.URLs
	Traces     *tracing.Traces // nil for none
	Now        func() time.Time
	Log        *slog.Logger
}

// New returns a Service.
func New(p Parts) *Service {
	return &Service{
		db: p.DB, settings: p.Settings, rights: p.Rights, site: p.Site, auth: p.Auth, identities: p.Identities, out: p.Outgoing.Within(callTime).Once(),
		urls: p.URLs, traces: p.Traces, now: p.Now, log: p.Log, lanes: newLanes(p.Now),
	}
}

// keySecret names the private key that the instance made for itself.
const keySecret = "vapid_private_key"

// keys returns the keys that identify the instance: those of the settings or its
// own, which the first call makes. Settings that do not fit together are nil.
func (s *Service) keys(ctx context.Context) (*webpush.Keys, error) {
	if given := &s.settings.Load().Push; !given.Own() {
		return given.Keys(), nil
	}
	if own := s.own.Load(); own != nil {
		return own, nil
	}
	private, err := s.db.Secret(ctx, keySecret, webpush.Draw)
	if err != nil {
		return nil, err
	}
	own, err := webpush.ParseKeys(private)
	if err != nil {
		return nil, err
	}
	s.own.Store(own)
	return own, nil
}

// PublicKey returns the key that devices subscribe with, "" where the settings
// have none that can be used.
func (s *Service) PublicKey(ctx context.Context) (string, error) {
	keys, err := s.keys(ctx)
	if err != nil || keys == nil {
		return "", err
	}
	return keys.Public(), nil
}

// subject is the contact of this server for the operators of push services.
func (s *Service) subject() string {
	settings := s.settings.Load()
	switch {
	case settings.Push.Subject != "":
		return settings.Push.Subject
	case settings.Instance.Email != "":
		return "mailto:" + settings.Instance.Email
	}
	return s.site.Base
}

var errOff = fault.Forbidden("Web push subscription is disabled on this server.")

// on returns the keys, or a refusal while there are none.
func (s *Service) on(ctx context.Context) (*webpush.Keys, error) {
	keys, err := s.keys(ctx)
	if err == nil && keys == nil {
		err = errOff
	}
	return keys, err
}

// Device is a subscription with the server key that it was made for.
type Device struct {
	db.PushSubscription
	ServerKey string
}

// NewDevice is a device to subscribe. A nil Policy means "all".
type NewDevice struct {
	Endpoint, P256dh, Auth string
	Alerts                 []string
	Policy                 *string
}

// held returns the number of the token of a request.
func held(by *auth.Identity) (int64, error) {
	if by.TokenID == 0 { // called by password
		return 0, fault.Forbidden("This method requires an access token")
	}
	return by.TokenID, nil
}

// Subscribe binds a device to a token, in place of the one before.
func (s *Service) Subscribe(ctx context.Context, by *auth.Identity, token string, in NewDevice) (*Device, error) {
	id, err := held(by)
	if err != nil {
		return nil, err
	}
	keys, err := s.on(ctx)
	if err != nil {
		return nil, err
	}
	if err := s.check(in); err != nil {
		return nil, err
	}
	d := &Device{ServerKey: keys.Public(), PushSubscription: db.PushSubscription{
		TokenID: id, AccountID: by.Account.ID, Endpoint: in.Endpoint, P256dh: in.P256dh, Auth: in.Auth,
		Alerts: strings.Join(kept(in.Alerts), " "), Policy: db.PushAll,
	}}
	if in.Policy != nil {
		d.Policy = *in.Policy
	}
	if d.AccessToken, err = s.auth.SealToken(ctx, id, token); err != nil {
		return nil, err
	}
	return d, s.db.PutPushSubscription(ctx, &d.PushSubscription)
}

// check reports all faults of a device.
func (s *Service) check(in NewDevice) error {
	var wrong []fault.Field
	refuse := func(name, message string) { wrong = append(wrong, fault.Field{Name: name, Message: message}) }
	if message := s.refusal(in.Endpoint); message != "" {
		refuse("endpoint", message)
	}
	switch _, err := webpush.NewReceiver(in.P256dh, in.Auth); {
	case errors.Is(err, webpush.ErrKey):
		refuse("p256dh", "must be an uncompressed point of P-256 in base64")
	case err != nil:
		refuse("auth", "must be 16 bytes in base64")
	}
	if in.Policy != nil && !slices.Contains(policies, *in.Policy) {
		refuse("policy", "is not included in the list")
	}
	if len(wrong) > 0 {
		return fault.Invalid("", wrong...)
	}
	return nil
}

// refusal is the reason why an address is not called, "" for none. The address
// is judged again, with those that its name resolves to, at each call.
func (s *Service) refusal(endpoint string) string {
	if len(endpoint) > maxEndpoint {
		return "is too long"
	}
	u, err := url.Parse(endpoint)
	switch {
	case err != nil, u.Scheme != "https" && (u.Scheme != "http" || !s.site.Insecure), u.Fragment != "":
		return "must be an https address"
	case s.out.Refuses(u) != nil:
		return "must be a public address"
	}
	return ""
}

// kept returns those of the types that push can send.
func kept(types []string) []string {
	return slices.DeleteFunc(slices.Clone(Alerts), func(kind string) bool { return !slices.Contains(types, kind) })
}

// Device returns the device of a token.
func (s *Service) Device(ctx context.Context, by *auth.Identity) (*Device, error) {
	return s.withKey(ctx, by, func(id int64) (*db.PushSubscription, error) { return s.db.PushSubscriptionOf(ctx, id) })
}

// Change sets the alerts and the policy of a device; nil keeps a value.
func (s *Service) Change(ctx context.Context, by *auth.Identity, alerts []string, policy *string) (*Device, error) {
	if policy != nil && !slices.Contains(policies, *policy) {
		return nil, fault.Invalid("", fault.Field{Name: "policy", Message: "is not included in the list"})
	}
	var types *string
	if alerts != nil {
		joined := strings.Join(kept(alerts), " ")
		types = &joined
	}
	return s.withKey(ctx, by, func(id int64) (*db.PushSubscription, error) {
		return s.db.ChangePushSubscription(ctx, id, types, policy)
	})
}

func (s *Service) withKey(ctx context.Context, by *auth.Identity, of func(tokenID int64) (*db.PushSubscription, error)) (*Device, error) {
	id, err := held(by)
	if err != nil {
		return nil, err
	}
	keys, err := s.on(ctx)
	if err != nil {
		return nil, err
	}
	row, err := of(id)
	if err != nil {
		return nil, err
	}
	return &Device{*row, keys.Public()}, nil
}

// Unsubscribe removes the device of a token.
func (s *Service) Unsubscribe(ctx context.Context, by *auth.Identity) error {
	id, err := held(by)
	if err == nil {
		_, err = s.on(ctx)
	}
	if err != nil {
		return err
	}
	return s.db.DeletePushSubscriptionOf(ctx, id)
}
