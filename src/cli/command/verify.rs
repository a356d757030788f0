//! `verify`: a paper against itself and its evidence, in a child process with limits.

use std::path::{Path, PathBuf};

use crate::cli::arguments::VerifyArguments;
use crate::cli::failure::Failure;
use crate::cli::workspace::Workspace;
use crate::cli::{Session, show};
use crate::os::limits;
use crate::pdf;
use crate::render::Input;
use crate::store::history::history;
use crate::store::{Layout, Reader};
use crate::verify::{self, Again, Anchor, Opened, Record, Report};

/// What reading a stranger's file may take.
const MEMORY_BYTES: u64 = 3 << 30;
const PROCESSOR_S: u64 = 60;

pub(crate) fn run(session: &Session, arguments: &VerifyArguments) -> Result<u8, Failure> {
    if !arguments.limited {
        return in_child(session);
    }
    limit_this_process()?;
    let path = paper_path(session, &arguments.paper);
    let bytes = session.os.read(&path, pdf::FILE_LIMIT_BYTES).map_err(Failure::io(&path))?;
    verify::attachments(&bytes).map_err(|error| no_paper(&path, &error))?;
    let opened = Opened::open(&bytes)?;
    let mut report = match layout_of(session, &path) {
        Some(layout) => {
            let name = &opened.resolved.experiment.name.value;
            let mut reader = Reader::open(&*session.os, &layout)?;
            let history = history(&*session.os, &layout, &mut reader, name)?;
            verify::verify(&opened, Some(&Record { history: &history, reader: &reader }))?
        }
        None => verify::verify(&opened, None)?,
    };
    if path != arguments.paper {
        compare_folder(session, &arguments.paper, (&bytes, &opened), &mut report)?;
    }
    anchor(&path, &opened.input, &mut report);
    if session.is_json {
        show::print_json(&report)?;
    } else {
        show_report(&path, &report);
    }
    Ok(report.exit_code(arguments.strict))
}

fn no_paper(path: &Path, error: &verify::VerifyError) -> Failure {
    let help = "`verify` takes the PDF of a paper, or the folder of its report.";
    Failure::Other { code: 4, message: format!("{}: {error}", path.display()), help: Some(help.to_owned()) }
}

/// Limits what reading a stranger's file may take.
pub(crate) fn limit_this_process() -> Result<(), Failure> {
    limits::set(MEMORY_BYTES, PROCESSOR_S).map_err(|error| Failure::incomplete(error.to_string()))
}

/// The same command line once more, as a child that limits itself.
pub(crate) fn in_child(session: &Session) -> Result<u8, Failure> {
    let program = session.os.own_program().map_err(Failure::io(Path::new("benchpaper")))?;
    match limits::repeat_in_child(&program, &["verify", "trace", "diff"], "--limited") {
        Ok(Some(code)) => Ok(code),
        Ok(None) => {
            let message = "it can not be read within the limits on memory and time";
            Err(Failure::Other {
                code: 4,
                message: message.to_owned(),
                help: Some("It may be damaged, or made to do harm.".to_owned()),
            })
        }
        Err(error) => Err(Failure::incomplete(error.to_string())),
    }
}

/// The PDF of a report's folder, or the file itself.
pub(crate) fn paper_path(session: &Session, given: &Path) -> PathBuf {
    let inside = given.join("paper.pdf");
    if crate::os::is_there(&*session.os, &inside).unwrap_or(false) { inside } else { given.to_owned() }
}

/// The store of the repository that a paper lies in, or of the current one.
pub(crate) fn layout_of(session: &Session, path: &Path) -> Option<Layout> {
    let folder = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let workspace = Workspace::find(session, folder).or_else(|_| Workspace::here(session)).ok()?;
    let layout = workspace.layout();
    crate::os::is_there(&*session.os, &layout.runs()).ok().filter(|is_there| *is_there).map(|_| layout)
}

/// All that lies beside a published PDF is what the paper is made of, and nothing else lies there.
fn compare_folder(
    session: &Session,
    folder: &Path,
    (bytes, opened): (&[u8], &Opened<'_>),
    report: &mut Report,
) -> Result<(), Failure> {
    let files = crate::publish::files(&opened.paper, bytes.to_vec());
    let differing = crate::publish::differing(&*session.os, folder, &files).map_err(Failure::io(folder))?;
    report.failures.extend(differing.into_iter().map(|one| format!("{}: {one}", folder.display())));
    Ok(())
}

/// A paper rests on a commit where the repository it lies in has that commit for its experiment.
fn anchor(path: &Path, input: &Input, report: &mut Report) {
    let Some(commit) = &input.context.commit else { return };
    let folder = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let has = |text: &str| crate::os::git::has_file(folder, commit, text.as_bytes());
    let prose_is_ours = input.prose == crate::render::DEFAULT_TEMPLATE;
    if has(&input.manifest) && has(&input.lock) && (prose_is_ours || has(&input.prose)) {
        report.anchored = Anchor::Commit;
    }
}

fn show_report(path: &Path, report: &Report) {
    let again = match report.rendered_again {
        Again::Same => "the same bytes",
        Again::TextConsistent => "the same text, other bytes",
        Again::Different => "different",
        Again::Skipped => "not done",
    };
    let anchored = match report.anchored {
        Anchor::None => "nothing but itself: being consistent is not being authentic",
        Anchor::Commit => "the commit it names, which this repository has",
    };
    show::print(&path.display().to_string());
    show::print(&format!("  numbers         {} checked, {} failed", report.numbers.checked, report.numbers.failed));
    show::print(&format!(
        "  raw objects     {} checked, {} missing, {} failed",
        report.objects.checked, report.objects.missing, report.objects.failed
    ));
    show::print(&format!("  rendered again  {again}"));
    show::print(&format!("  rests on        {anchored}"));
    for failure in &report.failures {
        show::print(&format!("  FAILED  {}", crate::diagnostic::printable(failure)));
    }
    for note in &report.notes {
        show::print(&format!("  note    {}", crate::diagnostic::printable(note)));
    }
}
