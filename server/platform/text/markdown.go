package text

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/renderer/html"
	gmtext "github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"svc/server/platform/hosts"
)

// markdownReader renders CommonMark with strikethrough and the configured
// extensions; line ends are breaks, as people type them. Raw HTML passes: the result goes through the policy of typed
// HTML.
type markdownReader struct{ goldmark.Markdown }

func newMarkdownReader(c Choices) *markdownReader {
	extensions := []goldmark.Extender{extension.Strikethrough}
	if c.Tables {
		extensions = append(extensions, extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignNone)))
	}
	options := []renderer.Option{html.WithUnsafe(), html.WithHardWraps()}
	if !c.Headings {
		options = append(options, renderer.WithNodeRenderers(util.Prioritized(headings{}, 100)))
	}
	return &markdownReader{goldmark.New(
		goldmark.WithExtensions(extensions...),
		goldmark.WithParserOptions(parser.WithInlineParsers(util.Prioritized(verbatim{}, 600), util.Prioritized(escapes{}, 600))),
		goldmark.WithRendererOptions(options...),
	)}
}

// render returns src as unsafe HTML. A text that is too costly is shown as
// typed.
func (m *markdownReader) render(src string) string {
	if tooCostly(src) {
		return typed(src)
	}
	var out bytes.Buffer
	if err := m.Convert([]byte(src), &out); err != nil {
		return typed(src)
	}
	return out.String()
}

func typed(src string) string {
	l := &linker{}
	l.escape(src, true)
	return string(l.out)
}

// maxMarks bounds the marks of emphasis and links between two empty lines.
const maxMarks = 2000

// tooCostly reports whether src nests more blocks in a line, or has more marks
// between two empty lines, than people write: the parser's work grows with the
// square of either.
func tooCostly(src string) bool {
	marks := 0
	for line := range strings.SplitSeq(src, "\n") {
		if strings.TrimSpace(line) == "" {
			marks = 0
			continue
		}
		for i := 0; i < len(line); i++ {
			switch line[i] {
			case '*', '_', '~', '[', ']', '<', '`':
				marks++
			}
		}
		if marks > maxMarks || nesting(line) > maxDepth {
			return true
		}
	}
	return false
}

// nesting returns how many markers of quotations and list items begin the line.
func nesting(line string) int {
	// A row of equal marks is a rule or emphasis.
	if strings.Trim(line, "-* \t") == "" {
		return 0
	}
	markers := 0
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == '>' || c == '-' || c == '+' || c == '*' || c == '.' || c == ')':
			markers++
		case c != ' ' && c != '\t' && !isDigit(c):
			return markers
		}
	}
	return markers
}

// verbatim keeps handles, hashtags and the rest of an address after its colon
// free from being read as emphasis.
type verbatim struct{}

func (verbatim) Trigger() []byte { return []byte{'@', '#', ':', '/', '?'} }

func (verbatim) Parse(_ ast.Node, block gmtext.Reader, _ parser.Context) ast.Node {
	line, segment := block.PeekLine()
	// A line may hold thousands of handles; none is longer than this.
	word := func() string { return string(line[:min(len(line), hosts.MaxNick+maxDomain+8)]) }
	var end int
	before := block.PrecendingCharacter()
	if before == '_' && line[0] == '@' {
		before = beforeEmphasis(block.Source()[:segment.Start])
	}
	switch {
	case line[0] == ':' || line[0] == '/' || line[0] == '?':
		end = addressRest(block.Source()[:segment.Start], line)
	case before >= utf8.RuneSelf || !opens(byte(before)):
		return nil
	case line[0] == '@':
		_, _, end = handleEnds(word(), 0)
	default:
		end = tagEnd(word(), 1)
	}
	// Underscores at the end may well close an emphasis around it.
	end = len(bytes.TrimRight(line[:end], "._-"))
	if end <= 1 {
		return nil
	}
	block.Advance(end)
	return ast.NewTextSegment(segment.WithStop(segment.Start + end))
}

// beforeEmphasis returns the character before the marks at the end of a text, which
// begin an emphasis unless that character is of a word.
func beforeEmphasis(text []byte) rune {
	r, size := utf8.DecodeLastRune(bytes.TrimRight(text, "*_~"))
	if size == 0 {
		return '\n'
	}
	return r
}

// maxVerbatim bounds the rest of an address in markdown.
const maxVerbatim = 2048

// addressRest returns where the address ends that begins at the end of before
// and goes on in line: from the colon behind its scheme, or from the path behind
// a host. It is 0 if there is none. It leaves out final marks, which may close
// an emphasis around the address.
func addressRest(before, line []byte) int {
	start := len(before)
	if line[0] == ':' {
		for start > 0 && len(before)-start < 8 && isAlnum(before[start-1]) {
			start--
		}
		if !addressFollows(strings.ToLower(string(before[start:])), string(line[1:min(len(line), maxVerbatim)]), typedSchemes) {
			return 0
		}
	} else {
		for start > 0 && len(before)-start < maxDomain+len(":65535") && inHost(before[start-1]) {
			start--
		}
		host, _, _ := strings.Cut(string(before[start:]), ":")
		if start > 0 && strings.IndexByte(`@/\#%=&~`, before[start-1]) >= 0 || !knownHost(strings.TrimLeft(host, "_")) {
			return 0
		}
	}
	// The character before the address tells whether it is quoted.
	from := max(start-1, 0)
	address := string(before[from:]) + string(line[:min(len(line), maxVerbatim)])
	behind := len(before) - from
	end := 0
	if line[0] == ':' {
		end = urlEnd(address, start-from, behind+1)
	} else {
		end = pathEnd(address, start-from, behind)
	}
	return len(strings.TrimRight(address[behind:end], "*_~"))
}

func inHost(c byte) bool {
	return isAlnum(c) || c == '-' || c == '.' || c == '_' || c == ':' || c >= utf8.RuneSelf
}

// asTyped stands before a character of typed HTML that begins no link. It is a
// character that no clean text has.
const asTyped = "\ufdd0"

// escapes keeps handles, hashtags and addresses whose first mark is escaped from
// being links.
type escapes struct{}

func (escapes) Trigger() []byte { return []byte{'\\'} }

func (escapes) Parse(_ ast.Node, block gmtext.Reader, _ parser.Context) ast.Node {
	line, _ := block.PeekLine()
	if len(line) < 2 || strings.IndexByte("@#:", line[1]) < 0 {
		return nil
	}
	block.Advance(2)
	return ast.NewString([]byte(asTyped + string(line[1])))
}

// headings renders headings as strong paragraphs, where the policy has no
// others.
type headings struct{}

func (h headings) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindHeading, h.render)
}

func (headings) render(w util.BufWriter, _ []byte, _ ast.Node, entering bool) (ast.WalkStatus, error) {
	tags := "<p><strong>"
	if !entering {
		tags = "</strong></p>\n"
	}
	_, err := w.WriteString(tags)
	return ast.WalkContinue, err
}
