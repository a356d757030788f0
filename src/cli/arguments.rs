//! The command line as types: every verb, what it takes, and what it may execute.

use std::path::PathBuf;

use crate::summary::Form;

use clap::{Args, Parser, Subcommand, ValueEnum};

/// Performance whitepapers that carry their own proof.
#[derive(Debug, Parser)]
#[command(name = "benchpaper", version, max_term_width = 100, arg_required_else_help = true)]
pub(crate) struct Arguments {
    /// The repository; found from the current folder upward where it is not named
    #[arg(long, global = true, value_name = "FOLDER")]
    pub(crate) root: Option<PathBuf>,
    /// How results are printed
    #[arg(long, global = true, value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,
    #[command(subcommand)]
    pub(crate) verb: Verb,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    Text,
    Json,
    /// Only of `audit` and `diff`
    Markdown,
    /// Only of `audit`
    Sarif,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    /// Write a commented manifest for this machine (runs nothing but our fixed probes)
    Init(InitArguments),
    /// Read a manifest and its prose and report every problem (executes nothing)
    Check(ExperimentArguments),
    /// Print the facts of this machine (runs nothing but our fixed probes)
    Inventory(InventoryArguments),
    /// Pin machine, programs and cases (runs nothing but our fixed probes)
    Lock(LockArguments),
    /// Print what would run, in which order, for how long, and what it can show (executes nothing)
    Plan(PlanArguments),
    /// Measure: executes what the manifest says
    Run(RunArguments),
    /// Print what a tool's output says (executes nothing)
    Parse(ParseArguments),
    /// Attach files that somebody else made to the cases of an experiment (executes nothing)
    Import(ImportArguments),
    /// Print a short block about a result, for a forum, a mail or a commit (executes nothing)
    Post(PostArguments),
    /// Print results (executes nothing)
    Results(ResultsArguments),
    /// Make the paper from what was measured (executes nothing)
    Render(RenderArguments),
    /// Make, verify and freeze the paper under its version (executes nothing)
    Publish(PublishArguments),
    /// Check a paper against itself and its evidence (executes nothing)
    Verify(VerifyArguments),
    /// Check the claims of a paper against what it prints (executes nothing)
    Audit(AuditArguments),
    /// Say what differs between two records of an experiment, and what that did to its results (executes nothing)
    Diff(DiffArguments),
    /// Write all runs of an experiment with their objects as one file, to hand on (executes nothing)
    Export(ExportArguments),
    /// Show where a printed number comes from (executes nothing)
    Trace(TraceArguments),
    /// Look after the store
    Store(StoreArguments),
    /// Declare a finished attempt invalid, with a reason and a name (executes nothing)
    Mark(MarkArguments),
    /// Print the JSON Schema of manifests or claims (executes nothing)
    Schema(SchemaArguments),
    /// Print completions for a shell
    Completions(CompletionsArguments),
    /// Print the manual page
    Man,
    /// Used by `run`: ends what a killed runner leaves behind
    #[command(hide = true)]
    Supervise(SuperviseArguments),
}

