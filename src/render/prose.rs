//! From a prose template to blocks: minijinja first, then Markdown, then tokens and generated parts in their places.
//!
//! Expressions never see a number: what a function returns shows as a pair of private-use characters round an index and
//! allows no arithmetic. Markup is never built by joining strings with values.

use std::fmt;
use std::sync::{Arc, Mutex};

use minijinja::value::{Enumerator, Kwargs, Object, ObjectRepr, Value};
use minijinja::{AutoEscape, Environment, Error, ErrorKind, UndefinedBehavior};
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use super::sections::{self, Parts, percent_change};
use super::tokens::{Display, evidence};
use super::{ENGLISH, Scope};
use crate::diagnostic::Diagnostic;
use crate::document::{Block, Document, Inline};
use crate::exact::Exact;
use crate::measurement::Metric;
use crate::paper::MARKERS;
use crate::results::{CaseResults, comparisons};
use crate::source::{Source, Span};

/// What a template may cost.
const FUEL: u64 = 1_000_000;
/// How much a template may print, in bytes.
const PRINTED_BYTES_MAX: usize = 4 << 20;

/// A thing that a template places but can not look into.
#[derive(Debug)]
struct Placed {
    marks: (char, char),
    index: usize,
}

impl Object for Placed {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Plain
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        Enumerator::NonEnumerable
    }

    fn render(self: &Arc<Self>, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}{}{}", self.marks.0, self.index, self.marks.1)
    }
}

/// What template functions have placed so far.
#[derive(Default)]
struct Board {
    parts: Parts,
    inlines: Vec<Inline>,
    blocks: Vec<Vec<Block>>,
}

impl Board {
    fn inline(&mut self, inline: Inline) -> Value {
        self.inlines.push(inline);
        Value::from_object(Placed { marks: (MARKERS[0], MARKERS[1]), index: self.inlines.len() - 1 })
    }

    fn block(&mut self, blocks: Vec<Block>) -> Value {
        self.blocks.push(blocks);
        Value::from_object(Placed { marks: (MARKERS[2], MARKERS[3]), index: self.blocks.len() - 1 })
    }
}

/// The document that a template makes.
pub(super) fn document(scope: &Scope<'_>, source: &Source) -> Result<Document, Vec<Diagnostic>> {
    let mut board = Board::default();
    let warnings = sections::warnings(scope, &mut board.parts);
    let (text, board) = evaluate(scope, source, board)?;
    let mut blocks = warnings;
    blocks.extend(to_blocks(&text, &board).map_err(|message| vec![Diagnostic::error("paper::markdown", message)])?);
    check_headings(&blocks, source)?;
    Ok(Document { title: Default::default(), blocks, tokens: board.parts.tokens.0, drawings: board.parts.drawings })
}

/// A shared board, while functions hold it.
type Shared = Arc<Mutex<Board>>;

fn invalid(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::InvalidOperation, message.into())
}

fn evaluate(scope: &Scope<'_>, source: &Source, board: Board) -> Result<(String, Board), Vec<Diagnostic>> {
    let shared: Shared = Arc::new(Mutex::new(board));
    // minijinja wants functions that outlive the rendering, so what they need is cloned into one shared, owned view
    let view = Arc::new(OwnedView::new(scope));
    let render = || {
        let mut environment = Environment::empty();
        environment.set_undefined_behavior(UndefinedBehavior::Strict);
        environment.set_auto_escape_callback(|_| AutoEscape::None);
        environment.set_fuel(Some(FUEL));
        environment.set_recursion_limit(100);
        add_functions(&mut environment, &view, &shared);
        let template = environment.template_from_named_str("paper/en.md", source.text())?;
        let mut sink = Capped { bytes: vec![], room: PRINTED_BYTES_MAX };
        template.render_captured_to(minijinja::context! {}, &mut sink)?;
        Ok::<_, Error>(sink.bytes)
    };
    let bytes = render().map_err(|error| vec![diagnostic(source, &error)])?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let board =
        Arc::try_unwrap(shared).map_or_else(|_| Board::default(), |board| board.into_inner().unwrap_or_default());
    Ok((text, board))
}

struct Capped {
    bytes: Vec<u8>,
    room: usize,
}

