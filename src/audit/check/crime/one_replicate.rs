//! no-variance: one run has no variance.

use crate::audit::check::{Card, Check};
use crate::audit::{Evidence, Finding, Kind, Outcome, Subject, judge};

/// no variance.
pub(in crate::audit::check) struct OneReplicate;

const CARD: Card = Card {
    id: "no-variance",
    kind: Kind::Crime,
    title: "no variance",
    needs: &["replicates"],
    explain: "Without repetition, or without an interval, nobody can tell a difference from noise (Heiser; van der Kouwe B4). One run is a warning; several without an interval are worse, for it was known.",
};

impl Check for OneReplicate {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn run(&self, subject: &Subject<'_>) -> Vec<Finding> {
        let has_interval = subject
            .loaded
            .tables
            .iter()
            .flat_map(|table| &table.columns)
            .any(|column| matches!(column.role.as_deref(), Some("sd" | "ci_half" | "latency_sd")));
        if let Some(evidence) = &subject.evidence {
            return vec![of_experiment(evidence)];
        }
        let place = Subject::place("replicates");
        let Some(known) = subject.fact("replicates") else {
            let is_named = subject.loaded.claims.undisclosed.iter().any(|one| one == "replicates");
            let finding = match is_named {
                true => judge::blank(
                    &CARD,
                    Outcome::Warn,
                    place,
                    "how often each case was measured is not disclosed".to_owned(),
                ),
                false => judge::blank(&CARD, Outcome::Skip, place, "context: no replicates".to_owned()),
            };
            return vec![finding];
        };
        let Some(count) = known.printed.as_ref().and_then(|printed| printed.value().to_u64()) else {
            let words = format!("`{}` is no count", known.fact.text());
            return vec![judge::blank(&CARD, Outcome::Error, place, words)];
        };
        let (verdict, words) = match (count, has_interval) {
            (0 | 1, _) => (
                Outcome::Warn,
                "each case was measured once: nothing says how far two runs of the same lie apart".to_owned(),
            ),
            (count, false) => (
                Outcome::Fail,
                format!("each case was measured {count} times, and no interval or deviation is printed"),
            ),
            (count, true) => (Outcome::Pass, format!("each case was measured {count} times, with intervals")),
        };
        vec![judge::blank(&CARD, verdict, place, words)]
    }
}

/// What the plan of an experiment can show at all.
fn of_experiment(evidence: &Evidence<'_>) -> Finding {
    let power = crate::plan::power(evidence.experiment, evidence.plan);
    let count = power.replicates;
    let (verdict, words) = match count {
        0 | 1 => (
            Outcome::Warn,
            "each case is measured once: nothing says how far two runs of the same lie apart".to_owned(),
        ),
        count if !power.can_show() => {
            let words = format!(
                "with {count} replicates the smallest p of {} comparisons is {:.3} after Holm's correction: a rank test \
                 could show nothing, that needs {}",
                power.comparisons, power.smallest_p_adjusted, power.replicates_needed
            );
            (Outcome::Warn, words)
        }
        count => (Outcome::Pass, format!("each case is measured {count} times, with intervals")),
    };
    judge::remark(&CARD, verdict, "replicates", words)
}
