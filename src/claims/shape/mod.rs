//! The shape of `claims.yaml`: struct, decoder and schema of each part.

mod fact;

use crate::manifest::node::{Node, Value};
use crate::manifest::shape::{Map, Problems, Shape, Share, Spanned, record, words};
use crate::name::Name;
use crate::printed::{DecimalMark, Printed, PrintedError};
use serde_json::json;

pub use fact::{Basis, Fact};

record! {
    /// What a paper says, ready to be checked.
    pub struct Claims {
        /// `benchpaper/claims@1`.
        format: Spanned<String>,
        /// The paper.
        paper: Paper,
        /// Which mark stands before decimals in the paper; a point where nothing is said.
        decimal: Option<Decimal>,
        /// Facts that hold for the whole paper, by name; a name that is a role takes part in checks.
        context: Map<Fact>,
        /// Facts of each thing that is compared.
        arms: Map<Map<Fact>>,
        /// What arms may differ in, because it is what is compared.
        treatment: Vec<Name>,
        /// The headings of the paper, in order.
        sections: Vec<String>,
        /// What the paper does not disclose and should.
        undisclosed: Vec<String>,
        /// The tables by name.
        tables: Map<TableSpec>,
        /// The claims.
        claims: Vec<Claim>,
    }
}

record! {
    /// The paper.
    pub struct Paper {
        /// Its title.
        title: String,
        /// Who wrote it.
        authors: Option<String>,
        /// When it was published: 2010-11 or 2010-11-30.
        published: Option<String>,
        /// The language that it was read in, BCP 47.
        language: Option<String>,
        /// How to find it.
        cite: Option<String>,
        /// The digest of the file that was read.
        sha256: Option<String>,
        /// The arm that comes out best in it.
        favours: Option<Spanned<Name>>,
        /// Whether it is the paper of the experiment beside this file, whose results are evidence then.
        ours: Option<bool>,
    }
}

words! {
    /// The mark before decimals.
    pub enum Decimal {
        /// 1,234.5
        Point = "point",
        /// 1.234,5
        Comma = "comma",
    }
}

words! {
    /// What kind of statement a claim is.
    pub enum Kind {
        /// A number, or what follows from numbers.
        Observation = "observation",
        /// One thing is better than another.
        Comparison = "comparison",
        /// One thing is the reason of another.
        Cause = "cause",
        /// How the thing grows.
        Scaling = "scaling",
        /// Of hardware, software or method; no result depends on it.
        Description = "description",
    }
}

words! {
    /// Where a claim stands: what ranks above it can contradict it.
    pub enum Rank {
        /// In running text.
        Prose = "prose",
        /// In a table, a listing or the stated design.
        Table = "table",
    }
}

record! {
    /// A table as printed.
    pub struct TableSpec {
        /// Where it stands in the paper.
        place: Option<String>,
        /// A CSV, TSV or Markdown file beside this one.
        file: Option<Spanned<String>>,
        /// The rows, each a list of cells in the order of the columns.
        rows: Vec<Spanned<Node>>,
        /// Rows whose numbers ran into each other when the text was taken out of a page.
        collapsed: Vec<Collapsed>,
        /// Which mark stands before decimals, where it is another than the paper's.
        decimal: Option<Decimal>,
        /// The columns, each by the name that expressions have for it.
        columns: Map<ColumnSpec>,
        /// Facts of some rows.
        facts: Vec<RowFacts>,
    }
}

record! {
    /// A column.
    pub struct ColumnSpec {
        /// Its head in the file; its name where nothing is said.
        head: Option<String>,
        /// What its numbers are; none for a column of names.
        role: Option<Spanned<String>>,
        /// Which numbers of a row belong together, where a row has several of one role: `read`, `write Q32`.
        series: Option<String>,
        /// The unit as printed.
        unit: Option<Spanned<String>>,
        /// Whether its numbers are counts or settings, which are not rounded.
        exact: Option<bool>,
    }
}

record! {
    /// A row of digits without the spaces between them.
    pub struct Collapsed {
        /// The cells of the columns of names, in their order.
        names: Vec<Node>,
        /// All other cells, run together.
        digits: Spanned<String>,
        /// The same with `|` between cells, where there are several ways to part them.
        parted: Option<Spanned<String>>,
    }
}

record! {
    /// Facts of the rows that have some cells.
    pub struct RowFacts {
        /// Column and cell; all rows where nothing is said.
        when: Map<Node>,
        /// Only of this series.
        series: Option<String>,
        /// The facts.
        set: Map<Fact>,
    }
}

record! {
    /// Something that the paper says.
    pub struct Claim {
        /// Stable for ever.
        id: Spanned<Name>,
        /// What is claimed, in a sentence.
        text: String,
        /// Where it stands.
        place: Option<String>,
        /// What kind of statement it is; an observation where nothing is said.
        kind: Option<Kind>,
        /// Where it ranks; prose where nothing is said.
        rank: Option<Rank>,
        /// The numbers that it prints, as printed.
        tokens: Map<Spanned<Node>>,
        /// One instance for each value of a column.
        each: Option<Each>,
        /// The share of instances that must hold where it does not say all: `nearly all` needs one.
        threshold: Option<Share>,
        /// What must hold: an expression, or one for each way to read the claim.
        holds: Readings,
        /// What must still hold for the claim to say the same, where its digits are wrong.
        direction: Option<Spanned<String>>,
        /// Checks of tables that it stands or falls with.
        checks: Vec<CheckUse>,
        /// What would make it hold, the smallest first.
        assuming: Vec<Assumption>,
        /// Why nothing can be checked.
        unverifiable: Option<String>,
        /// Where it was taken back.
        retracted: Option<String>,
        /// Whether it was made after the results were seen, and says so.
        exploratory: Option<bool>,
    }
}