impl std::io::Write for Capped {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.room =
            self.room.checked_sub(bytes.len()).ok_or_else(|| std::io::Error::other("the template prints too much"))?;
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn diagnostic(source: &Source, error: &Error) -> Diagnostic {
    let message = error.detail().map_or_else(|| error.kind().to_string(), str::to_owned);
    let span = error.range().map(|range| Span { start: range.start, end: range.end });
    let span = span.or_else(|| error.line().map(|line| source.line_span(line))).unwrap_or_default();
    let help = "Functions: value, change, fact, configured, counted, setup, workloads, matrix, method, results, result_table, chart, comparison, noise, attempts, provenance.";
    Diagnostic::error("paper::template", message).at(source, span).help(help)
}

/// What functions look at, owned.
struct OwnedView {
    experiment: crate::manifest::Experiment,
    lock: crate::lock::Lock,
    plan: crate::plan::Plan,
    power: crate::plan::Power,
    excluded: Vec<(String, String)>,
    input: super::Input,
}

impl OwnedView {
    fn new(scope: &Scope<'_>) -> Self {
        Self {
            experiment: scope.experiment.clone(),
            lock: scope.lock.clone(),
            plan: scope.plan.clone(),
            power: scope.power.clone(),
            excluded: scope.excluded.clone(),
            input: scope.input.clone(),
        }
    }

    fn scope(&self) -> Scope<'_> {
        Scope {
            experiment: &self.experiment,
            lock: &self.lock,
            plan: &self.plan,
            power: self.power.clone(),
            excluded: self.excluded.clone(),
            results: &self.input.results,
            input: &self.input,
        }
    }
}

