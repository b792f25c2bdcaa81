package server_test

import (
	"bytes"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// covered are goroutines that recover elsewhere, or run no code of ours that
// could panic, by file and a part of their text.
var covered = map[string]string{
	"server/server.go srv.Serve":                             "net/http recovers handlers",
	"server/server.go s.DB.Listen":                           "survives by itself",
	"server/server.go s.streaming.Run":                       "guards each turn",
	"db/events_reader.go d.listenForever":                    "survives by itself",
	"server/server.go s.Saved.Watch":                         "guards each turn",
	"server/metrics.go srv.Serve":                            "net/http recovers handlers",
	"server/restart.go before(ctx)":                          "ends a job runner, which recovers jobs",
	"db/move_copy.go m.readChunk":                            "a panic ends svcd move, which goes on where it stopped",
	"server/restart.go cancel()":                             "waits",
	"server/restart.go r.stopping.Wait":                      "waits",
	"server/federation/delivery/delivery.go .Wait()":         "waits",
	"server/federation/delivery/delivery.go s.dispatch(ctx)": "guards each turn",
	"server/rules/ingest/queue.go e.running.Wait()":          "waits",
	"server/platform/media/proxy.go p.run(":                  "guards the call",
	"server/platform/media/s3.go cancel(errSlow)":            "cancels",
	"server/platform/outgoing/bounds.go cancel(":             "cancels",
	"server/federation/remote/remote.go cancel":              "cancels",
	"server/metrics.go srv.Close":                            "closes sockets",
	"server/full_disk.go srv.Close":                          "closes sockets",
	"server/visitors.go v.n.Add(-1)":                         "counts",
	"server/api/streaming/turns.go back":                     "counts",
}

var guarded = regexp.MustCompile(`guard\.(Run|Broke|Forever)\(|\.survive\(`)

// TestEveryGoroutineRecovers reads the source of svcd: a panic in a goroutine
// that does not recover ends the process.
func TestEveryGoroutineRecovers(t *testing.T) {
	used := map[string]bool{}
	for _, root := range []string{"../server", "../db"} {
		err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if e.IsDir() && strings.Contains(" servertest e2e demo dbtest mailtest ", " "+e.Name()+" ") {
				return fs.SkipDir
			}
			if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return nil
			}
			files := token.NewFileSet()
			file, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			ast.Inspect(file, func(n ast.Node) bool {
				begun := goroutine(n)
				if begun == nil {
					return true
				}
				var text bytes.Buffer
				if err := format.Node(&text, files, begun); err != nil {
					t.Error(err)
				}
				name := strings.TrimPrefix(filepath.ToSlash(path), "../")
				if !guarded.MatchString(text.String()) && !listed(used, name, text.String()) {
					t.Errorf("%s:%d does not recover: %s", name, files.Position(begun.Pos()).Line, text.String())
				}
				return true
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for entry := range covered {
		if !used[entry] {
			t.Errorf("no goroutine is %q", entry)
		}
	}
}

// goroutine returns the call that n starts as a goroutine, nil for none.
func goroutine(n ast.Node) ast.Node {
	switch n := n.(type) {
	case *ast.GoStmt:
		return n.Call
	case *ast.CallExpr:
		f, ok := n.Fun.(*ast.SelectorExpr)
		switch {
		case ok && f.Sel.Name == "Go" && len(n.Args) == 1:
			return n.Args[0]
		case ok && f.Sel.Name == "AfterFunc" && len(n.Args) == 2: // of time and context
			return n.Args[1]
		}
	}
	return nil
}

func listed(used map[string]bool, file, text string) bool {
	found := false
	for entry := range covered {
		of, part, _ := strings.Cut(entry, " ")
		if of == file && strings.Contains(text, part) {
			used[entry], found = true, true
		}
	}
	return found
}
