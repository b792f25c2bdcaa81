package desk

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"os"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"svc/client/safe"
	"svc/tui/draw"
)

// saved is the end of writing a list to a file.
type saved struct {
	path string
	rows int
	err  error
}

// Sheet is a list for a file: the filtered rows, in their order.
type Sheet struct {
	Name  string
	Heads []string
	Rows  [][]string
}

// tabular is a screen with a list that can be saved.
type tabular interface{ Sheet() Sheet }

// askSave offers the forms in which the list in front can be saved.
func (m *Env) askSave() {
	t, ok := m.Screen().(tabular)
	if !ok {
		return
	}
	save := func(ending string, encode func(Sheet) ([]byte, error)) func(*Env) tea.Cmd {
		return func(m *Env) tea.Cmd {
			s := t.Sheet()
			path := s.Name + "-" + m.Now().UTC().Format("20060102T150405Z") + "." + ending
			return func() tea.Msg {
				data, err := encode(s)
				if err == nil {
					err = writeNew(path, data)
				}
				return saved{path, len(s.Rows), err}
			}
		}
	}
	m.Ask(&Prompt{
		Title:   []draw.Line{draw.Plain(" save the list in this folder")},
		Choices: []Choice{{"j", "jsonl", save("jsonl", Sheet.jsonl)}, {"c", "csv", save("csv", Sheet.csv)}, {"esc", "back", Stay}},
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
func (s Sheet) jsonl() ([]byte, error) {
	var b bytes.Buffer
	for _, row := range s.Rows {
		for i, head := range s.Heads {
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
func (s Sheet) csv() ([]byte, error) {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	if err := w.Write(s.Heads); err != nil {
		return nil, err
	}
	for _, row := range s.Rows {
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
