//! Claims: what a paper says, kept apart from whether it is so.
//!
//! [`parse`] reads `claims.yaml`: the paper, facts of its context, its tables with the digits as printed, and its claims as
//! expressions. Who transcribes says where each thing stands and whether it is stated, inferred or assumed; nothing here
//! judges. It runs nothing and opens no file but those beside it, through the reader that it is given.

mod collapsed;
pub mod role;
mod scaffold;
mod shape;
mod table;

use crate::diagnostic::{Diagnostic, any_error};
use crate::expression;
use crate::manifest::node;
use crate::manifest::shape::{Problems, Shape};
use crate::name::nearest;
use crate::printed::{DecimalMark, Printed};
use crate::source::Source;

pub use scaffold::scaffold;
pub use shape::{Basis, Claim, Claims, Fact, Kind, Paper, Rank};
pub use table::{Cell, Column, Place, Row, Table};

/// The version of the format.
pub const FORMAT: &str = "benchpaper/claims@1";

/// A claims file with its tables.
#[derive(Debug, Clone)]
pub struct Loaded {
    /// What was written.
    pub claims: Claims,
    /// The tables, read.
    pub tables: Vec<Table>,
    /// The text, for places.
    pub source: Source,
}

/// A file beside the claims, by its relative name; `Err` says why it can not be read.
pub type Reader<'a> = &'a dyn Fn(&str) -> Result<Vec<u8>, String>;

/// Reads a claims file and the tables that it names; `None` where there are errors.
pub fn parse(source: &Source, read: Reader<'_>) -> (Option<Loaded>, Vec<Diagnostic>) {
    let (root, mut found) = node::parse(source);
    let Some(root) = root.filter(|_| !any_error(&found)) else {
        if found.is_empty() {
            let message = format!("{}: the file is empty", source.name());
            found.push(Diagnostic::error("claims::nothing", message).help(format!("Begin with `format: {FORMAT}`.")));
        }
        return (None, found);
    };
    let mut problems = Problems::new(source);
    let claims = Claims::decode(&root, &mut problems);
    let mut tables = vec![];
    if let Some(claims) = &claims {
        check(claims, &mut problems);
        for (name, spec) in claims.tables.iter() {
            tables.extend(table::load((name, spec), claims.decimal, read, &mut problems));
        }
        check_references(claims, &tables, &mut problems);
    }
    found.extend(problems.into_sorted());
    let loaded = claims.filter(|_| !any_error(&found)).map(|claims| Loaded { claims, tables, source: source.clone() });
    (loaded, found)
}

/// What each claim of a file says, by its id, without reading its tables; `None` where the file can not be read.
pub fn said(source: &Source) -> Option<std::collections::BTreeMap<String, String>> {
    let (root, _) = node::parse(source);
    let claims = Claims::decode(&root?, &mut Problems::new(source))?;
    Some(claims.claims.iter().map(|claim| (claim.id.value.to_string(), claim.said(&claims.context))).collect())
}

/// A claims file without claims: what is audited where an experiment has none.
pub fn without_claims(title: &str) -> String {
    let title = serde_json::Value::from(title);
    format!("format: {FORMAT}\npaper: {{title: {title}, ours: true}}\n")
}

/// The JSON Schema of the format.
pub fn schema() -> serde_json::Value {
    let mut schema = Claims::schema();
    if let Some(object) = schema.as_object_mut() {
        object.insert("$schema".to_owned(), "https://json-schema.org/draft/2020-12/schema".into());
        object.insert("title".to_owned(), FORMAT.into());
    }
    schema
}

