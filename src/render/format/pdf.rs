//! A document as PDF/A-3a with UA-1, by typst.
//!
//! The template is fixed and reads the document from a virtual JSON file, so no word of a paper can become markup. Only
//! the embedded fonts are used. Date and identity come from the input, so the same input gives the same bytes.

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::sync::LazyLock;

use serde_json::{Value, json};
use typst::diag::{FileError, FileResult, SourceDiagnostic, Warned};
use typst::foundations::{Bytes, Datetime, Duration, Smart};
use typst::syntax::{FileId, RootedPath, Source, VirtualPath, VirtualRoot};
use typst::text::{Font, FontBook};
use typst::utils::LazyHash;
use typst::{Library, LibraryExt, World};
use typst_kit::fonts::{self, FontStore};
use typst_layout::PagedDocument;
use typst_pdf::{PdfOptions, PdfStandard, PdfStandards, Timestamp};

use super::super::{Attachment, Paper};
use crate::diagnostic::Diagnostic;
use crate::document::{Block, Document, Inline};
use crate::words::{Language, Word};

/// The typesetting engine; its bytes differ between versions.
pub const ENGINE: &str = "typst 0.15.1";

const TEMPLATE: &str = include_str!("template.typ");

static LIBRARY: LazyLock<LazyHash<Library>> = LazyLock::new(|| LazyHash::new(Library::default()));

static FONTS: LazyLock<FontStore> = LazyLock::new(|| {
    let mut store = FontStore::new();
    store.extend(fonts::embedded());
    store
});

/// What identifies the file besides its content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// Hash of name and version.
    pub ident: String,
    /// Seconds since the epoch.
    pub time_s: i64,
}

/// Writes the PDF of a paper.
pub fn write(paper: &Paper, identity: &Identity) -> Result<Vec<u8>, Vec<Diagnostic>> {
    let error = |message: String| vec![Diagnostic::error("pdf::engine", message)];
    let mut files = BTreeMap::new();
    let data = document_json(&paper.document, &paper.attachments, paper.words);
    files.insert("data.json".to_owned(), serde_json::to_vec(&data).map_err(|one| error(one.to_string()))?);
    for (name, svg) in &paper.document.drawings {
        files.insert(format!("figures/{name}"), svg.clone().into_bytes());
    }
    for attachment in &paper.attachments {
        files.insert(format!("attachments/{}", attachment.name), attachment.bytes.clone());
    }
    compile(files, identity).map_err(|messages| {
        let help = "Characters that the embedded fonts lack (emoji, CJK) can not be set.";
        messages.into_iter().map(|message| Diagnostic::error("pdf::engine", message).help(help)).collect()
    })
}

fn compile(files: BTreeMap<String, Vec<u8>>, identity: &Identity) -> Result<Vec<u8>, Vec<String>> {
    let stamp = datetime(identity.time_s).ok_or_else(|| vec!["the date is out of range".to_owned()])?;
    let world = Memory::new(files, stamp)?;
    let Warned { output, warnings } = typst::compile::<PagedDocument>(&world);
    let document = output.map_err(|errors| messages(&errors))?;
    let unexpected: Vec<String> = messages(&warnings);
    if !unexpected.is_empty() {
        return Err(unexpected);
    }
    let standards = PdfStandards::new(&[PdfStandard::A_3a, PdfStandard::Ua_1])
        .map_err(|error| vec![error.message().to_string()])?;
    let options = PdfOptions {
        ident: Smart::Custom(identity.ident.clone()),
        creator: Smart::Custom(Some(format!("benchpaper {} with {ENGINE}", env!("CARGO_PKG_VERSION")))),
        timestamp: Some(Timestamp::new_utc(stamp)),
        page_ranges: None,
        standards,
        tagged: true,
        pretty: false,
    };
    typst_pdf::pdf(&document, &options).map_err(|errors| messages(&errors))
}

fn messages(diagnostics: &[SourceDiagnostic]) -> Vec<String> {
    let one = |diagnostic: &SourceDiagnostic| {
        let hints: String = diagnostic.hints.iter().map(|hint| format!("; {}", hint.v)).collect();
        format!("{}{hints}", diagnostic.message)
    };
    diagnostics.iter().map(one).collect()
}

fn datetime(time_s: i64) -> Option<Datetime> {
    let text = jiff::Timestamp::from_second(time_s).ok()?.to_string();
    let number = |from: usize, to: usize| text.get(from..to)?.parse::<u32>().ok();
    let (year, month, day) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
    let (hour, minute, second) = (number(11, 13)?, number(14, 16)?, number(17, 19)?);
    Datetime::from_ymd_hms(year as i32, month as u8, day as u8, hour as u8, minute as u8, second as u8)
}

/// The world of typst: a template and some files, all in memory.
struct Memory {
    main: FileId,
    template: Source,
    files: HashMap<FileId, Bytes>,
    today: Datetime,
}

fn file_id(path: &str) -> Result<FileId, Vec<String>> {
    let path = VirtualPath::new(path).map_err(|error| vec![format!("{path}: {error}")])?;
    Ok(RootedPath::new(VirtualRoot::Project, path).intern())
}