type BlockMaker = fn(&Scope<'_>, &mut Parts) -> Vec<Block>;
type MetricMaker = fn(&Scope<'_>, &mut Parts, &Metric) -> Vec<Block>;

/// Functions that place a generated part.
const BLOCKS: &[(&str, BlockMaker)] = &[
    ("setup", |scope, _| sections::setup(scope)),
    ("workloads", |scope, _| sections::workloads(scope)),
    ("matrix", |scope, _| sections::matrix(scope)),
    ("method", sections::method),
    ("results", sections::results),
    ("noise", sections::noise),
    ("attempts", sections::attempts),
    ("provenance", sections::provenance),
];

/// Functions that place a generated part of one metric.
const METRIC_BLOCKS: &[(&str, MetricMaker)] =
    &[("result_table", sections::result_table), ("chart", sections::chart), ("comparison", sections::comparison)];

fn lock(shared: &Shared) -> Result<std::sync::MutexGuard<'_, Board>, Error> {
    shared.lock().map_err(|_| invalid("an earlier function failed"))
}

fn add_functions(environment: &mut Environment<'_>, view: &Arc<OwnedView>, shared: &Shared) {
    for (name, make) in BLOCKS {
        let (view, shared) = (Arc::clone(view), Arc::clone(shared));
        environment.add_function(*name, move || {
            let mut board = lock(&shared)?;
            let blocks = make(&view.scope(), &mut board.parts);
            Ok::<_, Error>(board.block(blocks))
        });
    }
    for (name, make) in METRIC_BLOCKS {
        let (view, shared) = (Arc::clone(view), Arc::clone(shared));
        environment.add_function(*name, move |metric: &str| {
            let scope = view.scope();
            let metric = known_metric(&scope, metric)?;
            let mut board = lock(&shared)?;
            let blocks = make(&scope, &mut board.parts, &metric);
            Ok::<_, Error>(board.block(blocks))
        });
    }
    let one = (Arc::clone(view), Arc::clone(shared));
    environment.add_function("value", move |metric: &str, levels: Kwargs| {
        value(&one.0.scope(), &mut *lock(&one.1)?, metric, &levels)
    });
    let one = (Arc::clone(view), Arc::clone(shared));
    environment.add_function("change", move |metric: &str, levels: Kwargs| {
        change(&one.0.scope(), &mut *lock(&one.1)?, metric, &levels)
    });
    let one = (Arc::clone(view), Arc::clone(shared));
    environment.add_function("configured", move |name: &str| configured(&one.0.scope(), &mut *lock(&one.1)?, name));
    let one = (Arc::clone(view), Arc::clone(shared));
    environment.add_function("counted", move |name: &str| counted(&one.0.scope(), &mut *lock(&one.1)?, name));
    let one = (Arc::clone(view), Arc::clone(shared));
    environment.add_function("fact", move |path: &str| {
        let scope = one.0.scope();
        let value = scope.results.facts.value(path).map(str::to_owned);
        let value = value.ok_or_else(|| invalid(format!("no fact is called `{path}`")))?;
        Ok::<_, Error>(lock(&one.1)?.inline(Inline::Text(value)))
    });
}

fn known_metric(scope: &Scope<'_>, name: &str) -> Result<Metric, Error> {
    let metric = Metric::new(name);
    let present = scope.results.metrics();
    if present.contains(&metric) {
        return Ok(metric);
    }
    let known = present.iter().map(|metric| format!("`{metric}`")).collect::<Vec<_>>().join(", ");
    Err(invalid(format!("no result has the metric `{name}`; there are {known}")))
}

/// Whether a case has all the levels named.
fn levels_match(case: &CaseResults, levels: &[(String, String)]) -> bool {
    levels.iter().all(|(factor, level)| case.case.factors.get(factor) == Some(level))
}

/// The levels named in a call, without `stat`.
fn named_levels(scope: &Scope<'_>, kwargs: &Kwargs) -> Result<Vec<(String, String)>, Error> {
    let mut levels = vec![];
    for name in kwargs.args().filter(|name| *name != "stat") {
        if scope.experiment.matrix.factors.get(name).is_none() {
            return Err(invalid(format!("no factor is called `{name}`")));
        }
        levels.push((name.to_owned(), kwargs.get::<Value>(name)?.to_string()));
    }
    Ok(levels)
}

fn value(scope: &Scope<'_>, board: &mut Board, metric: &str, kwargs: &Kwargs) -> Result<Value, Error> {
    let metric = known_metric(scope, metric)?;
    let levels = named_levels(scope, kwargs)?;
    let stat: Option<String> = kwargs.get("stat")?;
    let found: Vec<&CaseResults> = scope.results.matrix().filter(|case| levels_match(case, &levels)).collect();
    let [case] = found.as_slice() else {
        return Err(invalid(format!("{} cases have these levels, expected one", found.len())));
    };
    let samples = case.metric(&metric).ok_or_else(|| invalid(format!("this case has no `{metric}`")))?;
    let summary = samples.summary().ok_or_else(|| invalid("this case has no values"))?;
    let stat = stat.unwrap_or_else(|| "median".to_owned());
    let number = match (stat.as_str(), summary.interval) {
        ("median", _) => summary.median,
        ("mean", _) => summary.mean,
        ("low", Some(interval)) => interval.low,
        ("high", Some(interval)) => interval.high,
        _ => {
            return Err(invalid(format!("`{stat}` is not one of median, mean, low and high, or needs two replicates")));
        }
    };
    let display = Display::of_metric(scope.results, &metric);
    let name = format!("{metric}/{}/{stat}", case.case.label());
    let token = board.parts.tokens.number(name, number, display, evidence(scope.results, samples));
    let unit = if metric.as_str() == "iops" { "" } else { display.unit };
    Ok(with_unit(board, token, unit))
}

/// A token and its unit, kept together by a no-break space.
fn with_unit(board: &mut Board, token: Inline, unit: &str) -> Value {
    let value = board.inline(token);
    if unit.is_empty() {
        return value;
    }
    Value::from(format!("{value}\u{a0}{unit}"))
}

fn change(scope: &Scope<'_>, board: &mut Board, metric: &str, kwargs: &Kwargs) -> Result<Value, Error> {
    let metric = known_metric(scope, metric)?;
    let levels = named_levels(scope, kwargs)?;
    let factor =
        scope.power.treatment.clone().ok_or_else(|| invalid("nothing is compared: the manifest has no treatment"))?;
    let all = comparisons(scope.results, &metric, &factor, (sections::analysis(scope), None));
    let found: Vec<_> = all.iter().filter(|one| levels_match(&scope.results.cases[one.cases.1], &levels)).collect();
    let [one] = found.as_slice() else {
        return Err(invalid(format!("{} comparisons have these levels, expected one", found.len())));
    };
    let sides = [one.cases.0, one.cases.1].map(|case| scope.results.cases[case].metric(&metric));
    let evidence = sides.into_iter().flatten().flat_map(|samples| evidence(scope.results, samples)).collect();
    let name = format!("{metric}/{} {}/change", one.level, one.context);
    let token = board.parts.tokens.number(name, percent_change(one.found.ratio), Display::percent(1), evidence);
    let sign = if one.found.ratio > 1.0 { "+" } else { "" };
    let value = with_unit(board, token, "%");
    Ok(Value::from(format!("{sign}{value}")))
}

fn configured(scope: &Scope<'_>, board: &mut Board, name: &str) -> Result<Value, Error> {
    let settings = &scope.plan.settings;
    let seconds = |nanoseconds: u64| Exact::from_ratio(nanoseconds, 1_000_000_000);
    let whole = |value: u64| Exact::from_integer(i128::from(value));
    let (exact, unit) = match name {
        "replicates" => (whole(settings.replicates), ""),
        "seed" => (whole(scope.experiment.design.seed), ""),
        "runtime" => (seconds(settings.timing.runtime_ns), "s"),
        "ramp_time" => (seconds(settings.timing.ramp_time_ns), "s"),
        "noise_pairs" => (whole(settings.noise_pairs), ""),
        _ => {
            return Err(invalid(format!(
                "`{name}` is not one of replicates, seed, runtime, ramp_time and noise_pairs"
            )));
        }
    };
    let decimals = (0..6)
        .find(|decimals| Exact::parse(&exact.round(*decimals)).is_ok_and(|rounded| rounded == exact))
        .unwrap_or(6);
    let token = board.parts.tokens.configured(&format!("configured/{name}"), exact, decimals);
    Ok(with_unit(board, token, unit))
}

fn counted(scope: &Scope<'_>, board: &mut Board, name: &str) -> Result<Value, Error> {
    let count = match name {
        "cases" => scope.results.matrix().count() as u64,
        "jobs" => scope.plan.jobs.len() as u64,
        "attempts" => scope.results.attempts,
        "runs" => scope.results.runs.len() as u64,
        "missing" => scope.results.missing,
        _ => return Err(invalid(format!("`{name}` is not one of cases, jobs, attempts, runs and missing"))),
    };
    let token = board.parts.tokens.count(name, count);
    Ok(board.inline(token))
}

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
}

