//! From Markdown to blocks, tokens and generated parts in their places.
//!
//! Plain Markdown only: headings, paragraphs, lists, quotes, code, emphasis and links. A section that shows a result holds
//! no number typed by hand; this is looked at in the words that Markdown made, whatever the template wrote.

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use super::board::Board;
use crate::diagnostic::Diagnostic;
use crate::document::{Block, Inline, TokenKind};
use crate::paper::MARKERS;
use crate::source::{Source, Span};
use crate::words::{self, Word};

/// The style of running text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Style {
    Plain,
    Emphasis,
    Strong,
}

struct Builder<'a> {
    board: &'a Board,
    blocks: Vec<Block>,
    inlines: Vec<Inline>,
    items: Vec<Vec<Inline>>,
    style: Vec<Style>,
    link: Option<String>,
    code: Option<String>,
    /// The words of the section that come from the template, and whether the section shows a result.
    typed: String,
    shows_result: bool,
}

/// Markdown to blocks.
pub(super) fn to_blocks(text: &str, board: &Board) -> Result<Vec<Block>, String> {
    let mut builder = Builder {
        board,
        blocks: vec![],
        inlines: vec![],
        items: vec![],
        style: vec![Style::Plain],
        link: None,
        code: None,
        typed: String::new(),
        shows_result: false,
    };
    for event in Parser::new_ext(text, Options::empty()) {
        builder.event(event)?;
    }
    builder.end_section()?;
    Ok(builder.blocks)
}

