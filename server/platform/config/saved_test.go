package config

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc/client/settings/term"
)

func read(t *testing.T, raw string) term.Term {
	t.Helper()
	value, err := term.FromJSON(json.RawMessage(raw))
	if err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	return value
}

// instanceSubkeys are those of the group :instance, all of them.
const instanceSubkeys = `name email notify_email description background_image instance_thumbnail limit description_limit
	chat_limit remote_limit upload_limit avatar_upload_limit background_upload_limit banner_upload_limit poll_limits
	registrations_open invites_enabled account_activation_required account_approval_required federating
	federation_incoming_replies_max_depth federation_reachability_timeout_days federation_publisher_modules
	quarantined_instances allow_relay public static_dir allowed_post_formats extended_nickname_format
	autofollowed_nicknames autofollowing_nicknames max_pinned_statuses max_report_comment_size safe_dm_mentions
	healthcheck remote_post_retention_days skip_thread_containment limit_to_local_content user_bio_length
	user_name_length registration_reason_length max_account_fields max_remote_account_fields
	account_field_name_length account_field_value_length cleanup_attachments attachment_links
	multi_factor_authentication show_reactions password_reset_token_validity external_user_synchronization`

func TestInstanceHas51Subkeys(t *testing.T) {
	s := DefaultSettings()
	for _, l := range s.List(nil, nil) {
		if l.Group != ":svc" || l.Key != ":instance" {
			continue
		}
		var want []string
		for _, name := range strings.Fields(instanceSubkeys) {
			want = append(want, ":"+name)
		}
		got := l.Value.Keys()
		slices.Sort(got)
		slices.Sort(want)
		if diff := cmp.Diff(want, got); diff != "" || len(got) != 51 {
			t.Errorf("%d subkeys (-want +got):\n%s", len(got), diff)
		}
		return
	}
	t.Error("no :instance")
}

func TestEverySettingComesBackFromItsTerm(t *testing.T) {
	s := DefaultSettings()
	for _, row := range Honoured() {
		value, listed := row.encode(row.Value(&s))
		if !listed {
			continue
		}
		wire := read(t, string(value.JSON()))
		// Not as terms: texts that look like atoms are read as those.
		if wire.String() != value.String() {
			t.Errorf("%s: %s comes back from the wire as %s", row.Name(), value, wire)
		}
		if wire.IsNil() {
			if !reflect.DeepEqual(row.Null, row.Value(&s)) {
				t.Errorf("%s: null is listed, and is %v", row.Name(), row.Null)
			}
			continue
		}
		got, ok := row.decode(wire)
		if !ok || !row.within(got) {
			t.Errorf("%s does not take its own default %s", row.Name(), wire)
			continue
		}
		if diff := cmp.Diff(row.Value(&s), got); diff != "" {
			t.Errorf("%s: %s", row.Name(), diff)
		}
	}
}

func TestInertDefaultsCanBeRead(t *testing.T) {
	for _, table := range [][]inert{inertAccounts(), inertMedia(), inertFederation(), inertServices()} {
		for _, line := range table {
			if line.value == "" {
				continue
			}
			value := read(t, line.value)
			if got := line.setting().Default.(term.Term); !got.Equal(value) {
				t.Errorf("%s %s: %s is not %s", line.key, line.path, got, value)
			}
		}
	}
}

