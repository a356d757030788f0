//! The parts of a paper that are generated: method, results, noise, attempts, provenance. What was measured, and on what,
//! is in `setup`.

use super::language::Language;
use super::part::{self, Part};
use super::tokens::{Display, Tokens, evidence};
use super::{ENGLISH, Scope, compared, figures};
use crate::digest::Digest;
use crate::document::{Block, Column, Inline, Table};
use crate::manifest::{Order, Sessions};
use crate::measurement::Metric;
use crate::quantity::humane_duration;
use crate::results::{CaseResults, Footnotes, MetricSamples};
use crate::statistics::{Analysis, NOISE_PAIRS_MIN};
use crate::store::event::Environment;

pub(super) const WORDS: &Language = &ENGLISH;

/// A document in the making.
#[derive(Default)]
pub(crate) struct Parts {
    pub(crate) tokens: Tokens,
    pub(crate) drawings: Vec<(String, String)>,
}

/// A sentence with `{}` filled in order.
pub(crate) fn sentence(pattern: &str, parts: Vec<Inline>) -> Vec<Inline> {
    let mut parts = parts.into_iter();
    let mut inlines = vec![];
    for (number, words) in pattern.split("{}").enumerate() {
        if number > 0 {
            inlines.extend(parts.next());
        }
        if !words.is_empty() {
            inlines.push(Inline::text(words));
        }
    }
    inlines
}

pub(super) fn paragraph(pattern: &str, parts: Vec<Inline>) -> Block {
    Block::Paragraph(sentence(pattern, parts))
}

pub(super) fn filled(pattern: &str, word: &str) -> String {
    pattern.replacen("{}", word, 1)
}

pub(super) fn cell(text: impl Into<String>) -> Vec<Inline> {
    vec![Inline::text(text)]
}

/// What every reader must know first: emulation, missing jobs, waivers, hidden differences.
pub(crate) fn warnings(scope: &Scope<'_>, parts: &mut Parts) -> Vec<Block> {
    let results = scope.results;
    let mut blocks = vec![];
    for (environment, words) in
        [(Environment::Emulated, WORDS.emulated), (Environment::VirtualExact, WORDS.virtual_exact)]
    {
        // also where a journal says otherwise than the manifest
        let is_declared = crate::run::environment_of(scope.experiment) == environment;
        if is_declared || results.runs.iter().any(|run| run.environment == environment) {
            blocks.push(Block::Note(cell(words)));
        }
    }
    blocks.extend(part::origins(scope));
    if results.missing > 0 {
        let missing = parts.tokens.count("jobs/missing", results.missing);
        let all = parts.tokens.count("jobs/planned", scope.plan.jobs.len() as u64);
        blocks.push(Block::Note(sentence(WORDS.missing, vec![missing, all])));
    }
    if !results.hidden_differences.is_empty() {
        let facts = Inline::text(results.hidden_differences.join("; "));
        blocks.push(Block::Note(sentence(WORDS.hidden, vec![facts])));
    }
    for run in &results.runs {
        for (fact, reason) in &run.waivers {
            let parts = vec![Inline::Code(run.run.clone()), Inline::Code(fact.clone()), Inline::text(reason.as_str())];
            blocks.push(Block::Note(sentence(WORDS.waiver, parts)));
        }
    }
    blocks
}

