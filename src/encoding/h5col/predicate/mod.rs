//! Predicates: which rows are looked for.
//!
//! Logic has three values. A comparison with a missing value is unknown, `not` of unknown is unknown, and a row is
//! selected where the whole is true: `x == 5`, `x != 5` and `not x == 5` all leave out rows where `x` is missing. A NaN
//! that does not mean missing is a value that nothing is equal to, before or after.

mod bind;
mod set;
mod text;

use std::fmt;
use std::ops::{BitAnd, BitOr, Not};

pub(super) use bind::{Leaf, Node, Test, bind};
pub(super) use set::Set;

/// A value in a predicate.
#[derive(Clone, Debug, PartialEq)]
pub enum Literal {
    /// An integer. It compares exactly with integers and floats.
    Integer(i128),
    /// A floating-point number. It compares exactly with integers and floats.
    Float(f64),
    /// Text, which compares byte by byte; a label.
    Text(String),
    /// Bytes, which compare with strings.
    Bytes(Vec<u8>),
    /// A boolean: 0 or 1.
    Boolean(bool),
}

macro_rules! literals {
    ($($t:ty => $variant:ident;)*) => {$(
        impl From<$t> for Literal {
            fn from(value: $t) -> Self {
                Self::$variant(value.into())
            }
        }
    )*};
}

literals! {
    i8 => Integer;
    i16 => Integer;
    i32 => Integer;
    i64 => Integer;
    i128 => Integer;
    u8 => Integer;
    u16 => Integer;
    u32 => Integer;
    u64 => Integer;
    f32 => Float;
    f64 => Float;
    &str => Text;
    String => Text;
    &[u8] => Bytes;
    Vec<u8> => Bytes;
    bool => Boolean;
}

impl fmt::Display for Literal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Integer(n) => n.fmt(f),
            Self::Float(x) if x.is_infinite() => f.write_str(if *x > 0.0 { "inf" } else { "-inf" }),
            Self::Float(x) => write!(f, "{x:?}"),
            Self::Text(text) => quoted(f, text, '"'),
            Self::Bytes(bytes) => {
                f.write_str("x\"")?;
                bytes.iter().try_for_each(|b| write!(f, "{b:02x}"))?;
                f.write_str("\"")
            }
            Self::Boolean(b) => b.fmt(f),
        }
    }
}

/// Text between quotes, with what would end it escaped.
fn quoted(f: &mut fmt::Formatter<'_>, text: &str, quote: char) -> fmt::Result {
    write!(f, "{quote}")?;
    for c in text.chars() {
        match c {
            '\n' => f.write_str("\\n")?,
            '\t' => f.write_str("\\t")?,
            c if c == quote || c == '\\' => write!(f, "\\{c}")?,
            c if c.is_control() => write!(f, "\\u{{{:x}}}", u32::from(c))?,
            c => write!(f, "{c}")?,
        }
    }
    write!(f, "{quote}")
}

/// How a value compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
}

impl fmt::Display for Operator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Equal => "==",
            Self::NotEqual => "!=",
            Self::Less => "<",
            Self::LessOrEqual => "<=",
            Self::Greater => ">",
            Self::GreaterOrEqual => ">=",
        })
    }
}

/// What rows are asked for.
///
/// Made by [`column()`] and `&`, `|`, `!`, or of text:
///
/// ```
/// use h5kit::encoding::h5col::{Predicate, column};
/// let built = column("height").ge(500) & !column("name").is_in(["Säntis", "Davos"]);
/// let parsed: Predicate = r#"height >= 500 and name not in ("Säntis", "Davos")"#.parse()?;
/// assert_eq!(built, parsed);
/// # Ok::<(), h5kit::encoding::h5col::QueryError>(())
/// ```
///
/// The text form has `=` or `==`, `!=` or `<>`, `<`, `<=`, `>`, `>=`, `in (…)`, `not in (…)`, `between … and …`,
/// `is null`, `is not null`; `and`, `or`, `not` (or `&`, `|`, `!`) and parentheses, `not` binding closest. Strings
/// stand in `"…"` or `'…'`, bytes in `x"…"` as hexadecimal digits; columns whose names are no words, in backquotes.
#[derive(Clone, Debug, PartialEq)]
pub enum Predicate {
    /// Every row.
    All,
    /// The value of a column compares so.
    Compare {
        /// The column.
        column: String,
        /// How.
        operator: Operator,
        /// With what.
        value: Literal,
    },
    /// The value of a column is one of some.
    In {
        /// The column.
        column: String,
        /// The values.
        values: Vec<Literal>,
    },
    /// The value of a column is missing.
    IsNull(String),
    /// The value of a column is not missing.
    IsValid(String),
    /// All of these.
    And(Vec<Predicate>),
    /// One of these.
    Or(Vec<Predicate>),
    /// Not this.
    Not(Box<Predicate>),
}

