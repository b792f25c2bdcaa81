package cli

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode"

	"github.com/spf13/cobra"

	"svc/client"
	"svc/client/login"
	"svc/client/safe"
)

const (
	// completionBudget leaves 100 ms of the promised 400 to the start of the
	// program and the shell.
	completionBudget = 300 * time.Millisecond
	completionAge    = 60 * time.Second
	// CompletionCount is how many objects are offered at most.
	CompletionCount = 50
)

// Completer offers words for an argument.
type Completer = func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective)

// CompleteFlag offers a flag's words.
func (a *App) CompleteFlag(cmd *cobra.Command, flag string, words ...string) {
	a.CompleteFlagWith(cmd, flag, func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return words, cobra.ShellCompDirectiveNoFileComp
	})
}

// CompleteFlagWith offers for a flag what complete finds. All flags are completed this
// way: cobra keeps what it is told about flags as long as the process lasts, so in a
// server nothing may be told, or each command would stay in memory with its input.
func (a *App) CompleteFlagWith(cmd *cobra.Command, flag string, complete Completer) {
	if a.Hosted() {
		return
	}
	if err := cmd.RegisterFlagCompletionFunc(flag, complete); err != nil {
		panic(err) // the flag is not defined, or twice: a mistake in this program
	}
}

// Described joins a word and its description. Shells print both, and expand
// some characters, so the description is plain ASCII, and a word that holds more
// than letters, digits and what nicknames and addresses need is not offered.
func Described(word, description string) cobra.Completion {
	switch {
	case !plainWord(word):
		return ""
	case description == "":
		return word
	}
	plain := strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' || strings.ContainsRune("`$\\\"'", r) {
			return '?'
		}
		return r
	}, safe.Truncate(safe.Line(description), 40, "~"))
	return cobra.CompletionWithDesc(word, plain)
}

func plainWord(word string) bool {
	for _, r := range word {
		switch {
		case r >= '0' && r <= '9', r >= 'A' && r <= 'Z', r >= 'a' && r <= 'z', strings.ContainsRune("_-.@:/=", r):
		case r > '~' && unicode.In(r, unicode.L, unicode.M, unicode.Nd): // of a nickname
		default:
			return false
		}
	}
	return word != ""
}

// StartingWith are the offers that begin with the typed text, in any case.
func StartingWith(offers []cobra.Completion, typed string) []cobra.Completion {
	var fit []cobra.Completion
	for _, o := range offers {
		if o != "" && len(o) >= len(typed) && strings.EqualFold(o[:len(typed)], typed) {
			fit = append(fit, o)
		}
	}
	return fit
}

// Completing offers the words that ask finds.
func (a *App) Completing(what string, ask func(context.Context, *client.Client) ([]cobra.Completion, error)) Completer {
	return func(_ *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return StartingWith(a.Offer(what, ask), typed), cobra.ShellCompDirectiveNoFileComp
	}
}

// Offer asks the server within the budget, or a cache that is a minute old at
// most. It never asks the person, nor for a new token; in doubt it is silent.
func (a *App) Offer(what string, ask func(context.Context, *client.Client) ([]cobra.Completion, error)) []cobra.Completion {
	ctx, cancel := context.WithTimeout(context.Background(), completionBudget)
	defer cancel()
	done := make(chan []cobra.Completion, 1)
	go func() {
		offers, err := a.offerNow(ctx, what, ask)
		if err != nil {
			offers = nil
		}
		done <- offers
	}()
	select {
	case offers := <-done:
		return offers
	case <-ctx.Done():
		return nil
	}
}

func (a *App) offerNow(ctx context.Context, what string, ask func(context.Context, *client.Client) ([]cobra.Completion, error)) ([]cobra.Completion, error) {
	paths := login.PathsFrom(a.Getenv)
	s, err := login.Open(paths, a.Getenv, login.Wanted{
		Context: a.Flags.Context, URL: a.Flags.URL, InsecureHTTP: a.Flags.InsecureHTTP, ReadOnly: true,
	}, a.UseKeyring)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256([]byte(s.Origin.String() + " " + s.Name + " " + what))
	file := filepath.Join(paths.Cache, "completion", hex.EncodeToString(sum[:16])+".json")
	if info, err := os.Stat(file); err == nil && a.Now().Sub(info.ModTime()) < completionAge {
		var offers []cobra.Completion
		if data, err := os.ReadFile(file); err == nil && json.Unmarshal(data, &offers) == nil {
			return offers, nil
		}
	}
	token := s.Peek()
	if token == "" {
		return nil, nil
	}
	c, err := client.New(s.Origin.String(), client.WithToken(token), client.WithRetries(0),
		client.WithTimeout(completionBudget), client.WithReadOnly(), client.WithInsecureHTTP())
	if err != nil {
		return nil, err
	}
	offers, err := ask(ctx, c)
	if err != nil {
		return nil, err
	}
	if data, err := json.Marshal(offers); err == nil && os.MkdirAll(filepath.Dir(file), 0o700) == nil {
		// A cache that cannot be written only costs time.
		_ = os.WriteFile(file, data, 0o600)
	}
	return offers, nil
}