/// Markdown to blocks.
fn to_blocks(text: &str, board: &Board) -> Result<Vec<Block>, String> {
    let mut builder = Builder {
        board,
        blocks: vec![],
        inlines: vec![],
        items: vec![],
        style: vec![Style::Plain],
        link: None,
        code: None,
    };
    for event in Parser::new_ext(text, Options::empty()) {
        builder.event(event)?;
    }
    Ok(builder.blocks)
}

impl Builder<'_> {
    fn event(&mut self, event: Event<'_>) -> Result<(), String> {
        match event {
            Event::Start(tag) => self.start(&tag)?,
            Event::End(tag) => self.end(tag)?,
            Event::Text(text) => match &mut self.code {
                Some(code) => code.push_str(&text),
                None => self.text(&text)?,
            },
            Event::Code(text) => self.inlines.push(Inline::Code(text.to_string())),
            Event::SoftBreak | Event::HardBreak => self.inlines.push(Inline::text(" ")),
            Event::Rule => {}
            other => return Err(format!("{other:?} is not part of a paper; write plain Markdown")),
        }
        Ok(())
    }

    fn start(&mut self, tag: &Tag<'_>) -> Result<(), String> {
        match tag {
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
            let inner = &rest[at + MARKERS[0].len_utf8()..];
            let (number, after) = inner.split_once(close).ok_or("a token was cut apart by Markdown")?;
            let index: usize = number.parse().map_err(|_| "a token was changed by Markdown".to_owned())?;
            if is_inline {
                self.inlines.push(self.board.inlines.get(index).cloned().ok_or("a token is not known")?);
            } else {
                self.paragraph();
                self.blocks.extend(self.board.blocks.get(index).cloned().ok_or("a part is not known")?);
            }
            rest = after;
        }
        self.words(rest);
        Ok(())
    }

    fn words(&mut self, words: &str) {
        if words.is_empty() {
            return;
        }
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
fn check_headings(blocks: &[Block], source: &Source) -> Result<(), Vec<Diagnostic>> {
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
    let help = format!("Begin with a heading such as `# {}`.", ENGLISH.question);
    Err(vec![Diagnostic::error("paper::heading", "the template has no heading").at(source, Span::default()).help(help)])
}
