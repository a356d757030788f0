//! The audit as a document: what was claimed, what may be believed of it and why, fit to be sent to who wrote the paper.

use super::{Audit, Finding, Impact, Kind, Outcome, find};
use crate::claims::Claims;
use crate::document::{Block, Column, Document, Inline, Table, TitleBlock};

fn words(text: impl Into<String>) -> Vec<Inline> {
    vec![Inline::text(text)]
}

/// The report of an audit; `date` is that of the day it is made, `YYYY-MM-DD`.
pub fn report(audit: &Audit, claims: &Claims, date: &str) -> Document {
    let mut blocks = vec![Block::Heading { level: 1, text: words("Claims") }];
    let has_evidence = audit.claims.iter().any(|claim| claim.evidence.is_some());
    blocks.push(Block::Paragraph(words(match has_evidence {
        false => {
            "Each claim was checked against what the paper itself prints. A printed number stands for all values that round to it, and a claim is called contradicted or inconsistent only where no such value makes it true. Nothing is said of how a number came to be."
        }
        true => {
            "Each claim was followed to the raw objects that it rests on, and derived from them again. A claim about a difference is decided on the bound of its interval, at a level that is adjusted for all claims that are tested (Holm). A printed number stands for all values that round to it."
        }
    })));
    blocks.push(claims_table(audit));
    let not_clean: Vec<&Finding> = audit.checks.iter().filter(|one| one.verdict > Outcome::Pass).collect();
    if !not_clean.is_empty() {
        blocks.push(Block::Heading { level: 1, text: words("Findings that no claim depends on") });
        blocks.push(findings_table("findings", "What else does not fit, or is worth a question", &not_clean));
    }
    blocks.push(Block::Heading { level: 1, text: words("Arithmetic") });
    for claim in audit.claims.iter().filter(|claim| !claim.checks.is_empty()) {
        blocks.push(Block::Heading { level: 2, text: words(claim.id.as_str()) });
        blocks.push(Block::Paragraph(words(format!("{}. {}", claim.text.trim_end_matches('.'), claim.why))));
        let checks: Vec<&Finding> = claim.checks.iter().collect();
        let caption = format!("Comparisons of {}", claim.id);
        blocks.push(findings_table(&format!("checks-{}", claim.id), &caption, &checks));
        if let Some(chain) = &claim.evidence {
            blocks.push(Block::List(chain.lines().into_iter().map(words).collect()));
        }
    }
    blocks.extend(rules(audit));
    blocks.extend(context(claims));
    let line = |text: &String| crate::diagnostic::printable(text).split_whitespace().collect::<Vec<_>>().join(" ");
    let cite = claims.paper.cite.iter().map(|cite| ("Paper".to_owned(), line(cite)));
    let authors = claims.paper.authors.iter().map(|authors| ("Its authors".to_owned(), line(authors)));
    let published = claims.paper.published.iter().map(|date| ("Published".to_owned(), line(date)));
    Document {
        title: TitleBlock {
            title: format!("Audit: {}", audit.paper),
            version: concat!("benchpaper ", env!("CARGO_PKG_VERSION")).to_owned(),
            date: date.to_owned(),
            question: "Which of its claims follow from what it prints?".to_owned(),
            lines: cite.chain(authors).chain(published).collect(),
            ..TitleBlock::default()
        },
        blocks,
        ..Document::default()
    }
}

fn claims_table(audit: &Audit) -> Block {
    let rows = audit.claims.iter().map(|claim| {
        let impact = claim.impact.map_or("–", impact_word);
        vec![
            vec![Inline::Code(claim.id.clone())],
            words(placed(claim)),
            vec![Inline::Strong(claim.verdict.word().to_owned())],
            words(claim.why.as_str()),
            words(impact),
        ]
    });
    let columns = ["Id", "Claim", "Verdict", "Why", "Impact"].map(Column::text).to_vec();
    Block::Table(Table { id: "claims".to_owned(), caption: "The claims".to_owned(), columns, rows: rows.collect() })
}

/// A claim with the place where it stands.
fn placed(claim: &super::Judged) -> String {
    if claim.place.is_empty() { claim.text.clone() } else { format!("{} [{}]", claim.text, claim.place) }
}

