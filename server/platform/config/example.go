package config

import (
	"fmt"
	"slices"
	"strings"
)

// exampleHead begins the settings file that Example writes.
const exampleHead = `# Settings of svcd. Every line that begins with "#name:" is a setting with its default:
# remove the "#" to change it, and restart the service.
#
# A flag beats a variable of the environment, which beats this file. Variables and flags
# stand beside their setting. To keep a secret in a file of its own, name that file in a
# variable that ends with _FILE, such as SVC_DATABASE_FILE.

`

const exampleSettings = `
# Settings that can also be changed while the service runs: "svcctl config set", or the
# screen "settings" of "svcctl tui". What is saved that way beats what stands here. They
# stand under "settings:", each indented as below.
#settings:
`

// Example is a settings file with every setting commented out: its default, what it
// accepts, and its other names.
func Example() string {
	var b strings.Builder
	b.WriteString(exampleHead)
	for _, s := range bootSettings() {
		if s.inFile {
			s.example(&b)
		}
	}
	b.WriteString(exampleSettings)
	settings := Honoured()
	slices.SortStableFunc(settings, func(a, b Setting) int { return slices.Compare(plain(a.place()), plain(b.place())) })
	var within []string
	for _, s := range settings {
		path := plain(s.place())
		value, has := s.shown()
		if !has {
			s.describe(&b, "")
			fmt.Fprintf(&b, "## %s: …\n", strings.Join(path, ": "))
			continue
		}
		for i, word := range path[:len(path)-1] {
			if i >= len(within) || !slices.Equal(within[:i+1], path[:i+1]) {
				fmt.Fprintf(&b, "#%s%s:\n", strings.Repeat("  ", i+1), word)
				within = path[:i+1]
			}
		}
		within = path[:len(path)-1]
		indent := strings.Repeat("  ", len(path))
		s.describe(&b, indent)
		fmt.Fprintf(&b, "#%s%s: %s\n", indent, path[len(path)-1], value)
	}
	return b.String()
}

// example writes a boot setting.
func (s bootSetting) example(b *strings.Builder) {
	usage := s.usage
	if usage == "" {
		usage = s.accepted
	}
	if s.usage != "" && s.usage != s.accepted {
		comment(b, "# ", capital(usage)+".")
		comment(b, "# ", "Give "+s.accepted+".")
	} else {
		comment(b, "# ", "Give "+usage+".")
	}
	names := "Variable " + s.env
	if s.flag != "" {
		names += ", flag --" + s.flag
	}
	var probe Config
	value := s.shown
	if value != "" && (strings.Contains(value, " ") || !s.set(&probe, value)) {
		names += "; default: " + value
		value = ""
	}
	comment(b, "# ", names+".")
	fmt.Fprintf(b, "#%s\n\n", strings.TrimSpace(s.name+": "+value))
}

// shown is the default of s for a file; has is false if it has none that could be written.
func (s Setting) shown() (value string, has bool) {
	s.Unset = false // else it has no default to be shown
	t, _ := s.encode(s.Default)
	return string(t.JSON()), !t.IsNil() || s.Null != nil
}

// describe writes what a runtime setting is and accepts.
func (s Setting) describe(b *strings.Builder, indent string) {
	text := s.Description
	if s.Kind != Boolean {
		text += ": " + s.accepted()
	}
	if s.Reboot {
		text += "; needs a restart"
	}
	comment(b, "#"+indent+"# ", text+".")
}

// comment writes text in lines of some 90 columns.
func comment(b *strings.Builder, prefix, text string) {
	line := prefix
	for _, word := range strings.Fields(text) {
		if len(line) > len(prefix) && len(line)+len(word) > 90 {
			b.WriteString(strings.TrimRight(line, " ") + "\n")
			line = prefix
		}
		line += word + " "
	}
	b.WriteString(strings.TrimRight(line, " ") + "\n")
}

// capital is a sentence from a text, whose first word stays as it is if it is to be typed.
func capital(text string) string {
	if first, _, _ := strings.Cut(text, " "); strings.Contains(first, ":") {
		return text
	}
	return strings.ToUpper(text[:1]) + text[1:]
}
