package tty

import "strings"

// Table is rows of cells whose columns line up.
type Table struct {
	// Right names the columns that line up at their right side.
	Right map[int]bool
	// Path is the column that is shortened, from its left, where the terminal is
	// too narrow; -1 for none.
	Path int
	// Prose has that column shortened from its right.
	Prose bool
	rows  [][]Span
}

// Row adds a row.
func (t *Table) Row(cells ...Span) { t.rows = append(t.rows, cells) }

// Print writes the table. In a pipe nothing is shortened.
func (t *Table) Print(o *Output) {
	widths := t.widths(o)
	for _, row := range t.rows {
		var b strings.Builder
		for i, cell := range row {
			text := cell.clean()
			switch {
			case i == t.Path && t.Prose:
				text = Cut(text, widths[i])
			case i == t.Path:
				text = CutLeft(text, widths[i])
			}
			if i > 0 {
				b.WriteString("  ")
			}
			switch {
			case t.Right[i]:
				text = padLeft(text, widths[i])
			case i < len(row)-1:
				text = Pad(text, widths[i])
			}
			b.WriteString(cell.style.paint(text, o.opt.Colour))
		}
		o.put(strings.TrimRight(b.String(), " ") + "\n")
	}
}

func (t *Table) widths(o *Output) []int {
	var widths []int
	for _, row := range t.rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], Width(cell.clean()))
		}
	}
	if !o.opt.Terminal || t.Path < 0 || t.Path >= len(widths) {
		return widths
	}
	total := 2 * (len(widths) - 1)
	for _, w := range widths {
		total += w
	}
	columns, _ := o.Size()
	if over := total - columns; over > 0 {
		widths[t.Path] = max(12, widths[t.Path]-over)
	}
	return widths
}