/// Order, replicates, times, preparation, and what the design can show.
pub(crate) fn method(scope: &Scope<'_>, parts: &mut Parts) -> Vec<Block> {
    let settings = &scope.plan.settings;
    let mut first = design(scope, parts);
    let timing = settings.timing;
    first.push(Inline::text(" "));
    first.extend(match timing.runtime_ns {
        0 => cell(WORDS.untimed),
        _ if timing.ramp_time_ns == 0 => {
            sentence(WORDS.timing_without_ramp, vec![Inline::text(humane_duration(timing.runtime_ns))])
        }
        _ => sentence(
            WORDS.timing,
            vec![Inline::text(humane_duration(timing.ramp_time_ns)), Inline::text(humane_duration(timing.runtime_ns))],
        ),
    });
    first.push(Inline::text(" "));
    first.extend(preparation(scope));
    let mut blocks = vec![Block::Paragraph(first)];
    if scope.experiment.is_all_manual() {
        blocks = vec![given_method(scope, parts)];
    }
    if let Some(sessions) = Sessions::of(scope.experiment) {
        let words = vec![Inline::text(sessions.factor.replace('_', " ")), Inline::text(sessions.levels.join(", "))];
        blocks.push(paragraph(WORDS.sessions, words));
    } else if has_shared_boots(scope) {
        blocks.push(Block::Paragraph(cell(WORDS.shared_boots)));
    }
    if results_together(scope) {
        blocks.push(Block::Paragraph(cell(WORDS.together)));
    }
    if settings.replicates == 1 {
        blocks.push(Block::Note(cell(WORDS.one_replicate)));
    }
    blocks.extend(power(scope, parts));
    if settings.replicates > 1 {
        blocks.push(Block::Paragraph(cell(WORDS.statistics)));
    }
    if settings.replicates > 1 && scope.power.comparisons > 0 {
        blocks.push(Block::Paragraph(cell(match analysis(scope) {
            Analysis::Blocks => WORDS.statistics_blocks,
            Analysis::IndependentArms => WORDS.statistics_independent,
        })));
        blocks.push(Block::Paragraph(cell(WORDS.statistics_verdict)));
    }
    blocks
}

/// How often each case is measured, of what, and in which order.
fn design(scope: &Scope<'_>, parts: &mut Parts) -> Vec<Inline> {
    let design = &scope.experiment.design;
    let sessions = Sessions::of(scope.experiment);
    let pattern = match design.order {
        Order::Interleaved if sessions.is_some() => WORDS.order_sessions_interleaved,
        Order::Randomized if sessions.is_some() => WORDS.order_sessions_randomized,
        Order::Interleaved => WORDS.order_interleaved,
        Order::Randomized => WORDS.order_randomized,
    };
    let seed = parts.tokens.configured("design/seed", crate::exact::Exact::from_integer(i128::from(design.seed)), 0);
    let replicates = parts.tokens.configured(
        "design/replicates",
        crate::exact::Exact::from_integer(i128::from(scope.plan.settings.replicates)),
        0,
    );
    let unit = Inline::text(design.replicate_unit.clone().unwrap_or_else(|| WORDS.a_job.to_owned()));
    let mut first = match &sessions {
        Some(sessions) => {
            let count = parts.tokens.configured(
                "design/sessions",
                crate::exact::Exact::from_integer(i128::from(sessions.per_level())),
                0,
            );
            sentence(WORDS.design_sessions, vec![replicates, count, unit])
        }
        None => sentence(WORDS.design, vec![replicates, unit]),
    };
    first.push(Inline::text(" "));
    first.extend(sentence(pattern, vec![seed]));
    first
}

/// What is known where others ran the jobs: what the manifest asked for.
fn given_method(scope: &Scope<'_>, parts: &mut Parts) -> Block {
    let replicates = i128::from(scope.plan.settings.replicates);
    let replicates = parts.tokens.configured("design/replicates", crate::exact::Exact::from_integer(replicates), 0);
    let unit = scope.experiment.design.replicate_unit.clone().unwrap_or_else(|| WORDS.a_job.to_owned());
    let mut text = sentence(WORDS.design, vec![replicates, Inline::text(unit)]);
    text.push(Inline::text(" "));
    text.extend(cell(WORDS.given_method));
    Block::Paragraph(text)
}

fn preparation(scope: &Scope<'_>) -> Vec<Inline> {
    let fills: Vec<String> = scope
        .experiment
        .design
        .precondition
        .iter()
        .map(|step| {
            format!("{} was written from start to end ×{}", step.fill.device.value, step.fill.passes.unwrap_or(1))
        })
        .collect();
    match fills.is_empty() {
        true if scope.experiment.guest().is_some() => cell(WORDS.empty_disks),
        true => cell(WORDS.no_precondition),
        false => {
            let pattern = if scope.experiment.guest().is_some() { WORDS.fresh_guests } else { WORDS.precondition };
            sentence(pattern, vec![Inline::text(fills.join("; "))])
        }
    }
}

