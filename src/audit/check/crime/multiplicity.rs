//! multiplicity: many tests are corrected for.

use crate::audit::check::{Card, Check};
use crate::audit::{Finding, Kind, Outcome, Subject, judge};
use crate::claims::Column;

/// many tests are corrected for.
pub(in crate::audit::check) struct Multiplicity;

const CARD: Card = Card {
    id: "multiplicity",
    kind: Kind::Crime,
    title: "many tests are corrected for",
    needs: &["p", "adjusted"],
    explain: "Of twenty tests of nothing one is significant at 0.05. Where several are made, p values are adjusted (Holm; Benjamini and Hochberg), and it is said how.",
};

impl Check for Multiplicity {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn run(&self, subject: &Subject<'_>) -> Vec<Finding> {
        let mut findings = vec![];
        if subject.evidence.is_some() {
            let words =
                "p values are adjusted by Holm over the claims, and in the paper over the comparisons of a metric";
            findings.push(judge::remark(&CARD, Outcome::Pass, "method", words.to_owned()));
        }
        for table in &subject.loaded.tables {
            let is_p = |column: &&Column| column.role.as_deref() == Some("p");
            let count = table.columns.iter().filter(is_p).count() * table.rows.len();
            if count < 2 {
                continue;
            }
            let how = subject.word("adjusted").filter(|word| !matches!(word.as_str(), "none" | "no" | "false"));
            let (verdict, words) = match how {
                Some(how) => (Outcome::Pass, format!("{count} p values, adjusted: {how}")),
                None => (Outcome::Fail, format!("{count} p values, and no correction is said")),
            };
            findings.push(judge::remark(&CARD, verdict, &table.name, words));
        }
        judge::or_skip(&CARD, findings)
    }
}
