//! How it was measured: order, replicates, times, preparation, and what the design can show.

use super::super::Scope;
use super::super::tokens::Display;
use super::{Parts, cell};
use crate::document::{Block, Inline};
use crate::manifest::{Order, Sessions};
use crate::plan::Comparing;
use crate::quantity::readable_duration;
use crate::statistics::Analysis;
use crate::words::Word;

/// Order, replicates, times, preparation, and what the design can show.
pub(crate) fn method(scope: &Scope<'_>, parts: &mut Parts) -> Vec<Block> {
    let settings = &scope.plan.settings;
    let mut first = design(scope, parts);
    let timing = settings.timing;
    first.push(Inline::text(" "));
    first.extend(match timing.runtime_ns {
        0 => scope.sentence(Word::Untimed),
        _ if timing.ramp_time_ns == 0 => {
            scope.sentence(Word::TimingWithoutRamp { run_time: Inline::text(readable_duration(timing.runtime_ns)) })
        }
        _ => scope.sentence(Word::Timing {
            ramp_time: Inline::text(readable_duration(timing.ramp_time_ns)),
            run_time: Inline::text(readable_duration(timing.runtime_ns)),
        }),
    });
    first.push(Inline::text(" "));
    first.extend(preparation(scope));
    let mut blocks = vec![Block::Paragraph(first)];
    if scope.experiment.is_all_manual() {
        blocks = vec![given_method(scope, parts)];
    }
    if let Some(sessions) = Sessions::of(scope.experiment) {
        let factor = Inline::text(sessions.factor.replace('_', " "));
        blocks.push(scope.paragraph(Word::Sessions { factor, levels: Inline::text(sessions.levels.join(", ")) }));
    } else if has_shared_boots(scope) {
        blocks.push(scope.paragraph(Word::SharedBoots));
    }
    if results_together(scope) {
        blocks.push(scope.paragraph(Word::Together));
    }
    if settings.replicates == 1 {
        blocks.push(Block::Note(scope.sentence(Word::OneReplicate)));
    }
    blocks.extend(power(scope, parts));
    if settings.replicates > 1 {
        blocks.push(scope.paragraph(Word::Statistics));
    }
    if settings.replicates > 1 && scope.power.comparisons > 0 {
        blocks.push(Block::Paragraph(cell(match analysis(scope) {
            Analysis::Blocks => scope.text(Word::StatisticsBlocks),
            Analysis::IndependentArms => scope.text(Word::StatisticsIndependent),
        })));
        blocks.push(scope.paragraph(Word::StatisticsVerdict));
    }
    blocks
}

/// How often each case is measured, of what, and in which order.
pub(super) fn design(scope: &Scope<'_>, parts: &mut Parts) -> Vec<Inline> {
    let design = &scope.experiment.design;
    let sessions = Sessions::of(scope.experiment);
    let seed = parts.tokens.configured("design/seed", crate::exact::Exact::from_integer(i128::from(design.seed)), 0);
    let replicates = parts.tokens.configured(
        "design/replicates",
        crate::exact::Exact::from_integer(i128::from(scope.plan.settings.replicates)),
        0,
    );
    let unit = Inline::text(design.replicate_unit.clone().unwrap_or_else(|| scope.text(Word::AJob)));
    let mut first = match &sessions {
        Some(sessions) => {
            let count = parts.tokens.configured(
                "design/sessions",
                crate::exact::Exact::from_integer(i128::from(sessions.per_level())),
                0,
            );
            scope.sentence(Word::DesignSessions { replicates, sessions: count, unit })
        }
        None => scope.sentence(Word::Design { replicates, unit }),
    };
    first.push(Inline::text(" "));
    first.extend(scope.sentence(match design.order {
        Order::Interleaved if sessions.is_some() => Word::OrderSessionsInterleaved { seed },
        Order::Randomized if sessions.is_some() => Word::OrderSessionsRandomized { seed },
        Order::Interleaved => Word::OrderInterleaved { seed },
        Order::Randomized => Word::OrderRandomized { seed },
    }));
    first
}

/// What is known where others ran the jobs: what the manifest asked for.
pub(super) fn given_method(scope: &Scope<'_>, parts: &mut Parts) -> Block {
    let replicates = i128::from(scope.plan.settings.replicates);
    let replicates = parts.tokens.configured("design/replicates", crate::exact::Exact::from_integer(replicates), 0);
    let unit = scope.experiment.design.replicate_unit.clone().unwrap_or_else(|| scope.text(Word::AJob));
    let mut text = scope.sentence(Word::Design { replicates, unit: Inline::text(unit) });
    text.push(Inline::text(" "));
    text.extend(scope.sentence(Word::GivenMethod));
    Block::Paragraph(text)
}

pub(super) fn preparation(scope: &Scope<'_>) -> Vec<Inline> {
    let is_guest = scope.experiment.guest().is_some();
    let steps = scope.experiment.design.precondition.iter().map(|step| {
        let device = step.fill.device.value.to_string().into();
        scope.text(Word::Filled { device, passes: step.fill.passes.unwrap_or(1).into() })
    });
    let steps = steps.collect::<Vec<_>>().join("; ");
    if steps.is_empty() {
        return scope.sentence(if is_guest { Word::EmptyDisks } else { Word::NoPrecondition });
    }
    let steps = Inline::text(steps);
    scope.sentence(if is_guest { Word::FreshGuests { steps } } else { Word::Precondition { steps } })
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
    let mut blocks = vec![scope.paragraph(Word::PowerCan {
        comparing: Inline::text(scope.text(power.analysis.word())),
        comparisons,
        smallest_p: smallest,
        smallest_p_adjusted: adjusted,
    })];
    if !power.can_show() {
        let needed = parts.tokens.count("design/replicates-needed", power.replicates_needed);
        let units = if power.analysis == Comparing::Sessions { Word::SessionsOfLevel } else { Word::Replicates };
        blocks.push(Block::Note(match crate::plan::analysis(scope.experiment) {
            Analysis::Blocks => scope.sentence(Word::PowerCannot { needed }),
            Analysis::IndependentArms => {
                scope.sentence(Word::PowerCannotArms { needed, units: Inline::text(scope.text(units)) })
            }
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