fn power(scope: &Scope<'_>, parts: &mut Parts) -> Vec<Block> {
    let power = &scope.power;
    if power.comparisons == 0 || power.replicates < 2 {
        return vec![];
    }
    let comparisons = parts.tokens.count("design/comparisons", power.comparisons);
    let plain = |parts: &mut Parts, name: &str, value: f64| {
        parts.tokens.number(name.to_owned(), value, Display::plain(4), vec![])
    };
    let smallest = plain(parts, "design/smallest-p", power.smallest_p);
    let adjusted = plain(parts, "design/smallest-p-adjusted", power.smallest_p_adjusted);
    let analysis = Inline::text(power.analysis);
    let mut blocks = vec![paragraph(WORDS.power_can, vec![analysis, comparisons, smallest, adjusted])];
    if !power.can_show() {
        let needed = parts.tokens.count("design/replicates-needed", power.replicates_needed);
        let units = if power.analysis == "sessions" { WORDS.sessions_of_level } else { WORDS.replicates };
        blocks.push(Block::Note(match crate::plan::analysis(scope.experiment) {
            Analysis::Blocks => sentence(WORDS.power_cannot, vec![needed]),
            Analysis::IndependentArms => sentence(WORDS.power_cannot_arms, vec![needed, Inline::text(units)]),
        }));
    }
    blocks
}

/// Whether replicates of a case ran in one boot of the guests.
fn has_shared_boots(scope: &Scope<'_>) -> bool {
    let samples = scope.results.matrix().flat_map(|case| &case.metrics).flat_map(|metric| &metric.samples);
    samples.into_iter().any(|sample| sample.unit.is_some())
}

/// Whether there are totals over several guests.
fn results_together(scope: &Scope<'_>) -> bool {
    scope.results.metrics().iter().any(|metric| metric.as_str() == "start_skew")
}

/// The metrics that the paper reports: those of the manifest, or what the tools count as results.
pub(crate) fn reported(scope: &Scope<'_>) -> Vec<Metric> {
    let present = scope.results.metrics();
    if !scope.experiment.metrics.is_empty() {
        // how guests shared the machine belongs to every total over several
        let together = ["fairness", "start_skew"].map(Metric::new);
        let mut named: Vec<Metric> = scope.experiment.metrics.names().map(Metric::new).collect();
        named.extend(
            together.into_iter().filter(|metric| !scope.experiment.metrics.names().any(|one| one == metric.as_str())),
        );
        return named.into_iter().filter(|metric| present.contains(metric)).collect();
    }
    let of_case = |case: &crate::plan::Case| Some(crate::tool::find(&case.tool)?.metrics(&case.settings));
    let wanted: Vec<Metric> = scope.plan.cases.iter().filter_map(of_case).flatten().collect();
    present.into_iter().filter(|metric| wanted.contains(metric)).collect()
}

/// For each reported metric its heading, and for each part of the matrix chart, table and comparison.
pub(crate) fn results(scope: &Scope<'_>, parts: &mut Parts) -> Vec<Block> {
    let mut blocks = vec![];
    let reported = reported(scope);
    for metric in &reported {
        blocks.push(Block::Heading { level: 2, text: cell(metric.title()) });
        for one in part::parts(scope).into_iter().filter(|one| part::has_metric(scope, *one, metric)) {
            if let Some(title) = one.title {
                blocks.push(Block::Heading { level: 3, text: cell(title) });
            }
            blocks.extend(figures::chart_of(scope, parts, metric, one));
            blocks.extend(table_of(scope, parts, metric, one));
            blocks.extend(compared::drawn_and_listed(scope, parts, metric, one));
        }
    }
    blocks.extend(figures::together(scope, parts, &reported));
    blocks
}

