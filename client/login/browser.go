package login

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"svc/client"
)

// ports are where the browser may return to. Servers compare redirect URIs
// exactly, so they are registered with the client, and the first that is free
// serves.
var ports = [...]int{45871, 45872, 45873, 45874, 45875}

const callbackPath = "/callback"

// browserLimit bounds how long a login waits for the person in the browser.
const browserLimit = 10 * time.Minute

func redirectURI(port int) string {
	return fmt.Sprintf("http://127.0.0.1:%d%s", port, callbackPath)
}

// Browser sends the person to the instance's own page with show, and waits on
// a loopback port until the browser comes back.
func (l *Login) Browser(ctx context.Context, show func(url string) error) (Credential, error) {
	listener, redirect, err := listen()
	if err != nil {
		return Credential{}, err
	}
	defer listener.Close()
	c, app, err := l.register(ctx)
	if err != nil {
		return c, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, browserLimit, errors.New("nobody came back from the browser"))
	defer cancel()
	state, pkce := client.RandomState(), client.NewPKCE()
	answers := make(chan answer, 1)
	server := &http.Server{Handler: callback(state, answers), ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = server.Serve(listener) }() // ends with Close below
	defer server.Close()
	if err := show(l.authorizeURL(app, redirect, state, pkce)); err != nil {
		return c, fmt.Errorf("open the browser: %w", err)
	}
	select {
	case <-ctx.Done():
		return c, context.Cause(ctx)
	case got := <-answers:
		if got.refusal != "" {
			return c, &AuthError{Message: "the instance refused: " + got.refusal}
		}
		token, err := l.client.OAuth.Code(ctx, app, got.code, redirect, pkce.Verifier)
		return l.accept(c, token, err)
	}
}

func listen() (net.Listener, string, error) {
	var last error
	for _, port := range ports {
		listener, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
		if err == nil {
			return listener, redirectURI(port), nil
		}
		last = err
	}
	return nil, "", &AuthError{
		Message: "no port is free for the browser to return to", Hint: "--no-browser needs none", Err: last,
	}
}

type answer struct{ code, refusal string }

// callback takes the browser's return. Only the page that we sent it to knows
// the state.
func callback(state string, answers chan<- answer) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+callbackPath, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set("Referrer-Policy", "no-referrer")
		query := r.URL.Query()
		got := answer{code: query.Get("code"), refusal: query.Get("error_description")}
		if got.refusal == "" {
			got.refusal = query.Get("error")
		}
		if subtle.ConstantTimeCompare([]byte(query.Get("state")), []byte(state)) != 1 || got.code == "" && got.refusal == "" {
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprint(w, closing("This is not the answer that svcctl waits for."))
			return
		}
		select {
		case answers <- got:
		default: // the first answer counts
		}
		if got.refusal != "" {
			fmt.Fprint(w, closing("svcctl was refused. You can close this window."))
			return
		}
		fmt.Fprint(w, closing("svcctl has what it needs. You can close this window."))
	})
	return mux
}

func closing(text string) string {
	return "<!doctype html><meta charset=utf-8><meta name=viewport content=\"width=device-width\">" +
		"<meta name=color-scheme content=\"light dark\"><title>svcctl</title><p>" + text + "</p>\n"
}