impl Builder<'_> {
    fn event(&mut self, event: Event<'_>) -> Result<(), String> {
        match event {
            Event::Start(tag) => self.start(&tag)?,
            Event::End(tag) => self.end(tag)?,
            Event::Text(text) => match &mut self.code {
                Some(_) if text.contains(MARKERS) => {
                    return Err("a number in a code block: place it in words".to_owned());
                }
                Some(code) => code.push_str(&text),
                None => self.text(&text)?,
            },
            Event::Code(text) => {
                self.typed.push_str(&text);
                self.inlines.push(Inline::Code(text.to_string()));
            }
            Event::SoftBreak | Event::HardBreak => {
                self.typed.push(' ');
                self.inlines.push(Inline::text(" "));
            }
            Event::Rule => {}
            other => return Err(format!("{other:?} is not part of a paper; write plain Markdown")),
        }
        Ok(())
    }

    /// A section that shows a result holds no number typed by hand.
    fn end_section(&mut self) -> Result<(), String> {
        let typed = std::mem::take(&mut self.typed);
        if !std::mem::take(&mut self.shows_result) {
            return Ok(());
        }
        match crate::paper::first_number(&typed) {
            Some(number) => Err(format!("the number `{number}` is typed by hand in a section that shows results")),
            None => Ok(()),
        }
    }

    fn start(&mut self, tag: &Tag<'_>) -> Result<(), String> {
        match tag {
            Tag::Heading { level: pulldown_cmark::HeadingLevel::H1, .. } => self.end_section()?,
            Tag::Paragraph | Tag::Heading { .. } | Tag::Item | Tag::List(None) | Tag::BlockQuote(_) => {}
            Tag::List(Some(_)) => {}
            Tag::Emphasis => self.style.push(Style::Emphasis),
            Tag::Strong => self.style.push(Style::Strong),
            Tag::Link { dest_url, .. } => {
                if !(dest_url.starts_with("https://") || dest_url.starts_with("http://")) {
                    return Err(format!("the link `{dest_url}` does not begin with https://"));
                }
                self.link = Some(dest_url.to_string());
            }
            Tag::CodeBlock(_) => self.code = Some(String::new()),
            other => return Err(format!("{other:?} is not part of a paper; write plain Markdown")),
        }
        Ok(())
    }

    fn end(&mut self, tag: TagEnd) -> Result<(), String> {
        // words of one block never join those of the next
        if matches!(tag, TagEnd::Paragraph | TagEnd::Heading(_) | TagEnd::Item | TagEnd::CodeBlock) {
            self.typed.push(' ');
        }
        match tag {
            TagEnd::Paragraph => self.paragraph(),
            TagEnd::Heading(level) => {
                let text = std::mem::take(&mut self.inlines);
                self.blocks.push(Block::Heading { level: level as u8, text });
            }
            TagEnd::Item => {
                let item = std::mem::take(&mut self.inlines);
                self.items.push(item);
            }
            TagEnd::List(_) => {
                let items = std::mem::take(&mut self.items);
                self.blocks.push(Block::List(items));
            }
            TagEnd::Emphasis | TagEnd::Strong => {
                self.style.pop();
            }
            TagEnd::Link => self.link = None,
            TagEnd::CodeBlock => {
                self.blocks.extend(self.code.take().map(|code| Block::Code(code.trim_end().to_owned())))
            }
            TagEnd::BlockQuote(_) => {
                if let Some(Block::Paragraph(text)) = self.blocks.pop() {
                    self.blocks.push(Block::Note(text));
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// A paragraph of words, or one that is nothing but generated parts.
    fn paragraph(&mut self) {
        let inlines = std::mem::take(&mut self.inlines);
        if !inlines.is_empty() {
            self.blocks.push(Block::Paragraph(inlines));
        }
    }

    /// Words with markers in them.
    fn text(&mut self, text: &str) -> Result<(), String> {
        let mut rest = text;
        while let Some(at) = rest.find([MARKERS[0], MARKERS[2]]) {
            self.words(&rest[..at]);
            let is_inline = rest[at..].starts_with(MARKERS[0]);
            let close = if is_inline { MARKERS[1] } else { MARKERS[3] };
            self.typed.push(' ');
            let inner = &rest[at + MARKERS[0].len_utf8()..];
            let (number, after) = inner.split_once(close).ok_or("a token was cut apart by Markdown")?;
            let index: usize = number.parse().map_err(|_| "a token was changed by Markdown".to_owned())?;
            if is_inline {
                let inline = self.board.inlines.get(index).cloned().ok_or("a token is not known")?;
                self.shows_result |= self.is_result(&inline);
                self.inlines.push(inline);
            } else {
                self.paragraph();
                let blocks = self.board.blocks.get(index).cloned().ok_or("a part is not known")?;
                let cells = |block: &Block| match block {
                    Block::Table(table) => table.rows.iter().flatten().flatten().any(|inline| self.is_result(inline)),
                    Block::Figure(_) => true,
                    _ => false,
                };
                self.shows_result |= blocks.iter().any(cells);
                self.blocks.extend(blocks);
            }
            rest = after;
        }
        self.words(rest);
        Ok(())
    }

    fn is_result(&self, inline: &Inline) -> bool {
        let kind = |index: &usize| self.board.parts.tokens.0.get(*index).map(|token| token.kind);
        matches!(inline, Inline::Token(index) if kind(index) == Some(TokenKind::Result))
    }

    fn words(&mut self, words: &str) {
        if words.is_empty() {
            return;
        }
        self.typed.push_str(words);
        let words = words.to_owned();
        let inline = match (&self.link, self.style.last()) {
            (Some(url), _) => Inline::Link { text: words, url: url.clone() },
            (None, Some(Style::Emphasis)) => Inline::Emphasis(words),
            (None, Some(Style::Strong)) => Inline::Strong(words),
            _ => Inline::Text(words),
        };
        self.inlines.push(inline);
    }
}

/// Levels of headings begin at one and never skip one.
pub(super) fn check_headings(blocks: &[Block], source: &Source) -> Result<(), Vec<Diagnostic>> {
    let mut before = 0;
    for block in blocks {
        if let Block::Heading { level, .. } = block {
            if *level > before + 1 {
                let message = format!("a heading of level {level} after one of level {before}");
                let help = "Begin with `#`, and go one level deeper at a time.";
                return Err(vec![Diagnostic::error("paper::heading", message).at(source, Span::default()).help(help)]);
            }
            before = *level;
        }
    }
    let has_heading = blocks.iter().any(|block| matches!(block, Block::Heading { .. }));
    if has_heading {
        return Ok(());
    }
    let help = format!("Begin with a heading such as `# {}`.", words::english().text(Word::Question));
    Err(vec![Diagnostic::error("paper::heading", "the template has no heading").at(source, Span::default()).help(help)])
}
