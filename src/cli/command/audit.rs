//! `audit`: what may be believed of a paper's claims.

use std::path::{Path, PathBuf};

use crate::audit::{self, Audit, CHECKS, Finding, Judged, Outcome};
use crate::claims::{self, Loaded, role};
use crate::cli::arguments::{AuditArguments, Format};
use crate::cli::evidence::gather;
use crate::cli::failure::Failure;
use crate::cli::rerun::rerun;
use crate::cli::workspace::{self, Workspace};
use crate::cli::{Session, page, show};
use crate::diagnostic::Diagnostic;
use crate::os::{self, Kind};
use crate::render::format::markdown;
use crate::source::Source;
use crate::words;

/// The file beside a manifest.
const CLAIMS_FILE: &str = "claims.yaml";
/// The largest table, in bytes.
const TABLE_LIMIT_BYTES: u64 = 64 << 20;
/// How many findings of one check and table are shown.
const ALIKE_MAX: usize = 3;
/// The width of a terminal.
const WIDTH: usize = 100;

pub(crate) fn run(session: &Session, arguments: &AuditArguments) -> Result<u8, Failure> {
    if arguments.roles {
        let rows: Vec<Vec<String>> = role::ROLES
            .iter()
            .map(|(name, dim, words)| vec![(*name).to_owned(), dim.to_string(), (*words).to_owned()])
            .collect();
        show::print(&show::table(&["role", "of", "what it is"], &rows, &[]));
        let words: Vec<Vec<String>> =
            role::WORDS.iter().map(|(name, words)| vec![(*name).to_owned(), (*words).to_owned()]).collect();
        show::print(&show::table(&["fact in words", "what it says"], &words, &[]));
        return Ok(0);
    }
    if let Some(id) = &arguments.explain {
        return explain(session, id);
    }
    if let Some(table) = &arguments.new {
        return scaffold(session, table);
    }
    let Some(subject) = &arguments.subject else {
        return Err(Failure::usage("nothing to audit").help("Name an experiment, a folder or a claims file."));
    };
    let (source, path) = find(session, subject)?;
    let folder = path.parent().map_or_else(|| PathBuf::from("."), Path::to_owned);
    let (loaded, found) = claims::parse(&source, &|name| beside(session, &folder, name));
    if !found.is_empty() {
        if loaded.is_none() {
            return Err(Failure::Input(found));
        }
        show::diagnostics(session, &found);
    }
    let Some(loaded) = loaded else { return Err(Failure::Input(found)) };
    let cited = loaded.claims.claims.iter().flat_map(|claim| &claim.checks).map(|one| &one.check);
    let unknown = cited.filter(|check| audit::find(&check.value).is_none()).map(|check| {
        let (message, help) = unknown_check(&check.value);
        Diagnostic::error("claims::check", message).at(&loaded.source, check.span).help(help)
    });
    let unknown: Vec<Diagnostic> = unknown.collect();
    if !unknown.is_empty() {
        return Err(Failure::Input(unknown));
    }
    let is_ours = loaded.claims.paper.ours == Some(true);
    if arguments.rerun && !is_ours {
        return Err(Failure::usage("there is no experiment of this paper to run anew")
            .help("`ours: true` in `paper` says that the paper is that of the experiment beside the claims."));
    }
    let gathered = is_ours.then(|| gather(session, &folder, arguments.profile.as_deref(), &path)).transpose()?;
    if arguments.rerun {
        // what can not be read is said before anything is measured
        let first = audit::audit(&loaded, gathered.as_ref().map(|gathered| gathered.evidence(None)));
        refuse_unreadable(&first, &loaded)?;
    }
    let again = match &gathered {
        Some(gathered) if arguments.rerun => Some(rerun(session, arguments, gathered)?),
        _ => None,
    };
    let audit = audit::audit(&loaded, gathered.as_ref().map(|gathered| gathered.evidence(again.as_ref())));
    refuse_unreadable(&audit, &loaded)?;
    print(session, arguments, (&audit, &loaded))?;
    Ok(u8::from(audit.has_findings()))
}

/// Claims whose expressions name what is not there, all of them, each with its place.
fn refuse_unreadable(audit: &Audit, loaded: &Loaded) -> Result<(), Failure> {
    let of = |judged: &Judged| {
        let reason = judged.error.clone()?;
        let claim = loaded.claims.claims.iter().find(|claim| claim.id.value.as_str() == judged.id)?;
        let span = claim.expressions().next().map_or(claim.id.span, |text| text.span);
        let problem = Diagnostic::error("claims::expression", format!("`{}`: {reason}", judged.id));
        Some(problem.at(&loaded.source, span).help("docs/claims.md says what expressions have."))
    };
    let problems: Vec<Diagnostic> = audit.claims.iter().filter_map(of).collect();
    if problems.is_empty() { Ok(()) } else { Err(Failure::Input(problems)) }
}

