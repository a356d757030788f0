//! The parts of a matrix in a paper: each has tables and charts of its own, and says how its numbers came to be.

use std::collections::BTreeSet;

use super::Scope;
use super::sections::{Parts, cell};
use crate::document::{Block, Column, Inline, Table};
use crate::measurement::Metric;
use crate::results::{CaseResults, RunRecord};
use crate::store::event::{Environment, Origin};
use crate::words::Word;

/// One part; the main one has no title.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Part<'a> {
    /// None of the main part.
    pub(crate) title: Option<&'a str>,
    /// From 0.
    pub(crate) number: usize,
}

/// All parts that have cases, the main one first.
pub(crate) fn parts<'a>(scope: &Scope<'a>) -> Vec<Part<'a>> {
    let parts = scope.experiment.matrix.parts().enumerate();
    let parts = parts.map(|(number, part)| Part { title: part.title, number });
    parts.filter(|part| cases(scope, *part).next().is_some()).collect()
}

/// The cases of a part, without noise sides.
pub(crate) fn cases<'s>(scope: &'s Scope<'_>, part: Part<'s>) -> impl Iterator<Item = &'s CaseResults> {
    scope.results.matrix().filter(move |case| case.case.part.as_deref() == part.title)
}

/// The cases of the part that a case belongs to.
pub(crate) fn beside<'s>(scope: &'s Scope<'_>, case: &'s CaseResults) -> impl Iterator<Item = &'s CaseResults> {
    scope.results.matrix().filter(move |other| other.case.part == case.case.part)
}

/// Whether all values that a part has of a metric were given to this program, one each.
pub(crate) fn is_given(scope: &Scope<'_>, part: Part<'_>, metric: &Metric) -> bool {
    let mut samples = cases(scope, part).filter_map(|case| case.metric(metric)).peekable();
    samples.peek().is_some()
        && samples.all(|one| one.samples.len() == 1 && one.samples.iter().all(|sample| !sample.origin.is_measured()))
}

/// The factors whose levels differ between the cases of a part: the columns that say which case a row is.
pub(crate) fn varying_factors(scope: &Scope<'_>, part: Part<'_>) -> Vec<String> {
    let factors = scope.experiment.matrix.parts().nth(part.number).map(|part| part.factors);
    let factors = factors.into_iter().flat_map(|factors| factors.iter());
    factors.filter(|(_, levels)| levels.0.len() > 1).map(|(name, _)| name.value.to_string()).collect()
}

/// Whether a case of a part has values of a metric, or may yet have them.
pub(crate) fn has_metric(scope: &Scope<'_>, part: Part<'_>, metric: &Metric) -> bool {
    // a case without any result is missing; one whose output lacks this metric never had it
    let is_missing = |case: &CaseResults| {
        let work = case.case.work().filter(|_| case.metrics.is_empty());
        work.is_some_and(|work| work.metrics().contains(metric))
    };
    cases(scope, part).any(|case| case.metric(metric).is_some() || is_missing(case))
}

/// Whether a case has all the levels named.
pub(crate) fn levels_match(case: &CaseResults, levels: &[(String, String)]) -> bool {
    levels.iter().all(|(factor, level)| case.case.factors.get(factor) == Some(level))
}

/// A name for what belongs to a part: the plain one of the main part.
pub(crate) fn named(name: &str, part: Part<'_>) -> String {
    if part.number == 0 { name.to_owned() } else { format!("{name}-{}", part.number + 1) }
}

/// A caption with the title of the part.
pub(crate) fn captioned(caption: String, part: Part<'_>) -> String {
    match part.title {
        Some(title) => format!("{caption}. {title}"),
        None => caption,
    }
}

