package commands

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/google/shlex"
	"github.com/spf13/cobra"

	"svc/client/action"
	"svc/client/login"
	"svc/cmd/svcctl/cli"
)

// pluginPrefix is how the programs on PATH begin that are commands of svcctl.
const pluginPrefix = "svcctl-"

var extensionName = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,62}$`)

// extended runs what args ask for: a command of root, an alias in terms of them, or
// a plugin, in this order. Aliases and plugins are commands of root too where it
// lists its commands.
func extended(a *cli.App, root *cobra.Command, args []string) int {
	at := commandAt(root, args)
	word := ""
	if at < len(args) {
		word = args[at]
	}
	if builtIn(root, word) && word != "help" && !strings.HasPrefix(word, cobra.ShellCompRequestCmd) {
		return a.Execute(root, args)
	}
	aliases := loadAliases(a)
	switch text, ok := aliases[word]; {
	case ok:
		words, err := expandAlias(root, word, text, args[at+1:])
		if err != nil {
			return a.Fail(err)
		}
		return a.Execute(root, slices.Concat(args[:at], words))
	case extensionName.MatchString(word) && !builtIn(root, word):
		if path := findPlugin(a, word); path != "" {
			if err := root.ParseFlags(args[:at]); err != nil {
				return a.Fail(cli.Usagef("%v", err))
			}
			return a.RunPlugin(path, args[at+1:])
		}
	case strings.HasPrefix(word, cobra.ShellCompRequestCmd):
		args = completedAlias(root, aliases, args, at)
	}
	list(a, root, aliases)
	return a.Execute(root, args)
}

// commandAt is the index of the first argument that is no flag of every command,
// nor the value of one.
func commandAt(root *cobra.Command, args []string) int {
	for i := 0; i < len(args); i++ {
		arg := args[i]
		if len(arg) < 2 || arg[0] != '-' {
			return i
		}
		name, isLong := strings.CutPrefix(arg, "--")
		if strings.Contains(arg, "=") {
			continue
		}
		flag := root.PersistentFlags().Lookup(name)
		if !isLong {
			flag = root.PersistentFlags().ShorthandLookup(arg[len(arg)-1:])
			if len(arg) > 2 && root.PersistentFlags().ShorthandLookup(arg[1:2]) != nil && root.PersistentFlags().ShorthandLookup(arg[1:2]).NoOptDefVal == "" {
				continue // its value is glued to it
			}
		}
		if flag != nil && flag.NoOptDefVal == "" {
			i++
		}
	}
	return len(args)
}

// builtIn tells whether a word is a command of the program itself.
func builtIn(root *cobra.Command, word string) bool {
	if word == "help" || strings.HasPrefix(word, cobra.ShellCompRequestCmd) {
		return true
	}
	return slices.ContainsFunc(root.Commands(), func(c *cobra.Command) bool {
		return c.GroupID == "" && (c.Name() == word || c.HasAlias(word))
	})
}

// loadAliases are the aliases of the configuration file, none where it cannot be
// read: a command that needs it says so.
func loadAliases(a *cli.App) map[string]string {
	config, err := login.LoadConfig(login.PathsFrom(a.Getenv).Config)
	if err != nil {
		return nil
	}
	return config.Aliases
}

var placeholder = regexp.MustCompile(`\$([1-9@])`)

// expandAlias is the command line that an alias stands for. $1 to $9 are single
// arguments and $@ is all of them; those that no placeholder takes come last.
func expandAlias(root *cobra.Command, name, text string, args []string) ([]string, error) {
	words, err := shlex.Split(text)
	if err != nil {
		return nil, &cli.UsageError{Message: fmt.Sprintf("alias %s: %v", name, err), Hint: "svcctl alias list"}
	}
	if len(words) == 0 || !builtIn(root, words[0]) {
		return nil, &cli.UsageError{Message: fmt.Sprintf("alias %s stands for %s, which is no command", name, action.Quote(text)), Hint: "svcctl alias list"}
	}
	taken, all := 0, false
	var out []string
	for _, word := range words {
		if word == "$@" {
			all = true
			out = append(out, args...)
			continue
		}
		wanted := ""
		out = append(out, placeholder.ReplaceAllStringFunc(word, func(mark string) string {
			if mark == "$@" {
				all = true
				return strings.Join(args, " ")
			}
			n, _ := strconv.Atoi(mark[1:]) // one digit
			if n > len(args) {
				wanted = mark
				return ""
			}
			taken = max(taken, n)
			return args[n-1]
		}))
		if wanted != "" {
			return nil, &cli.UsageError{
				Message: fmt.Sprintf("alias %s: there is no argument for %s", name, wanted),
				Hint:    fmt.Sprintf("svcctl %s is svcctl %s", name, text),
			}
		}
	}
	if !all {
		out = append(out, args[taken:]...)
	}
	return out, nil
}

// completedAlias puts what an alias stands for in a request for completions. An
// alias with placeholders is left: its arguments are anywhere.
func completedAlias(root *cobra.Command, aliases map[string]string, args []string, at int) []string {
	if at+2 >= len(args) {
		return args // its own name is being typed
	}
	rest := args[at+1:]
	i := commandAt(root, rest)
	if i >= len(rest)-1 || builtIn(root, rest[i]) {
		return args
	}
	text, ok := aliases[rest[i]]
	if !ok || strings.Contains(text, "$") {
		return args
	}
	words, err := expandAlias(root, rest[i], text, rest[i+1:])
	if err != nil {
		return args
	}
	return slices.Concat(args[:at+1], rest[:i], words)
}

// list adds aliases and plugins to the commands that help and completion show.
func list(a *cli.App, root *cobra.Command, aliases map[string]string) {
	groups := []struct{ id, title string }{{"aliases", "Aliases:"}, {"plugins", "Plugins:"}}
	add := func(group int, name, short string) {
		if !extensionName.MatchString(name) || builtIn(root, name) {
			return
		}
		if !root.ContainsGroup(groups[group].id) {
			root.AddGroup(&cobra.Group{ID: groups[group].id, Title: groups[group].title})
		}
		root.AddCommand(&cobra.Command{
			Use: name, Short: short, GroupID: groups[group].id, DisableFlagParsing: true, Run: func(*cobra.Command, []string) {},
		})
	}
	for name, text := range aliases {
		add(0, name, cli.Plain(text))
	}
	for name, path := range plugins(a) {
		if _, taken := aliases[name]; !taken {
			add(1, name, cli.Plain(path))
		}
	}
}

// plugins are the programs on PATH by their commands; of several with one name the
// first counts.
func plugins(a *cli.App) map[string]string {
	found := map[string]string{}
	for _, dir := range filepath.SplitList(a.Getenv("PATH")) {
		if !filepath.IsAbs(dir) {
			continue // a plugin must not depend on where one stands
		}
		matches, err := filepath.Glob(filepath.Join(dir, pluginPrefix+"*"))
		if err != nil {
			continue
		}
		for _, path := range matches {
			name := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(path), pluginPrefix), ".exe")
			if _, known := found[name]; !known && extensionName.MatchString(name) && executable(path) {
				found[name] = path
			}
		}
	}
	return found
}

func findPlugin(a *cli.App, name string) string {
	for _, dir := range filepath.SplitList(a.Getenv("PATH")) {
		for _, end := range []string{"", ".exe"} {
			if path := filepath.Join(dir, pluginPrefix+name+end); filepath.IsAbs(dir) && executable(path) {
				return path
			}
		}
	}
	return ""
}

func executable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && (info.Mode()&0o111 != 0 || strings.HasSuffix(path, ".exe"))
}