/// What is wrong with the id of a check, and the way out.
fn unknown_check(id: &str) -> (String, String) {
    let mut known: Vec<&str> = CHECKS.iter().map(|check| check.card().id).collect();
    known.sort_unstable();
    let same = known.iter().find(|one| one.eq_ignore_ascii_case(id)).copied();
    let meant = same.or_else(|| crate::name::nearest(id, known.iter().copied()));
    let help =
        meant.map_or_else(|| format!("There are: {}.", known.join(", ")), |meant| format!("Did you mean `{meant}`?"));
    (format!("no check is called `{id}`"), help)
}

/// What a check compares and why.
fn explain(session: &Session, id: &str) -> Result<u8, Failure> {
    let Some(check) = audit::find(id) else {
        let (message, help) = unknown_check(id);
        return Err(Failure::usage(message).help(help));
    };
    let card = check.card();
    if session.is_json {
        show::print_json(
            &serde_json::json!({"id": card.id, "title": card.title, "kind": card.kind, "needs": card.needs, "explain": card.explain}),
        )?;
        return Ok(0);
    }
    show::print(&format!("{}  {} ({})\n", card.id, card.title, audit::kind_word(card.kind)));
    show::wrap(card.explain, WIDTH).iter().for_each(|line| show::print(line));
    show::print(&format!("\nneeds: {}", card.needs.join(", ")));
    Ok(0)
}

/// The claims file of an experiment, a folder, or itself, and where it is. An experiment that has none is audited without.
fn find(session: &Session, given: &Path) -> Result<(Source, PathBuf), Failure> {
    let is_manifest = given.file_name().is_some_and(|name| name == "experiment.yaml");
    let given = if is_manifest { given.parent().unwrap_or(given) } else { given };
    let given = if given.as_os_str().is_empty() { Path::new(".") } else { given };
    let mut folders = vec![given.to_owned()];
    if let Ok(workspace) = Workspace::here(session) {
        folders.push(workspace.root.join("experiments").join(given));
    }
    let places: Vec<PathBuf> =
        std::iter::once(given.to_owned()).chain(folders.iter().map(|folder| folder.join(CLAIMS_FILE))).collect();
    let is_file = |path: &&PathBuf| session.os.stat(path).is_ok_and(|stat| stat.kind == Kind::File);
    let Some(path) = places.iter().find(is_file) else {
        let manifests: Vec<PathBuf> = folders.iter().map(|folder| folder.join("experiment.yaml")).collect();
        if let Some(manifest) = manifests.iter().find(is_file) {
            show::note(&format!("{} has no {CLAIMS_FILE}: only the experiment itself is audited", given.display()));
            let title = title_of(session, manifest)?;
            let path = manifest.with_file_name(CLAIMS_FILE);
            return Ok((Source::new(&path.display().to_string(), &claims::without_claims(&title)), path));
        }
        let is_there = os::is_there(&*session.os, given).unwrap_or(false);
        let message = match is_there {
            true => format!("{}: there is no {CLAIMS_FILE}", given.display()),
            false => format!("nothing is called {}", given.display()),
        };
        return Err(Failure::usage(message).help("`benchpaper audit --new TABLE` begins a claims file from a table."));
    };
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default().to_lowercase();
    if ["csv", "tsv", "md", "txt", "xlsx", "pdf"].contains(&ending.as_str()) {
        let help = format!("`benchpaper audit --new {}` begins a claims file from a table.", path.display());
        return Err(Failure::usage(format!("{} is no claims file", path.display())).help(help));
    }
    let limit = crate::manifest::node::FILE_LIMIT_BYTES as u64;
    let bytes = session.os.read(path, limit).map_err(Failure::io(path))?;
    let text =
        String::from_utf8(bytes).map_err(|_| Failure::usage(format!("{}: it is no UTF-8 text", path.display())))?;
    Ok((Source::new(&path.display().to_string(), &text), path.clone()))
}

/// The title that a manifest has.
fn title_of(session: &Session, manifest: &Path) -> Result<String, Failure> {
    let folder = manifest.parent().unwrap_or(manifest);
    Ok(workspace::load(session, folder)?.experiment.title)
}

/// A file beside the claims; nothing outside of their folder is read.
fn beside(session: &Session, folder: &Path, name: &str) -> Result<Vec<u8>, String> {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let root = session.os.canonical(folder).map_err(|error| error.to_string())?;
    let path = session.os.canonical(&root.join(name)).map_err(|error| format!("{name}: {error}"))?;
    if !path.starts_with(&root) {
        return Err(format!("{name} lies outside of the folder of the claims"));
    }
    session.os.read(&path, TABLE_LIMIT_BYTES).map_err(|error| format!("{name}: {error}"))
}

