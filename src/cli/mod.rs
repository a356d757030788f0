//! The command line: arguments in, one verb, an exit code out.
//!
//! Results go to stdout, all else to stderr. 0 clean · 1 findings or a difference · 2 bad input or usage · 3 evidence
//! incomplete or a job failed · 4 integrity failure · 70 our bug.

mod arguments;
mod command;
mod delta;
mod evidence;
mod failure;
mod host;
mod image;
mod page;
mod progress;
mod rerun;
mod sessions;
mod show;
mod side;
mod workspace;

use std::sync::Arc;

use clap::Parser as _;

use crate::os::{Machine, Os};

use arguments::{Arguments, Format, Verb};
use failure::Failure;

/// What every verb gets.
pub(crate) struct Session {
    pub(crate) os: Arc<dyn Os>,
    pub(crate) is_json: bool,
    pub(crate) format: Format,
    pub(crate) root: Option<std::path::PathBuf>,
}

/// Runs the program and returns its exit code.
pub fn main() -> u8 {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            let code = if error.use_stderr() { 2 } else { 0 };
            let _ = error.print();
            return code;
        }
    };
    let session = Session {
        os: Arc::new(Machine),
        is_json: arguments.format == Format::Json,
        format: arguments.format,
        root: arguments.root.clone(),
    };
    if matches!(arguments.format, Format::Markdown | Format::Sarif)
        && !matches!(arguments.verb, Verb::Audit(_) | Verb::Diff(_))
    {
        show::note("error: this verb prints text or JSON; only `audit` prints Markdown and SARIF");
        return 2;
    }
    let work = std::panic::AssertUnwindSafe(|| dispatch(&session, arguments.verb));
    match std::panic::catch_unwind(work) {
        Err(_) => {
            show::note("this is a bug in benchpaper; please report it with what is printed above");
            70
        }
        Ok(Ok(code)) => code,
        Ok(Err(failure)) => {
            show::failure(&session, &failure);
            failure.exit_code()
        }
    }
}

fn dispatch(session: &Session, verb: Verb) -> Result<u8, Failure> {
    match verb {
        Verb::Init(arguments) => command::init::run(session, &arguments),
        Verb::Check(arguments) => command::check::run(session, &arguments),
        Verb::Inventory(arguments) => command::inventory::run(session, &arguments),
        Verb::Lock(arguments) => command::lock::run(session, &arguments),
        Verb::Plan(arguments) => command::plan::run(session, &arguments),
        Verb::Run(arguments) => command::run::run(session, &arguments),
        Verb::Parse(arguments) => command::parse::run(session, &arguments),
        Verb::Import(arguments) => command::import::run(session, &arguments),
        Verb::Post(arguments) => command::post::run(session, &arguments),
        Verb::Results(arguments) => command::results::run(session, &arguments),
        Verb::Render(arguments) => command::render::run(session, &arguments),
        Verb::Publish(arguments) => command::publish::run(session, &arguments),
        Verb::Verify(arguments) => command::verify::run(session, &arguments),
        Verb::Audit(arguments) => command::audit::run(session, &arguments),
        Verb::Diff(arguments) => command::diff::run(session, &arguments),
        Verb::Export(arguments) => command::export::run(session, &arguments),
        Verb::Trace(arguments) => command::trace::run(session, &arguments),
        Verb::Store(arguments) => command::store::run(session, &arguments),
        Verb::Mark(arguments) => command::mark::run(session, &arguments),
        Verb::Schema(arguments) => command::schema::run(session, &arguments),
        Verb::Completions(arguments) => command::completions::run(session, &arguments),
        Verb::Man => command::man::run(session),
        Verb::Supervise(arguments) => command::supervise::run(&arguments),
    }
}
