//! sections: a section stands once.

use crate::audit::check::{Card, Check};
use crate::audit::{Finding, Kind, Outcome, Subject, judge};

/// sections stand once.
pub(in crate::audit::check) struct Sections;

const CARD: Card = Card {
    id: "sections",
    kind: Kind::Crime,
    title: "sections stand once",
    needs: &["sections"],
    explain: "A section that stands twice often stands in place of another: something that was announced is missing.",
};

impl Check for Sections {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn run(&self, subject: &Subject<'_>) -> Vec<Finding> {
        let sections = &subject.loaded.claims.sections;
        if sections.is_empty() {
            return judge::or_skip(&CARD, vec![]);
        }
        let twice = sections.iter().enumerate().filter(|(at, one)| sections[..*at].contains(one));
        let findings: Vec<Finding> = twice
            .map(|(_, one)| {
                judge::blank(
                    &CARD,
                    Outcome::Warn,
                    Subject::place("sections"),
                    format!("the section `{one}` stands twice"),
                )
            })
            .collect();
        match findings.is_empty() {
            true => vec![judge::blank(
                &CARD,
                Outcome::Pass,
                Subject::place("sections"),
                "every section stands once".to_owned(),
            )],
            false => findings,
        }
    }
}
