package api

// Poll is a status's question. Its id is an integer printed as a string;
// VotesCount sums the options' votes, VotersCount counts people.
type Poll struct {
	ID          string           `json:"id" schema:"filled"`
	ExpiresAt   *Time            `json:"expires_at"`
	Expired     bool             `json:"expired"`
	Multiple    bool             `json:"multiple"`
	VotesCount  int              `json:"votes_count"`
	VotersCount int              `json:"voters_count"`
	Options     List[PollOption] `json:"options"`
	Voted       bool             `json:"voted"` // true for the author too
	OwnVotes    List[int]        `json:"own_votes"`
	Emojis      List[Emoji]      `json:"emojis"`
}

// PollOption is one answer, in plain text, and its votes.
type PollOption struct {
	Title      string `json:"title"`
	VotesCount int    `json:"votes_count"`
}

// NewPoll is the poll of a NewStatus; ExpiresIn is in seconds and must be
// given.
type NewPoll struct {
	Options    []string `json:"options,omitempty" form:"poll[options][]"`
	ExpiresIn  *Int     `json:"expires_in,omitempty" form:"poll[expires_in]"`
	Multiple   Bool     `json:"multiple,omitempty" form:"poll[multiple]"`
	HideTotals Bool     `json:"hide_totals,omitempty" form:"poll[hide_totals]"`
}

// Votes is the form of POST /api/v1/polls/:id/votes: the places of the chosen
// options, from 0.
type Votes struct {
	Choices []Int `json:"choices" form:"choices[]" binding:"required"`
}
