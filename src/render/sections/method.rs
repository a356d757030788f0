//! How it was measured: order, replicates, times, preparation, and what the design can show.

use super::super::Scope;
use super::super::tokens::Display;
use super::{Parts, WORDS, cell, paragraph, sentence};
use crate::document::{Block, Inline};
use crate::manifest::{Order, Sessions};
use crate::plan::Comparing;
use crate::quantity::readable_duration;
use crate::statistics::Analysis;

/// Order, replicates, times, preparation, and what the design can show.
pub(crate) fn method(scope: &Scope<'_>, parts: &mut Parts) -> Vec<Block> {
    let settings = &scope.plan.settings;
    let mut first = design(scope, parts);
    let timing = settings.timing;
    first.push(Inline::text(" "));
    first.extend(match timing.runtime_ns {
        0 => cell(WORDS.untimed),
        _ if timing.ramp_time_ns == 0 => {
            sentence(WORDS.timing_without_ramp, vec![Inline::text(readable_duration(timing.runtime_ns))])
        }
        _ => sentence(
            WORDS.timing,
            vec![
                Inline::text(readable_duration(timing.ramp_time_ns)),
                Inline::text(readable_duration(timing.runtime_ns)),
            ],
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
pub(super) fn design(scope: &Scope<'_>, parts: &mut Parts) -> Vec<Inline> {
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
pub(super) fn given_method(scope: &Scope<'_>, parts: &mut Parts) -> Block {
    let replicates = i128::from(scope.plan.settings.replicates);
    let replicates = parts.tokens.configured("design/replicates", crate::exact::Exact::from_integer(replicates), 0);
    let unit = scope.experiment.design.replicate_unit.clone().unwrap_or_else(|| WORDS.a_job.to_owned());
    let mut text = sentence(WORDS.design, vec![replicates, Inline::text(unit)]);
    text.push(Inline::text(" "));
    text.extend(cell(WORDS.given_method));
    Block::Paragraph(text)
}

pub(super) fn preparation(scope: &Scope<'_>) -> Vec<Inline> {
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

pub(super) fn power(scope: &Scope<'_>, parts: &mut Parts) -> Vec<Block> {
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
    let analysis = Inline::text(WORDS.comparing(power.analysis));
    let mut blocks = vec![paragraph(WORDS.power_can, vec![analysis, comparisons, smallest, adjusted])];
    if !power.can_show() {
        let needed = parts.tokens.count("design/replicates-needed", power.replicates_needed);
        let units = if power.analysis == Comparing::Sessions { WORDS.sessions_of_level } else { WORDS.replicates };
        blocks.push(Block::Note(match crate::plan::analysis(scope.experiment) {
            Analysis::Blocks => sentence(WORDS.power_cannot, vec![needed]),
            Analysis::IndependentArms => sentence(WORDS.power_cannot_arms, vec![needed, Inline::text(units)]),
        }));
    }
    blocks
}

/// Whether replicates of a case ran in one boot of the guests.
pub(super) fn has_shared_boots(scope: &Scope<'_>) -> bool {
    let samples = scope.results.matrix().flat_map(|case| &case.metrics).flat_map(|metric| &metric.samples);
    samples.into_iter().any(|sample| sample.unit.is_some())
}

/// Whether there are totals over several guests.
pub(super) fn results_together(scope: &Scope<'_>) -> bool {
    scope.results.metrics().iter().any(|metric| metric.as_str() == "start_skew")
}

/// How the design lets arms be compared.
pub(crate) fn analysis(scope: &Scope<'_>) -> Analysis {
    crate::plan::analysis(scope.experiment)
}
