//! From a prose template to blocks: minijinja first, then Markdown, then tokens and generated parts in their places.
//!
//! Expressions never see a number: what a function returns shows as a pair of private-use characters round an index and
//! allows no arithmetic. Markup is never built by joining strings with values.

use std::fmt;
use std::sync::{Arc, Mutex};

use super::Scope;
use super::compared;
use super::compared::percent_change;
use super::figures;
use super::markup::{check_headings, to_blocks};
use super::part;
use super::sections::{self, Parts};
use super::setup;
use super::tokens::{Display, evidence};
use crate::compare::{Rule, comparisons};
use crate::diagnostic::Diagnostic;
use crate::document::{Block, Document, Inline};
use crate::exact::Exact;
use crate::measurement::Metric;
use crate::paper::MARKERS;
use crate::results::CaseResults;
use crate::source::{Source, Span};
use minijinja::value::{Enumerator, Kwargs, Object, ObjectRepr, Value};
use minijinja::{AutoEscape, Environment, Error, ErrorKind, UndefinedBehavior};

/// What a template may cost.
const FUEL: u64 = 1_000_000;
/// How much a template may print, in bytes.
const PRINTED_BYTES_MAX: usize = 4 << 20;

/// How often a template may call a function.
const CALLS_MAX: usize = 5_000;
/// The longest expression, in bytes: deep ones would exhaust the parser's stack.
const EXPRESSION_BYTES_MAX: usize = 2_000;
/// The stack on which templates are parsed and rendered.
const STACK_BYTES: usize = 64 << 20;

/// A thing that a template places but can not look into, with a sign before it and a unit after it.
#[derive(Debug)]
struct Placed {
    marks: (char, char),
    index: usize,
    sign: &'static str,
    unit: String,
}

impl Object for Placed {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Plain
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        Enumerator::NonEnumerable
    }

    fn render(self: &Arc<Self>, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}{}{}{}{}", self.sign, self.marks.0, self.index, self.marks.1, self.unit)
    }
}

/// What template functions have placed so far.
#[derive(Default)]
pub(super) struct Board {
    pub(super) parts: Parts,
    pub(super) inlines: Vec<Inline>,
    pub(super) blocks: Vec<Vec<Block>>,
}

impl Board {
    fn inline(&mut self, inline: Inline) -> Value {
        self.inlines.push(inline);
        self.placed("", "")
    }

    /// The newest inline, with a sign and a unit; a no-break space keeps number and unit together.
    fn placed(&self, sign: &'static str, unit: &str) -> Value {
        let unit = if unit.is_empty() { String::new() } else { format!("\u{a0}{unit}") };
        Value::from_object(Placed { marks: (MARKERS[0], MARKERS[1]), index: self.inlines.len() - 1, sign, unit })
    }

    fn block(&mut self, blocks: Vec<Block>) -> Value {
        self.blocks.push(blocks);
        let index = self.blocks.len() - 1;
        Value::from_object(Placed { marks: (MARKERS[2], MARKERS[3]), index, sign: "", unit: String::new() })
    }
}

/// The document that a template makes.
pub(super) fn document(scope: &Scope<'_>, source: &Source) -> Result<Document, Vec<Diagnostic>> {
    check_expressions(source)?;
    let mut board = Board::default();
    let warnings = sections::warnings(scope, &mut board.parts);
    // recursion of the parsers is bounded by the length of expressions, on a stack that holds it
    let work = || evaluate(scope, source, board);
    let (text, board) = std::thread::scope(|threads| {
        let thread = std::thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(threads, work);
        let thread = thread.map_err(|error| vec![Diagnostic::error("paper::template", error.to_string())])?;
        thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })?;
    let mut blocks = warnings;
    blocks.extend(to_blocks(&text, &board).map_err(|message| vec![Diagnostic::error("paper::markdown", message)])?);
    check_headings(&blocks, source)?;
    Ok(Document { title: Default::default(), blocks, tokens: board.parts.tokens.0, drawings: board.parts.drawings })
}

