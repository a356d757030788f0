//! The ratios of one metric against the first level of the treatment, as a forest.

use super::super::Scope;
use super::super::compared::Compared;
use super::super::drawing::ratios;
use super::super::part::Part;
use super::super::sections::{Parts, in_parts};
use super::{Call, Figure, Moment, Titled, block};
use crate::compare::{Comparison, Rule};
use crate::document::Block;
use crate::measurement::Metric;
use crate::words::Word;

/// A forest of ratios.
pub(super) struct Forest;

impl Figure for Forest {
    fn name(&self) -> &'static str {
        "forest"
    }

    fn place(&self, scope: &Scope<'_>, parts: &mut Parts, call: &Call) -> Result<Vec<Block>, String> {
        call.takes(1, &[])?;
        Ok(in_parts(scope, parts, &call.metric(scope, 0)?, of_part))
    }

    fn unasked(&self, scope: &Scope<'_>, parts: &mut Parts, moment: &Moment<'_>) -> Vec<Block> {
        match moment {
            Moment::Compared(compared) => draw(scope, parts, compared),
            Moment::Metric { .. } | Moment::Together(_) => vec![],
        }
    }
}

fn of_part(scope: &Scope<'_>, parts: &mut Parts, metric: &Metric, one: Part<'_>) -> Vec<Block> {
    Compared::of(scope, metric, one).map_or(vec![], |compared| draw(scope, parts, &compared))
}

fn draw(scope: &Scope<'_>, parts: &mut Parts, compared: &Compared<'_>) -> Vec<Block> {
    let row = |one: &Comparison| ratios::Row {
        label: label(one),
        ratio: one.found.ratio,
        interval: one.found.interval.map(|bounds| (bounds.low, bounds.high)),
        is_open: one.verdict.is_open(),
    };
    let rows: Vec<ratios::Row> = compared.found.iter().map(row).collect();
    let (metric, factor, baseline) = (compared.metric, compared.factor, &compared.baseline);
    let title = scope.text(Word::ForestTitle {
        metric: metric.title(scope.words).into(),
        baseline: format!("{factor} = {baseline}").into(),
    });
    let margin = Rule::of(scope.experiment, metric).margin;
    let drawing = ratios::forest(&rows, margin, &title, scope.words);
    let title = compared.captioned(title).into();
    let caption = scope.text(match margin {
        Some(_) => Word::ForestCaptionWithMargin { title },
        None => Word::ForestCaption { title },
    });
    block(parts, drawing, Titled { id: compared.named("forest"), caption })
}

/// What a comparison is of: the level, and the levels of the other factors.
fn label(one: &Comparison) -> String {
    let others = one.context.split(' ').filter(|part| !part.is_empty());
    let levels: Vec<&str> = others.map(|part| part.split_once('=').map_or(part, |(_, level)| level)).collect();
    if levels.is_empty() { one.level.clone() } else { format!("{}: {}", one.level, levels.join(" ")) }
}
