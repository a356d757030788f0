//! A diff as a document, for a pull request.

use std::collections::{BTreeMap, BTreeSet};

use super::{Diff, Kind, Row, SAME_OBJECTS};
use crate::compare::Verdict;
use crate::document::{Block, Column, Document, Inline, Table, TitleBlock};
use crate::exact::Exact;
use crate::printed::{Dim, as_a_paper, scale_of};
use crate::unit::Unit;
use crate::words::{self, Argument, Word};

fn cell(text: impl Into<String>) -> Vec<Inline> {
    vec![Inline::text(text)]
}

fn said(word: Word<Argument<'_>>) -> String {
    words::english().text(word)
}

impl Row {
    /// What both reports print of it: how many were repeated, both values, the change, its interval, and p.
    pub fn figures(&self) -> [String; 6] {
        let n = if self.n.0 == self.n.1 { self.n.0.to_string() } else { format!("{}, {}", self.n.0, self.n.1) };
        [n, self.shown(self.a), self.shown(self.b), self.change(), self.interval(), self.p_shown()]
    }

    /// A value in a unit that fits both sides.
    pub fn shown(&self, value: Option<f64>) -> String {
        value.map_or_else(|| said(Word::NoValue), |value| shown_in_a_unit(value, &self.unit))
    }

    /// The change in percent.
    pub fn change(&self) -> String {
        self.ratio.map_or(said(Word::NoValue), |ratio| percent(ratio.estimate))
    }

    /// The interval in percent, with its level where that is not the usual one.
    pub fn interval(&self) -> String {
        let Some((low, high, level)) = self.ratio.and_then(|ratio| Some((ratio.low?, ratio.high?, ratio.level?)))
        else {
            return said(Word::NoValue);
        };
        let percent = |ratio: f64| format!("{:+.1}", (ratio - 1.0) * 100.0);
        said(Word::DiffInterval {
            low: percent(low).into(),
            high: percent(high).into(),
            level: format!("{:.0}", level * 100.0).into(),
        })
    }

    /// p, adjusted.
    pub fn p_shown(&self) -> String {
        match self.p_adjusted {
            None => said(Word::NoValue),
            Some(small) if small < 0.0001 => "< 0.0001".to_owned(),
            Some(p) => format!("{p:.4}"),
        }
    }

    /// The verdict with what else must be said.
    pub fn said(&self) -> String {
        let mut text = format!("{} {}", self.verdict.sign(), self.verdict.word());
        if let Some(needed) = self.needed {
            text.push_str(&format!(", {}", said(Word::DiffRowNeeds { replicates: needed.into() })));
        }
        if !self.why.is_empty() {
            text.push_str(&format!(": {}", self.why));
        }
        if !self.hidden.is_empty() {
            let facts = self.hidden.join("; ").into();
            text.push_str(&format!("; {}", said(Word::DiffRowHidden { facts })));
        }
        text
    }
}

impl Diff {
    /// What the rows come to, and how they were compared: sentences for the end of a table.
    pub fn summary(&self) -> Vec<String> {
        let is_compared = |row: &&Row| row.a.is_some() && row.b.is_some();
        let counted = |rows: Vec<&Row>| {
            let mut counts: BTreeMap<Verdict, usize> = BTreeMap::new();
            rows.iter().for_each(|row| *counts.entry(row.verdict).or_default() += 1);
            counts.iter().map(|(verdict, count)| format!("{count} {}", verdict.word())).collect::<Vec<_>>().join(", ")
        };
        let (compared, alone): (Vec<&Row>, Vec<&Row>) = self.results.iter().partition(is_compared);
        let mut lines = vec![];
        if !compared.is_empty() {
            let verdicts = counted(compared.clone()).into();
            lines.push(said(Word::DiffCompared { count: compared.len().into(), verdicts }));
        }
        if !alone.is_empty() {
            lines.push(said(Word::DiffOneSideOnly { verdicts: counted(alone).into() }));
        }
        let same = compared.iter().filter(|row| row.why == SAME_OBJECTS).count();
        if same > 0 {
            lines.push(said(Word::DiffSameObjects { count: same.into() }));
        }
        if let Some(most) = compared.iter().filter_map(|row| row.needed).max() {
            lines.push(said(Word::DiffReplicatesNeeded { replicates: most.into() }));
        }
        let ratios = || compared.iter().filter_map(|row| row.ratio);
        let methods: BTreeSet<(&str, &str)> = ratios().map(|ratio| (ratio.method, ratio.estimand)).collect();
        lines.extend(methods.iter().map(|(method, estimand)| {
            said(Word::DiffMethod { method: (*method).into(), estimand: (*estimand).into() })
        }));
        if !methods.is_empty() {
            lines.push(said(Word::DiffAdjusted));
        }
        lines
    }
}