/// How the numbers of a paper came to be, where this program did not measure them.
pub(crate) fn origins(scope: &Scope<'_>) -> Vec<Block> {
    let mut kinds: BTreeSet<(Origin, Environment)> = BTreeSet::new();
    for sample in scope.results.cases.iter().flat_map(|case| &case.metrics).flat_map(|metric| &metric.samples) {
        if let (false, Some(run)) = (sample.origin.is_measured(), scope.results.runs.get(sample.run)) {
            kinds.insert((sample.origin, run.environment));
        }
    }
    let mut blocks = vec![];
    for (origin, environment) in kinds {
        let sources = sources(scope, |run| run.origin == origin && run.environment == environment);
        let parts = Inline::text(titles(scope, origin));
        let (environment, sources) = (scope.code("environment", environment.word()).remove(0), Inline::text(sources));
        blocks.push(Block::Note(scope.sentence(match origin {
            Origin::Transcribed => Word::Transcribed { parts, environment, sources },
            _ => Word::Imported { parts, environment, sources },
        })));
    }
    let has_both = |case: &&CaseResults| {
        let samples = case.metrics.iter().flat_map(|metric| &metric.samples);
        let origins: BTreeSet<Origin> = samples.map(|sample| sample.origin).collect();
        origins.len() > 1
    };
    let mixed: Vec<String> = scope.results.cases.iter().filter(has_both).map(|case| case.case.label()).collect();
    if !mixed.is_empty() {
        blocks.push(Block::Note(scope.sentence(Word::MixedOrigin { cases: Inline::text(mixed.join("; ")) })));
    }
    blocks
}

/// Where the files of some runs came from, each source with how many there are.
fn sources(scope: &Scope<'_>, is_meant: impl Fn(&RunRecord) -> bool) -> String {
    let mut counts: Vec<(String, usize)> = vec![];
    for (number, run) in scope.results.runs.iter().enumerate().filter(|(_, run)| is_meant(run)) {
        let files = scope.results.given.iter().filter(|file| file.run == number).count();
        if files == 0 {
            continue;
        }
        let source = source_of(scope, run);
        match counts.iter_mut().find(|(one, _)| *one == source) {
            Some((_, count)) => *count += files,
            None => counts.push((source, files)),
        }
    }
    let one = |(source, count): &(String, usize)| match counts.len() {
        1 => source.clone(),
        _ => scope.text(Word::FilesOf { source: source.as_str().into(), files: (*count).into() }),
    };
    counts.iter().map(one).collect::<Vec<_>>().join("; ")
}

fn source_of(scope: &Scope<'_>, run: &RunRecord) -> String {
    if run.sources.is_empty() { scope.text(Word::NoSource) } else { run.sources.join("; ") }
}

/// The files that values came from which this program did not measure.
pub(crate) fn given_files(scope: &Scope<'_>, parts: &mut Parts) -> Option<Block> {
    let mut rows = vec![];
    for (number, file) in scope.results.given.iter().enumerate() {
        let Some(run) = scope.results.runs.get(file.run) else { continue };
        let jobs = parts.tokens.count(&format!("given/{}/jobs", number + 1), file.jobs);
        let origin = if run.origin == Origin::Transcribed {
            scope.text(Word::OriginTranscribed)
        } else {
            scope.text(Word::OriginImported)
        };
        rows.push(vec![
            cell(file.name.as_str()),
            cell(file.tool.as_str()),
            cell(format!("{origin}; {}", source_of(scope, run))),
            vec![jobs],
            vec![Inline::Code(file.object.hex().chars().take(16).collect())],
        ]);
    }
    let columns = vec![
        Column::text(scope.text(Word::File)),
        Column::text(scope.text(Word::Tool)),
        Column::text(scope.text(Word::Source)),
        Column::number(scope.text(Word::Jobs)),
        Column::text(scope.text(Word::Digest)),
    ];
    let caption = scope.text(Word::GivenFilesCaption);
    (!rows.is_empty()).then(|| Block::Table(Table { id: "given-files".to_owned(), caption, columns, rows }))
}

/// The parts whose values have an origin.
fn titles(scope: &Scope<'_>, origin: Origin) -> String {
    let has_origin = |case: &CaseResults| {
        case.metrics.iter().flat_map(|metric| &metric.samples).any(|sample| sample.origin == origin)
    };
    let titles = parts(scope).into_iter().filter(|part| cases(scope, *part).any(has_origin));
    let title = |part: Part<'_>| part.title.map_or_else(|| scope.text(Word::MainPart), str::to_owned);
    let titles: Vec<String> = titles.map(title).collect();
    titles.join(", ")
}