/// What a wrong claim changes, in a word.
pub(crate) fn impact_word(impact: Impact) -> &'static str {
    match impact {
        Impact::Cosmetic => "cosmetic",
        Impact::Numeric => "numeric",
        Impact::FlipsClaim => "flips claim",
    }
}

/// What kind of rule a check is, in words.
pub(crate) fn kind_word(kind: Kind) -> &'static str {
    match kind {
        Kind::Hard => "mathematics",
        Kind::Physical => "a physical limit",
        Kind::Suspicion => "a question",
        Kind::Crime => "method",
    }
}

/// What a comparison came to, in a word.
pub(crate) fn outcome_word(finding: &Finding) -> &'static str {
    match (finding.verdict, &finding.assumption) {
        (Outcome::Pass, Some(_)) => "pass, if",
        (Outcome::Pass, None) => "pass",
        (Outcome::Fail, _) => "fail",
        (Outcome::Warn, _) => "question",
        (Outcome::Skip, _) => "not compared",
        (Outcome::Error, _) => "error",
    }
}

/// What was compared, with what explains or would mend it.
pub(crate) fn detail(finding: &Finding) -> String {
    let mut text = finding.detail.clone();
    for (words, said) in [
        ("it fits if", &finding.assumption),
        ("explained by", &finding.explained),
        ("it would fit with", &finding.repair),
    ] {
        if let Some(said) = said {
            text.push_str(&format!("; {words} {said}"));
        }
    }
    text
}

fn findings_table(id: &str, caption: &str, findings: &[&Finding]) -> Block {
    let rows = findings.iter().map(|finding| {
        let row = finding.place.row.map_or(String::new(), |row| format!(" {row}"));
        let place = format!("{}{row} {}", finding.place.table, finding.place.label);
        let chance = finding.chance_pass.map_or("–".to_owned(), |chance| format!("{:.1}", chance * 100.0));
        vec![
            words(finding.check),
            words(place.trim()),
            words(outcome_word(finding)),
            words(detail(finding)),
            words(chance),
        ]
    });
    let mut columns = ["Check", "Where", "Result", "What was compared"].map(Column::text).to_vec();
    columns.push(Column::number("Chance [%]"));
    Block::Table(Table { id: id.to_owned(), caption: caption.to_owned(), columns, rows: rows.collect() })
}

/// The rules that were used, each with its reason.
fn rules(audit: &Audit) -> Vec<Block> {
    let findings = audit.claims.iter().flat_map(|claim| &claim.checks).chain(&audit.checks);
    let used: std::collections::BTreeSet<&str> =
        findings.filter(|one| one.verdict != Outcome::Skip).map(|one| one.check).collect();
    let items: Vec<Vec<Inline>> = used
        .iter()
        .filter_map(|id| find(id))
        .map(|check| {
            let card = check.card();
            let kind = kind_word(card.kind);
            vec![
                Inline::Strong(card.id.to_owned()),
                Inline::text(format!(", {kind}: {}. {}", card.title, card.explain)),
            ]
        })
        .collect();
    if items.is_empty() {
        return vec![];
    }
    let chance = "Verdicts: contradicted means false for every value that evidence of a higher rank allows; inconsistent, that numbers of one rank can not all be true; qualified, that it holds under something that is not said; consistent, that what could be compared holds, and a wrong number would have failed at least as often as passed; unverifiable is the rest. Questions, and rules of method, never decide a claim. Chance is how likely a wrong number would have passed, where wrong numbers are the true one times a factor between a half and two.";
    vec![Block::Heading { level: 1, text: words("Rules") }, Block::Paragraph(words(chance)), Block::List(items)]
}

/// The facts that the checks took from the paper, and how each is known.
fn context(claims: &Claims) -> Vec<Block> {
    let rows: Vec<Vec<Vec<Inline>>> = claims
        .context
        .iter()
        .map(|(name, fact)| {
            vec![words(name.value.as_str()), words(fact.text()), words(fact.basis.word()), words(fact.note.as_str())]
        })
        .collect();
    if rows.is_empty() {
        return vec![];
    }
    let columns = ["Fact", "Value", "How known", "Where, or why"].map(Column::text).to_vec();
    let caption = "What the checks took from the paper".to_owned();
    vec![
        Block::Heading { level: 1, text: words("Context") },
        Block::Table(Table { id: "context".to_owned(), caption, columns, rows }),
    ]
}
