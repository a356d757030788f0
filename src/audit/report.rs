//! The audit as a document: what was claimed, what may be believed of it and why, fit to be sent to who wrote the paper.

use super::{Audit, Finding, Impact, Kind, Outcome, find};
use crate::claims::Claims;
use crate::document::{Block, Column, Document, Inline, Table, TitleBlock};
use crate::words::{self, Argument, Word};

fn cell(text: impl Into<String>) -> Vec<Inline> {
    vec![Inline::text(text)]
}

fn said(word: Word<Argument<'_>>) -> String {
    words::english().text(word)
}

fn heading(word: Word<Argument<'_>>) -> Block {
    Block::Heading { level: 1, text: cell(said(word)) }
}

/// The report of an audit; `date` is that of the day it is made, `YYYY-MM-DD`.
pub fn report(audit: &Audit, claims: &Claims, date: &str) -> Document {
    let mut blocks = vec![heading(Word::Claims)];
    let has_evidence = audit.claims.iter().any(|claim| claim.evidence.is_some());
    let method = if has_evidence { Word::AuditOfEvidence } else { Word::AuditOfPaper };
    blocks.push(Block::Paragraph(cell(said(method))));
    blocks.push(claims_table(audit));
    let not_clean: Vec<&Finding> = audit.checks.iter().filter(|one| one.verdict > Outcome::Pass).collect();
    if !not_clean.is_empty() {
        blocks.push(heading(Word::AuditFindings));
        blocks.push(findings_table("findings", said(Word::AuditFindingsCaption), &not_clean));
    }
    blocks.push(heading(Word::AuditArithmetic));
    for claim in audit.claims.iter().filter(|claim| !claim.checks.is_empty()) {
        blocks.push(Block::Heading { level: 2, text: cell(claim.id.as_str()) });
        blocks.push(Block::Paragraph(cell(format!("{}. {}", claim.text.trim_end_matches('.'), claim.why))));
        let checks: Vec<&Finding> = claim.checks.iter().collect();
        let caption = said(Word::AuditChecksCaption { claim: claim.id.as_str().into() });
        blocks.push(findings_table(&format!("checks-{}", claim.id), caption, &checks));
        if let Some(chain) = &claim.evidence {
            blocks.push(Block::List(chain.lines().into_iter().map(cell).collect()));
        }
    }
    blocks.extend(rules(audit));
    blocks.extend(context(claims));
    let line = |text: &String| crate::diagnostic::printable(text).split_whitespace().collect::<Vec<_>>().join(" ");
    let cite = claims.paper.cite.iter().map(|cite| (said(Word::AuditPaper), line(cite)));
    let authors = claims.paper.authors.iter().map(|authors| (said(Word::AuditAuthors), line(authors)));
    let published = claims.paper.published.iter().map(|date| (said(Word::AuditPublished), line(date)));
    Document {
        title: TitleBlock {
            title: said(Word::AuditTitle { paper: audit.paper.as_str().into() }),
            version: concat!("benchpaper ", env!("CARGO_PKG_VERSION")).to_owned(),
            date: date.to_owned(),
            question: said(Word::AuditQuestion),
            lines: cite.chain(authors).chain(published).collect(),
            ..TitleBlock::default()
        },
        blocks,
        ..Document::default()
    }
}

fn claims_table(audit: &Audit) -> Block {
    let rows = audit.claims.iter().map(|claim| {
        let impact = claim.impact.map_or_else(|| said(Word::NoValue), impact_word);
        vec![
            vec![Inline::Code(claim.id.clone())],
            cell(placed(claim)),
            vec![Inline::Strong(claim.verdict.word().to_owned())],
            cell(claim.why.as_str()),
            cell(impact),
        ]
    });
    let columns = [Word::Id, Word::Claim, Word::Verdict, Word::Why, Word::Impact];
    let columns = columns.map(|head| Column::text(said(head))).to_vec();
    Block::Table(Table {
        id: "claims".to_owned(),
        caption: said(Word::AuditClaimsCaption),
        columns,
        rows: rows.collect(),
    })
}

