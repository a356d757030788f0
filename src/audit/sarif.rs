//! SARIF 2.1.0 (OASIS): what is wrong as results of rules, for whatever reads findings of programs.

use serde_json::{Value, json};

use super::{Audit, CHECKS, Finding, Judged, Kind, Outcome, Verdict};
use crate::source::Source;

/// The log of an audit; results lie in the claims file, at the line of their claim or table.
pub fn sarif(audit: &Audit, source: &Source) -> Value {
    let mut rules: Vec<Value> = CHECKS
        .iter()
        .map(|check| {
            let card = check.card();
            json!({"id": card.id, "shortDescription": {"text": card.title}, "fullDescription": {"text": card.explain}})
        })
        .collect();
    rules.push(json!({"id": "claim", "shortDescription": {"text": "a claim and what may be believed of it"}}));
    let is_told = |claim: &&Judged| claim.verdict.is_wrong() || claim.verdict == Verdict::Qualified;
    let of_claims = audit.claims.iter().filter(is_told).map(|claim| {
        let text = format!("{}: {}. {}", claim.id, claim.verdict.word(), claim.why);
        let level = if claim.verdict.is_wrong() { "error" } else { "note" };
        result("claim", level, &text, line_of(source, &claim.id))
    });
    let of_checks = audit.checks.iter().filter(|finding| finding.verdict > Outcome::Pass).map(|finding| {
        let level =
            if finding.verdict >= Outcome::Fail && finding.kind != Kind::Suspicion { "error" } else { "warning" };
        result(finding.check, level, &words(finding), line_of(source, &finding.place.table))
    });
    let file = |(mut result, line): (Value, usize)| {
        result["locations"] = json!([{"physicalLocation": {
            "artifactLocation": {"uri": uri(source.name())}, "region": {"startLine": line},
        }}]);
        result
    };
    let results: Vec<Value> = of_claims.chain(of_checks).map(file).collect();
    json!({
        "$schema": "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {"name": "benchpaper", "version": env!("CARGO_PKG_VERSION"), "rules": rules}},
            "results": results,
        }],
    })
}

fn result(rule: &str, level: &str, text: &str, line: usize) -> (Value, usize) {
    (json!({"ruleId": rule, "level": level, "message": {"text": crate::diagnostic::printable(text)}}), line)
}

fn words(finding: &Finding) -> String {
    let row = finding.place.row.map_or(String::new(), |row| format!(" row {row}"));
    let label = if finding.place.label.is_empty() { String::new() } else { format!(" ({})", finding.place.label) };
    format!("{}{row}{label}: {}", finding.place.table, finding.detail)
}

/// The first line that names a claim or a table.
fn line_of(source: &Source, name: &str) -> usize {
    let key = format!("{name}:");
    let is_it = |line: &str| line.trim_start().starts_with(&key) || line.contains(&format!("id: {name}"));
    source.text().lines().position(is_it).map_or(1, |at| at + 1)
}

/// A relative path as a URI reference.
fn uri(name: &str) -> String {
    let safe = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte);
    name.bytes().map(|byte| if safe(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }).collect()
}
