//! What was attempted, where everything comes from, and how to check it.

use super::super::Scope;
use super::super::part::{self};
use super::super::tokens::{Display, evidence};
use super::{Parts, cell, reported, with_unit};
use crate::digest::Digest;
use crate::document::{Block, Column, Inline, Table};
use crate::statistics::NOISE_PAIRS_MIN;
use crate::words::Word;

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
            None => scope.sentence(Word::NoValue),
        };
        rows.push(vec![cell(metric.title(scope.words)), vec![pairs], vec![greatest], bound]);
    }
    if rows.is_empty() {
        return vec![scope.paragraph(Word::NoiseNone)];
    }
    let columns = vec![
        Column::text(scope.text(Word::Metric)),
        Column::number(scope.text(Word::Pairs)),
        Column::number(with_unit(scope.text(Word::GapMax), "%")),
        Column::number(with_unit(scope.text(Word::GapBound), "%")),
    ];
    let mut blocks =
        vec![Block::Table(Table { id: "noise".to_owned(), caption: scope.text(Word::NoiseCaption), columns, rows })];
    if has_few {
        let least =
            parts.tokens.configured("noise/pairs-min", crate::exact::Exact::from_integer(NOISE_PAIRS_MIN as i128), 0);
        blocks.push(scope.paragraph(Word::NoiseFew { pairs: least }));
    }
    blocks
}

/// What was attempted, and what came of it.
pub(crate) fn attempts(scope: &Scope<'_>, parts: &mut Parts) -> Vec<Block> {
    let results = scope.results;
    let attempts = parts.tokens.count("attempts", results.attempts);
    let jobs = parts.tokens.count("jobs", scope.plan.jobs.len() as u64);
    let missing = parts.tokens.count("jobs/missing", results.missing);
    let mut blocks = vec![scope.paragraph(Word::Attempts { attempts, jobs, missing })];
    if results.other_attempts > 0 {
        let other = parts.tokens.count("attempts/other", results.other_attempts);
        let other_not_ok = parts.tokens.count("attempts/other-not-ok", results.other_not_ok);
        blocks.push(scope.paragraph(Word::OtherAttempts { attempts: other, not_ok: other_not_ok }));
    }
    let unmatched: Vec<&String> = results.runs.iter().flat_map(|run| &run.unmatched).collect();
    if !unmatched.is_empty() {
        blocks.push(scope.paragraph(Word::Unmatched));
        blocks.push(Block::List(unmatched.into_iter().map(|one| cell(one.as_str())).collect()));
    }
    if results.not_ok.is_empty() {
        blocks.push(scope.paragraph(Word::AllOk));
        return blocks;
    }
    let mut rows = vec![];
    for (number, attempt) in results.not_ok.iter().enumerate() {
        let name = |what: &str| format!("not-ok/{}/{what}", number + 1);
        let replicate = parts.tokens.count(&name("replicate"), attempt.replicate);
        let try_number = parts.tokens.count(&name("attempt"), attempt.attempt);
        let words = [scope.code("outcome", attempt.outcome.word()), cell(attempt.reason.as_str())];
        let [outcome, reason] = words;
        rows.push(vec![cell(attempt.case.as_str()), vec![replicate], vec![try_number], outcome, reason]);
    }
    let columns = vec![
        Column::text(scope.text(Word::Case)),
        Column::number(scope.text(Word::Replicate)),
        Column::number(scope.text(Word::Attempt)),
        Column::text(scope.text(Word::Outcome)),
        Column::text(scope.text(Word::Reason)),
    ];
    blocks.push(Block::Table(Table {
        id: "not-ok".to_owned(),
        caption: scope.text(Word::NotOkCaption),
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
            cell(if run.is_sealed { scope.text(Word::Yes) } else { scope.text(Word::No) }),
        ]);
    }
    let columns = vec![
        Column::text(scope.text(Word::Run)),
        Column::text(scope.text(Word::Started)),
        Column::text(scope.text(Word::Profile)),
        Column::number(scope.text(Word::AttemptsOk)),
        Column::number(scope.text(Word::AttemptsOther)),
        Column::text(scope.text(Word::JournalHead)),
        Column::text(scope.text(Word::Sealed)),
    ];
    let code = |digest: Digest| Inline::Code(digest.to_string());
    let manifest = code(Digest::of(scope.input.manifest.as_bytes()));
    let lock = code(Digest::of(scope.input.lock.as_bytes()));
    let cases = scope
        .lock
        .cases
        .get(&scope.plan.settings.profile)
        .map_or_else(|| Inline::text(scope.text(Word::NoValue)), |pin| code(pin.digest));
    let mut blocks =
        vec![Block::Table(Table { id: "runs".to_owned(), caption: scope.text(Word::RunsCaption), columns, rows })];
    blocks.extend(part::given_files(scope, parts));
    for run in &scope.results.runs {
        if run.recoveries > 0 {
            let count = parts.tokens.count(&format!("run/{}/recoveries", run.run), run.recoveries);
            blocks.push(scope.paragraph(Word::Continued { run: Inline::Code(run.run.clone()), times: count }));
        }
        for remark in &run.remarks {
            let (run, remark) = (Inline::Code(run.run.clone()), Inline::text(remark.as_str()));
            blocks.push(scope.paragraph(Word::Remark { run, remark }));
        }
    }
    blocks.push(scope.paragraph(Word::Provenance { manifest, lock, cases }));
    blocks.push(scope.paragraph(Word::Verify { command: Inline::Code("benchpaper verify paper.pdf".to_owned()) }));
    blocks.push(scope.paragraph(Word::Trace { command: Inline::Code("benchpaper trace paper.pdf NUMBER".to_owned()) }));
    blocks
}