/// The parts of the matrix that have a metric, one after the other.
pub(super) fn in_parts(
    scope: &Scope<'_>,
    parts: &mut Parts,
    metric: &Metric,
    make: fn(&Scope<'_>, &mut Parts, &Metric, Part<'_>) -> Vec<Block>,
) -> Vec<Block> {
    let wanted = part::parts(scope).into_iter().filter(|one| part::has_metric(scope, *one, metric));
    wanted.flat_map(|one| make(scope, parts, metric, one)).collect()
}

/// The tables of one metric.
pub(crate) fn result_table(scope: &Scope<'_>, parts: &mut Parts, metric: &Metric) -> Vec<Block> {
    in_parts(scope, parts, metric, table_of)
}

/// The table of one metric in one part.
fn table_of(scope: &Scope<'_>, parts: &mut Parts, metric: &Metric, one: Part<'_>) -> Vec<Block> {
    let display = Display::of_cases(part::cases(scope, one), metric);
    let is_repeated = |case: &CaseResults| case.case.replicates(&scope.plan.settings) > 1;
    let has_intervals = part::cases(scope, one).any(is_repeated);
    let factors = part::varying_factors(scope, one);
    let mut columns: Vec<Column> = factors.iter().map(Column::text).collect();
    columns.push(Column::number(WORDS.replicates_short));
    columns.push(Column::number(with_unit(WORDS.median, display.unit)));
    if has_intervals {
        columns.push(Column::number(with_unit(WORDS.interval, display.unit)));
        columns.push(Column::number(with_unit(WORDS.level, "%")));
        columns.push(Column::number(with_unit(WORDS.variation, "%")));
    }
    let (mut rows, mut footnotes) = (vec![], Footnotes::default());
    for case in part::cases(scope, one) {
        let mut row: Vec<Vec<Inline>> =
            factors.iter().map(|factor| cell(case.case.factors.get(factor).cloned().unwrap_or_default())).collect();
        match case.metric(metric) {
            Some(samples) => {
                let mut cells = result_cells(scope, parts, case, samples, display);
                mark(&mut cells, footnotes.mark(&scope.results.hidden_in(&[samples])));
                row.extend(cells);
            }
            None => row.push(cell("0")),
        }
        row.resize_with(columns.len(), || cell(WORDS.nothing));
        if !has_intervals {
            row.truncate(columns.len());
        }
        rows.push(row);
    }
    let words = if part::is_given(scope, one, metric) { WORDS.given_caption } else { WORDS.results_caption };
    let caption = part::captioned(filled(words, &metric.title()), one);
    let table = Block::Table(Table { id: part::named(metric.as_str(), one), caption, columns, rows });
    std::iter::once(table).chain(explained(&footnotes)).collect()
}

/// Puts the sign of a footnote after the first of some cells.
pub(super) fn mark(cells: &mut [Vec<Inline>], sign: String) {
    if let Some(cell) = cells.first_mut().filter(|_| !sign.is_empty()) {
        cell.push(Inline::text(sign));
    }
}

/// Footnotes of a table, as they stand below it.
pub(super) fn explained(footnotes: &Footnotes) -> Vec<Block> {
    let note =
        |(sign, facts): (String, &str)| paragraph(WORDS.hidden_in_row, vec![Inline::text(sign), Inline::text(facts)]);
    footnotes.notes().map(note).collect()
}

pub(super) fn with_unit(head: &str, unit: &str) -> String {
    if unit.is_empty() { head.to_owned() } else { format!("{head} [{unit}]") }
}

