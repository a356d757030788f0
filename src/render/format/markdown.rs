//! A document as Markdown (CommonMark with pipe tables).

use std::fmt::Write as _;

use crate::document::{Block, Document, Inline, Table};
use crate::words::{Language, Word};

/// The whole paper. Figures lie in `figures/` beside it.
pub fn write(document: &Document, words: &Language) -> String {
    let mut writer = Writer { document, words, text: String::new(), tables: 0, figures: 0 };
    writer.title();
    for block in &document.blocks {
        writer.block(block);
    }
    writer.text
}

struct Writer<'a> {
    document: &'a Document,
    words: &'a Language,
    text: String,
    tables: usize,
    figures: usize,
}

impl Writer<'_> {
    fn title(&mut self) {
        let title = &self.document.title;
        if title.is_draft {
            let _ = writeln!(self.text, "**{}**\n", self.words.text(Word::Draft));
        }
        let _ = writeln!(self.text, "# {}\n", escape(&title.title));
        let _ = writeln!(self.text, "{}  ", escape(&title.authors.join(", ")));
        let _ = writeln!(
            self.text,
            "{} {}, {}\n",
            self.words.text(Word::Version),
            escape(&title.version),
            escape(&title.date)
        );
        for (label, value) in &title.lines {
            let _ = writeln!(self.text, "- {}: `{}`", escape(label), value.replace('`', "'"));
        }
        let _ = writeln!(self.text, "\n> {}\n", escape(&title.question));
    }

    fn block(&mut self, block: &Block) {
        match block {
            Block::Heading { level, text } => {
                let text = self.inlines(text);
                let _ = writeln!(self.text, "{} {text}\n", "#".repeat(usize::from(*level) + 1));
            }
            Block::Paragraph(text) => {
                let text = self.inlines(text);
                let _ = writeln!(self.text, "{text}\n");
            }
            Block::Note(text) => {
                let text = self.inlines(text);
                let _ = writeln!(self.text, "> {text}\n");
            }
            Block::List(items) => {
                for item in items {
                    let text = self.inlines(item);
                    let _ = writeln!(self.text, "- {text}");
                }
                self.text.push('\n');
            }
            Block::Code(code) => {
                let fence = if code.contains("```") { "````" } else { "```" };
                let _ = writeln!(self.text, "{fence}\n{code}\n{fence}\n");
            }
            Block::Figure(figure) => {
                self.figures += 1;
                let caption = format!("{} {}: {}", self.words.text(Word::Figure), self.figures, figure.caption);
                let _ = writeln!(
                    self.text,
                    "![{}](figures/{})\n\n*{}*\n",
                    escape(&figure.description),
                    figure.file,
                    escape(&caption)
                );
            }
            Block::Table(table) => self.table(table),
        }
    }

    fn table(&mut self, table: &Table) {
        self.tables += 1;
        let caption = format!("{} {}: {}", self.words.text(Word::Table), self.tables, table.caption);
        let _ = writeln!(self.text, "*{}*\n", escape(&caption));
        let heads: Vec<String> = table.columns.iter().map(|column| escape_cell(&escape(&column.head))).collect();
        let _ = writeln!(self.text, "| {} |", heads.join(" | "));
        let rules: Vec<&str> =
            table.columns.iter().map(|column| if column.is_number { "--:" } else { "---" }).collect();
        let _ = writeln!(self.text, "|{}|", rules.join("|"));
        for row in &table.rows {
            let cells: Vec<String> = row.iter().map(|cell| escape_cell(&self.inlines(cell))).collect();
            let _ = writeln!(self.text, "| {} |", cells.join(" | "));
        }
        self.text.push('\n');
    }

    fn inlines(&self, inlines: &[Inline]) -> String {
        let one = |inline: &Inline| match inline {
            Inline::Text(text) => escape(text),
            Inline::Emphasis(text) => format!("*{}*", escape(text)),
            Inline::Strong(text) => format!("**{}**", escape(text)),
            Inline::Code(text) => format!("`{}`", text.replace('`', "'")),
            Inline::Link { text, url } => format!("[{}](<{}>)", escape(text), url.replace(['<', '>', '\n'], "")),
            Inline::Token(index) => self.document.tokens[*index].text.clone(),
        };
        inlines.iter().map(one).collect()
    }
}

/// Characters that Markdown would take for markup.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for one in text.chars() {
        if matches!(one, '\\' | '`' | '*' | '_' | '<' | '>' | '[' | ']' | '#' | '|' | '~') {
            escaped.push('\\');
        }
        escaped.push(if one == '\n' { ' ' } else { one });
    }
    escaped
}

/// A pipe within code ends a cell all the same, so it is escaped there too.
fn escape_cell(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    let mut before = ' ';
    for one in text.chars() {
        if one == '|' && before != '\\' {
            escaped.push('\\');
        }
        escaped.push(one);
        before = one;
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_never_become_markup() {
        assert_eq!(escape("a*b_c|d <e> [f](g)"), r"a\*b\_c\|d \<e\> \[f\](g)");
        assert_eq!(escape_cell("`a|b` \\|"), r"`a\|b` \|");
    }
}