func TestSavedValuesLieOverTheOperators(t *testing.T) {
	base := DefaultSettings()
	base.Instance.Limit = 300
	base.Instance.Name = "Operator's"
	base.Instance.Poll.MaxOptions = 7
	saved := func(key, value string) Saved { return Saved{":svc", key, read(t, value)} }
	got, wrong := base.With([]Saved{
		saved(":instance", `[{"tuple":[":limit",null]},{"tuple":[":name","~Saved"]},{"tuple":[":poll_limits",{"max_options":3,":max_option_chars":9}]},
			{"tuple":[":multi_factor_authentication",[{"tuple":[":totp",[{"tuple":[":digits",8]}]]}]]},{"tuple":[":limit_to_local_content",false]}]`),
		saved(":rate_limit", `[{"tuple":[":search",null]},{"tuple":[":timeline",[{"tuple":[1000,1]},null]]}]`),
		saved(":restrict_unauthenticated", `[{"tuple":[":profiles",{":local":false,":remote":true}]},{"tuple":[":timelines",{":local":":if_instance_is_private"}]}]`),
		saved(":http", `[{"tuple":[":proxy_url",{"tuple":[":socks5","127.0.0.1",9050]}]}]`),
		saved(":frontend_configurations", `[{"tuple":[":svc_fe",{":theme":"light",":logo":"/l.png"}]}]`),
		saved(":emoji", `[{"tuple":[":groups",[{"tuple":[":Cats",["/c/*.png"]]}]]}]`),
		saved("Svc.Formatter", `[{"tuple":[":truncate",30]}]`),
		saved(":unknown", `["anything"]`),
		saved("Svc.Captcha", `[{"tuple":[":seconds_valid",0]},{"tuple":[":enabled",false]}]`),
		saved(":oauth2", `"no list"`),
	})
	var names []string
	for _, err := range wrong {
		names = append(names, err.Error())
	}
	if diff := cmp.Diff([]string{"Svc.Captcha :seconds_valid takes an integer from 1 to 2147483647", ":oauth2 takes settings by name", ":oauth2 takes settings by name", ":oauth2 takes settings by name"}, names); diff != "" {
		t.Error(diff)
	}
	want := base
	want.Instance.Name = "~Saved"
	want.Instance.Poll.MaxOptions, want.Instance.Poll.MaxOptionChars = 3, 9
	want.MFA.TOTPDigits = 8
	want.Instance.LimitToLocalContent = LimitNobody
	want.RateLimits[BucketSearch] = Limit{}
	want.RateLimits[BucketTimeline] = Limit{Anonymous: per(1e9, 1)}
	want.Restrict.ProfilesLocal, want.Restrict.ProfilesRemote = Open, Restricted
	want.HTTP.Proxy = Proxy{"socks5", "127.0.0.1", 9050}
	want.FrontendConfigurations = map[string]any{"svc_fe": map[string]any{"theme": "light", "logo": "/l.png"}, "masto_fe": map[string]any{}}
	want.Emoji.Groups = []Group{{"Cats", []string{"/c/*.png"}}}
	want.Formatter.Truncate = 30
	want.Captcha.Enabled = false
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestListShowsWhatActsAndWhatWasSaved(t *testing.T) {
	base := DefaultSettings()
	base.RateLimits = [BucketCount]Limit{BucketDocument: {per(60e9, 15), per(60e9, 15)}}
	list := base.List([]Saved{
		{":svc", ":feed", read(t, `[{"tuple":[":post_title",{":max_length":10}]}]`)},
		{":svc", ":empty", read(t, `[]`)},
		{":other", ":plain", read(t, `false`)},
		{":cors_plug", ":max_age", read(t, `600`)},
		{":svc", "Svc.Uploaders.Local", read(t, `[{"tuple":[":uploads","/"]}]`)},
		{":svc", "Svc.User.Backup", read(t, `[{"tuple":[":dir","/"]},{"tuple":[":limit_days",3]}]`)},
	}, Unlocked{":svc/Svc.User.Backup/:dir"})
	got := map[string]string{}
	for i, l := range list {
		got[l.Group+" "+l.Key] = fmt.Sprint(l.Value, l.Names)
		if i > 0 && (list[i-1].Group > l.Group || list[i-1].Group == l.Group && list[i-1].Key >= l.Key) {
			t.Errorf("%s %s stands before %s %s", list[i-1].Group, list[i-1].Key, l.Group, l.Key)
		}
	}
	for name, want := range map[string]string{
		":svc :feed":               `[{"tuple":[":post_title",{":max_length":10}]}] [:post_title]`,
		":svc :empty":              `[] []`,
		":other :plain":            `false [:plain]`,
		":cors_plug :max_age":      `600 [:max_age]`,
		":svc Svc.Uploaders.Local": `[{"tuple":[":uploads","uploads"]}] [:uploads]`,
		":svc Svc.User.Backup":     `[{"tuple":[":purge_after_days",30]},{"tuple":[":dir","/"]},{"tuple":[":limit_days",3]}] [:dir :limit_days]`,
		":svc :rate_limit":         `[{"tuple":[":ap_routes",{"tuple":[60000,15]}]}] []`,
		":svc Svc.Emails.Mailer":   `[{"tuple":[":enabled",false]},{"tuple":[":adapter","Swoosh.Adapters.Sendmail"]}] []`,
		":ex_aws :s3":              `[] []`,
		":svc :admin_token":        "",
		":svc :mrf_user_allowlist": "",
		":svc :restrict_unauthenticated": `[{"tuple":[":timelines",{":federated":":if_instance_is_private",":local":":if_instance_is_private"}]},` +
			`{"tuple":[":profiles",{":local":":if_instance_is_private",":remote":":if_instance_is_private"}]},` +
			`{"tuple":[":activities",{":local":":if_instance_is_private",":remote":":if_instance_is_private"}]}] []`,
	} {
		if got[name] != want {
			t.Errorf("%s:\n%s\nwant\n%s", name, got[name], want)
		}
	}
}

func TestSecretsAreMaskedAndKept(t *testing.T) {
	mailer := read(t, `[{"tuple":[":relay","mail.example"]},{"tuple":[":password","s3cret"]},{"tuple":[":api_key",""]}]`)
	masked := Redact(":svc", "Svc.Emails.Mailer", mailer)
	if got, want := masked.String(), `[{"tuple":[":relay","mail.example"]},{"tuple":[":password","********"]},{"tuple":[":api_key",""]}]`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got, ok := Unmask(":svc", "Svc.Emails.Mailer", masked, mailer); !ok || !got.Equal(mailer) {
		t.Errorf("%v %s", ok, got)
	}
	if got, _ := Unmask(":svc", "Svc.Emails.Mailer", masked, read(t, `[]`)); got.String() != `[{"tuple":[":relay","mail.example"]},{"tuple":[":api_key",""]}]` {
		t.Errorf("a mask of nothing: %s", got)
	}
	whole := read(t, `"token"`)
	if got := Redact(":svc", ":admin_token", whole); got.String() != `"********"` {
		t.Errorf("%s", got)
	}
	if got, ok := Unmask(":svc", ":admin_token", read(t, `"********"`), whole); !ok || !got.Equal(whole) {
		t.Errorf("%v %s", ok, got)
	}
	for name, c := range map[string][3]string{
		"other log-ins": {":ueberauth", "Ueberauth.Strategy.Facebook.OAuth", `[{"tuple":[":client_id","id"]},{"tuple":[":client_secret","********"]}]`},
		"in a tuple":    {":ueberauth", "Ueberauth", `[{"tuple":[":providers",[{"tuple":[":github",{"tuple":["Ueberauth.Strategy.Github",[{"tuple":[":client_secret","********"]}]]}]}]]}]`},
		"in a list":     {":ueberauth", "Ueberauth", `[1,{":client_secret":"********"}]`},
		"a text as key": {":svc", "Svc.Emails.Mailer", `{"password":"********","relay":"mail.example"}`},
		"bucket":        {":ex_aws", ":s3", `[{"tuple":[":access_key_id","********"]},{"tuple":[":secret_access_key","********"]},{"tuple":[":region","r"]}]`},
		"measurements":  {":prometheus", "Svc.Web.Endpoint.MetricsExporter", `[{"tuple":[":auth","********"]}]`},
		"no log-in":     {":prometheus", "Svc.Web.Endpoint.MetricsExporter", `[{"tuple":[":auth",false]}]`},
	} {
		saved := read(t, strings.ReplaceAll(c[2], Mask, "hidden"))
		shown := Redact(c[0], c[1], saved)
		if shown.String() != c[2] {
			t.Errorf("%s: %s", name, shown)
		}
		if kept, ok := Unmask(c[0], c[1], shown, saved); !ok || !kept.Equal(saved) {
			t.Errorf("%s, written back: %v %s", name, ok, kept)
		}
	}
}

func TestWhatNeedsAReboot(t *testing.T) {
	for _, c := range []struct {
		group, key string
		subkeys    []string
		want       bool
	}{
		{":svc", ":rate_limit", nil, true},
		{":svc", "Oban", []string{":log"}, true},
		{":other", ":chat", nil, false},
		{":svc", ":instance", []string{":name", ":upload_limit"}, true},
		{":svc", ":instance", []string{":name"}, false},
		{":svc", "Svc.Captcha", []string{":seconds_valid"}, true},
		{":svc", "Svc.Upload", []string{":proxy_remote"}, true},
		{":svc", ":gopher", []string{":enabled"}, true},
		{":svc", ":gopher", []string{":port"}, false},
	} {
		if got := term.NeedsReboot(c.group, c.key, c.subkeys...); got != c.want {
			t.Errorf("%v: %v", c, got)
		}
	}
	marked := map[string]bool{}
	for _, row := range Registry() {
		if row.Reboot {
			marked[row.Key] = true
		}
	}
	for _, key := range strings.Fields(":hackney_pools :chat Oban :rate_limit :markup :streamer :pools :connections_pool Svc.Captcha Svc.Upload :instance :gopher") {
		if !marked[key] {
			t.Errorf("nothing of %s is marked", key)
		}
	}
}