/// A column by its name, to make a [`Predicate`] of.
#[derive(Clone, Debug)]
pub struct ColumnName(String);

/// A column by its name, to make a [`Predicate`] of.
pub fn column(name: impl Into<String>) -> ColumnName {
    ColumnName(name.into())
}

macro_rules! comparisons {
    ($($(#[$doc:meta])* $name:ident $operator:ident;)*) => {
        impl ColumnName {
            $($(#[$doc])*
            #[must_use]
            pub fn $name(self, value: impl Into<Literal>) -> Predicate {
                Predicate::Compare { column: self.0, operator: Operator::$operator, value: value.into() }
            })*
        }
    };
}

comparisons! {
    /// The value is this.
    eq Equal;
    /// The value is not this.
    ne NotEqual;
    /// The value is before this.
    lt Less;
    /// The value is before this, or this.
    le LessOrEqual;
    /// The value is after this.
    gt Greater;
    /// The value is after this, or this.
    ge GreaterOrEqual;
}

impl ColumnName {
    /// The value is one of these.
    #[must_use]
    pub fn is_in<L: Into<Literal>>(self, values: impl IntoIterator<Item = L>) -> Predicate {
        Predicate::In { column: self.0, values: values.into_iter().map(Into::into).collect() }
    }

    /// The value is missing.
    #[must_use]
    pub fn is_null(self) -> Predicate {
        Predicate::IsNull(self.0)
    }

    /// The value is not missing.
    #[must_use]
    pub fn is_valid(self) -> Predicate {
        Predicate::IsValid(self.0)
    }
}

impl BitAnd for Predicate {
    type Output = Self;

    fn bitand(self, other: Self) -> Self {
        match (self, other) {
            (Self::And(mut all), Self::And(more)) => {
                all.extend(more);
                Self::And(all)
            }
            (Self::And(mut all), one) => {
                all.push(one);
                Self::And(all)
            }
            (a, b) => Self::And(vec![a, b]),
        }
    }
}

impl BitOr for Predicate {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        match (self, other) {
            (Self::Or(mut any), Self::Or(more)) => {
                any.extend(more);
                Self::Or(any)
            }
            (Self::Or(mut any), one) => {
                any.push(one);
                Self::Or(any)
            }
            (a, b) => Self::Or(vec![a, b]),
        }
    }
}

impl Not for Predicate {
    type Output = Self;

    fn not(self) -> Self {
        Self::Not(Box::new(self))
    }
}

impl fmt::Display for Predicate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // As few parentheses as it takes, so that what is shown is nested no deeper than what was parsed.
        let join = |f: &mut fmt::Formatter<'_>, parts: &[Self], word: &str, enclosed: fn(&Self) -> bool| {
            for (i, part) in parts.iter().enumerate() {
                f.write_str(if i > 0 { word } else { "" })?;
                if enclosed(part) { write!(f, "({part})")? } else { part.fmt(f)? }
            }
            Ok(())
        };
        let joins = |part: &Self| matches!(part, Self::And(parts) | Self::Or(parts) if !parts.is_empty());
        match self {
            Self::All => f.write_str("true"),
            Self::Compare { column, operator, value } => write!(f, "{} {operator} {value}", Name(column)),
            Self::In { column, values } => {
                write!(f, "{} in (", Name(column))?;
                for (i, value) in values.iter().enumerate() {
                    write!(f, "{}{value}", if i > 0 { ", " } else { "" })?;
                }
                f.write_str(")")
            }
            Self::IsNull(column) => write!(f, "{} is null", Name(column)),
            Self::IsValid(column) => write!(f, "{} is not null", Name(column)),
            Self::And(parts) if parts.is_empty() => f.write_str("true"),
            Self::Or(parts) if parts.is_empty() => f.write_str("not true"),
            Self::And(parts) => join(f, parts, " and ", |part| matches!(part, Self::And(_) | Self::Or(_))),
            Self::Or(parts) => join(f, parts, " or ", |part| matches!(part, Self::Or(_))),
            Self::Not(part) if joins(part) => write!(f, "not ({part})"),
            Self::Not(part) => write!(f, "not {part}"),
        }
    }
}

/// A column's name as the text form has it.
pub(super) struct Name<'n>(pub(super) &'n str);

impl fmt::Display for Name<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if text::is_word(self.0) { f.write_str(self.0) } else { quoted(f, self.0, '`') }
    }
}
