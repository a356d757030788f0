//! `mark`: a person declares a finished attempt invalid. It stays in the record; the paper counts it.

use crate::cli::arguments::MarkArguments;
use crate::cli::failure::Failure;
use crate::cli::{Session, show, workspace};
use crate::store::event::{Event, Genesis, JOURNAL_FORMAT};
use crate::store::history::history;
use crate::store::{NewRun, Reader, Writer};

pub(crate) fn run(session: &Session, arguments: &MarkArguments) -> Result<u8, Failure> {
    let loaded = workspace::load(session, &arguments.experiment.experiment)?;
    let layout = loaded.workspace.layout();
    let name = loaded.experiment.name.value.clone();
    let mut reader = Reader::open(&*session.os, &layout)?;
    let history = history(&*session.os, &layout, &mut reader, &name)?;
    drop(reader);
    let wanted = arguments.job.strip_prefix("sha256:").unwrap_or(&arguments.job);
    let matching: Vec<_> = history
        .runs
        .iter()
        .flat_map(|(_, journal)| journal.events())
        .filter_map(|event| match event {
            Event::Finished(finished)
                if finished.job.hex().starts_with(wanted) && finished.attempt == arguments.attempt =>
            {
                Some(finished.job)
            }
            _ => None,
        })
        .collect();
    let [job] = matching.as_slice() else {
        let message = format!("{} finished attempts fit, expected one", matching.len());
        return Err(Failure::usage(message).help("`benchpaper plan --why` prints the keys of jobs."));
    };
    let (_, lock_text) = loaded.lock(session)?;
    let os = &*session.os;
    let genesis = |run, manifest, lock| Genesis {
        format: JOURNAL_FORMAT.to_owned(),
        run,
        experiment: name.clone(),
        profile: "mark".to_owned(),
        manifest,
        lock,
        previous: history.newest_head(),
        program: concat!("benchpaper ", env!("CARGO_PKG_VERSION")).to_owned(),
        created: crate::os::timestamp(os.now_ns()),
        boot: "none".to_owned(),
        environment: loaded.experiment.environment(),
        waivers: Default::default(),
        commit: None,
        origin: Default::default(),
        sources: vec![],
    };
    let new = NewRun { manifest: loaded.source.text().as_bytes(), lock: lock_text.as_bytes(), genesis: &genesis };
    let mut writer = Writer::begin(os, &layout, &new)?;
    let (reason, by) = (arguments.reason.clone(), arguments.by.clone());
    writer.record(&Event::Marked { job: *job, attempt: arguments.attempt, reason, by })?;
    writer.seal(0, 0)?;
    show::print(&format!("attempt {} of job {} is marked invalid", arguments.attempt, job.short()));
    Ok(0)
}