fn result_cells(
    scope: &Scope<'_>,
    parts: &mut Parts,
    case: &CaseResults,
    samples: &MetricSamples,
    display: Display,
) -> Vec<Vec<Inline>> {
    let Some(summary) = samples.summary() else { return vec![cell("0")] };
    let name = |what: &str| format!("{}/{}/{what}", samples.metric, case.case.label());
    let evidence = evidence(scope.results, samples);
    let mut cells = vec![vec![parts.tokens.count(&name("n"), summary.count as u64)]];
    cells.push(vec![parts.tokens.number(name("median"), summary.median, display, evidence.clone())]);
    if let Some(interval) = summary.interval {
        let low = parts.tokens.number(name("low"), interval.low, display, evidence.clone());
        let high = parts.tokens.number(name("high"), interval.high, display, evidence.clone());
        cells.push(vec![low, Inline::text(" – "), high]);
        let level = interval.level * 100.0;
        cells.push(vec![parts.tokens.number(name("level"), level, Display::percent(1), vec![])]);
    }
    if let Some(variation) = summary.variation {
        cells.push(vec![parts.tokens.number(name("cv"), variation * 100.0, Display::percent(2), evidence)]);
    }
    cells
}

/// How the design lets arms be compared.
pub(crate) fn analysis(scope: &Scope<'_>) -> Analysis {
    crate::plan::analysis(scope.experiment)
}

/// The noise floor.
pub(crate) fn noise(scope: &Scope<'_>, parts: &mut Parts) -> Vec<Block> {
    let mut rows = vec![];
    let mut has_few = false;
    for metric in reported(scope) {
        let Some(floor) = scope.results.noise(&metric) else { continue };
        let sides = scope.results.cases.iter().filter(|case| case.case.noise.is_some());
        let evidence: Vec<_> = sides
            .filter_map(|case| case.metric(&metric))
            .flat_map(|samples| evidence(scope.results, samples))
            .collect();
        let name = |what: &str| format!("noise/{metric}/{what}");
        let pairs = parts.tokens.count(&name("pairs"), floor.pairs as u64);
        let greatest =
            parts.tokens.number(name("greatest"), floor.greatest * 100.0, Display::percent(1), evidence.clone());
        has_few |= floor.bound.is_none();
        let bound = match floor.bound {
            Some(bound) => vec![parts.tokens.number(name("bound"), bound * 100.0, Display::percent(1), evidence)],
            None => cell(WORDS.nothing),
        };
        rows.push(vec![cell(metric.title()), vec![pairs], vec![greatest], bound]);
    }
    if rows.is_empty() {
        return vec![Block::Paragraph(cell(WORDS.noise_none))];
    }
    let columns = vec![
        Column::text(WORDS.metric),
        Column::number(WORDS.pairs),
        Column::number(with_unit(WORDS.greatest, "%")),
        Column::number(with_unit(WORDS.bound, "%")),
    ];
    let mut blocks =
        vec![Block::Table(Table { id: "noise".to_owned(), caption: WORDS.noise_caption.to_owned(), columns, rows })];
    if has_few {
        let least =
            parts.tokens.configured("noise/pairs-min", crate::exact::Exact::from_integer(NOISE_PAIRS_MIN as i128), 0);
        blocks.push(paragraph(WORDS.noise_few, vec![least]));
    }
    blocks
}