fn print(session: &Session, arguments: &AuditArguments, (audit, loaded): (&Audit, &Loaded)) -> Result<(), Failure> {
    let date: String = os::timestamp(session.os.now_ns()).chars().take(10).collect();
    if let Some(path) = &arguments.out {
        if !path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("pdf")) {
            return Err(Failure::usage(format!("`--out {}` is no PDF", path.display()))
                .help("The report is a PDF: end its name in `.pdf`. `--format markdown` prints it as Markdown."));
        }
        let now_s = i64::try_from(session.os.now_ns() / 1_000_000_000).unwrap_or(0);
        let pdf = page::pdf(audit::report(audit, &loaded.claims, &date), now_s)?;
        os::write_atomically(&*session.os, path, &pdf).map_err(Failure::io(path))?;
        show::note(&format!("{} is the report", path.display()));
    }
    match session.format {
        Format::Json => show::print_json(audit)?,
        Format::Sarif => show::print_json(&audit::sarif(audit, &loaded.source))?,
        Format::Markdown => {
            show::print(&markdown::write(&audit::report(audit, &loaded.claims, &date), words::english()))
        }
        Format::Text => text(audit, arguments.all),
    }
    Ok(())
}

/// For a terminal: read in a minute.
fn text(audit: &Audit, is_all: bool) {
    show::print(&audit.paper);
    let width = audit.claims.iter().map(|claim| claim.id.chars().count()).max().unwrap_or(0).max(4) + 2;
    for claim in &audit.claims {
        show::print("");
        one_claim(claim, width, is_all);
    }
    let shown: Vec<&Finding> = audit.checks.iter().filter(|one| is_all || one.verdict > Outcome::Pass).collect();
    if !shown.is_empty() {
        show::print("\nfindings that no claim depends on");
        let mut alike: std::collections::BTreeMap<(&str, Outcome, &str), usize> = Default::default();
        for finding in shown {
            let count = alike.entry((finding.check, finding.verdict, &finding.place.table)).or_default();
            *count += 1;
            if is_all || *count <= ALIKE_MAX {
                one_finding(finding);
            }
        }
        for ((check, _, table), count) in alike.iter().filter(|(_, count)| !is_all && **count > ALIKE_MAX) {
            show::print(&format!("  {} more of {check} in {table}: `--all` shows them", count - ALIKE_MAX));
        }
    }
    let count = |words: &std::collections::BTreeMap<String, usize>| {
        words.iter().map(|(word, count)| format!("{count} {word}")).collect::<Vec<_>>().join(", ")
    };
    let claims = if audit.claims.is_empty() { "none".to_owned() } else { count(&audit.summary.claims) };
    show::print(&format!("\nclaims: {claims}\nother checks: {}", count(&audit.summary.checks)));
}

fn one_claim(claim: &Judged, width: usize, is_all: bool) {
    let impact = claim.impact.map(|impact| format!(" ({})", audit::impact_word(impact))).unwrap_or_default();
    let place = if claim.place.is_empty() { String::new() } else { format!("  [{}]", claim.place) };
    show::print(&format!("{:width$}{}{impact}{place}", claim.id, claim.verdict.word().to_uppercase()));
    for text in [&claim.text, &claim.why] {
        for line in show::wrap(text, WIDTH - width) {
            show::print(&format!("{:width$}{line}", ""));
        }
    }
    for line in claim.evidence.iter().filter(|_| is_all).flat_map(audit::Chain::lines) {
        show::print(&format!("{:width$}├ {}", "", crate::diagnostic::printable(&line)));
    }
    let is_shown = |finding: &&Finding| is_all || finding.verdict > Outcome::Pass;
    claim.checks.iter().filter(|finding| finding.check != "claim").filter(is_shown).for_each(one_finding);
}

fn one_finding(finding: &Finding) {
    let row = finding.place.row.map_or(String::new(), |row| format!(" {row}"));
    let label = if finding.place.label.is_empty() { String::new() } else { format!(" {}", finding.place.label) };
    let head = format!("  {} {}: {}{row}{label}", audit::outcome_word(finding), finding.check, finding.place.table);
    show::wrap(&head, WIDTH).iter().for_each(|line| show::print(&format!("  {line}")));
    for line in show::wrap(&audit::detail(finding), WIDTH - 6) {
        show::print(&format!("      {line}"));
    }
}

/// The beginning of a claims file, out of a table.
fn scaffold(session: &Session, table: &Path) -> Result<u8, Failure> {
    let bytes = session.os.read(table, TABLE_LIMIT_BYTES).map_err(Failure::io(table))?;
    let text = String::from_utf8_lossy(&crate::encoding::decode(&bytes)).into_owned();
    let name = table.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let made =
        claims::scaffold(&text, &name).map_err(|reason| Failure::usage(format!("{}: {reason}", table.display())))?;
    show::print(&made);
    show::note(&format!(
        "save it as {CLAIMS_FILE} beside {name}, and say what each column is: `benchpaper audit --roles`"
    ));
    Ok(0)
}
