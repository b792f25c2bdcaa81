package mail

import (
	"bytes"
	"embed"
	"fmt"
	"html"
	htmltemplate "html/template"
	"io/fs"
	"regexp"
	"strings"
	texttemplate "text/template"
	"unicode"

	"svc/server/platform/config"
	"svc/server/platform/jobs"
)

//go:embed templates/*
var files embed.FS

// template is a parsed kind of mail.
type template struct {
	subject, plain *texttemplate.Template
	html           *htmltemplate.Template
}

// written is the texts of a mail.
type written struct{ subject, plain, html string }

// filling is the data of templates.
type filling struct {
	Instance string
	Base     string
	Subject  string
	Logo     string // a URL, "" for none
	Style    config.MailStyle
	Data     map[string]string
}

// maxSubject is in characters; mail programs show fewer.
const maxSubject = 200

func parse() (map[string]*template, error) {
	names, err := fs.Glob(files, "templates/*.txt")
	if err != nil {
		return nil, err
	}
	mails := map[string]*template{}
	for _, path := range names {
		name := strings.TrimSuffix(strings.TrimPrefix(path, "templates/"), ".txt")
		raw, err := fs.ReadFile(files, path)
		if err != nil {
			return nil, err
		}
		subject, body, _ := strings.Cut(string(raw), "\n")
		t := &template{}
		if t.subject, err = texttemplate.New("subject").Option("missingkey=error").Parse(subject); err != nil {
			return nil, fmt.Errorf("mail %s: %w", name, err)
		}
		if t.plain, err = texttemplate.New("text").Option("missingkey=error").Parse(strings.TrimLeft(body, "\n")); err != nil {
			return nil, fmt.Errorf("mail %s: %w", name, err)
		}
		t.html, err = htmltemplate.New("layout.html").Option("missingkey=error").ParseFS(files, "templates/layout.html", "templates/"+name+".html")
		if err != nil {
			return nil, fmt.Errorf("mail %s: %w", name, err)
		}
		mails[name] = t
	}
	return mails, nil
}

// render fills in m's template.
func (s *Service) render(settings *config.Settings, m jobs.SendMail) (*written, error) {
	if m.Template == Welcome {
		return welcome(settings, m.Data), nil
	}
	t := s.mails[m.Template]
	if t == nil {
		return nil, fmt.Errorf("there is no such template")
	}
	in := filling{
		Instance: oneLine(settings.Instance.Name), Base: s.base, Data: map[string]string{},
		Logo: settings.Mailings.Logo, Style: settings.Mailings.Style,
	}
	if strings.HasPrefix(in.Logo, "/") {
		in.Logo = s.base + in.Logo
	}
	for name, value := range m.Data {
		in.Data[name] = printable(value)
	}
	var subject, plain, page bytes.Buffer
	if err := t.subject.Execute(&subject, in); err != nil {
		return nil, err
	}
	in.Subject = oneLine(subject.String())
	if err := t.plain.Execute(&plain, in); err != nil {
		return nil, err
	}
	if err := t.html.Execute(&page, in); err != nil {
		return nil, err
	}
	return &written{in.Subject, plain.String(), page.String()}, nil
}

// substitute matches the placeholders of a welcome mail.
var substitute = regexp.MustCompile(`<%=\s*(instance_name|user\.name|user\.nickname)\s*%>`)

// welcome renders the mail in the settings. Only names are replaced: the texts
// are no templates.
func welcome(settings *config.Settings, data map[string]string) *written {
	values := map[string]string{
		"instance_name": oneLine(settings.Instance.Name), "user.name": oneLine(data["name"]), "user.nickname": oneLine(data["nickname"]),
	}
	fill := func(text string, escape func(string) string) string {
		return substitute.ReplaceAllStringFunc(text, func(mark string) string {
			return escape(values[substitute.FindStringSubmatch(mark)[1]])
		})
	}
	as := func(s string) string { return s }
	w := &settings.Welcome.Email
	return &written{oneLine(fill(w.Subject, as)), printable(fill(w.Text, as)), fill(w.HTML, html.EscapeString)}
}

// printable drops characters that control a terminal or the text direction.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n', r == '\t':
			return r
		case unicode.IsControl(r), r == unicode.ReplacementChar,
			r >= '\u202a' && r <= '\u202e', r >= '\u2066' && r <= '\u2069', r == '\u2028', r == '\u2029':
			return -1
		}
		return r
	}, s)
}

// oneLine returns s for a header.
func oneLine(s string) string {
	s = strings.Join(strings.Fields(printable(strings.ReplaceAll(s, "\r", " "))), " ")
	if runes := []rune(s); len(runes) > maxSubject {
		s = string(runes[:maxSubject-1]) + "…"
	}
	return s
}
