//! The renderer: from results and prose to a document, and from a document to Markdown and PDF.
//!
//! Pure: the same input gives the same bytes, whatever the folder, the clock, the locale or the machine. All that is
//! needed to render again travels inside the PDF.

mod board;
mod compared;
pub(crate) mod drawing;
mod figure;
pub mod format;
mod function;
mod markup;
mod part;
mod prose;
mod sections;
mod setup;
mod tokens;

use serde::{Deserialize, Serialize};

use crate::cellmap::{self, CellMap};
use crate::diagnostic::{Diagnostic, any_error};
use crate::digest::Digest;
use crate::document::{Block, Document, Inline, TitleBlock};
use crate::lock::Lock;
use crate::manifest::{self, Experiment};
use crate::paper;
use crate::plan::{self, Plan, Power, Resolved};
use crate::results::Results;
use crate::source::Source;
use crate::words::{self, Argument, Language, Piece, Word};

pub use function::functions;

/// The template used where an experiment has none.
pub const DEFAULT_TEMPLATE: &str = include_str!("default.md");

/// All that a paper is made of.
#[derive(Debug, Clone, PartialEq)]
pub struct Input {
    /// `experiment.yaml`.
    pub manifest: String,
    /// `experiment.lock.yaml`.
    pub lock: String,
    /// The prose template.
    pub prose: String,
    /// What was measured.
    pub results: Results,
    /// What comes from outside the files.
    pub context: Context,
    /// Whether results are made up, to check the prose before anything is measured; never printed.
    pub is_rehearsal: bool,
}

/// What a paper says that stands in no file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Context {
    /// The commit of the inputs; none in a draft of uncommitted ones.
    pub commit: Option<String>,
    /// The time of that commit, seconds since the epoch; 0 without one.
    pub time_s: i64,
    /// Whether every page is marked.
    pub is_draft: bool,
    /// Name and version of this program.
    pub program: String,
}

/// A paper in all its forms.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Paper {
    /// The name of its experiment.
    pub experiment: String,
    /// The tree it was made from.
    pub document: Document,
    /// The place and origin of every number.
    pub cellmap: CellMap,
    /// `paper.md`.
    pub markdown: String,
    /// What it is written in.
    pub words: &'static Language,
    /// The files that travel inside the PDF: name, media type, description, relationship, bytes.
    pub attachments: Vec<Attachment>,
}

/// A file inside the PDF.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attachment {
    /// Its name.
    pub name: &'static str,
    /// Its media type.
    pub media_type: &'static str,
    /// What it is.
    pub description: String,
    /// `source`, `data` or `supplement`.
    pub relationship: &'static str,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// What sections and prose look at.
pub(crate) struct Scope<'a> {
    pub(crate) resolved: &'a Resolved,
    pub(crate) experiment: &'a Experiment,
    pub(crate) lock: &'a Lock,
    pub(crate) plan: &'a Plan,
    pub(crate) power: Power,
    pub(crate) results: &'a Results,
    pub(crate) input: &'a Input,
    pub(crate) words: &'static Language,
}

impl Scope<'_> {
    /// A sentence in the language of the paper.
    pub(crate) fn text(&self, word: Word<Argument<'_>>) -> String {
        self.words.text(word)
    }

    /// What a code of stored files is called: that of a fact, an outcome, an environment.
    pub(crate) fn code(&self, kind: &str, code: &str) -> Vec<Inline> {
        vec![Inline::text(self.words.named(kind, code).unwrap_or_else(|| code.to_owned()))]
    }

    /// A sentence with numbers, code or text of the paper in it.
    pub(crate) fn sentence(&self, word: Word<Inline>) -> Vec<Inline> {
        let pieces = self.words.pieces(word).into_iter();
        let inline = |piece| match piece {
            Piece::Text(text) => Inline::text(text),
            Piece::Argument(inline) => inline,
        };
        pieces.map(inline).collect()
    }

    /// A sentence in which an argument is several pieces.
    pub(crate) fn spread(&self, word: Word<Vec<Inline>>) -> Vec<Inline> {
        let inlines = |piece| match piece {
            Piece::Text(text) => vec![Inline::text(text)],
            Piece::Argument(inlines) => inlines,
        };
        self.words.pieces(word).into_iter().flat_map(inlines).collect()
    }

    /// A sentence as a paragraph.
    pub(crate) fn paragraph(&self, word: Word<Inline>) -> Block {
        Block::Paragraph(self.sentence(word))
    }
}

