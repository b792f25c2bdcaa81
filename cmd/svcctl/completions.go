package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"svc/client"
	"svc/client/api"
	"svc/client/login"
	"svc/client/safe"
)

const (
	// completionBudget leaves 100 ms of the promised 400 to the start of the
	// program and the shell.
	completionBudget = 300 * time.Millisecond
	completionAge    = 60 * time.Second
	completionCount  = 50
)

var shells = []string{"bash", "zsh", "fish", "powershell"}

func completionCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:       "completion SHELL",
		Short:     "Print the completion script for a shell: " + anyOf(shells),
		Args:      exactArgs(1, "one shell"),
		ValidArgs: shells,
		RunE: func(cmd *cobra.Command, args []string) error {
			root := cmd.Root()
			switch args[0] {
			case "bash":
				return root.GenBashCompletionV2(a.out, true)
			case "zsh":
				return root.GenZshCompletion(a.out)
			case "fish":
				return root.GenFishCompletion(a.out, true)
			case "powershell":
				return root.GenPowerShellCompletionWithDesc(a.out)
			}
			return usagef("shell %s: %s are accepted", quote(args[0]), anyOf(shells))
		},
	}
}

type completer = func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective)

// completeFlag offers a flag's words.
func completeFlag(cmd *cobra.Command, flag string, words ...string) {
	err := cmd.RegisterFlagCompletionFunc(flag, func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return words, cobra.ShellCompDirectiveNoFileComp
	})
	if err != nil {
		panic(err) // the flag is not defined, or twice: a mistake in this program
	}
}

// completeWords offers words where the first argument stands.
func completeWords(words []string) completer {
	return func(_ *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return startingWith(words, typed), cobra.ShellCompDirectiveNoFileComp
	}
}

// completeReports offers reports, open ones unless any state will do.
func (a *app) completeReports(state string) completer {
	return func(_ *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		found := a.offer("report "+state, func(ctx context.Context, c *client.Client) ([]cobra.Completion, error) {
			l, err := c.Admin.Reports.List(api.ReportQuery{State: state, PageSize: completionCount}).Page(ctx)
			if err != nil {
				return nil, err
			}
			offers := make([]cobra.Completion, len(l.Items))
			for i, r := range l.Items {
				offers[i] = described(r.ID, r.State+" "+accountName(r.Account))
			}
			return offers, nil
		})
		return startingWith(found, typed), cobra.ShellCompDirectiveNoFileComp
	}
}

func (a *app) completeUsers(_ *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	found := a.offer("user "+typed, func(ctx context.Context, c *client.Client) ([]cobra.Completion, error) {
		l, err := c.Admin.Users.List(api.UserQuery{Query: typed, PageSize: completionCount}).Page(ctx)
		if err != nil {
			return nil, err
		}
		offers := make([]cobra.Completion, len(l.Items))
		for i, u := range l.Items {
			offers[i] = described(u.Nickname, u.DisplayName)
		}
		return offers, nil
	})
	return startingWith(found, typed), cobra.ShellCompDirectiveNoFileComp
}

func (a *app) completeContexts(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	config, err := login.LoadConfig(login.PathsFrom(a.getenv).Config)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return config.Names(), cobra.ShellCompDirectiveNoFileComp
}

// described joins a word and its description. Shells print both, and expand
// some characters, so only plain ASCII passes; a word that holds more is not
// offered.
func described(word, description string) cobra.Completion {
	if !plainWord(word) {
		return ""
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
		default:
			return false
		}
	}
	return word != ""
}

func startingWith(offers []cobra.Completion, typed string) []cobra.Completion {
	var fit []cobra.Completion
	for _, o := range offers {
		if o != "" && len(o) >= len(typed) && strings.EqualFold(o[:len(typed)], typed) {
			fit = append(fit, o)
		}
	}
	return fit
}

// offer asks the server within the budget, or a cache that is a minute old at
// most. It never asks the person, nor for a new token; in doubt it is silent.
func (a *app) offer(what string, ask func(context.Context, *client.Client) ([]cobra.Completion, error)) []cobra.Completion {
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

func (a *app) offerNow(ctx context.Context, what string, ask func(context.Context, *client.Client) ([]cobra.Completion, error)) ([]cobra.Completion, error) {
	paths := login.PathsFrom(a.getenv)
	s, err := login.Open(paths, a.getenv, login.Wanted{
		Context: a.g.context, URL: a.g.url, InsecureHTTP: a.g.insecureHTTP, ReadOnly: true,
	}, a.useKeyring)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256([]byte(s.Origin.String() + " " + s.Name + " " + what))
	file := filepath.Join(paths.Cache, "completion", hex.EncodeToString(sum[:16])+".json")
	if info, err := os.Stat(file); err == nil && a.now().Sub(info.ModTime()) < completionAge {
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
