package tui

import (
	"context"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"svc/client"
)

// twoInstances are the contexts of a file, of which one has no login.
func twoInstances(opened *[]string) Options {
	return Options{Instances: &Instances{
		List: func() ([]Instance, error) {
			return []Instance{
				{Name: "example.social", URL: "https://example.social", Colour: "red"},
				{Name: "old", URL: "https://old.example"},
				{Name: "staging", URL: "https://staging.example", ReadOnly: true},
			}, nil
		},
		Open: func(_ context.Context, name string) (Options, error) {
			*opened = append(*opened, name)
			if name == "old" {
				return Options{}, errors.New("not logged in to https://old.example")
			}
			return Options{Context: name}, nil
		},
	}}
}

func TestInstancesAreListedAndSwitchedTo(t *testing.T) {
	var opened []string
	d := beginIn(t, newWorld(t), 80, 24, t.TempDir(), twoInstances(&opened))
	d.press(":contexts<enter>")
	d.shows(" > example.social  https://example.social", "   staging  https://staging.example  read-only", "switch to:")
	d.press("sg")
	d.shows("   staging")
	d.hides("   old  https")
	d.press("<tab><enter>")
	if !d.quit || d.m.Next == nil || d.m.Next.Context != "staging" {
		t.Errorf("ended: %t, goes on with %+v", d.quit, d.m.Next)
	}

	d = beginIn(t, newWorld(t), 80, 24, t.TempDir(), twoInstances(&opened))
	d.press(":ctx old<enter>")
	d.shows("not switched to old: not logged in to https://old.example", "REPORTS open")
	d.press(":context example.social<enter>")
	d.shows("this is example.social")
	d.press(":contexts<enter>nowhere<enter>")
	d.shows("there is no context nowhere", "switch to:")
	d.press("<esc>q")
	if d.m.Next != nil || !d.quit {
		t.Errorf("ended: %t, goes on with %+v", d.quit, d.m.Next)
	}
	if want := []string{"staging", "old"}; !slices.Equal(opened, want) {
		t.Errorf("opened %q, want %q", opened, want)
	}
}

func TestSwitchingAsksAboutWhatIsNotSent(t *testing.T) {
	var opened []string
	w := newWorld(t)
	d := beginIn(t, w, 80, 24, t.TempDir(), twoInstances(&opened))
	d.press("r:context staging<enter>")
	d.shows("1 not sent: resolve", "send and switch")
	d.press("<esc>")
	if d.quit || d.m.Next != nil {
		t.Fatalf("ended: %t, goes on with %+v", d.quit, d.m.Next)
	}
	d.press("u")
	d.press("r:context staging<enter>")
	d.press("s")
	if !d.quit || d.m.Next == nil || len(w.writes()) != 1 {
		t.Errorf("ended: %t, goes on with %+v, sent %q", d.quit, d.m.Next, w.writes())
	}
}

// TestTheProgramGoesOnWithAnotherInstance runs the program as it is, on one input.
func TestTheProgramGoesOnWithAnotherInstance(t *testing.T) {
	var o Options
	at := func(w *world, name string) Options {
		c, err := client.New(w.URL, client.WithToken("token"), client.WithHTTPClient(w.Client()))
		if err != nil {
			t.Fatal(err)
		}
		return Options{Client: c, Context: name, StateDir: t.TempDir(), Plain: true, Instances: o.Instances}
	}
	one, other := newWorld(t), newWorld(t)
	other.Reports = other.Reports[:1]
	o.Instances = &Instances{
		List: func() ([]Instance, error) { return []Instance{{Name: "one"}, {Name: "other"}}, nil },
		Open: func(_ context.Context, name string) (Options, error) { return at(other, name), nil },
	}
	in, give, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(give, "contexts\nother\nread\nquit\n"); err != nil {
		t.Fatal(err)
	}
	give.Close()
	var out strings.Builder
	first := at(one, "one")
	first.In, first.Out = in, &out
	if err := Run(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	checkPlain(t, out.String())
	before, after, switched := strings.Cut(out.String(), "Plain mode on other.")
	if !switched || !strings.Contains(before, "Plain mode on one.") || !strings.Contains(after, "Report 1 of 1") {
		t.Errorf("the dialogue was\n%s", out.String())
	}
}
