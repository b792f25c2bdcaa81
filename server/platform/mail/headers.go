package mail

import (
	"bytes"
	"encoding/base64"
	"strings"
	"unicode/utf8"
)

const (
	// lineLength bounds the line of a header (RFC 2047, 2).
	lineLength = 76
	// wordLength bounds a word of a header, so that the first one fits behind the
	// header's name: some programs show nothing of a header with an empty first
	// line.
	wordLength = 56
	// wordBytes bounds the text of an encoded word.
	wordBytes = 33
)

// set sets a header to words, folded between them.
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

// phrase returns a text of one line as the words of a header: plain, quoted if
// a name needs it, or encoded.
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

// encoded returns a text as encoded words (RFC 2047, 4.1), each of whole
// characters.
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