/// What was attempted, and what came of it.
pub(crate) fn attempts(scope: &Scope<'_>, parts: &mut Parts) -> Vec<Block> {
    let results = scope.results;
    let attempts = parts.tokens.count("attempts", results.attempts);
    let jobs = parts.tokens.count("jobs", scope.plan.jobs.len() as u64);
    let missing = parts.tokens.count("jobs/missing", results.missing);
    let mut blocks = vec![paragraph(WORDS.attempts, vec![attempts, jobs, missing])];
    if results.other_attempts > 0 {
        let other = parts.tokens.count("attempts/other", results.other_attempts);
        let other_not_ok = parts.tokens.count("attempts/other-not-ok", results.other_not_ok);
        blocks.push(paragraph(WORDS.other_attempts, vec![other, other_not_ok]));
    }
    let unmatched: Vec<&String> = results.runs.iter().flat_map(|run| &run.unmatched).collect();
    if !unmatched.is_empty() {
        blocks.push(Block::Paragraph(cell(WORDS.unmatched)));
        blocks.push(Block::List(unmatched.into_iter().map(|one| cell(one.as_str())).collect()));
    }
    if results.not_ok.is_empty() {
        blocks.push(Block::Paragraph(cell(WORDS.all_ok)));
        return blocks;
    }
    let mut rows = vec![];
    for (number, attempt) in results.not_ok.iter().enumerate() {
        let name = |what: &str| format!("not-ok/{}/{what}", number + 1);
        let replicate = parts.tokens.count(&name("replicate"), attempt.replicate);
        let try_number = parts.tokens.count(&name("attempt"), attempt.attempt);
        let words = [cell(attempt.outcome.word()), cell(attempt.reason.as_str())];
        let [outcome, reason] = words;
        rows.push(vec![cell(attempt.case.as_str()), vec![replicate], vec![try_number], outcome, reason]);
    }
    let columns = vec![
        Column::text(WORDS.case),
        Column::number(WORDS.replicate),
        Column::number(WORDS.attempt),
        Column::text(WORDS.outcome),
        Column::text(WORDS.reason),
    ];
    blocks.push(Block::Table(Table {
        id: "not-ok".to_owned(),
        caption: WORDS.not_ok_caption.to_owned(),
        columns,
        rows,
    }));
    blocks
}

/// Where everything comes from, and how to check it.
pub(crate) fn provenance(scope: &Scope<'_>, parts: &mut Parts) -> Vec<Block> {
    let mut rows = vec![];
    for run in &scope.results.runs {
        let ok = run.outcomes.get("ok").copied().unwrap_or(0);
        let other = run.outcomes.values().sum::<u64>() - ok;
        let ok = parts.tokens.count(&format!("run/{}/ok", run.run), ok);
        let other = parts.tokens.count(&format!("run/{}/not-ok", run.run), other);
        rows.push(vec![
            vec![Inline::Code(run.run.clone())],
            cell(run.created.as_str()),
            cell(run.profile.as_str()),
            vec![ok],
            vec![other],
            vec![Inline::Code(run.chain.chars().take(16).collect())],
            cell(if run.is_sealed { WORDS.yes } else { WORDS.no }),
        ]);
    }
    let columns = vec![
        Column::text(WORDS.run),
        Column::text(WORDS.begun),
        Column::text(WORDS.profile),
        Column::number(WORDS.attempts_ok),
        Column::number(WORDS.attempts_other),
        Column::text(WORDS.chain),
        Column::text(WORDS.sealed),
    ];
    let code = |digest: Digest| Inline::Code(digest.to_string());
    let manifest = code(Digest::of(scope.input.manifest.as_bytes()));
    let lock = code(Digest::of(scope.input.lock.as_bytes()));
    let cases = scope
        .lock
        .cases
        .get(&scope.plan.settings.profile)
        .map_or_else(|| Inline::text(WORDS.nothing), |pin| code(pin.digest));
    let mut blocks =
        vec![Block::Table(Table { id: "runs".to_owned(), caption: WORDS.runs_caption.to_owned(), columns, rows })];
    blocks.extend(part::given_files(scope, parts));
    for run in &scope.results.runs {
        if run.recoveries > 0 {
            let count = parts.tokens.count(&format!("run/{}/recoveries", run.run), run.recoveries);
            blocks.push(paragraph(WORDS.continued, vec![Inline::Code(run.run.clone()), count]));
        }
        for remark in &run.remarks {
            let parts = vec![Inline::Code(run.run.clone()), Inline::text(remark.as_str())];
            blocks.push(paragraph(WORDS.remark, parts));
        }
    }
    blocks.push(paragraph(WORDS.provenance, vec![manifest, lock, cases]));
    blocks.push(paragraph(WORDS.verify, vec![Inline::Code("benchpaper verify paper.pdf".to_owned())]));
    blocks.push(paragraph(WORDS.trace, vec![Inline::Code("benchpaper trace paper.pdf NUMBER".to_owned())]));
    blocks
}
