package mail

import (
	"bytes"
	"encoding/base64"
	"strings"
	"unicode/utf8"
)

const (
	// lineLength is how long the line of a header may be (RFC 2047, 2).
	lineLength = 76
	// wordLength is how long a word of a header may be, so that the first one
	// stands in the line of the header's name: some programs show nothing of a
	// header whose first line is empty.
	wordLength = 56
	// wordBytes is how much text such a word holds when it is encoded.
	wordBytes = 33
)

// set puts words in place of a header's value, folded between them.
func (l *letter) set(name string, words []string) {
	head := []byte("\r\n" + name + ":")
	begin := bytes.Index(l.text, head)
	if begin < 0 {
		return
	}
	begin += len("\r\n")
	end := begin
	for {
		end += bytes.Index(l.text[end:], []byte("\r\n")) + len("\r\n")
		if l.text[end] != ' ' && l.text[end] != '\t' {
			break
		}
	}
	var line strings.Builder
	line.WriteString(name + ":")
	length := line.Len()
	for i, word := range words {
		if i > 0 && length+1+len(word) > lineLength {
			line.WriteString("\r\n")
			length = 0
		}
		line.WriteString(" " + word)
		length += 1 + len(word)
	}
	line.WriteString("\r\n")
	l.text = bytes.Join([][]byte{l.text[:begin], []byte(line.String()), l.text[end:]}, nil)
}

// phrase is a text of one line as the words of a header: as they are, in
// quotation marks where a name asks for them, or encoded.
func phrase(text string, name bool) []string {
	if text == "" {
		return nil
	}
	words := strings.Split(text, " ")
	for _, w := range words {
		if len(w) > wordLength || strings.Contains(w, "=?") || strings.IndexFunc(w, func(r rune) bool { return r <= ' ' || r > '~' }) >= 0 {
			return encoded(text)
		}
	}
	if name {
		quoted := strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text)
		words = strings.Split(`"`+quoted+`"`, " ")
	}
	return words
}

// encoded is a text as encoded words (RFC 2047, 4.1), each of whole characters.
func encoded(text string) []string {
	var words []string
	for text != "" {
		n := min(len(text), wordBytes)
		for n < len(text) && !utf8.RuneStart(text[n]) {
			n--
		}
		words = append(words, "=?utf-8?b?"+base64.StdEncoding.EncodeToString([]byte(text[:n]))+"?=")
		text = text[n:]
	}
	return words
}
