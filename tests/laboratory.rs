//! A repository in a temporary folder, and the program run in it.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A repository that is removed at the end.
pub(crate) struct Laboratory {
    folder: tempfile::TempDir,
}

/// What the program printed.
#[derive(Debug)]
pub(crate) struct Said {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl From<Output> for Said {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

/// Commands that print a number: one case for each level.
pub(crate) const ECHO: &str = r#"format: benchpaper/experiment@1
name: echo
title: Echo | with *markup* & <signs>
version: 1.0.0
authors: [{name: The tests}]
question: Does what is printed arrive?
hosts: {bench: {role: [controller, sut], access: local}}
workloads:
  say: {tool: command, argv: [printf, "took %s ms", "{n}"], read: {latency_mean: {regex: "took (\\S+) ms", unit: ms}}}
matrix: {factors: {n: [1, 2, 4.5]}}
design: {replicates: 3, order: interleaved, seed: 7, noise: {case: {n: 1}, pairs: 5}}
treatment: [n]
"#;

/// The arguments of the command in [`ECHO`], to be replaced.
pub(crate) const ECHO_ARGV: &str = r#"[printf, "took %s ms", "{n}"]"#;
/// The noise pairs of [`ECHO`], to be replaced.
pub(crate) const ECHO_NOISE: &str = ", noise: {case: {n: 1}, pairs: 5}";

impl Laboratory {
    /// An empty repository.
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("experiments")).unwrap();
        Self { folder }
    }

    /// With one experiment.
    pub(crate) fn with(name: &str, manifest: &str) -> Self {
        let laboratory = Self::new();
        laboratory.write(&format!("experiments/{name}/experiment.yaml"), manifest.as_bytes());
        laboratory
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn join(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    pub(crate) fn write(&self, path: &str, bytes: &[u8]) {
        let path = self.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }

    pub(crate) fn read(&self, path: &str) -> String {
        std::fs::read_to_string(self.join(path)).unwrap()
    }

    /// The program with these arguments, not yet started.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(program());
        command.args(arguments).current_dir(self.path());
        command.env("BENCHPAPER_MEASURING_LOCK", self.join("measuring.lock")).env("NO_COLOR", "1");
        command
    }

    pub(crate) fn say(&self, arguments: &[&str]) -> Said {
        self.command(arguments).output().unwrap().into()
    }

    /// Runs the program and demands an exit code.
    pub(crate) fn expect(&self, code: i32, arguments: &[&str]) -> Said {
        let said = self.say(arguments);
        assert_eq!(said.code, code, "{arguments:?}: {said:#?}");
        said
    }

    /// Runs the program with `--format json`, demands an exit code, and reads what it printed.
    pub(crate) fn json(&self, code: i32, arguments: &[&str]) -> serde_json::Value {
        let said = self.expect(code, &[arguments, &["--format", "json"]].concat());
        serde_json::from_str(&said.stdout).unwrap()
    }

    /// Locks and runs an experiment.
    pub(crate) fn measured(name: &str, manifest: &str) -> Self {
        let laboratory = Self::with(name, manifest);
        laboratory.expect(0, &["lock", name]);
        laboratory.expect(0, &["run", name]);
        laboratory
    }

    pub(crate) fn git(&self, arguments: &[&str]) {
        let settings = ["user.name=t", "user.email=t@example.org", "init.defaultBranch=main", "commit.gpgsign=false"];
        let settings = settings.iter().flat_map(|setting| ["-c", setting]);
        let output = Command::new("git").args(settings).args(arguments).current_dir(self.path()).output().unwrap();
        assert!(output.status.success(), "git {arguments:?}: {output:?}");
    }

    /// Everything in a commit.
    pub(crate) fn commit(&self) {
        self.write(".gitignore", b"/artifacts/*\n!/artifacts/.gitignore\nmeasuring.lock\n");
        self.git(&["init", "-q"]);
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "-m", "inputs"]);
    }

    /// The folder of the only run.
    pub(crate) fn run_folder(&self) -> PathBuf {
        let entries = std::fs::read_dir(self.join("artifacts/runs")).unwrap();
        let runs: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
        assert_eq!(runs.len(), 1, "{runs:?}");
        runs.into_iter().next().unwrap()
    }
}

/// The program under test.
pub(crate) fn program() -> &'static str {
    env!("CARGO_BIN_EXE_benchpaper")
}

/// Copies a folder and all below it.
pub(crate) fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap().flatten() {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}
