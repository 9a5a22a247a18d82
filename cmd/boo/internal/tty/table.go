package tty

import "bytes"

// Table is rows of cells whose columns line up.
type Table struct {
	// Right names the columns that line up at their right side.
	Right map[int]bool
	// Path is the column that is shortened, from its left, where the terminal is
	// too narrow; -1 for none.
	Path int
	// Prose has that column shortened from its right.
	Prose bool
	rows  [][]cell
}

// cell is a clean text, which is measured once.
type cell struct {
	text  string
	width int
	style style
}

// Row adds a row.
func (t *Table) Row(cells ...Span) {
	row := make([]cell, len(cells))
	for i, c := range cells {
		text := c.clean()
		row[i] = cell{text, Width(text), c.style}
	}
	t.rows = append(t.rows, row)
}

// Print writes the table at once. In a pipe nothing is shortened.
func (t *Table) Print(o *Output) {
	widths := t.widths(o)
	line := 2 * len(widths)
	for _, w := range widths {
		line += w
	}
	b := make([]byte, 0, line*len(t.rows))
	for _, row := range t.rows {
		begin := len(b)
		for i, c := range row {
			if i == t.Path && c.width > widths[i] {
				c = t.shortened(c, widths[i])
			}
			fill := widths[i] - c.width
			if i > 0 {
				b = append(b, "  "...)
			}
			if t.Right[i] {
				b = pad(b, fill)
			}
			b = append(b, c.style.paint(c.text, o.opt.Colour)...)
			if !t.Right[i] && i < len(row)-1 {
				b = pad(b, fill)
			}
		}
		b = append(b[:begin+len(bytes.TrimRight(b[begin:], " "))], '\n')
	}
	o.put(string(b))
}

func (t *Table) shortened(c cell, width int) cell {
	cut := CutLeft
	if t.Prose {
		cut = Cut
	}
	c.text = cut(c.text, width)
	c.width = Width(c.text)
	return c
}

func pad(b []byte, n int) []byte {
	for range n {
		b = append(b, ' ')
	}
	return b
}

func (t *Table) widths(o *Output) []int {
	var widths []int
	for _, row := range t.rows {
		for i, c := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], c.width)
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
