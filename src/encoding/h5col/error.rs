//! What can go wrong with a table: the file, a rule of the convention, or the query.

use std::fmt;

/// The result of everything that can fail here.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a table, a column or a query gives no answer.
#[non_exhaustive]
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The file itself cannot be read.
    #[error(transparent)]
    File(#[from] crate::Error),
    /// What is there breaks a rule of the convention, and what was asked for needs it.
    #[error(transparent)]
    Rule(Box<Violation>),
    /// The query does not fit the table.
    #[error(transparent)]
    Query(#[from] QueryError),
    /// Arrow has no form for a column, or for some of what is in it.
    #[cfg(feature = "arrow")]
    #[error("{}as Arrow: {detail}", .column.as_ref().map(|name| format!("column `{name}` ")).unwrap_or_default())]
    Arrow {
        /// The column, unless it is the batch as a whole.
        column: Option<String>,
        /// What has no form.
        detail: String,
    },
}

impl Error {
    /// True where a source of fetched ranges lacks some: fetch what it noted, then call again.
    #[must_use]
    pub fn is_missing(&self) -> bool {
        matches!(self, Self::File(e) if e.is_missing())
    }

    /// The broken rule, if that is what this error says.
    #[must_use]
    pub fn violation(&self) -> Option<&Violation> {
        match self {
            Self::Rule(violation) => Some(violation),
            _ => None,
        }
    }
}

impl From<Violation> for Error {
    fn from(violation: Violation) -> Self {
        Self::Rule(Box::new(violation))
    }
}

/// Why a query does not fit a table.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum QueryError {
    /// No such column.
    #[error("no column `{0}`")]
    UnknownColumn(String),
    /// Columns of this kind have no order or no value that a query can name.
    #[error("column `{column}` holds {kind}, which values do not compare with")]
    Kind {
        /// The column.
        column: String,
        /// What it holds.
        kind: &'static str,
    },
    /// Text against numbers, or the reverse.
    #[error("column `{column}` holds {kind}, which {value} does not compare with")]
    Value {
        /// The column.
        column: String,
        /// What it holds.
        kind: &'static str,
        /// The value as people read it.
        value: String,
    },
    /// NaN compares with nothing.
    #[error("NaN compares with nothing; ask column `{0}` for missing values")]
    NotANumber(String),
    /// Labels have the order of their codes, which this one lacks.
    #[error("column `{column}` has no label {value}, so nothing is before or after it")]
    UnknownLabel {
        /// The column.
        column: String,
        /// The label as people read it.
        value: String,
    },
    /// The text form breaks its grammar.
    #[error("at character {at} of the query: {fault}")]
    Syntax {
        /// Number of the character, from 1.
        at: usize,
        /// What is wrong there.
        fault: String,
    },
}

/// A broken rule of the convention.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub struct Violation {
    /// The rule.
    pub rule: Rule,
    /// The name of the fault.
    pub fault: Fault,
    /// What a reader should do.
    pub verdict: Verdict,
    /// Path of the table.
    pub table: String,
    /// The column concerned, where there is one.
    pub column: Option<String>,
    /// Path of the object concerned.
    pub path: String,
    /// What is wrong, with its numbers.
    pub detail: String,
}

impl Violation {
    pub(super) fn new(rule: Rule, path: &str, detail: impl Into<String>) -> Self {
        Self {
            rule,
            fault: rule.fault(),
            verdict: rule.verdict(),
            table: String::new(),
            column: None,
            path: path.to_owned(),
            detail: detail.into(),
        }
    }

    pub(super) fn fault(mut self, fault: Fault) -> Self {
        self.fault = fault;
        self
    }

    pub(super) fn verdict(mut self, verdict: Verdict) -> Self {
        self.verdict = verdict;
        self
    }

    /// The same, of this table and column unless it says another already.
    pub(super) fn of(mut self, table: &str, column: Option<&str>) -> Self {
        if self.table.is_empty() {
            table.clone_into(&mut self.table);
        }
        if self.column.is_none() {
            self.column = column.map(str::to_owned);
        }
        self
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.path)?;
        if let Some(column) = &self.column {
            write!(f, " (column `{column}`)")?;
        }
        write!(f, ": {} ({}, {}): {}", self.fault, self.rule, self.verdict, self.detail)
    }
}

/// Names the table and column of the rules that an error speaks of.
pub(super) trait InColumn<T> {
    fn in_column(self, table: &str, column: Option<&str>) -> Result<T>;
}

impl<T> InColumn<T> for Result<T> {
    fn in_column(self, table: &str, column: Option<&str>) -> Result<T> {
        self.map_err(|e| match e {
            Error::Rule(violation) => violation.of(table, column).into(),
            other => other,
        })
    }
}

