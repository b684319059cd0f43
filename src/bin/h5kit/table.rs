//! Rows in aligned columns, written while they come.

use std::io::{self, Write};

use anstyle::Style;

use crate::paint::{self, styled, width};

/// Rows that are kept to find out how wide the columns are.
const BATCH: usize = 500;

/// Bytes of such rows.
const BATCH_BYTES: usize = 4 << 20;

/// A cell wider than this moves what follows it in its own row only.
const WIDEST: usize = 60;

/// Where a cell stands in its column.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Align {
    /// At its beginning.
    #[default]
    Left,
    /// At its end.
    Right,
}

/// One cell.
#[derive(Debug, Default)]
pub struct Cell {
    /// Lines of a tree before the text.
    before: String,
    text: String,
    style: Style,
    align: Align,
}

impl Cell {
    /// A cell of some colour.
    pub fn new(style: Style, text: impl Into<String>) -> Self {
        Self { before: String::new(), text: text.into(), style, align: Align::Left }
    }

    /// A plain cell.
    pub fn plain(text: impl Into<String>) -> Self {
        Self::new(paint::PLAIN, text)
    }

    /// A plain cell at the end of its column.
    pub fn right(text: impl Into<String>) -> Self {
        Self { align: Align::Right, ..Self::plain(text) }
    }

    /// The same after a branch of a tree.
    pub fn after(self, branch: &str) -> Self {
        Self { before: branch.to_owned(), ..self }
    }

    fn width(&self) -> usize {
        width(&self.before) + width(&self.text)
    }
}

/// A row: cells in columns, then text that needs no column, then lines below it.
#[derive(Debug, Default)]
pub struct Row {
    /// The cells.
    pub cells: Vec<Cell>,
    /// Text after the last cell, which makes no column wider.
    pub rest: Cell,
    /// Lines below the row.
    pub below: Vec<String>,
}

impl Row {
    fn bytes(&self) -> usize {
        let cells = self.cells.iter().chain([&self.rest]).map(|cell| cell.before.len() + cell.text.len());
        cells.chain(self.below.iter().map(String::len)).sum()
    }
}

/// Rows on their way out.
#[derive(Debug, Default)]
pub struct Table {
    widths: Vec<usize>,
    rows: Vec<Row>,
    /// Bytes of the rows that are kept.
    bytes: usize,
}

impl Table {
    /// Adds a row.
    pub fn row(&mut self, out: &mut dyn Write, row: Row) -> io::Result<()> {
        for (i, cell) in row.cells.iter().enumerate() {
            if self.widths.len() <= i {
                self.widths.push(0);
            }
            let needed = cell.width();
            if needed <= WIDEST {
                self.widths[i] = self.widths[i].max(needed);
            }
        }
        self.bytes += row.bytes();
        self.rows.push(row);
        if self.rows.len() < BATCH && self.bytes < BATCH_BYTES { Ok(()) } else { self.flush(out) }
    }

    /// Writes the rows that are kept.
    pub fn flush(&mut self, out: &mut dyn Write) -> io::Result<()> {
        self.bytes = 0;
        for row in std::mem::take(&mut self.rows) {
            let mut line = String::new();
            // Blanks are written when something follows them.
            let mut blanks = 0;
            for (cell, column) in row.cells.iter().zip(&self.widths) {
                let room = column.saturating_sub(cell.width());
                let before = if cell.align == Align::Right { room } else { 0 };
                if !cell.text.is_empty() {
                    line.push_str(&" ".repeat(blanks + before));
                    line.push_str(&styled(paint::DIM, &cell.before));
                    line.push_str(&styled(cell.style, &cell.text));
                    blanks = room - before;
                } else {
                    blanks += column;
                }
                // A column that is empty everywhere takes no room.
                blanks += if *column > 0 { 2 } else { 0 };
            }
            if !row.rest.text.is_empty() {
                line.push_str(&" ".repeat(blanks));
                line.push_str(&styled(row.rest.style, &row.rest.text));
            }
            writeln!(out, "{line}")?;
            for below in &row.below {
                writeln!(out, "{below}")?;
            }
        }
        Ok(())
    }
}
