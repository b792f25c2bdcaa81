package tui

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"os"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"svc/client/safe"
	"svc/tui/draw"
	"svc/tui/shown"
)

// saved is the end of writing a list to a file.
type saved struct {
	path string
	rows int
	err  error
}

// sheet is a list for a file: the filtered rows, in their order.
type sheet struct {
	name  string
	heads []string
	rows  [][]string
}

// tabular is a screen with a list that can be saved.
type tabular interface{ sheet() sheet }

// askSave offers the forms in which the list in front can be saved.
func (m *env) askSave() {
	t, ok := m.screen().(tabular)
	if !ok {
		return
	}
	save := func(ending string, encode func(sheet) ([]byte, error)) func(*env) tea.Cmd {
		return func(m *env) tea.Cmd {
			s := t.sheet()
			path := s.name + "-" + m.now().UTC().Format("20060102T150405Z") + "." + ending
			return func() tea.Msg {
				data, err := encode(s)
				if err == nil {
					err = writeNew(path, data)
				}
				return saved{path, len(s.rows), err}
			}
		}
	}
	m.ask(&prompt{
		title:   []draw.Line{draw.Plain(" save the list in this folder")},
		choices: []choice{{"j", "jsonl", save("jsonl", sheet.jsonl)}, {"c", "csv", save("csv", sheet.csv)}, {"esc", "back", stay}},
	})
}

// writeNew writes a file that must not exist yet: it names people.
func writeNew(path string, data []byte) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(data)
	if closeErr := file.Close(); err == nil {
		err = closeErr
	}
	return err
}

// jsonl is an object a line, with the fields in the order of the heads.
func (s sheet) jsonl() ([]byte, error) {
	var b bytes.Buffer
	for _, row := range s.rows {
		for i, head := range s.heads {
			lead := ", "
			if i == 0 {
				lead = "{"
			}
			value, err := json.Marshal(row[i])
			if err != nil {
				return nil, err
			}
			b.WriteString(lead + `"` + head + `": `)
			b.Write(value)
		}
		b.WriteString("}\n")
	}
	return safe.JSON(b.Bytes()), nil
}

// csv quotes cells that a spreadsheet would take for formulas.
func (s sheet) csv() ([]byte, error) {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	if err := w.Write(s.heads); err != nil {
		return nil, err
	}
	for _, row := range s.rows {
		cells := make([]string, len(row))
		for i, cell := range row {
			if cell != "" && strings.ContainsRune("=+-@", rune(cell[0])) {
				cell = "'" + cell
			}
			cells[i] = cell
		}
		if err := w.Write(cells); err != nil {
			return nil, err
		}
	}
	w.Flush()
	return b.Bytes(), w.Error()
}

func (r *reports) sheet() sheet {
	s := sheet{name: "reports", heads: []string{"id", "state", "reported", "reporter", "created_at", "statuses", "message"}}
	for _, row := range r.Shown() {
		at := shown.Stamp(time.Unix(r.Num(row, numAt), 0))
		s.rows = append(s.rows, []string{r.ID(row), r.Text(row, colState), r.Text(row, colAbout), r.Text(row, colBy), at, r.Text(row, colPosts), r.Text(row, colMessage)})
	}
	return s
}

func (s *nounScreen) sheet() sheet {
	out := sheet{name: s.noun.Name}
	for _, c := range s.noun.Columns {
		if !c.Unsaved {
			out.heads = append(out.heads, strings.ReplaceAll(strings.ToLower(c.Head), " ", "_"))
		}
	}
	for _, row := range s.Shown() {
		var cells []string
		for i, cell := range s.objects[s.ID(row)].Cells {
			if !s.noun.Columns[i].Unsaved {
				cells = append(cells, cell.String())
			}
		}
		out.rows = append(out.rows, cells)
	}
	return out
}