impl Input {
    /// The manifest, lock and plan of the paper, or all that is wrong with them.
    pub fn resolve(&self) -> Result<Resolved, Vec<Diagnostic>> {
        let source = Source::new("experiment.yaml", &self.manifest);
        Resolved::of_texts(source, &self.lock, &self.results.settings.profile)
    }
}

/// Makes the paper, but for its PDF. `resolved` is what the input's manifest and lock say.
pub fn render(input: &Input, resolved: &Resolved) -> Result<Paper, Vec<Diagnostic>> {
    let source = Source::new("paper/en.md", &input.prose);
    let problems = paper::check(&source, &functions());
    if any_error(&problems) {
        return Err(problems);
    }
    let scope = Scope {
        power: plan::power(&resolved.experiment, &resolved.plan),
        resolved,
        experiment: &resolved.experiment,
        lock: &resolved.lock,
        plan: &resolved.plan,
        results: &input.results,
        input,
        words: words::english(),
    };
    let mut document = prose::document(&scope, &source)?;
    document.title = title(&scope);
    let cellmap = cellmap::of_document(&document);
    let markdown = format::markdown::write(&document, scope.words);
    let attachments = attachments(&scope, &cellmap, &markdown)
        .map_err(|error| vec![Diagnostic::error("render::attachment", error)])?;
    let experiment = resolved.experiment.name.value.to_string();
    Ok(Paper { experiment, document, cellmap, markdown, words: scope.words, attachments })
}

fn title(scope: &Scope<'_>) -> TitleBlock {
    let context = &scope.input.context;
    let date = if context.time_s == 0 { scope.text(Word::NoDate) } else { date(context.time_s) };
    let commit = context.commit.clone().unwrap_or_else(|| scope.text(Word::Uncommitted));
    let manifest = Digest::of(scope.input.manifest.as_bytes());
    TitleBlock {
        title: scope.experiment.title.clone(),
        authors: scope.experiment.authors.iter().map(author).collect(),
        version: scope.experiment.version.value.clone(),
        date,
        question: scope.experiment.question.clone(),
        license: scope.experiment.license.clone(),
        lines: vec![
            (scope.text(Word::Commit), commit),
            (scope.text(Word::Manifest), manifest.to_string()),
            (scope.text(Word::Profile), scope.plan.settings.profile.clone()),
        ],
        is_draft: context.is_draft,
    }
}

fn author(author: &manifest::Author) -> String {
    match &author.affiliation {
        Some(affiliation) => format!("{} ({affiliation})", author.name),
        None => author.name.clone(),
    }
}

/// `YYYY-MM-DD` in UTC.
fn date(time_s: i64) -> String {
    jiff::Timestamp::from_second(time_s)
        .map_or_else(|_| "unknown".to_owned(), |at| at.to_string().chars().take(10).collect())
}

fn attachments(scope: &Scope<'_>, cellmap: &CellMap, markdown: &str) -> Result<Vec<Attachment>, String> {
    let input = scope.input;
    let json = |value: Result<Vec<u8>, serde_json::Error>| value.map_err(|error| error.to_string());
    let attach = |name, media_type, description, relationship, bytes| Attachment {
        name,
        media_type,
        description: scope.text(description),
        relationship,
        bytes,
    };
    let yaml = "application/yaml";
    Ok(vec![
        attach("experiment.yaml", yaml, Word::ManifestAttached, "source", input.manifest.clone().into_bytes()),
        attach("experiment.lock.yaml", yaml, Word::LockAttached, "source", input.lock.clone().into_bytes()),
        attach("prose.md", "text/markdown", Word::ProseAttached, "source", input.prose.clone().into_bytes()),
        attach("paper.md", "text/markdown", Word::MarkdownAttached, "source", markdown.as_bytes().to_vec()),
        attach(
            "results.json",
            "application/json",
            Word::ResultsAttached,
            "data",
            json(serde_json::to_vec(&input.results))?,
        ),
        attach(
            "results.csv",
            "text/csv",
            Word::TableAttached,
            "data",
            crate::results::to_csv(&input.results).map_err(|error| error.to_string())?,
        ),
        attach(
            "cellmap.json",
            "application/json",
            Word::CellMapAttached,
            "supplement",
            json(serde_json::to_vec(cellmap))?,
        ),
        attach(
            "context.json",
            "application/json",
            Word::ContextAttached,
            "supplement",
            json(serde_json::to_vec(&input.context))?,
        ),
    ])
}