/// Facts whose names are roles are numbers of what the role counts; a name that is nearly one is asked about.
fn check_facts(claims: &Claims, problems: &mut Problems) {
    let of_tables = claims.tables.iter().flat_map(|(_, table)| &table.facts).flat_map(|facts| facts.set.iter());
    for (name, fact) in claims.context.iter().chain(of_tables) {
        let role = name.value.as_str();
        let is_word = role::WORDS.iter().any(|(word, _)| *word == role);
        let Some(dim) = role::dim_of(role).filter(|_| !is_word) else {
            let known = role::ROLES.iter().map(|(name, ..)| *name).chain(role::WORDS.iter().map(|(name, _)| *name));
            let is_used = claims.claims.iter().flat_map(Claim::expressions).any(|text| text.value.contains(role));
            let meant = nearest(role, known).filter(|meant| *meant != role && !is_word && !is_used);
            if let Some(meant) = meant {
                let message = format!("no check knows the fact `{role}`");
                problems.warn("claims::fact", name.span, message, format!("Did you mean `{meant}`?"));
            }
            continue;
        };
        for text in fact.items() {
            let read = Printed::parse(&text, DecimalMark::Point, None);
            let is_right = read.as_ref().is_ok_and(|printed| printed.dim() == dim);
            if !is_right && text != "unknown" {
                let message = match read {
                    Ok(_) => format!("`{role}: {text}` is not {dim}"),
                    Err(error) => format!("`{role}: {text}`: {error}"),
                };
                let help = "Write a number with its unit: `25 Gbit/s`, `4 KiB`, `60 s`, `402k 1/s`, `31 %`.";
                problems.error("claims::fact", fact.value.span, message, help);
            }
        }
    }
}

fn check(claims: &Claims, problems: &mut Problems) {
    check_facts(claims, problems);
    check_tokens_are_used(claims, problems);
    if claims.format.value != FORMAT {
        let message = format!("the format `{}` is not read", claims.format.value);
        problems.error("claims::format", claims.format.span, message, format!("Write `format: {FORMAT}`."));
    }
    for (number, claim) in claims.claims.iter().enumerate() {
        if claims.claims[..number].iter().any(|other| other.id.value == claim.id.value) {
            let message = format!("two claims have the id `{}`", claim.id.value);
            problems.error("claims::id", claim.id.span, message, "An id names one claim for ever.");
        }
        for text in claim.expressions() {
            if let Err(reason) = expression::check(&text.value) {
                problems.error("claims::expression", text.span, reason, "Expressions are written as in templates.");
            }
        }
        let says_nothing = claim.holds.0.is_empty() && claim.checks.is_empty() && claim.assuming.is_empty();
        if says_nothing && claim.unverifiable.is_none() {
            let help = "Write `holds: …`, `checks: […]`, or `unverifiable: why it can not be checked`.";
            problems.error("claims::empty", claim.id.span, "a claim with nothing to check", help);
        }
        for (name, token) in claim.tokens.iter() {
            if let Err(error) = claims.token(&token.value) {
                let message = format!("`{}`: {error}", name.value);
                problems.error("claims::token", token.span, message, "Write the number as printed, with its unit.");
            }
        }
    }
}

/// A token that no expression mentions says nothing.
fn check_tokens_are_used(claims: &Claims, problems: &mut Problems) {
    for claim in claims.claims.iter().filter(|claim| !claim.holds.0.is_empty()) {
        for (name, token) in claim.tokens.iter() {
            if !claim.expressions().any(|text| text.value.contains(name.value.as_str())) {
                let message = format!("no expression of `{}` mentions `{}`", claim.id.value, name.value);
                problems.warn("claims::token", token.span, message, "Compare it with something, or leave it away.");
            }
        }
    }
}

/// Tables and columns that claims name.
fn check_references(claims: &Claims, tables: &[Table], problems: &mut Problems) {
    let names: Vec<&str> = claims.tables.names().collect();
    let mut unknown = |name: &crate::manifest::shape::Spanned<crate::name::Name>| {
        let help = match nearest(name.value.as_str(), names.iter().copied()) {
            Some(meant) => format!("Did you mean `{meant}`?"),
            None => format!("There are: {}.", names.join(", ")),
        };
        problems.error("claims::table", name.span, format!("no table is called `{}`", name.value), help);
    };
    for claim in &claims.claims {
        let used = claim.checks.iter().filter_map(|one| one.table.as_ref());
        let each = claim.each.iter().map(|each| &each.table);
        used.chain(each).filter(|name| !names.contains(&name.value.as_str())).for_each(&mut unknown);
    }
    for each in claims.claims.iter().filter_map(|claim| claim.each.as_ref()) {
        let table = tables.iter().find(|table| table.name == each.table.value.as_str());
        let has = |table: &Table| table.columns.iter().any(|column| column.name == each.by.value.as_str());
        if table.is_some_and(|table| !has(table)) {
            let message = format!("the table `{}` has no column `{}`", each.table.value, each.by.value);
            problems.error("claims::column", each.by.span, message, "Name one of its columns.");
        }
    }
}