/// An enum whose variants are written as they are named.
macro_rules! names {
    ($(#[$of:meta])* $name:ident { $($(#[$doc:meta])* $variant:ident,)* }) => {
        $(#[$of])*
        #[non_exhaustive]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $name {
            $($(#[$doc])* $variant,)*
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(match self {
                    $(Self::$variant => stringify!($variant),)*
                })
            }
        }
    };
}

names! {
    /// The faults that rules name.
    Fault {
        /// A group that is no table.
        NotATable,
        /// A version that is not read here.
        UnsupportedVersion,
        /// An attribute that must be there is not.
        MissingAttribute,
        /// An attribute of another type, shape or value.
        BadAttribute,
        /// Columns shorter than the table, or of several lengths.
        BadExtent,
        /// A column order that is not a list of the columns.
        BadColumnOrder,
        /// Row labels that are no columns.
        BadIndexColumns,
        /// Something else below the table.
        ForeignObject,
        /// A reserved name on something of the producer.
        ReservedName,
        /// A fill value that is absent, forbidden, or among the real values.
        BadFill,
        /// A code that is neither FALSE nor TRUE.
        BadBoolean,
        /// A mark of a later revision.
        LaterRevision,
        /// Text that is not UTF-8.
        InvalidUtf8,
        /// Codes or labels that do not fit.
        BadCategorical,
        /// A reference that leads nowhere, or elsewhere.
        BadReference,
        /// A list column whose parts do not fit.
        BadListColumn,
        /// A list column of a kind that is not known.
        UnknownListKind,
        /// A variable-length datatype below a list column.
        VlenInList,
        /// A search index that cannot be used or says what is not so.
        BadSearchIndex,
    }
}

names! {
    /// The rules of the convention.
    Rule {
        /// The CLASS attribute says COLUMN_TABLE.
        T1,
        /// VERSION is there and numeric.
        T2,
        /// The major version is known.
        T3,
        /// NROWS is a scalar unsigned 64-bit integer.
        T4,
        /// All scalar columns have one extent, of at least NROWS.
        T5,
        /// `column-order` names every column once.
        T6,
        /// INDEX_COLUMNS refers to scalar columns of the table, and `_index` agrees.
        T7,
        /// Nothing else is below the table.
        T8,
        /// Reserved names mean what they are reserved for.
        T9,
        /// A column that is not boolean has a user-defined fill value.
        C1,
        /// The fill value is outside the valid range.
        C2,
        /// No MASK attribute.
        C3,
        /// Strings are UTF-8.
        C4,
        /// A boolean column has no fill value.
        B1,
        /// Boolean codes are 0 and 1.
        B2,
        /// Other enumerations are no booleans.
        B3,
        /// Category codes are the fill value or count a label.
        K1,
        /// The fill value counts no label.
        K2,
        /// CATEGORIES refers to a dataset in the group of that name.
        K3,
        /// The CATEGORIES group holds only labels that a column refers to.
        K4,
        /// Category codes are integers.
        K5,
        /// Offsets begin at 0 and never decrease.
        L1,
        /// The members of a list column are long enough.
        L2,
        /// OFFSETS is unsigned 64-bit.
        L3,
        /// MASK is boolean.
        L4,
        /// A null entry has no elements.
        L5,
        /// A list column has no other members.
        L6,
        /// KIND is known.
        L7,
        /// No variable-length datatype below a list column.
        L8,
        /// CHARS is unsigned 8-bit and long enough.
        L9,
        /// CHARS is UTF-8.
        L10,
        /// The members that a list column needs.
        L11,
        /// No search index on a list column.
        L12,
        /// SEARCH_INDEXES holds indexes and what they need.
        S1,
        /// Generation and source tokens are scalar unsigned 64-bit integers.
        S2,
        /// SEARCH_INDEX_LIST refers to indexes of this table.
        S3,
        /// An index serves one column.
        S4,
        /// An index has the shape that its kind asks for.
        S5,
        /// An index says of the column what is so.
        S6,
        /// A bitmap has the values that its rows stand for.
        S7,
    }
}

impl Rule {
    /// The fault that the rule names, unless what is found is another one.
    #[must_use]
    pub fn fault(self) -> Fault {
        match self {
            Self::T1 => Fault::NotATable,
            Self::T2 | Self::T4 => Fault::BadAttribute,
            Self::T3 => Fault::UnsupportedVersion,
            Self::T5 => Fault::BadExtent,
            Self::T6 => Fault::BadColumnOrder,
            Self::T7 => Fault::BadIndexColumns,
            Self::T8 => Fault::ForeignObject,
            Self::T9 => Fault::ReservedName,
            Self::C1 | Self::C2 | Self::B1 | Self::B3 => Fault::BadFill,
            Self::C3 => Fault::LaterRevision,
            Self::C4 | Self::L10 => Fault::InvalidUtf8,
            Self::B2 => Fault::BadBoolean,
            Self::K1 | Self::K2 | Self::K4 | Self::K5 => Fault::BadCategorical,
            Self::K3 => Fault::BadReference,
            Self::L7 => Fault::UnknownListKind,
            Self::L8 => Fault::VlenInList,
            Self::L1 | Self::L2 | Self::L3 | Self::L4 | Self::L5 | Self::L6 | Self::L9 | Self::L11 => {
                Fault::BadListColumn
            }
            Self::L12 | Self::S1 | Self::S2 | Self::S3 | Self::S4 | Self::S5 | Self::S6 | Self::S7 => {
                Fault::BadSearchIndex
            }
        }
    }

    /// What a reader does where the rule is broken, unless the bytes that are needed are still there.
    #[must_use]
    pub fn verdict(self) -> Verdict {
        match self {
            Self::T1 | Self::T2 | Self::T3 | Self::B2 | Self::K1 | Self::L2 | Self::L11 => Verdict::Reject,
            Self::T8 | Self::C3 | Self::B3 => Verdict::Tolerate,
            Self::L7 => Verdict::ColumnUnreadable,
            Self::S2 | Self::S3 => Verdict::IgnoreIndex,
            _ => Verdict::Strict,
        }
    }
}

/// What a reader does about a broken rule.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Verdict {
    /// The table or the column cannot be read.
    Reject,
    /// A validating reader reports it; a lenient one goes on.
    Strict,
    /// It must or may be read.
    Tolerate,
    /// The table reads, the index must not be used.
    IgnoreIndex,
    /// The column is there and cannot be read; the others can.
    ColumnUnreadable,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Reject => "reject",
            Self::Strict => "strict",
            Self::Tolerate => "tolerate",
            Self::IgnoreIndex => "ignore-index",
            Self::ColumnUnreadable => "column-unreadable",
        })
    }
}
