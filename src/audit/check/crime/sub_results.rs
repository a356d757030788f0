//! sub-results: what a total was made of is attached.

use crate::audit::check::{Card, Check};
use crate::audit::{Finding, Kind, Outcome, Subject, judge};
use crate::document::TokenKind;

/// what a total was made of is attached.
pub(in crate::audit::check) struct SubResults;

const CARD: Card = Card {
    id: "sub-results",
    kind: Kind::Crime,
    title: "what a total was made of is attached",
    needs: &["members_attached"],
    explain: "A total, a mean or a score says little without the numbers it was made of (van der Kouwe F3).",
};

impl Check for SubResults {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn run(&self, subject: &Subject<'_>) -> Vec<Finding> {
        if let Some((path, map)) = subject.evidence.as_ref().and_then(|evidence| evidence.paper.as_ref()) {
            // a level of confidence, and what a design can show, follow from the number of replicates alone
            let is_of_design = |name: &str| name.ends_with("/level") || name.starts_with("design/");
            let is_result =
                |entry: &&crate::cellmap::Entry| entry.kind == TokenKind::Result && !is_of_design(&entry.name);
            let results: Vec<_> = map.entries.iter().filter(is_result).collect();
            let bare = results.iter().filter(|entry| entry.evidence.is_empty()).count();
            let words = format!(
                "{} results are printed in {path}, {bare} of them without the objects they come from",
                results.len()
            );
            return vec![judge::remark(&CARD, if bare == 0 { Outcome::Pass } else { Outcome::Fail }, "paper", words)];
        }
        let finding = subject.word("members_attached").map(|word| {
            let (verdict, words) = match word.as_str() {
                "true" => (Outcome::Pass, "the members of totals are attached"),
                _ => (Outcome::Fail, "totals are printed, and what they were made of is not attached"),
            };
            judge::remark(&CARD, verdict, "members_attached", words.to_owned())
        });
        judge::or_skip(&CARD, finding.into_iter().collect())
    }
}