/// Refuses expressions that are too long.
fn check_expressions(source: &Source) -> Result<(), Vec<Diagnostic>> {
    for (open, close) in [("{{", "}}"), ("{%", "%}")] {
        let mut from = 0;
        while let Some(start) = source.text()[from..].find(open).map(|at| from + at) {
            let end = source.text()[start..].find(close).map_or(source.text().len(), |at| start + at);
            if end - start > EXPRESSION_BYTES_MAX {
                let span = Span { start, end: start + 2 };
                let message = format!("an expression of {} bytes, more than {EXPRESSION_BYTES_MAX}", end - start);
                return Err(vec![
                    Diagnostic::error("paper::template", message).at(source, span).help("Write it shorter."),
                ]);
            }
            from = end;
        }
    }
    Ok(())
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
        environment.set_formatter(|out, _, value| match value.downcast_object_ref::<Placed>() {
            Some(_) => write!(out, "{value}").map_err(Error::from),
            None => Err(invalid("an expression prints what a function returns, and nothing else")),
        });
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
    let help = "Functions: value, change, level, fact, configured, counted, setup, workloads, matrix, method, results, result_table, chart, tradeoff, percentiles, comparison, forest, map, noise, attempts, provenance.";
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
    ("setup", |scope, _| setup::setup(scope)),
    ("workloads", |scope, _| setup::workloads(scope)),
    ("matrix", |scope, _| setup::matrix(scope)),
    ("method", sections::method),
    ("results", sections::results),
    ("noise", sections::noise),
    ("attempts", sections::attempts),
    ("provenance", sections::provenance),
];

/// Functions that place a generated part of one metric.
const METRIC_BLOCKS: &[(&str, MetricMaker)] = &[
    ("result_table", sections::result_table),
    ("chart", figures::chart),
    ("comparison", compared::comparison),
    ("forest", compared::forest),
];

fn lock(shared: &Shared) -> Result<std::sync::MutexGuard<'_, Board>, Error> {
    let board = shared.lock().map_err(|_| invalid("an earlier function failed"))?;
    if board.inlines.len() + board.blocks.len() + board.parts.tokens.0.len() > CALLS_MAX * 20
        || board.blocks.len() > CALLS_MAX
    {
        return Err(invalid("the template places too much"));
    }
    Ok(board)
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
    add_map(environment, view, shared);
    add_charts(environment, view, shared);
    let one = (Arc::clone(view), Arc::clone(shared));
    environment.add_function("configured", move |name: &str| configured(&one.0.scope(), &mut *lock(&one.1)?, name));
    let one = (Arc::clone(view), Arc::clone(shared));
    environment.add_function("counted", move |name: &str| counted(&one.0.scope(), &mut *lock(&one.1)?, name));
    let one = (Arc::clone(view), Arc::clone(shared));
    environment.add_function("level", move |factor: &str, level: &str| {
        let scope = one.0.scope();
        let levels = scope.experiment.matrix.levels(factor);
        let levels = levels.ok_or_else(|| invalid(format!("no factor is called `{factor}`")))?;
        if !levels.iter().any(|one| one.text == level) {
            return Err(invalid(format!("the factor `{factor}` has no level `{level}`")));
        }
        Ok::<_, Error>(lock(&one.1)?.inline(Inline::Text(level.to_owned())))
    });
    let one = (Arc::clone(view), Arc::clone(shared));
    environment.add_function("fact", move |path: &str| {
        let scope = one.0.scope();
        let known = scope.results.facts.0.get(path);
        let value = match known {
            Some(fact) => {
                fact.value().map(str::to_owned).ok_or_else(|| invalid(format!("the fact `{path}` is unavailable")))?
            }
            None if scope.input.is_rehearsal => "unknown until it is measured".to_owned(),
            None => return Err(invalid(format!("no fact is called `{path}`"))),
        };
        Ok::<_, Error>(lock(&one.1)?.inline(Inline::Text(value)))
    });
}

/// `map`, which has factors by name.
fn add_map(environment: &mut Environment<'_>, view: &Arc<OwnedView>, shared: &Shared) {
    let one = (Arc::clone(view), Arc::clone(shared));
    environment.add_function("map", move |metric: &str, along: Kwargs| {
        let scope = one.0.scope();
        let metric = known_metric(&scope, metric)?;
        let (x, y): (String, String) = (along.get("x")?, along.get("y")?);
        along.assert_all_used()?;
        let mut board = lock(&one.1)?;
        let blocks = compared::map(&scope, &mut board.parts, &metric, (&x, &y)).map_err(invalid)?;
        Ok::<_, Error>(board.block(blocks))
    });
}