impl Memory {
    fn new(files: BTreeMap<String, Vec<u8>>, today: Datetime) -> Result<Self, Vec<String>> {
        let main = file_id("main.typ")?;
        let mut known = HashMap::new();
        for (path, bytes) in files {
            known.insert(file_id(&path)?, Bytes::new(bytes));
        }
        Ok(Self { main, template: Source::new(main, TEMPLATE.to_owned()), files: known, today })
    }
}

impl World for Memory {
    fn library(&self) -> &LazyHash<Library> {
        &LIBRARY
    }

    fn book(&self) -> &LazyHash<FontBook> {
        FONTS.book()
    }

    fn main(&self) -> FileId {
        self.main
    }

    fn source(&self, id: FileId) -> FileResult<Source> {
        if id == self.main { Ok(self.template.clone()) } else { Err(not_found(id)) }
    }

    fn file(&self, id: FileId) -> FileResult<Bytes> {
        self.files.get(&id).cloned().ok_or_else(|| not_found(id))
    }

    fn font(&self, index: usize) -> Option<Font> {
        FONTS.font(index)
    }

    fn today(&self, _: Option<Duration>) -> Option<Datetime> {
        Some(self.today)
    }
}

fn not_found(id: FileId) -> FileError {
    FileError::NotFound(PathBuf::from(id.vpath().get_with_slash()))
}

/// The document as the template reads it.
fn document_json(document: &Document, attachments: &[Attachment], words: &Language) -> Value {
    let title = &document.title;
    let attached: Vec<Value> = attachments
        .iter()
        .map(|one| json!({"name": one.name, "type": one.media_type, "description": one.description, "relationship": one.relationship}))
        .collect();
    json!({
        "language": words.code, "contents": words.text(Word::Contents), "question_word": words.text(Word::Question), "version_word": words.text(Word::Version),
        "draft": if title.is_draft { words.text(Word::Draft) } else { String::new() },
        "title": title.title, "authors": title.authors, "version": title.version, "date": title.date,
        "question": title.question, "license": title.license, "lines": title.lines, "attachments": attached,
        "blocks": document.blocks.iter().map(|block| block_json(document, block)).collect::<Vec<_>>(),
    })
}

fn block_json(document: &Document, block: &Block) -> Value {
    let inlines = |text: &[Inline]| inlines_json(document, text);
    match block {
        Block::Heading { level, text } => json!({"kind": "heading", "level": level, "text": inlines(text)}),
        Block::Paragraph(text) => json!({"kind": "paragraph", "text": inlines(text)}),
        Block::Note(text) => json!({"kind": "note", "text": inlines(text)}),
        Block::Code(text) => json!({"kind": "code", "text": text}),
        Block::List(items) => {
            json!({"kind": "list", "items": items.iter().map(|item| inlines(item)).collect::<Vec<_>>()})
        }
        Block::Figure(figure) => {
            json!({"kind": "figure", "file": figure.file, "caption": figure.caption, "alt": figure.description})
        }
        Block::Table(table) => {
            let widest = |column: usize| {
                let cells = table.rows.iter().filter_map(|row| row.get(column));
                cells.map(|cell| crate::cellmap::plain_text(document, cell).chars().count()).max().unwrap_or(0)
            };
            let columns: Vec<Value> = table
                .columns
                .iter()
                .enumerate()
                .map(|(number, column)| json!({"head": column.head, "number": column.is_number, "wide": !column.is_number && widest(number) > 36}))
                .collect();
            let cell = |cell: &[Inline]| inlines_json(document, &cell.iter().map(breakable).collect::<Vec<_>>());
            let rows: Vec<Vec<Value>> =
                table.rows.iter().map(|row| row.iter().map(|one| cell(one)).collect()).collect();
            json!({"kind": "table", "caption": table.caption, "columns": columns, "rows": rows})
        }
    }
}

/// Long words of a cell may break after commas and slashes, and every sixteen letters where there are none.
fn breakable(inline: &Inline) -> Inline {
    const LONGEST: usize = 24;
    const STEP: usize = 16;
    let Inline::Text(text) = inline else { return inline.clone() };
    if text.split_whitespace().all(|word| word.chars().count() <= LONGEST) {
        return inline.clone();
    }
    let mut broken = String::with_capacity(text.len() + 16);
    let mut since = 0;
    for one in text.chars() {
        broken.push(one);
        since = if one.is_whitespace() { 0 } else { since + 1 };
        if since >= STEP || (since > 4 && matches!(one, ',' | '/' | ';')) {
            broken.push('\u{200b}');
            since = 0;
        }
    }
    Inline::Text(broken)
}

fn inlines_json(document: &Document, inlines: &[Inline]) -> Value {
    let one = |inline: &Inline| match inline {
        Inline::Text(text) => json!({"kind": "text", "text": text}),
        Inline::Emphasis(text) => json!({"kind": "emphasis", "text": text}),
        Inline::Strong(text) => json!({"kind": "strong", "text": text}),
        Inline::Code(text) => json!({"kind": "code", "text": text}),
        Inline::Link { text, url } => json!({"kind": "link", "text": text, "url": url}),
        Inline::Token(index) => json!({"kind": "text", "text": document.tokens[*index].text.replace('-', "−")}),
    };
    // a single run of words is a plain string: the template has less to do for the cells of long tables
    match inlines {
        [inline @ (Inline::Text(_) | Inline::Token(_))] => one(inline)["text"].take(),
        several => Value::Array(several.iter().map(one).collect()),
    }
}
