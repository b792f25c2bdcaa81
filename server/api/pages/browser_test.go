package pages_test

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"
)

// browsers runs fn with a headless Chromium, when there is one; where
// SVC_TEST_CHROMIUM is "required", there must be.
func browsers(t *testing.T, fn func(t *testing.T, b *browser)) {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"} {
		if path, err := exec.LookPath(name); err == nil {
			t.Run(name, func(t *testing.T) { fn(t, startBrowser(t, path)) })
			return
		}
	}
	if os.Getenv("SVC_TEST_CHROMIUM") == "required" {
		t.Fatal("no Chromium found")
	}
	t.Log("no Chromium found: the pages were not opened in a browser")
}

// browser is one Chromium, spoken to over its DevTools pipe: messages of JSON,
// each ended by a NUL.
type browser struct {
	t   *testing.T
	out *os.File

	mu      sync.Mutex
	last    int
	waiting map[int]chan reply
	spoken  []string // errors and warnings of pages
	gone    error
}

type reply struct {
	ID     int             `json:"id"`
	Result json.RawMessage `json:"result"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Error  *struct {
		Message string `json:"message"`
	} `json:"error"`
}

func startBrowser(t *testing.T, path string) *browser {
	t.Helper()
	commands, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	in, answers, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	cmd := exec.Command(path, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
		"--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-default-apps",
		"--disable-dev-shm-usage", "--hide-scrollbars", "--remote-debugging-pipe", "--user-data-dir="+home)
	cmd.ExtraFiles = []*os.File{commands, answers}
	cmd.Env = append(os.Environ(), "HOME="+home)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = commands.Close()
	_ = answers.Close()
	b := &browser{t: t, out: out, waiting: map[int]chan reply{}}
	read := make(chan struct{})
	go func() {
		defer close(read)
		b.read(in)
	}()
	t.Cleanup(func() {
		_, _ = b.call("", "Browser.close", nil)
		_ = out.Close()
		end := time.AfterFunc(10*time.Second, func() { _ = cmd.Process.Kill() })
		_ = cmd.Wait()
		end.Stop()
		_ = in.Close()
		<-read
	})
	return b
}

func (b *browser) read(in *os.File) {
	r := bufio.NewReader(in)
	for {
		raw, err := r.ReadBytes(0)
		if err != nil {
			b.mu.Lock()
			b.gone = err
			for _, c := range b.waiting {
				close(c)
			}
			b.waiting = map[int]chan reply{}
			b.mu.Unlock()
			return
		}
		var m reply
		if json.Unmarshal(bytes.TrimSuffix(raw, []byte{0}), &m) != nil {
			continue
		}
		b.mu.Lock()
		if c := b.waiting[m.ID]; m.ID != 0 && c != nil {
			delete(b.waiting, m.ID)
			c <- m
		}
		if m.Method == "Log.entryAdded" {
			b.spoken = append(b.spoken, string(m.Params))
		}
		b.mu.Unlock()
	}
}

// call asks the browser, or the page of a session, for something.
func (b *browser) call(session, method string, params any) (json.RawMessage, error) {
	b.mu.Lock()
	if b.gone != nil {
		b.mu.Unlock()
		return nil, fmt.Errorf("%s: the browser is gone: %w", method, b.gone)
	}
	b.last++
	c := make(chan reply, 1)
	b.waiting[b.last] = c
	raw, err := json.Marshal(map[string]any{"id": b.last, "method": method, "params": params, "sessionId": session})
	if err == nil {
		_, err = b.out.Write(append(raw, 0))
	}
	b.mu.Unlock()
	if err != nil {
		return nil, err
	}
	select {
	case m, ok := <-c:
		switch {
		case !ok:
			return nil, fmt.Errorf("%s: the browser is gone", method)
		case m.Error != nil:
			return nil, fmt.Errorf("%s: %s", method, m.Error.Message)
		}
		return m.Result, nil
	case <-time.After(30 * time.Second):
		return nil, fmt.Errorf("%s: no answer", method)
	}
}

// tab is a page in a profile of its own, as a phone shows it, with scripts off.
type tab struct {
	b       *browser
	t       *testing.T
	target  string
	session string
}

func (b *browser) tab(t *testing.T) *tab {
	t.Helper()
	p := &tab{b: b, t: t}
	var profile struct {
		ID string `json:"browserContextId"`
	}
	p.into(&profile, "", "Target.createBrowserContext", nil)
	var target struct {
		ID string `json:"targetId"`
	}
	p.into(&target, "", "Target.createTarget", map[string]any{"url": "about:blank", "browserContextId": profile.ID})
	var attached struct {
		ID string `json:"sessionId"`
	}
	p.into(&attached, "", "Target.attachToTarget", map[string]any{"targetId": target.ID, "flatten": true})
	p.target, p.session = target.ID, attached.ID
	for _, domain := range []string{"Page.enable", "Runtime.enable", "Log.enable", "DOM.enable"} {
		p.do(domain, nil)
	}
	p.do("Emulation.setScriptExecutionDisabled", map[string]any{"value": true})
	p.size(390, 844)
	return p
}

func (p *tab) into(v any, session, method string, params any) {
	p.t.Helper()
	raw, err := p.b.call(session, method, params)
	if err == nil {
		err = json.Unmarshal(raw, v)
	}
	if err != nil {
		p.t.Fatal(err)
	}
}

func (p *tab) do(method string, params any) json.RawMessage {
	p.t.Helper()
	raw, err := p.b.call(p.session, method, params)
	if err != nil {
		p.t.Fatal(err)
	}
	return raw
}

// size sets the width and height of the screen.
func (p *tab) size(width, height int) {
	p.t.Helper()
	p.do("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": height, "deviceScaleFactor": 1, "mobile": true})
}

// scheme prefers "light" or "dark".
func (p *tab) scheme(scheme string) {
	p.t.Helper()
	p.do("Emulation.setEmulatedMedia", map[string]any{"features": []map[string]string{{"name": "prefers-color-scheme", "value": scheme}}})
}

// eval returns the value of an expression on the page.
func eval[T any](p *tab, expression string) T {
	p.t.Helper()
	v, err := try[T](p, expression)
	if err != nil {
		p.t.Fatalf("%s: %v", expression, err)
	}
	return v
}

func try[T any](p *tab, expression string) (v T, err error) {
	raw, err := p.b.call(p.session, "Runtime.evaluate", map[string]any{"expression": expression, "returnByValue": true})
	if err != nil {
		return v, err
	}
	var out struct {
		Result struct {
			Value T `json:"value"`
		} `json:"result"`
		Exception *struct {
			Text string `json:"text"`
		} `json:"exceptionDetails"`
	}
	if err := json.Unmarshal(raw, &out); err != nil {
		return v, err
	}
	if out.Exception != nil {
		return v, fmt.Errorf("%s", out.Exception.Text)
	}
	return out.Result.Value, nil
}

// until waits for an expression to be true, also across pages.
func (p *tab) until(expression string) {
	p.t.Helper()
	end := time.Now().Add(20 * time.Second)
	for {
		ok, err := try[bool](p, expression)
		if ok && err == nil {
			return
		}
		if time.Now().After(end) {
			text, _ := try[string](p, "location.href + '\\n' + document.body.innerText")
			p.t.Fatalf("waited in vain for %s (%v) on %s", expression, err, text)
		}
		time.Sleep(20 * time.Millisecond) // the page changes in another process
	}
}

// open goes to an address and waits for the page.
func (p *tab) open(address string) {
	p.t.Helper()
	p.do("Page.navigate", map[string]any{"url": address})
	p.until("document.readyState == 'complete' && location.href != 'about:blank'")
}

// fill replaces the text of a field.
func (p *tab) fill(selector, text string) {
	p.t.Helper()
	eval[bool](p, fmt.Sprintf("(e => { e.focus(); e.select(); return true })(document.querySelector(%q))", selector))
	p.do("Input.insertText", map[string]any{"text": text})
}

// click presses the middle of an element, which must be there.
func (p *tab) click(selector string) {
	p.t.Helper()
	at := eval[[]float64](p, fmt.Sprintf(
		"(e => { e.scrollIntoView({block: 'center'}); const r = e.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2] })(document.querySelector(%q))", selector))
	for _, kind := range []string{"mousePressed", "mouseReleased"} {
		p.do("Input.dispatchMouseEvent", map[string]any{"type": kind, "x": at[0], "y": at[1], "button": "left", "clickCount": 1})
	}
}

// text is the visible text of the page.
func (p *tab) text() string { return eval[string](p, "document.body.innerText") }

// complaints are the logs of all pages of this browser, such as refused styles,
// frames and forms.
func (p *tab) complaints() []string {
	p.b.mu.Lock()
	defer p.b.mu.Unlock()
	var out []string
	for _, s := range p.b.spoken {
		if !strings.Contains(s, "favicon.ico") && !strings.Contains(s, `"level":"info"`) && !strings.Contains(s, `"level":"verbose"`) {
			out = append(out, s)
		}
	}
	p.b.spoken = nil
	return out
}

// picture is the upper part of the page as PNG.
func (p *tab) picture() []byte {
	p.t.Helper()
	var out struct {
		Data string `json:"data"`
	}
	if err := json.Unmarshal(p.do("Page.captureScreenshot", map[string]any{
		"format": "png", "captureBeyondViewport": true, "clip": map[string]any{
			"x": 0, "y": 0, "scale": 1, "width": eval[int](p, "document.documentElement.clientWidth"), "height": eval[int](p, "Math.min(document.documentElement.scrollHeight, 1250)"),
		},
	}), &out); err != nil {
		p.t.Fatal(err)
	}
	raw, err := base64.StdEncoding.DecodeString(out.Data)
	if err != nil {
		p.t.Fatal(err)
	}
	return raw
}
