//! A diff as a document, for a pull request.

use std::collections::{BTreeMap, BTreeSet};

use super::{Diff, Kind, Row, SAME_OBJECTS};
use crate::compare::Verdict;
use crate::document::{Block, Column, Document, Inline, Table, TitleBlock};
use crate::exact::Exact;
use crate::printed::{Dim, as_a_paper, scale_of};
use crate::unit::Unit;

fn words(text: impl Into<String>) -> Vec<Inline> {
    vec![Inline::text(text)]
}

impl Row {
    /// What both reports print of it: how many were repeated, both values, the change, its interval, and p.
    pub fn figures(&self) -> [String; 6] {
        let n = if self.n.0 == self.n.1 { self.n.0.to_string() } else { format!("{}, {}", self.n.0, self.n.1) };
        [n, self.shown(self.a), self.shown(self.b), self.change(), self.interval(), self.p_shown()]
    }

    /// A value in a unit that fits both sides.
    pub fn shown(&self, value: Option<f64>) -> String {
        value.map_or_else(|| "–".to_owned(), |value| shown_in_a_unit(value, &self.unit))
    }

    /// The change in percent.
    pub fn change(&self) -> String {
        self.ratio.map_or("–".to_owned(), |ratio| percent(ratio.estimate))
    }

    /// The interval in percent, with its level where that is not the usual one.
    pub fn interval(&self) -> String {
        let Some((low, high, level)) = self.ratio.and_then(|ratio| Some((ratio.low?, ratio.high?, ratio.level?)))
        else {
            return "–".to_owned();
        };
        let percent = |ratio: f64| format!("{:+.1}", (ratio - 1.0) * 100.0);
        format!("{} to {} % ({:.0})", percent(low), percent(high), level * 100.0)
    }

    /// p, adjusted.
    pub fn p_shown(&self) -> String {
        match self.p_adjusted {
            None => "–".to_owned(),
            Some(small) if small < 0.0001 => "< 0.0001".to_owned(),
            Some(p) => format!("{p:.4}"),
        }
    }

    /// The verdict with what else must be said.
    pub fn said(&self) -> String {
        let mut said = format!("{} {}", self.verdict.sign(), self.verdict.word());
        if let Some(needed) = self.needed {
            said.push_str(&format!(", a fresh run needs {needed}"));
        }
        if !self.why.is_empty() {
            said.push_str(&format!(": {}", self.why));
        }
        if !self.hidden.is_empty() {
            said.push_str(&format!("; values differ, undeclared, in {}", self.hidden.join("; ")));
        }
        said
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
            let plural = if compared.len() == 1 { "" } else { "s" };
            lines.push(format!("{} comparison{plural}: {}.", compared.len(), counted(compared.clone())));
        }
        if !alone.is_empty() {
            lines.push(format!("Of one side only: {}.", counted(alone)));
        }
        let same = compared.iter().filter(|row| row.why == SAME_OBJECTS).count();
        if same > 0 {
            lines.push(format!("{same} of them rest on the same raw objects: nothing was measured in between."));
        }
        if let Some(most) = compared.iter().filter_map(|row| row.needed).max() {
            lines.push(format!("To decide what is open, with a chance of 80 % and changes as large as those seen, a fresh run needs up to {most} replicates a side; adding to these until it looks right does not count."));
        }
        let ratios = || compared.iter().filter_map(|row| row.ratio);
        let methods: BTreeSet<(&str, &str)> = ratios().map(|ratio| (ratio.method, ratio.estimand)).collect();
        lines.extend(methods.iter().map(|(method, estimand)| {
            format!("Method: {method}; the change is {estimand}, not the ratio of the medians beside it.")
        }));
        if !methods.is_empty() {
            lines.push("p (BH) is adjusted over all rows by Benjamini and Hochberg; IOPS, bandwidth and mean latency of a case weigh one together.".to_owned());
        }
        lines
    }
}

/// A value of a base unit as a paper prints it; a dash where that is not possible.
pub fn shown_in_a_unit(value: f64, unit: &str) -> String {
    let Some(unit) = Unit::parse(unit) else { return "–".to_owned() };
    if unit == Unit::PERCENT {
        return format!("{value:.2} %");
    }
    let Some(exact) = Exact::from_float(value) else { return "–".to_owned() };
    match as_a_paper(&(&exact * &scale_of(unit)), Dim::of(unit.dimension())) {
        Some(printed) => {
            format!("{} {}", printed.digits(), printed.unit().symbol()).replace(" 1/s", "").replace(" 1", "")
        }
        None => "–".to_owned(),
    }
}

fn percent(ratio: f64) -> String {
    format!("{:+.1} %", (ratio - 1.0) * 100.0)
}

/// The diff as headings and tables; `date` is that of the day, `YYYY-MM-DD`, `figures` stand before the table of results.
pub fn report(diff: &Diff, date: &str, figures: Vec<Block>) -> Document {
    let mut blocks = vec![];
    if !diff.caveats.is_empty() {
        blocks.push(Block::List(diff.caveats.iter().map(|one| words(one.as_str())).collect()));
    }
    let listed: Vec<_> = diff.factors.iter().filter(|factor| factor.kind != Kind::Prose).collect();
    if !listed.is_empty() {
        let rows = listed.iter().map(|factor| {
            let side = |text: &Option<String>| words(text.clone().unwrap_or_else(|| "–".to_owned()));
            vec![vec![Inline::Code(factor.path.clone())], side(&factor.a), side(&factor.b), words(factor.why)]
        });
        blocks.push(Block::Heading { level: 1, text: words("What was pinned") });
        blocks.push(table("factors", "What differs", &["Path", "A", "B", "Why it is listed"], rows.collect()));
    }
    let rows: Vec<Vec<Vec<Inline>>> = diff
        .results
        .iter()
        .map(|row| {
            let cells = [row.case.clone(), row.metric.to_string()].into_iter().chain(row.figures());
            cells.chain([row.said()]).map(words).collect()
        })
        .collect();
    if !rows.is_empty() {
        blocks.push(Block::Heading { level: 1, text: words("What came out") });
        blocks.extend(figures);
        let heads = ["Case", "Metric", "n", "A", "B", "Change", "Interval (level)", "p (BH)", "Verdict"];
        blocks.push(table("results", "Medians of both sides, and the change", &heads, rows));
        blocks.extend(diff.summary().into_iter().map(|line| Block::Paragraph(words(line))));
    }
    if !diff.claims.is_empty() {
        let rows = diff.claims.iter().map(|claim| {
            vec![
                vec![Inline::Code(claim.id.clone())],
                words(claim.text.as_str()),
                words(claim.a.as_str()),
                words(claim.b.as_str()),
            ]
        });
        blocks.push(Block::Heading { level: 1, text: words("Claims") });
        blocks.push(table("claims", "Claims whose verdict differs", &["Id", "Claim", "A", "B"], rows.collect()));
    }
    Document {
        title: TitleBlock {
            title: format!("{} against {}", diff.b, diff.a),
            version: concat!("benchpaper ", env!("CARGO_PKG_VERSION")).to_owned(),
            date: date.to_owned(),
            question: diff.attribution(),
            ..TitleBlock::default()
        },
        blocks,
        ..Document::default()
    }
}

fn table(id: &str, caption: &str, heads: &[&str], rows: Vec<Vec<Vec<Inline>>>) -> Block {
    let columns = heads.iter().map(|head| Column::text(*head)).collect();
    Block::Table(Table { id: id.to_owned(), caption: caption.to_owned(), columns, rows })
}
