package commands

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"svc/client/api"
	"svc/cmd/svcctl/cli"
)

// TestThePipeOfTheReadmeApprovesAllWhoWait runs its line with a few and with many.
func TestThePipeOfTheReadmeApprovesAllWhoWait(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, line, _ := strings.Cut(string(text), "| `svcctl user list --filter need_approval")
	line, _, found := strings.Cut("svcctl user list --filter need_approval"+line, "` |")
	list, approve, piped := strings.Cut(line, ` \| `)
	if !found || !piped {
		t.Fatalf("no pipe in %q", line)
	}
	for _, n := range []int{2, 200} {
		var mu sync.Mutex
		waiting := map[string]bool{}
		for i := range n {
			waiting[fmt.Sprintf("user%03d", i)] = true
		}
		user := func(nick string) string {
			return fmt.Sprintf(`{"id":%d,"nickname":%q,"approval_pending":%t}`, 1000+len(nick), nick, waiting[nick])
		}
		_, url := serve(t, func(w http.ResponseWriter, r *http.Request) {
			mu.Lock()
			defer mu.Unlock()
			nick, one := strings.CutPrefix(r.URL.Path, "/api/svc/admin/users/")
			switch {
			case r.Method == http.MethodPatch:
				var form api.Nicknames
				if err := json.NewDecoder(r.Body).Decode(&form); err != nil {
					t.Error(err)
				}
				var changed []string
				for _, nick := range form.Nicknames {
					waiting[nick] = false
					changed = append(changed, user(nick))
				}
				fmt.Fprintf(w, `{"users":[%s]}`, strings.Join(changed, ","))
			case one:
				fmt.Fprint(w, user(nick))
			default:
				page, _ := strconv.Atoi(r.URL.Query().Get("page"))
				size, _ := strconv.Atoi(r.URL.Query().Get("page_size"))
				var users []string
				for i := (max(page, 1) - 1) * size; i < min(n, max(page, 1)*size); i++ {
					users = append(users, fmt.Sprintf(`{"id":%d,"nickname":"user%03d","approval_pending":true}`, i, i))
				}
				fmt.Fprintf(w, `{"users":[%s],"count":%d,"page_size":%d}`, strings.Join(users, ","), n, size)
			}
		})
		first := newCLI(t, url, "")
		if code := Run(first.App, strings.Fields(list)[1:]); code != 0 || first.stderr.Len() > 0 {
			t.Fatalf("%s: exit %d: %s", list, code, &first.stderr)
		}
		second := newCLI(t, url, first.stdout.String())
		if code := Run(second.App, strings.Fields(approve)[1:]); code != cli.ExitDone {
			t.Errorf("%s: exit %d: %s", approve, code, &second.stderr)
		}
		left := 0
		for _, waits := range waiting {
			if waits {
				left++
			}
		}
		if left > 0 {
			t.Errorf("%d of %d still wait", left, n)
		}
	}
}
