//! The cell map: for each printed number its place, its exact value and what it was computed from.
//!
//! It travels as an attachment of the PDF. What must stay true: it lists every token of the paper exactly once, in
//! reading order, and each entry can be checked without any other text.

use serde::{Deserialize, Serialize};

use crate::document::{Block, Document, Evidence, Inline, Rounding, TokenKind};

/// The version of the format.
pub const FORMAT: &str = "benchpaper/cellmap@1";

/// All printed numbers of a paper.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct CellMap {
    /// [`FORMAT`].
    pub format: String,
    /// In reading order.
    pub entries: Vec<Entry>,
}

/// One printed number.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// Where it stands.
    pub place: Place,
    /// The name to trace it by.
    pub name: String,
    /// The digits.
    pub token: String,
    /// What kind of number.
    pub kind: TokenKind,
    /// The exact value in base units, as a fraction in lowest terms.
    pub exact: String,
    /// The values the digits stand for, in printed units, as fractions: low, high.
    pub interval: (String, String),
    /// The unit printed.
    pub unit: String,
    /// How the digits were made.
    pub rounding: Rounding,
    /// What it was computed from.
    pub evidence: Vec<Evidence>,
}

/// A place in reading order: section, then a table cell or a paragraph.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// The number of the token in reading order, from 1.
    pub order: usize,
    /// The heading it stands under.
    pub section: String,
    /// The table's id, where it stands in one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub table: Option<String>,
    /// Row from 1, where it stands in a table.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub row: Option<usize>,
    /// Column from 1, where it stands in a table.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub column: Option<usize>,
}

/// The cell map of a document.
pub fn of_document(document: &Document) -> CellMap {
    let mut walk = Walk { document, section: String::new(), entries: vec![] };
    for block in &document.blocks {
        walk.block(block);
    }
    CellMap { format: FORMAT.to_owned(), entries: walk.entries }
}

/// A place in a table; rows and columns from 1.
struct Cell<'a> {
    table: &'a str,
    row: usize,
    column: usize,
}

struct Walk<'a> {
    document: &'a Document,
    section: String,
    entries: Vec<Entry>,
}

impl Walk<'_> {
    fn block(&mut self, block: &Block) {
        match block {
            Block::Heading { text, .. } => {
                self.section = plain_text(self.document, text);
                self.inlines(text, None);
            }
            Block::Paragraph(text) | Block::Note(text) => self.inlines(text, None),
            Block::List(items) => items.iter().for_each(|item| self.inlines(item, None)),
            Block::Table(table) => {
                for (row, cells) in table.rows.iter().enumerate() {
                    for (column, cell) in cells.iter().enumerate() {
                        self.inlines(cell, Some(&Cell { table: &table.id, row: row + 1, column: column + 1 }));
                    }
                }
            }
            Block::Figure(_) | Block::Code(_) => {}
        }
    }

    fn inlines(&mut self, inlines: &[Inline], cell: Option<&Cell<'_>>) {
        for inline in inlines {
            if let Inline::Token(index) = inline {
                self.token(*index, cell);
            }
        }
    }

    fn token(&mut self, index: usize, cell: Option<&Cell<'_>>) {
        let token = &self.document.tokens[index];
        let place = Place {
            order: self.entries.len() + 1,
            section: self.section.clone(),
            table: cell.map(|cell| cell.table.to_owned()),
            row: cell.map(|cell| cell.row),
            column: cell.map(|cell| cell.column),
        };
        self.entries.push(Entry {
            place,
            name: token.name.clone(),
            token: token.text.clone(),
            kind: token.kind,
            exact: token.exact.to_fraction(),
            interval: (token.interval.low().to_fraction(), token.interval.high().to_fraction()),
            unit: token.unit.clone(),
            rounding: token.rounding.clone(),
            evidence: token.evidence.clone(),
        });
    }
}

/// The words of some inlines, tokens as their digits.
pub fn plain_text(document: &Document, inlines: &[Inline]) -> String {
    let one = |inline: &Inline| match inline {
        Inline::Text(text) | Inline::Emphasis(text) | Inline::Strong(text) | Inline::Code(text) => text.clone(),
        Inline::Link { text, .. } => text.clone(),
        Inline::Token(index) => document.tokens[*index].text.clone(),
    };
    inlines.iter().map(one).collect()
}
