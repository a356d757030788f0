//! tool-fault: a tool has known faults.

use super::{Card, Check};
use crate::audit::{Finding, Kind, Outcome, Subject, judge};

/// known faults of the tool.
pub(super) struct ToolFault;

const CARD: Card = Card {
    id: "tool-fault",
    kind: Kind::Crime,
    title: "known faults of the tool",
    needs: &["tool"],
    explain: "fio before 3.30 loses the first client in the means that it prints of all clients. A paper that used several clients says which fields it used.",
};

impl Check for ToolFault {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn run(&self, subject: &Subject<'_>) -> Vec<Finding> {
        let place = Subject::place("tool");
        let Some(tool) = subject.fact("tool").map(|known| known.fact.text()) else {
            return judge::or_skip(&CARD, vec![]);
        };
        let clients = subject.fact("clients").and_then(|known| known.printed.as_ref()?.value().to_u64()).unwrap_or(1);
        let mut numbers = tool.split(|one: char| !one.is_ascii_digit()).filter_map(|part| part.parse::<u64>().ok());
        let version = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
        let is_hit = tool.starts_with("fio") && version < (3, 30) && version.0 > 0 && clients > 1;
        let words = format!(
            "{tool} with {clients} clients: before 3.30 the mean latencies that fio prints of all clients leave one out; which fields were used should be said"
        );
        match is_hit {
            true => vec![judge::blank(&CARD, Outcome::Warn, place, words)],
            false => vec![judge::blank(
                &CARD,
                Outcome::Pass,
                place,
                format!("no fault of {tool} is known that would matter here"),
            )],
        }
    }
}