/// `tradeoff`, which has two metrics by name, and `percentiles`, which has the name of a quantity; both may be narrowed to
/// some levels.
fn add_charts(environment: &mut Environment<'_>, view: &Arc<OwnedView>, shared: &Shared) {
    let one = (Arc::clone(view), Arc::clone(shared));
    environment.add_function("tradeoff", move |along: Kwargs| {
        let scope = one.0.scope();
        let (x, y): (String, String) = (along.get("x")?, along.get("y")?);
        let levels = named_levels(&scope, &along, &["x", "y"])?;
        let (x, y) = (known_metric(&scope, &x)?, known_metric(&scope, &y)?);
        let mut board = lock(&one.1)?;
        let blocks = figures::tradeoff(&scope, &mut board.parts, ((&x, &y), &levels));
        if blocks.is_empty() && !scope.input.is_rehearsal {
            return Err(invalid("there is nothing to draw: no factor besides the treatment has three or more numbers as its levels, or there are more than 12 panels; name a level to narrow it"));
        }
        Ok::<_, Error>(board.block(blocks))
    });
    let one = (Arc::clone(view), Arc::clone(shared));
    environment.add_function("percentiles", move |of: &str, levels: Kwargs| {
        let scope = one.0.scope();
        let levels = named_levels(&scope, &levels, &[])?;
        let present = scope.results.metrics();
        let mut board = lock(&one.1)?;
        let blocks = figures::percentiles(&scope, &mut board.parts, (of, &present), &levels);
        if blocks.is_empty() && !scope.input.is_rehearsal {
            return Err(invalid(format!("there is nothing to draw: no case has percentiles of `{of}`, or there are more than 12 panels; name a level to narrow it")));
        }
        Ok::<_, Error>(board.block(blocks))
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

/// The levels named in a call, without its other arguments.
fn named_levels(scope: &Scope<'_>, kwargs: &Kwargs, others: &[&str]) -> Result<Vec<(String, String)>, Error> {
    let mut levels = vec![];
    for name in kwargs.args().filter(|name| !others.contains(name)) {
        if scope.experiment.matrix.levels(name).is_none() {
            return Err(invalid(format!("no factor is called `{name}`")));
        }
        levels.push((name.to_owned(), kwargs.get::<Value>(name)?.to_string()));
    }
    Ok(levels)
}

fn value(scope: &Scope<'_>, board: &mut Board, metric: &str, kwargs: &Kwargs) -> Result<Value, Error> {
    let metric = known_metric(scope, metric)?;
    let levels = named_levels(scope, kwargs, &["stat"])?;
    let stat: Option<String> = kwargs.get("stat")?;
    let found: Vec<&CaseResults> = scope.results.matrix().filter(|case| part::levels_match(case, &levels)).collect();
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
    let display = Display::of_cases(part::beside(scope, case), &metric);
    let name = format!("{metric}/{}/{stat}", case.case.label());
    let token = board.parts.tokens.number(name, number, display, evidence(scope.results, samples));
    let unit = if metric.as_str() == "iops" { "" } else { display.unit };
    Ok(with_unit(board, token, unit))
}

/// A token and its unit.
fn with_unit(board: &mut Board, token: Inline, unit: &str) -> Value {
    board.inlines.push(token);
    board.placed("", unit)
}

fn change(scope: &Scope<'_>, board: &mut Board, metric: &str, kwargs: &Kwargs) -> Result<Value, Error> {
    let metric = known_metric(scope, metric)?;
    let levels = named_levels(scope, kwargs, &["stat"])?;
    let factor =
        scope.power.treatment.clone().ok_or_else(|| invalid("nothing is compared: the manifest has no treatment"))?;
    let all = comparisons(scope.results, &metric, &factor, Rule::of(scope.experiment, &metric));
    let found: Vec<_> =
        all.iter().filter(|one| part::levels_match(&scope.results.cases[one.cases.1], &levels)).collect();
    let [one] = found.as_slice() else {
        return Err(invalid(format!("{} comparisons have these levels, expected one", found.len())));
    };
    let sides = [one.cases.0, one.cases.1].map(|case| scope.results.cases[case].metric(&metric));
    let evidence = sides.into_iter().flatten().flat_map(|samples| evidence(scope.results, samples)).collect();
    let name = format!("{metric}/{} {}/change", one.level, one.context);
    let token = board.parts.tokens.number(name, percent_change(one.found.ratio), Display::percent(1), evidence);
    let sign = if one.found.ratio > 1.0 { "+" } else { "" };
    board.inlines.push(token);
    Ok(board.placed(sign, "%"))
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