/// A value of a base unit as a paper prints it; a dash where that is not possible.
pub fn shown_in_a_unit(value: f64, unit: &str) -> String {
    let Some(unit) = Unit::parse(unit) else { return said(Word::NoValue) };
    if unit == Unit::PERCENT {
        return format!("{value:.2} %");
    }
    let Some(exact) = Exact::from_float(value) else { return said(Word::NoValue) };
    match as_a_paper(&(&exact * &scale_of(unit)), Dim::of(unit.dimension())) {
        Some(printed) => {
            format!("{} {}", printed.digits(), printed.unit().symbol()).replace(" 1/s", "").replace(" 1", "")
        }
        None => said(Word::NoValue),
    }
}

fn percent(ratio: f64) -> String {
    format!("{:+.1} %", (ratio - 1.0) * 100.0)
}

/// The diff as headings and tables; `date` is that of the day, `YYYY-MM-DD`, `figures` stand before the table of results.
pub fn report(diff: &Diff, date: &str, figures: Vec<Block>) -> Document {
    let mut blocks = vec![];
    if !diff.caveats.is_empty() {
        blocks.push(Block::List(diff.caveats.iter().map(|one| cell(one.as_str())).collect()));
    }
    blocks.extend(factors(diff));
    blocks.extend(results(diff, figures));
    blocks.extend(claims(diff));
    Document {
        title: TitleBlock {
            title: said(Word::DiffTitle { b: diff.b.as_str().into(), a: diff.a.as_str().into() }),
            version: concat!("benchpaper ", env!("CARGO_PKG_VERSION")).to_owned(),
            date: date.to_owned(),
            question: diff.attribution(),
            ..TitleBlock::default()
        },
        blocks,
        ..Document::default()
    }
}

/// What was pinned on both sides and differs, but for prose.
fn factors(diff: &Diff) -> Vec<Block> {
    let side = |text: &Option<String>| cell(text.clone().unwrap_or_else(|| said(Word::NoValue)));
    let listed = diff.factors.iter().filter(|factor| factor.kind != Kind::Prose);
    let rows = listed.map(|factor| {
        vec![vec![Inline::Code(factor.path.clone())], side(&factor.a), side(&factor.b), cell(factor.why)]
    });
    let heads = [Word::Path, Word::SideA, Word::SideB, Word::WhyListed];
    headed(Word::DiffFactors, table("factors", Word::DiffFactorsCaption, heads, rows.collect()))
}

/// The rows of the results, below their figures, and what they come to.
fn results(diff: &Diff, figures: Vec<Block>) -> Vec<Block> {
    let rows = diff.results.iter().map(|row| {
        let cells = [row.case.clone(), row.metric.to_string()].into_iter().chain(row.figures());
        cells.chain([row.said()]).map(cell).collect()
    });
    let heads = [
        Word::Case,
        Word::Metric,
        Word::ReplicateCount,
        Word::SideA,
        Word::SideB,
        Word::Change,
        Word::IntervalWithLevel,
        Word::PBenjaminiHochberg,
        Word::Verdict,
    ];
    let mut blocks = headed(Word::DiffResults, table("results", Word::DiffResultsCaption, heads, rows.collect()));
    if !blocks.is_empty() {
        blocks.splice(1..1, figures);
        blocks.extend(diff.summary().into_iter().map(|line| Block::Paragraph(cell(line))));
    }
    blocks
}

/// The claims whose verdict differs.
fn claims(diff: &Diff) -> Vec<Block> {
    let rows = diff.claims.iter().map(|claim| {
        let (id, text) = (vec![Inline::Code(claim.id.clone())], cell(claim.text.as_str()));
        vec![id, text, cell(claim.a.as_str()), cell(claim.b.as_str())]
    });
    let heads = [Word::Id, Word::Claim, Word::SideA, Word::SideB];
    headed(Word::Claims, table("claims", Word::DiffClaimsCaption, heads, rows.collect()))
}

/// A table below its heading; nothing where it has no row.
fn headed(heading: Word<Argument<'_>>, table: Table) -> Vec<Block> {
    if table.rows.is_empty() {
        return vec![];
    }
    vec![Block::Heading { level: 1, text: cell(said(heading)) }, Block::Table(table)]
}

fn table<const N: usize>(
    id: &str,
    caption: Word<Argument<'_>>,
    heads: [Word<Argument<'_>>; N],
    rows: Vec<Vec<Vec<Inline>>>,
) -> Table {
    let columns = heads.map(|head| Column::text(said(head))).to_vec();
    Table { id: id.to_owned(), caption: said(caption), columns, rows }
}
