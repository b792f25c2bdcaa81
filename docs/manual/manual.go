// Package manual reads the documents, for tests that hold them to the programs: their
// pages, and the commands in them. It depends on nothing else of svc.
package manual

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// Page is a document.
type Page struct {
	Name string // from the root, with slashes: docs/ssh.md
	Text string
}

// All returns README.md and every page of docs below root.
func All(root string) ([]Page, error) {
	var pages []Page
	read := func(path string) error {
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, path)
		pages = append(pages, Page{filepath.ToSlash(name), string(text)})
		return err
	}
	if err := read(filepath.Join(root, "README.md")); err != nil {
		return nil, err
	}
	err := filepath.WalkDir(filepath.Join(root, "docs"), func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.Name() == "testdata":
			return filepath.SkipDir
		case d.IsDir() || filepath.Ext(path) != ".md":
			return nil
		}
		return read(path)
	})
	return pages, err
}

// Block is a fenced block of a page: commands for a shell, if it names no language.
type Block struct {
	Language string
	Text     string // without indentation
}

var fence = regexp.MustCompile("(?ms)^( *)```([a-z]*)\n(.*?)^ *```$")

// Blocks returns the fenced blocks of a page.
func (p Page) Blocks() (blocks []Block) {
	for _, found := range fence.FindAllStringSubmatch(p.Text, -1) {
		text := regexp.MustCompile("(?m)^"+found[1]).ReplaceAllString(found[3], "")
		blocks = append(blocks, Block{found[2], text})
	}
	return blocks
}

// Command is one call of a program in a document.
type Command struct {
	Page string
	Text string   // as it stands there
	Args []string // without the program
	// Quoted is one within a sentence, whose flags may lack their values.
	Quoted bool
}

var inline = regexp.MustCompile("`([^`\n]+)`")

// Commands returns the calls of a program in the blocks of code and the quoted code of
// the pages, which a shell would carry out: the parts of pipes, and what stands between
// $( and ).
func Commands(pages []Page, program string) (commands []Command) {
	for _, page := range pages {
		block := false
		for line := range strings.Lines(strings.ReplaceAll(page.Text, "\\\n", "")) {
			line = strings.TrimSpace(line)
			var texts []string
			switch {
			case strings.HasPrefix(line, "```"):
				block = !block
			case block:
				texts = []string{line}
			default:
				for _, found := range inline.FindAllStringSubmatch(strings.ReplaceAll(line, `\|`, "|"), -1) {
					texts = append(texts, found[1])
				}
			}
			for _, text := range texts {
				for _, words := range split(text) {
					if args, ok := called(words, program); ok {
						commands = append(commands, Command{page.Name, text, args, !block})
					}
				}
			}
		}
	}
	return commands
}

var assignment = regexp.MustCompile(`^[A-Z_a-z]+=`)

// called returns the arguments if words call the program, after variables, sudo, times of
// a crontab and the like.
func called(words []string, program string) ([]string, bool) {
	for i, word := range words {
		switch {
		case word == program, word == "bin/"+program, word == "/usr/bin/"+program:
			return words[i+1:], true
		case assignment.MatchString(word), word == "sudo", word == "exec", word == "if", word == "then", word == "do", word == "!", word == "-u", word == "svc", word == "runuser", word == "--",
			strings.Trim(word, "0123456789*/,") == "":
		default:
			return nil, false
		}
	}
	return nil, false
}

// split returns the simple commands of a line of a shell, as words without their quotes.
// A comment ends it.
func split(line string) (commands [][]string) {
	var words []string
	var word strings.Builder
	begun, quote := false, rune(0)
	skip := false // the next word is the file of a redirection
	endWord := func() {
		if begun && !skip {
			words = append(words, word.String())
		}
		if begun {
			skip = false
		}
		word.Reset()
		begun = false
	}
	endCommand := func() {
		endWord()
		skip = false
		if len(words) > 0 {
			commands = append(commands, words)
		}
		words = nil
	}
	for i, r := range line {
		switch {
		case quote != 0:
			if r == quote {
				quote = 0
			} else {
				word.WriteRune(r)
			}
		case r == '\'' || r == '"':
			quote, begun = r, true
		case r == '#' && !begun:
			endCommand()
			return commands
		case r == '|' || r == ';' || r == '&' || r == '(' || r == ')':
			endCommand()
		case r == '<' || r == '>':
			if strings.Trim(word.String(), "12") == "" {
				word.Reset()
				begun = false
			}
			endWord()
			skip = true
		case r == ' ' || r == '\t':
			endWord()
		default:
			if r == '$' && strings.HasPrefix(line[i:], "$(") {
				continue
			}
			word.WriteRune(r)
			begun = true
		}
	}
	endCommand()
	return commands
}