/// A claim with the place where it stands.
fn placed(claim: &super::Judged) -> String {
    if claim.place.is_empty() { claim.text.clone() } else { format!("{} [{}]", claim.text, claim.place) }
}

/// What a wrong claim changes, in a word.
pub(crate) fn impact_word(impact: Impact) -> String {
    said(match impact {
        Impact::Cosmetic => Word::ImpactCosmetic,
        Impact::Numeric => Word::ImpactNumeric,
        Impact::FlipsClaim => Word::ImpactFlipsClaim,
    })
}

/// What kind of rule a check is, in words.
pub(crate) fn kind_word(kind: Kind) -> String {
    said(match kind {
        Kind::Hard => Word::RuleOfMathematics,
        Kind::Physical => Word::RuleOfPhysics,
        Kind::Suspicion => Word::RuleOfSuspicion,
        Kind::Crime => Word::RuleOfMethod,
    })
}

/// What a comparison came to, in a word.
pub(crate) fn outcome_word(finding: &Finding) -> String {
    said(match (finding.verdict, &finding.assumption) {
        (Outcome::Pass, Some(_)) => Word::OutcomePassIf,
        (Outcome::Pass, None) => Word::OutcomePass,
        (Outcome::Fail, _) => Word::OutcomeFail,
        (Outcome::Warn, _) => Word::OutcomeQuestion,
        (Outcome::Skip, _) => Word::OutcomeNotCompared,
        (Outcome::Error, _) => Word::OutcomeError,
    })
}

/// What was compared, with what explains or would mend it.
pub(crate) fn detail(finding: &Finding) -> String {
    let assumption = finding.assumption.as_ref().map(|one| Word::FitsIf { assumption: one.as_str().into() });
    let explanation = finding.explained.as_ref().map(|one| Word::ExplainedBy { explanation: one.as_str().into() });
    let repair = finding.repair.as_ref().map(|one| Word::FitsWith { repair: one.as_str().into() });
    let more = [assumption, explanation, repair].into_iter().flatten().map(said);
    std::iter::once(finding.detail.clone()).chain(more).collect::<Vec<_>>().join("; ")
}

fn findings_table(id: &str, caption: String, findings: &[&Finding]) -> Block {
    let rows = findings.iter().map(|finding| {
        let row = finding.place.row.map_or(String::new(), |row| format!(" {row}"));
        let place = format!("{}{row} {}", finding.place.table, finding.place.label);
        let chance = finding.chance_pass.map_or(said(Word::NoValue), |chance| format!("{:.1}", chance * 100.0));
        vec![cell(finding.check), cell(place.trim()), cell(outcome_word(finding)), cell(detail(finding)), cell(chance)]
    });
    let columns = [Word::Check, Word::Where, Word::Result, Word::WhatWasCompared];
    let mut columns = columns.map(|head| Column::text(said(head))).to_vec();
    columns.push(Column::number(said(Word::ChanceInPercent)));
    Block::Table(Table { id: id.to_owned(), caption, columns, rows: rows.collect() })
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
    let explained = Block::Paragraph(cell(said(Word::AuditRulesExplained)));
    vec![heading(Word::AuditRules), explained, Block::List(items)]
}

/// The facts that the checks took from the paper, and how each is known.
fn context(claims: &Claims) -> Vec<Block> {
    let rows: Vec<Vec<Vec<Inline>>> = claims
        .context
        .iter()
        .map(|(name, fact)| {
            vec![cell(name.value.as_str()), cell(fact.text()), cell(fact.basis.word()), cell(fact.note.as_str())]
        })
        .collect();
    if rows.is_empty() {
        return vec![];
    }
    let columns = [Word::Fact, Word::Value, Word::Origin, Word::WhereOrWhy];
    let columns = columns.map(|head| Column::text(said(head))).to_vec();
    let caption = said(Word::AuditContextCaption);
    vec![heading(Word::AuditContext), Block::Table(Table { id: "context".to_owned(), caption, columns, rows })]
}
