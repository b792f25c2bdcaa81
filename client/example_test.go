package client_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"

	"svc/client"
	"svc/client/api"
)

// server answers each route with a fixed body; the examples run against it.
func server(routes map[string]string) *httptest.Server {
	mux := http.NewServeMux()
	for route, body := range routes {
		mux.HandleFunc(route, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			io.WriteString(w, body)
		})
	}
	return httptest.NewServer(mux)
}

func Example() {
	s := server(map[string]string{
		"GET /api/v1/accounts/verify_credentials": `{"id":"9pQt","acct":"kim"}`,
		"POST /api/v1/statuses":                   `{"id":"9pQu","content":"Hello"}`,
	})
	defer s.Close()

	c, err := client.New(s.URL, client.WithToken("token"))
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	me, err := c.Accounts.Verify(ctx)
	if err != nil {
		log.Fatal(err)
	}
	// With a key the post is safe to retry: it appears once.
	status, err := c.Statuses.Post(ctx, api.NewStatus{Status: "Hello"}, client.IdempotencyKey("hello-1"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(me.Acct, "posted", status.ID)
	// Output: kim posted 9pQu
}

func ExampleListing_All() {
	s := server(map[string]string{
		"GET /api/svc/admin/reports": `{"total":2,"reports":[
			{"id":"9b","state":"open","account":{"id":"1","acct":"spam@old.example"}},
			{"id":"9a","state":"open","account":{"id":"2","acct":"troll"}}]}`,
	})
	defer s.Close()

	c, err := client.New(s.URL, client.WithToken("admin's token"))
	if err != nil {
		log.Fatal(err)
	}
	for report, err := range c.Admin.Reports.List(api.ReportQuery{State: api.ReportOpen}).All(context.Background()) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(report.ID, report.Account.Acct)
	}
	// Output:
	// 9b spam@old.example
	// 9a troll
}

func ExampleItemErrors() {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusBadRequest)
		io.WriteString(w, `[{"id":"9a","error":"not_found"}]`)
	}))
	defer s.Close()

	c, err := client.New(s.URL, client.WithToken("admin's token"))
	if err != nil {
		log.Fatal(err)
	}
	err = c.Admin.Reports.Update(context.Background(),
		api.ReportUpdate{ID: "9a", State: api.ReportResolved},
		api.ReportUpdate{ID: "9b", State: api.ReportResolved})
	for _, item := range client.ItemErrors(err) {
		fmt.Println(item.ID, item.Error)
	}
	// Output: 9a not_found
}

func ExampleWithReadOnly() {
	c, err := client.New("https://social.example", client.WithReadOnly())
	if err != nil {
		log.Fatal(err)
	}
	_, err = c.Admin.Users.Deactivate(context.Background(), "spammer")
	var refused *client.RefusedError
	if errors.As(err, &refused) {
		fmt.Printf("%s %s %s\n", refused.Method, refused.Path, refused.Body)
	}
	// Output: PATCH /api/svc/admin/users/deactivate {"nicknames":["spammer"]}
}

func ExampleOAuth_AuthorizeURL() {
	s := server(map[string]string{
		"POST /api/v1/apps": `{"id":"1","client_id":"id","client_secret":"secret"}`,
		"POST /oauth/token": `{"token_type":"Bearer","access_token":"token","scope":"read"}`,
	})
	defer s.Close()

	c, err := client.New(s.URL)
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	app, err := c.Apps.Create(ctx, api.NewApp{ClientName: "demo", RedirectURIs: client.OutOfBand, Scopes: "read"})
	if err != nil {
		log.Fatal(err)
	}
	pair := client.NewPKCE()
	page := c.OAuth.AuthorizeURL(client.Authorization{
		ClientID: app.ClientID, RedirectURI: client.OutOfBand, Scope: "read", Challenge: pair.Challenge,
	})
	_ = page // the person opens it, agrees, and is shown a code
	token, err := c.OAuth.Code(ctx, app, "the code", client.OutOfBand, pair.Verifier)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(token.TokenType, token.Scope)
	// Output: Bearer read
}

func Example_errors() {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusNotFound)
		io.WriteString(w, `{"error":"Record not found"}`)
	}))
	defer s.Close()

	c, err := client.New(s.URL)
	if err != nil {
		log.Fatal(err)
	}
	_, err = c.Statuses.Get(context.Background(), "9pQtDGXuq4p3VlcJEm")
	fmt.Println(errors.Is(err, client.ErrNotFound), err)
	// Output: true GET /api/v1/statuses/9pQtDGXuq4p3VlcJEm: Record not found (404)
}
