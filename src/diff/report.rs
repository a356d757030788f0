//! A diff as a document, for a pull request.

use super::{Diff, Kind, Row};
use crate::document::{Block, Column, Document, Inline, Table, TitleBlock};
use crate::exact::Exact;
use crate::printed::{Dim, as_a_paper, scale_of};
use crate::unit::Unit;

fn words(text: impl Into<String>) -> Vec<Inline> {
    vec![Inline::text(text)]
}

impl Row {
    /// What both reports print of it: metric, both values, the change, its interval, and p.
    pub fn figures(&self) -> [String; 6] {
        let (a, b) = (self.shown(self.a), self.shown(self.b));
        [self.metric.to_string(), a, b, self.change(), self.interval(), self.p_shown()]
    }

    /// A value in a unit that fits both sides.
    pub fn shown(&self, value: Option<f64>) -> String {
        let (Some(value), Some(unit)) = (value, Unit::parse(&self.unit)) else { return "–".to_owned() };
        if unit == Unit::PERCENT {
            return format!("{value:.2} %");
        }
        let Some(exact) = Exact::from_float(value) else { return "–".to_owned() };
        let dim = Dim::of(unit.dimension());
        match as_a_paper(&(&exact * &scale_of(unit)), dim) {
            Some(printed) => {
                format!("{} {}", printed.digits(), printed.unit().symbol()).replace(" 1/s", "").replace(" 1", "")
            }
            None => "–".to_owned(),
        }
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
            said.push_str(&format!(", a fresh run needs {needed} replicates"));
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
        .map(|row| [row.case.clone()].into_iter().chain(row.figures()).chain([row.said()]).map(words).collect())
        .collect();
    if !rows.is_empty() {
        blocks.push(Block::Heading { level: 1, text: words("What came out") });
        blocks.extend(figures);
        let heads = ["Case", "Metric", "A", "B", "Change", "Interval (level)", "p (adjusted)", "Verdict"];
        blocks.push(table("results", "Medians of both sides, and the change", &heads, rows));
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
