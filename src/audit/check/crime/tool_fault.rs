//! tool-fault: a tool has known faults.

use crate::audit::check::{Card, Check};
use crate::audit::{Evidence, Finding, Kind, Outcome, Subject, judge};

/// known faults of the tool.
pub(in crate::audit::check) struct ToolFault;

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
        if let Some(evidence) = &subject.evidence {
            return judge::or_skip(&CARD, of_experiment(evidence));
        }
        let place = Subject::place("tool");
        let Some(tool) = subject.fact("tool").map(|known| known.fact.text()) else {
            return judge::or_skip(&CARD, vec![]);
        };
        let clients = subject.fact("clients").and_then(|known| known.printed.as_ref()?.value().to_u64()).unwrap_or(1);
        let is_hit = is_hit(&tool, clients);
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

/// Whether a version of fio leaves a client out of its means.
fn is_hit(tool: &str, clients: u64) -> bool {
    let mut numbers = tool.split(|one: char| !one.is_ascii_digit()).filter_map(|part| part.parse::<u64>().ok());
    let version = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
    tool.starts_with("fio") && version < (3, 30) && version.0 > 0 && clients > 1
}

/// The files of others whose tools have a fault; what this program runs itself is computed from each client.
fn of_experiment(evidence: &Evidence<'_>) -> Vec<Finding> {
    let files = evidence.results.given.iter();
    let hit = files.clone().filter(|file| is_hit(&file.tool, 2));
    let mut findings: Vec<Finding> = hit
        .map(|file| {
            let words = format!(
                "{} is of {}: where it has several clients, the means that fio prints of all leave one out",
                file.name, file.tool
            );
            judge::remark(&CARD, Outcome::Warn, "tool", words)
        })
        .collect();
    if findings.is_empty() && files.len() > 0 {
        let words = "no fault of the tools of the files is known that would matter here".to_owned();
        findings.push(judge::remark(&CARD, Outcome::Pass, "tool", words));
    }
    findings
}
