//! Arrays as nested brackets, one element after the other.

use std::io::{self, Write};

use crate::paint::{self, styled, width};
use crate::pick::Axis;

/// Characters of a line.
pub const LINE: usize = 100;

/// How much of an axis is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shown {
    /// Elements of the axis.
    pub length: u64,
    /// How many from its beginning.
    pub head: u64,
    /// How many from its end.
    pub tail: u64,
}

impl Shown {
    /// All of an axis.
    pub fn all(length: u64) -> Self {
        Self { length, head: length, tail: 0 }
    }

    /// Its beginning and its end, where it is longer than `longest`.
    pub fn ends(length: u64, longest: u64, head: u64, tail: u64) -> Self {
        if length > longest { Self { length, head, tail } } else { Self::all(length) }
    }

    /// True where something is left out.
    pub fn gap(&self) -> bool {
        self.head + self.tail < self.length
    }

    /// Elements shown.
    pub fn count(&self) -> u64 {
        self.head + self.tail
    }

    /// The element that is shown number `n`.
    pub fn at(&self, n: u64) -> u64 {
        if n < self.head { n } else { self.length - self.count() + n }
    }

    /// The ranges that are shown.
    pub fn ranges(&self) -> Vec<(u64, u64)> {
        let tail = (self.length - self.tail, self.length);
        if self.tail > 0 { vec![(0, self.head), tail] } else { vec![(0, self.head)] }
    }
}

/// How elements are laid out.
#[derive(Clone, Copy, Debug, Default)]
pub struct Look {
    /// Indices stand before the lines.
    pub gutter: bool,
    /// Characters that each element takes at least.
    pub cell: usize,
    /// Each element has a line of its own.
    pub one_a_line: bool,
}

/// Writes elements of an array of at least one dimension and one element.
pub struct Brackets {
    axes: Vec<(Axis, Shown)>,
    look: Look,
    /// Characters of the indices before a line.
    gutter: usize,
    /// Which of the shown elements comes next.
    next: Vec<u64>,
    column: usize,
}

impl Brackets {
    /// An array with these axes.
    pub fn new(axes: Vec<(Axis, Shown)>, look: Look) -> Self {
        let digits = |(axis, shown): &(Axis, Shown)| axis.at(shown.length - 1).to_string().len();
        let gutter = match axes.as_slice() {
            [only] => digits(only),
            [rows @ .., _] => rows.iter().map(|axis| digits(axis) + 1).sum::<usize>() - 1,
            [] => 0,
        };
        Self { next: vec![0; axes.len()], axes, look, gutter, column: 0 }
    }

    /// Writes the next element.
    pub fn push(&mut self, out: &mut dyn Write, text: &str) -> io::Result<()> {
        let rank = self.axes.len();
        let opening = self.next.iter().rev().take_while(|n| **n == 0).count();
        let wide = width(text).max(self.look.cell);
        if opening > 0 {
            if opening < rank {
                writeln!(out, ",")?;
                let (_, shown) = self.axes[rank - opening - 1];
                if shown.gap() && self.next[rank - opening - 1] == shown.head {
                    self.line(out, false, rank - opening)?;
                    writeln!(out, "…")?;
                }
            }
            self.line(out, true, rank - opening)?;
            out.write_all("[".repeat(opening).as_bytes())?;
            self.column += opening;
        } else {
            let (_, shown) = self.axes[rank - 1];
            if shown.gap() && self.next[rank - 1] == shown.head {
                self.separate(out, 1)?;
                out.write_all("…".as_bytes())?;
                self.column += 1;
            }
            self.separate(out, wide)?;
        }
        write!(out, "{}{text}", " ".repeat(wide - width(text)))?;
        self.column += wide;
        self.close(out)
    }

    /// Goes on after an element: on the same line where there is room.
    fn separate(&mut self, out: &mut dyn Write, wide: usize) -> io::Result<()> {
        if self.look.one_a_line || self.column + wide + 3 > LINE {
            writeln!(out, ",")?;
            self.line(out, self.axes.len() == 1, self.axes.len())
        } else {
            self.column += 2;
            out.write_all(b", ")
        }
    }

    /// Begins a line.
    fn line(&mut self, out: &mut dyn Write, labelled: bool, indent: usize) -> io::Result<()> {
        self.column = indent;
        if self.look.gutter {
            self.column += self.gutter + 2;
            let label = if labelled { self.label() } else { String::new() };
            let blanks = " ".repeat(self.gutter - width(&label).min(self.gutter));
            write!(out, "{blanks}{}  ", styled(paint::DIM, &label))?;
        }
        write!(out, "{:indent$}", "")
    }

    /// The indices of the row; of the element, where there is one dimension.
    fn label(&self) -> String {
        let shown = self.axes.len().saturating_sub(1).max(1);
        let at = self.axes.iter().zip(&self.next).take(shown);
        let at: Vec<String> = at.map(|((axis, shown), n)| axis.at(shown.at(*n)).to_string()).collect();
        at.join(",")
    }

    /// Closes what ends with this element and counts on.
    fn close(&mut self, out: &mut dyn Write) -> io::Result<()> {
        for d in (0..self.axes.len()).rev() {
            let (_, shown) = self.axes[d];
            self.next[d] += 1;
            if self.next[d] < shown.count() {
                return Ok(());
            }
            self.next[d] = 0;
            let rest = if shown.gap() && shown.tail == 0 { ", …]" } else { "]" };
            out.write_all(rest.as_bytes())?;
            self.column += width(rest);
        }
        writeln!(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show(axes: &[Shown], look: Look) -> String {
        let axes: Vec<(Axis, Shown)> = axes.iter().map(|shown| (Axis::whole(shown.length), *shown)).collect();
        let n: u64 = axes.iter().map(|(_, shown)| shown.count()).product();
        let mut brackets = Brackets::new(axes, look);
        let mut out = Vec::new();
        for i in 0..n {
            brackets.push(&mut out, &i.to_string()).expect("memory");
        }
        anstream::adapter::strip_bytes(&out).into_vec().try_into().expect("text")
    }

    #[test]
    fn nesting() {
        let look = Look::default();
        assert_eq!(show(&[Shown::all(3)], look), "[0, 1, 2]\n");
        assert_eq!(show(&[Shown::all(2), Shown::all(2)], look), "[[0, 1],\n [2, 3]]\n");
        assert_eq!(show(&[Shown::all(2), Shown::all(1), Shown::all(2)], look), "[[[0, 1]],\n [[2, 3]]]\n");
        let ends = Shown::ends(9, 3, 2, 1);
        assert_eq!(show(&[ends], look), "[0, 1, …, 2]\n");
        assert_eq!(show(&[ends, Shown::all(1)], look), "[[0],\n [1],\n …\n [2]]\n");
        assert_eq!(show(&[Shown { length: 9, head: 1, tail: 0 }, Shown::all(2)], look), "[[0, 1], …]\n");
    }

    #[test]
    fn indices() {
        let look = Look { gutter: true, cell: 2, one_a_line: false };
        assert_eq!(show(&[Shown::ends(12, 3, 1, 1), Shown::all(2)], look), " 0  [[ 0,  1],\n     …\n11   [ 2,  3]]\n");
        let lines = show(&[Shown::all(60)], look);
        assert_eq!(lines.lines().map(|line| &line[..6]).collect::<Vec<_>>(), [" 0  [ ", "24   2", "48   4"]);
    }
}
