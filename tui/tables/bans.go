package tables

import (
	"svc/client"
	"svc/client/action"
	"svc/client/api"
	"svc/client/safe"
)

// bans shows the files that are banned: not given out, by the media proxy or
// otherwise. The server searches for the filter's first word. b bans another file
// and drops it from caches, p only drops it, d takes a ban back.
var bans = &Noun{
	Name: "bans", Help: "banned files", Needs: api.PrivilegeMedia,
	Columns:  []Column{{Head: "STATE", Width: 12, Tone: true}, {Head: "ADDRESS"}},
	Searches: true,
	Empty:    "no file is banned; {ban} bans one",
	Rows: func(c *client.Client, q Query) Reader {
		return paged(c.Admin.Media.Bans(api.MediaBanQuery{Query: q.Word, PageSize: pageSize}), func(address string) Row {
			return Row{
				ID: address, Target: "media/" + address, Tone: Warn, Copy: address,
				Cells: []safe.Safe{safe.Own("banned"), raw(address)}, More: []Detail{{"", raw(address)}},
			}
		})
	},
	Verbs: []Verb{
		{
			Key: "b", Name: "ban", Help: "ban a file", Kind: action.MediaPurge, Args: map[string]string{"ban": "true"}, New: true, Ask: "address: ",
			Check: func(text string) error { _, err := action.ParseTarget("media", text); return err },
		},
		{
			Key: "p", Name: "purge", Help: "drop a file from caches, without a ban", Kind: action.MediaPurge, New: true, Ask: "address: ",
			Check: func(text string) error { _, err := action.ParseTarget("media", text); return err },
		},
		{Key: "d", Name: "unban", Help: "give the file out again", Kind: action.MediaUnban},
	},
}
