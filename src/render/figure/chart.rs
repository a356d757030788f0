//! The chart of a metric: lines where it runs along a factor of numbers, or else grouped bars.

use super::super::Scope;
use super::super::drawing::Drawing;
use super::super::drawing::axis::{Axis, Spacing};
use super::super::drawing::bars::{self, Bar, Bars};
use super::super::drawing::plot::{self, Plot, Point};
use super::super::part::{self, Part};
use super::super::sections::{Parts, in_parts};
use super::super::tokens::Display;
use super::fields::{Fields, number_of, numbered_levels, place, sort_points, summarized, titled, value_axis};
use super::{Call, Figure, Moment, Titled, block};
use crate::document::Block;
use crate::measurement::Metric;
use crate::results::CaseResults;
use crate::words::Word;

/// The chart of a metric.
pub(super) struct Chart;

impl Figure for Chart {
    fn name(&self) -> &'static str {
        "chart"
    }

    fn place(&self, scope: &Scope<'_>, parts: &mut Parts, call: &Call) -> Result<Vec<Block>, String> {
        call.takes(1, &[])?;
        Ok(in_parts(scope, parts, &call.metric(scope, 0)?, of_part))
    }

    fn unasked(&self, scope: &Scope<'_>, parts: &mut Parts, moment: &Moment<'_>) -> Vec<Block> {
        match moment {
            Moment::Metric { metric, part } => of_part(scope, parts, metric, *part),
            Moment::Compared(_) | Moment::Together(_) => vec![],
        }
    }
}

/// The chart of one metric in one part.
fn of_part(scope: &Scope<'_>, parts: &mut Parts, metric: &Metric, one: Part<'_>) -> Vec<Block> {
    let shown = Shown { metric, display: Display::of_cases(part::cases(scope, one), metric), part: one };
    let title = metric.title(scope.words).into();
    let caption = match part::is_given(scope, one, metric) {
        true => Word::GivenCaption { metric: title },
        false => Word::ChartCaption { metric: title },
    };
    let caption = part::captioned(scope.text(caption), one);
    block(parts, draw(scope, &shown), Titled { id: part::named(metric.as_str(), one), caption })
}

/// What a chart shows, and how its values are printed.
struct Shown<'a> {
    metric: &'a Metric,
    display: Display,
    part: Part<'a>,
}

/// None where there is nothing to draw, or too much.
fn draw(scope: &Scope<'_>, shown: &Shown<'_>) -> Option<Drawing> {
    let fields = Fields::of(scope, shown.part);
    let drawn = fields.along.as_ref().and_then(|along| lines(scope, shown, &fields, along));
    drawn.or_else(|| grouped(scope, shown))
}

fn lines(scope: &Scope<'_>, shown: &Shown<'_>, fields: &Fields, along: &String) -> Option<Drawing> {
    let Shown { metric, display, part: one } = *shown;
    let mut panels = vec![];
    for case in part::cases(scope, one) {
        let Some((y, interval)) = case.metric(metric).and_then(|samples| summarized(samples, display)) else {
            continue;
        };
        let Some(x) = case.case.factors.get(along).and_then(|level| number_of(level)) else { continue };
        let point = Point { x, y, interval, label: String::new() };
        place(&mut panels, (fields.panel_of(case), fields.group_of(case)), point);
    }
    sort_points(&mut panels);
    let title = titled(scope, metric, display);
    let is_share = metric.as_str() == "fairness";
    let y = if is_share { Axis::of_share(title.clone()) } else { value_axis(title.clone(), &panels) };
    let levels = numbered_levels(scope, one, along);
    let x = Axis::of_levels(along.replace('_', " "), Spacing::Logarithmic, levels);
    plot::draw(&Plot { title, legend: fields.legend(), groups: fields.groups(), x, y, panels, words: scope.words })
}

/// Groups are the levels of the compared factor, categories all combinations of the others.
fn grouped(scope: &Scope<'_>, shown: &Shown<'_>) -> Option<Drawing> {
    let Shown { metric, display, part: one } = *shown;
    let factors = part::varying_factors(scope, one);
    let fields = Fields::of(scope, one);
    let treatment = scope.power.treatment.as_ref().filter(|factor| factors.contains(factor));
    let others: Vec<&String> = factors.iter().filter(|factor| Some(*factor) != treatment).collect();
    let group_of = |case: &CaseResults| if treatment.is_some() { fields.group_of(case) } else { 0 };
    let (mut shades, mut categories, mut bars) = (vec![], vec![], vec![]);
    for case in part::cases(scope, one) {
        let found = case.metric(metric).and_then(|samples| summarized(samples, display));
        let Some((value, interval)) = found else { continue };
        let levels = others.iter().filter_map(|factor| case.case.factors.get(*factor)).cloned();
        let category = levels.collect::<Vec<String>>().join(", ");
        let group = position(&mut shades, group_of(case));
        bars.push(Bar { group, category: position(&mut categories, category), value, interval });
    }
    let names = if treatment.is_some() { fields.groups() } else { vec![(String::new(), 0)] };
    // one group alone is named, too, where it is one of several levels
    let groups = shades.into_iter().filter_map(|shade| names.get(shade).cloned()).collect();
    bars::draw(&Bars {
        axis: titled(scope, metric, display),
        legend: treatment.map_or_else(String::new, |factor| factor.replace('_', " ")),
        groups,
        categories,
        category_head: others.iter().map(|factor| factor.replace('_', " ")).collect::<Vec<_>>().join(", "),
        bars,
    })
}

/// The place of an item in a list, to whose end it is added where it is new.
fn position<T: PartialEq>(list: &mut Vec<T>, item: T) -> usize {
    list.iter().position(|one| *one == item).unwrap_or_else(|| {
        list.push(item);
        list.len() - 1
    })
}
