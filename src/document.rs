//! A paper as a neutral tree: headings, prose, tables, figures, and tokens.
//!
//! A token is one printed number with all that stands behind it. The tree knows nothing of Markdown or PDF, so both
//! print the same; the only way for a result to enter it is as a token.

use serde::{Deserialize, Serialize};

use crate::digest::Digest;
use crate::exact::Exact;
use crate::interval::Interval;

/// A whole paper.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Document {
    /// The title page.
    pub title: TitleBlock,
    /// The body, in reading order.
    pub blocks: Vec<Block>,
    /// The tokens that inlines refer to by index.
    pub tokens: Vec<Token>,
    /// The drawings that figures refer to by file name: name and SVG text.
    pub drawings: Vec<(String, String)>,
}

/// What stands at the head of a paper.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TitleBlock {
    /// The title.
    pub title: String,
    /// The names of the authors.
    pub authors: Vec<String>,
    /// The version of the paper.
    pub version: String,
    /// The date of the input commit, `YYYY-MM-DD`.
    pub date: String,
    /// The question the paper answers.
    pub question: String,
    /// An SPDX expression, where the manifest names one.
    pub license: Option<String>,
    /// Further lines: label and value.
    pub lines: Vec<(String, String)>,
    /// Whether every page is marked as a draft.
    pub is_draft: bool,
}

/// One block of the body.
#[derive(Debug, Clone, PartialEq)]
pub enum Block {
    /// A heading; levels begin at 1 and never skip one.
    Heading {
        /// 1 for a section.
        level: u8,
        /// What it says.
        text: Vec<Inline>,
    },
    /// A paragraph.
    Paragraph(Vec<Inline>),
    /// A list without numbers.
    List(Vec<Vec<Inline>>),
    /// A table with a caption.
    Table(Table),
    /// A drawing with a caption.
    Figure(Figure),
    /// Text to be shown as it is, in a fixed-width face.
    Code(String),
    /// A remark that stands out.
    Note(Vec<Inline>),
}

/// A table.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    /// Stable within the paper: `iops`.
    pub id: String,
    /// What it shows, in a sentence.
    pub caption: String,
    /// One a column.
    pub columns: Vec<Column>,
    /// Each as long as `columns`.
    pub rows: Vec<Vec<Vec<Inline>>>,
}

/// A column of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// What stands in its head.
    pub head: String,
    /// Whether it holds numbers, which are set flush right.
    pub is_number: bool,
}

impl Column {
    /// A column of words.
    pub fn text(head: impl Into<String>) -> Self {
        Self { head: head.into(), is_number: false }
    }

    /// A column of numbers.
    pub fn number(head: impl Into<String>) -> Self {
        Self { head: head.into(), is_number: true }
    }
}

/// A drawing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Figure {
    /// Stable within the paper, and the stem of its file.
    pub id: String,
    /// What it shows, in a sentence.
    pub caption: String,
    /// What a reader who can not see it is told.
    pub description: String,
    /// The name of the drawing in the document.
    pub file: String,
}

/// A piece of running text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Inline {
    /// Words.
    Text(String),
    /// Emphasised words.
    Emphasis(String),
    /// Strong words.
    Strong(String),
    /// Words of a machine.
    Code(String),
    /// A link.
    Link {
        /// What is shown.
        text: String,
        /// Where it leads; http or https.
        url: String,
    },
    /// A number, by its index in the document's tokens.
    Token(usize),
}

impl Inline {
    /// Words.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }
}

/// How an exact value was turned into digits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rounding {
    /// Digits after the point.
    pub decimals: usize,
    /// Always `half-even`.
    pub mode: String,
    /// The divisor applied before rounding, as a fraction of base units: 1000 for µs out of ns.
    pub divisor: String,
}

/// Where a number comes from.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Evidence {
    /// The object that holds the value.
    pub object: Digest,
    /// The place within it; `file/…` names another file of the same attempt.
    pub pointer: String,
    /// The other files that the place names.
    #[serde(default, skip_serializing_if = "std::collections::BTreeMap::is_empty")]
    pub files: std::collections::BTreeMap<String, Digest>,
    /// The job that made it.
    pub job: Digest,
    /// The run that the job belongs to.
    pub run: String,
}

/// What kind of number a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TokenKind {
    /// Computed from measurements.
    Result,
    /// Set in the manifest.
    Configured,
    /// Counted in the record: attempts, replicates.
    Counted,
}

/// One printed number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    /// The digits as printed.
    pub text: String,
    /// The name a person can trace it by: `iops/arm=direct/median`.
    pub name: String,
    /// What kind of number it is.
    pub kind: TokenKind,
    /// The exact value in base units.
    pub exact: Exact,
    /// The unit it is printed in.
    pub unit: String,
    /// How the digits were made.
    pub rounding: Rounding,
    /// What they stand for.
    pub interval: Interval,
    /// The values it was computed from, in order.
    pub evidence: Vec<Evidence>,
}
