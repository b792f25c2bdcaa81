package server

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/net/html"
)

// Bounds of a front end's page whose scripts are looked for: its bytes, its scripts, and
// the pages that are remembered.
const (
	frontPageBytes   = 2 << 20
	frontPageScripts = 50
	frontPages       = 64
)

// frontScripts remembers the scripts that are written into pages of front ends, by the
// state of the file.
type frontScripts struct {
	known *lru.Cache[string, string]
}

func newFrontScripts() frontScripts {
	known, err := lru.New[string, string](frontPages)
	if err != nil {
		panic(err) // the size is a constant
	}
	return frontScripts{known}
}

// scripts names the inline scripts of a page as sources of a Content-Security-Policy, each
// behind a space. The operator put the page there: its scripts are the front end's own.
func (p frontScripts) scripts(f *os.File, info fs.FileInfo) (string, error) {
	state := fmt.Sprint(f.Name(), " ", info.ModTime().UnixNano(), " ", info.Size())
	if found, ok := p.known.Get(state); ok {
		return found, nil
	}
	if info.Size() > frontPageBytes {
		return "", nil
	}
	raw, err := io.ReadAll(io.NewSectionReader(f, 0, info.Size()))
	if err != nil {
		return "", err
	}
	found := inlineScripts(string(raw))
	p.known.Add(state, found)
	return found, nil
}

func inlineScripts(page string) string {
	var sources strings.Builder
	tokens := html.NewTokenizer(strings.NewReader(page))
	for n := 0; n < frontPageScripts; {
		switch tokens.Next() {
		case html.ErrorToken:
			return sources.String()
		case html.StartTagToken:
			tag := tokens.Token()
			external := false
			for _, a := range tag.Attr {
				external = external || a.Key == "src"
			}
			if tag.Data != "script" || external || tokens.Next() != html.TextToken {
				continue
			}
			// Browsers hash the text as it stands, with line ends of one letter.
			text := strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(string(tokens.Raw()))
			sum := sha256.Sum256([]byte(text))
			sources.WriteString(" 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'")
			n++
		}
	}
	return sources.String()
}