#[derive(Debug, Args)]
pub(crate) struct ExperimentArguments {
    /// The experiment: its folder or its name
    pub(crate) experiment: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct InitArguments {
    /// The name of the new experiment
    pub(crate) name: String,
    /// Begin with a job file of fio, or with what a tool printed
    #[arg(long, value_name = "FILE")]
    pub(crate) from: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct InventoryArguments {
    /// Programs whose version and digest are wanted
    #[arg(long = "program", value_name = "PROGRAM")]
    pub(crate) programs: Vec<String>,
    /// Print the facts as `declared:` for a manifest
    #[arg(long, conflicts_with = "from")]
    pub(crate) fragment: bool,
    /// Read a folder of saved outputs instead of this machine, and print the fragment of a manifest
    #[arg(long, value_name = "FOLDER")]
    pub(crate) from: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct LockArguments {
    #[command(flatten)]
    pub(crate) experiment: ExperimentArguments,
    /// Compare with the lock that is there instead of writing it
    #[arg(long)]
    pub(crate) check: bool,
}

#[derive(Debug, Args)]
pub(crate) struct PlanArguments {
    #[command(flatten)]
    pub(crate) experiment: ExperimentArguments,
    /// A profile of the manifest
    #[arg(long)]
    pub(crate) profile: Option<String>,
    /// Print every job with the reason why it runs or not
    #[arg(long)]
    pub(crate) why: bool,
    /// Print what a person does for each job that is run by hand, and under which name to save what comes out
    #[arg(long, conflicts_with = "why")]
    pub(crate) runsheet: bool,
    /// Write the run sheet as a PDF to take to the laboratory
    #[arg(long, value_name = "FILE", requires = "runsheet")]
    pub(crate) out: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct RunArguments {
    #[command(flatten)]
    pub(crate) experiment: ExperimentArguments,
    /// A profile of the manifest
    #[arg(long)]
    pub(crate) profile: Option<String>,
    /// Continue the newest run that was interrupted
    #[arg(long)]
    pub(crate) resume: bool,
    /// Tell a recorded run again; nothing is executed
    #[arg(long, value_name = "RUN", conflicts_with_all = ["resume", "only", "waivers"])]
    pub(crate) replay: Option<String>,
    /// Only cases whose label holds this text, such as `block_size=4 KiB`
    #[arg(long, value_name = "TEXT")]
    pub(crate) only: Option<String>,
    /// Accept that a fact differs from the lock: `FACT=REASON`; the paper prints it
    #[arg(long = "waive", value_name = "FACT=REASON")]
    pub(crate) waivers: Vec<String>,
    /// Where test files are made
    #[arg(long, value_name = "FOLDER")]
    pub(crate) scratch: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct ParseArguments {
    /// Files that tools printed; `-` for standard input
    #[arg(required = true)]
    pub(crate) files: Vec<PathBuf>,
    /// The tool, where its output does not say
    #[arg(long)]
    pub(crate) tool: Option<String>,
    /// Take the files as replicates: median and interval of each metric by job and direction
    #[arg(long)]
    pub(crate) summary: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ImportArguments {
    #[command(flatten)]
    pub(crate) experiment: ExperimentArguments,
    /// Files that tools printed, or folders of them
    #[arg(required = true)]
    pub(crate) files: Vec<PathBuf>,
    /// A profile of the manifest
    #[arg(long)]
    pub(crate) profile: Option<String>,
    /// The numbers were copied by hand: from a picture or page that is kept with them, an address, or `cite:WORDS`
    #[arg(long, value_name = "FILE|ADDRESS")]
    pub(crate) transcribed_from: Vec<String>,
    /// Where the files come from, in words that the paper prints
    #[arg(long, value_name = "WORDS")]
    pub(crate) source: Vec<String>,
    /// Say what belongs where and record nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
}

#[derive(Debug, Args)]
pub(crate) struct PostArguments {
    /// Files that tools printed; several of one tool are taken as replicates
    #[arg(required = true)]
    pub(crate) files: Vec<PathBuf>,
    /// The tool, where its output does not say
    #[arg(long)]
    pub(crate) tool: Option<String>,
    /// For a forum or mail, for Markdown, or for a commit message (ASCII, 72 columns)
    #[arg(long = "as", value_enum, default_value_t = Form::Text)]
    pub(crate) form: Form,
}

#[derive(Debug, Args)]
pub(crate) struct ResultsArguments {
    #[command(flatten)]
    pub(crate) experiment: ExperimentArguments,
    /// A profile of the manifest
    #[arg(long)]
    pub(crate) profile: Option<String>,
    /// Print one row a value as CSV
    #[arg(long)]
    pub(crate) csv: bool,
}

#[derive(Debug, Args)]
pub(crate) struct RenderArguments {
    #[command(flatten)]
    pub(crate) experiment: ExperimentArguments,
    /// A profile of the manifest
    #[arg(long)]
    pub(crate) profile: Option<String>,
    /// Where the files go; `reports/NAME/draft` where it is not named
    #[arg(long, value_name = "FOLDER")]
    pub(crate) out: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct PublishArguments {
    #[command(flatten)]
    pub(crate) experiment: ExperimentArguments,
    /// A profile of the manifest
    #[arg(long)]
    pub(crate) profile: Option<String>,
    /// Accept uncommitted inputs and missing results, and mark every page
    #[arg(long)]
    pub(crate) draft: bool,
}

#[derive(Debug, Args)]
pub(crate) struct VerifyArguments {
    /// A PDF, or the folder of a report
    pub(crate) paper: PathBuf,
    /// Only the same bytes and all evidence are success
    #[arg(long)]
    pub(crate) strict: bool,
    /// Used by `verify` itself, in a child with limits
    #[arg(long, hide = true)]
    pub(crate) limited: bool,
}

#[derive(Debug, Args)]
pub(crate) struct AuditArguments {
    /// An experiment with a `claims.yaml`, a folder that holds one, or the file itself
    pub(crate) subject: Option<PathBuf>,
    /// Write the report as a PDF
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Also show what passed, and what could not be compared and why
    #[arg(long)]
    pub(crate) all: bool,
    /// Say what a check compares and why: U1, L1
    #[arg(long, value_name = "CHECK")]
    pub(crate) explain: Option<String>,
    /// List what columns and facts can be
    #[arg(long)]
    pub(crate) roles: bool,
    /// Begin a claims file from a table: CSV, TSV or Markdown
    #[arg(long, value_name = "TABLE")]
    pub(crate) new: Option<PathBuf>,
    /// A profile of the manifest, where the paper is that of an experiment
    #[arg(long)]
    pub(crate) profile: Option<String>,
    /// Run the experiment anew, beside its record, and say which numbers it gives again; it says first what it executes
    #[arg(long, conflicts_with_all = ["explain", "roles", "new"])]
    pub(crate) rerun: bool,
    /// For `--rerun`: accept that a fact differs from the lock: `FACT=REASON`
    #[arg(long = "waive", value_name = "FACT=REASON", requires = "rerun")]
    pub(crate) waivers: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct DiffArguments {
    /// Two sides, or more in the order of time: an experiment, a revision, `REVISION:experiments/NAME`, a run, `NAME@VERSION`,
    /// a PDF, a bundle, or a folder of any of them
    #[arg(required = true, num_args = 2.., value_name = "SIDE")]
    pub(crate) sides: Vec<String>,
    /// A profile of the manifest
    #[arg(long)]
    pub(crate) profile: Option<String>,
    /// Also show what did not change, and what people read and jobs do not
    #[arg(long)]
    pub(crate) all: bool,
    /// Write manifests that separate causes which changed together, each in a folder of its own below this one
    #[arg(long, value_name = "FOLDER")]
    pub(crate) isolate: Option<PathBuf>,
    /// Write the diff as Markdown into this new folder, with its charts beside it
    #[arg(long, value_name = "FOLDER")]
    pub(crate) out: Option<PathBuf>,
    #[arg(long, hide = true)]
    pub(crate) limited: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ExportArguments {
    #[command(flatten)]
    pub(crate) experiment: ExperimentArguments,
    /// The new file, a tar archive; `NAME.tar` unless said otherwise
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct TraceArguments {
    /// A PDF, or the folder of a report
    pub(crate) paper: PathBuf,
    /// A printed number, its place in reading order (`#12`), or a part of its name
    #[arg(allow_hyphen_values = true)]
    pub(crate) token: String,
    /// Used by `trace` itself, in a child with limits
    #[arg(long, hide = true)]
    pub(crate) limited: bool,
}

#[derive(Debug, Args)]
pub(crate) struct StoreArguments {
    #[command(subcommand)]
    pub(crate) verb: StoreVerb,
}

#[derive(Debug, Subcommand)]
pub(crate) enum StoreVerb {
    /// Check every journal, head, pack and object
    Check,
    /// Print the bytes of an object, such as what a job printed
    Show {
        /// Its digest, or the first digits of it
        digest: String,
    },
    /// Print what nothing refers to; remove it with --yes
    Prune {
        /// Remove what was planned
        #[arg(long)]
        yes: bool,
    },
}

#[derive(Debug, Args)]
pub(crate) struct MarkArguments {
    #[command(flatten)]
    pub(crate) experiment: ExperimentArguments,
    /// The job's key, or its first digits
    #[arg(long)]
    pub(crate) job: String,
    /// Which attempt
    #[arg(long)]
    pub(crate) attempt: u64,
    /// Why it is not to be used
    #[arg(long)]
    pub(crate) reason: String,
    /// Who says so
    #[arg(long)]
    pub(crate) by: String,
}

#[derive(Debug, Args)]
pub(crate) struct SchemaArguments {
    /// Which document
    #[arg(value_enum, default_value_t = SchemaKind::Experiment)]
    pub(crate) kind: SchemaKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SchemaKind {
    Experiment,
    Claims,
}

#[derive(Debug, Args)]
pub(crate) struct CompletionsArguments {
    /// The shell
    #[arg(value_enum)]
    pub(crate) shell: clap_complete::Shell,
}

#[derive(Debug, Args)]
pub(crate) struct SuperviseArguments {
    pub(crate) mark: String,
    pub(crate) lock: Option<PathBuf>,
}
