package fault

import (
	"errors"
	"fmt"
	"testing"
)

func TestErrorReadsAsMessageElseFieldsElseKind(t *testing.T) {
	for _, c := range []struct {
		err  *Error
		want string
	}{
		{Invalidf("at most %d", 5), "at most 5"},
		{Invalid("", Field{"nickname", "is taken"}, Field{"email", "is empty"}), "nickname is taken, email is empty"},
		{&Error{Kind: KindTooLarge}, "too large"},
		{&Error{}, "kind 0"},
	} {
		if got := c.err.Error(); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

func TestIsSeesThroughWrapping(t *testing.T) {
	err := fmt.Errorf("report %s: %w", "a", Gone("gone"))
	if !Is(err, KindGone) || Is(err, KindNotFound) || Is(errors.New("gone"), KindGone) || Is(nil, KindGone) {
		t.Errorf("Is misjudges %v", err)
	}
}

func TestWithLeavesTheOriginalAlone(t *testing.T) {
	plain := Forbidden("no")
	named := plain.With("missing_confirmed_email")
	if plain.Identifier != "" || named.Identifier != "missing_confirmed_email" || named.Message != "no" {
		t.Errorf("got %+v and %+v", plain, named)
	}
}