record! {
    /// One instance for each value of a column of a table.
    pub struct Each {
        /// The table.
        table: Spanned<Name>,
        /// The column.
        by: Spanned<Name>,
    }
}

record! {
    /// A check by its id, on a table or on all.
    pub struct CheckUse {
        /// The id: U1, L1.
        check: Spanned<String>,
        /// The table; all where nothing is said.
        table: Option<Spanned<Name>>,
    }
}

record! {
    /// Something that is not said, under which the claim would hold.
    pub struct Assumption {
        /// In a few words.
        assume: String,
        /// Facts that it adds.
        set: Map<Fact>,
        /// What then must hold; what the claim says where nothing stands here.
        holds: Option<Spanned<String>>,
    }
}

/// One way to read a claim.
#[derive(Debug, Clone, PartialEq)]
pub struct Reading {
    /// What it takes the claim to mean; empty where there is only one.
    pub name: String,
    /// What must hold.
    pub holds: Spanned<String>,
}

/// All ways to read a claim.
#[derive(Debug, Clone, PartialEq)]
pub struct Readings(pub Vec<Reading>);

impl Shape for Readings {
    fn decode(node: &Node, problems: &mut Problems) -> Option<Self> {
        let one = |node: &Node, problems: &mut Problems| match &node.value {
            Value::Map(_) => {
                let mut fields = crate::manifest::shape::Fields::open(node, "a reading", problems)?;
                let name = fields.take::<String>("reading", problems);
                let holds = fields.take::<Spanned<String>>("holds", problems);
                fields.finish(problems);
                Some(Reading { name: name?, holds: holds? })
            }
            _ => Some(Reading { name: String::new(), holds: Spanned::decode(node, problems)? }),
        };
        match &node.value {
            Value::List(items) => {
                let read: Vec<Option<Reading>> = items.iter().map(|item| one(item, problems)).collect();
                read.into_iter().collect::<Option<Vec<_>>>().map(Self)
            }
            _ => Some(Self(vec![one(node, problems)?])),
        }
    }

    fn schema() -> serde_json::Value {
        let one = json!({"anyOf": [{"type": "string"}, {
            "type": "object", "required": ["reading", "holds"], "additionalProperties": false,
            "properties": {"reading": {"type": "string"}, "holds": {"type": "string"}},
        }]});
        json!({"anyOf": [one, {"type": "array", "items": one}]})
    }

    fn missing() -> Option<Self> {
        Some(Self(vec![]))
    }
}

impl Decimal {
    pub(super) fn mark(self) -> DecimalMark {
        match self {
            Self::Point => DecimalMark::Point,
            Self::Comma => DecimalMark::Comma,
        }
    }
}

impl Claims {
    /// A number of the prose, as printed.
    pub fn token(&self, node: &Node) -> Result<Printed, PrintedError> {
        Printed::parse(&node.shown(), self.decimal.map(Decimal::mark).unwrap_or_default(), None)
    }
}

impl Claim {
    /// All its expressions.
    pub fn expressions(&self) -> impl Iterator<Item = &Spanned<String>> {
        let readings = self.holds.0.iter().map(|reading| &reading.holds);
        readings.chain(self.assuming.iter().filter_map(|one| one.holds.as_ref())).chain(self.direction.as_ref())
    }

    /// All that it says, with the facts of the context, in one text: two claims that say the same have the same.
    pub fn said(&self, context: &Map<Fact>) -> String {
        let facts = |facts: &Map<Fact>| {
            let facts = facts.iter().map(|(name, fact)| format!("{}={}", name.value, fact.text()));
            facts.collect::<Vec<_>>().join(" ")
        };
        let tokens = self.tokens.iter().map(|(name, token)| format!("{}={}", name.value, token.value.shown()));
        let each = self.each.iter().map(|each| format!("each {} {}", each.table.value, each.by.value));
        let threshold = self.threshold.iter().map(|share| format!("threshold {}", share.fraction()));
        let readings = self.holds.0.iter().map(|reading| format!("{}: {}", reading.name, reading.holds.value));
        let checks = self.checks.iter().map(|one| {
            format!("check {} {:?}", one.check.value, one.table.as_ref().map(|table| table.value.to_string()))
        });
        let assuming = self.assuming.iter().map(|one| {
            format!("{} {} {:?}", one.assume, facts(&one.set), one.holds.as_ref().map(|holds| &holds.value))
        });
        let first = [self.text.clone(), facts(context)];
        let rest = tokens.chain(each).chain(threshold).chain(readings).chain(checks).chain(assuming);
        first.into_iter().chain(rest).collect::<Vec<_>>().join("\n")
    }

    /// Where it ranks.
    pub fn rank(&self) -> Rank {
        self.rank.unwrap_or(Rank::Prose)
    }

    /// What kind of statement it is.
    pub fn kind(&self) -> Kind {
        self.kind.unwrap_or(Kind::Observation)
    }
}
