//! graphs: charts show what the numbers say.

use crate::audit::check::{Card, Check};
use crate::audit::{Finding, Kind, Outcome, Subject, judge};

/// charts show what the numbers say.
pub(in crate::audit::check) struct Graphs;

const CARD: Card = Card {
    id: "graphs",
    kind: Kind::Crime,
    title: "charts show what the numbers say",
    needs: &["graphs"],
    explain: "An axis of ratios or bars that does not begin at zero, two axes in one chart, a missing unit and a point without its spread make a small difference look large (Heiser; SIGPLAN; Tufte).",
};

impl Check for Graphs {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn run(&self, subject: &Subject<'_>) -> Vec<Finding> {
        if subject.evidence.is_some() {
            let words =
                "bars begin at zero and have intervals, axes have units, and there is one axis a chart".to_owned();
            return vec![judge::remark(&CARD, Outcome::Pass, "charts", words)];
        }
        let Some(faults) = subject.items("graphs") else { return judge::or_skip(&CARD, vec![]) };
        if faults.iter().all(|fault| matches!(fault.as_str(), "sound" | "none")) {
            return vec![judge::remark(&CARD, Outcome::Pass, "graphs", "no fault of the charts is named".to_owned())];
        }
        faults.iter().map(|fault| judge::remark(&CARD, Outcome::Warn, "graphs", fault.clone())).collect()
    }
}
