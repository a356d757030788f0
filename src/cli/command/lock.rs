//! `lock`: pins machine, programs and cases; `--check` compares.

use std::collections::BTreeMap;

use crate::cli::arguments::LockArguments;
use crate::cli::failure::Failure;
use crate::cli::host::{facts, refuse_missing_programs};
use crate::cli::workspace::Loaded;
use crate::cli::{Session, image, show, workspace};
use crate::inventory::Inventory;
use crate::lock::{self, CasesPin, Lock};
use crate::os;
use crate::plan;

pub(crate) fn run(session: &Session, arguments: &LockArguments) -> Result<u8, Failure> {
    let loaded = workspace::load(session, &arguments.experiment.experiment)?;
    image::check_disks(&loaded)?;
    let mut cases: BTreeMap<String, CasesPin> = BTreeMap::new();
    let mut programs = vec![];
    let mut all = vec![];
    for profile in plan::profile_names(&loaded.experiment) {
        let expansion = loaded.expand(Some(&profile))?;
        programs.extend(plan::programs(&expansion.cases));
        cases.insert(profile, plan::cases_pin(&expansion.cases));
        all.extend(expansion.cases);
    }
    programs.sort();
    programs.dedup();
    let inventory = facts(session, &loaded, &programs)?;
    let missing = lock::check_requirements(&loaded.experiment, &inventory, &loaded.source);
    if !missing.is_empty() {
        return Err(missing.into());
    }
    refuse_missing_programs(session, &loaded, &programs)?;
    image::check_servers(&loaded, &all)?;
    image::check_hypervisor(&loaded, &all, &inventory)?;
    if arguments.check {
        return check(session, &loaded, &inventory, &cases);
    }
    let images = image::build(session, &loaded, None)?;
    let lock = lock::resolve(&loaded.experiment, &inventory, loaded.file_digests(), cases);
    let lock = Lock { images, ..lock };
    image::probe_accelerator(session, &loaded, &lock, &all)?;
    let text = lock::to_yaml(&lock).map_err(Failure::incomplete)?;
    let path = loaded.lock_path();
    os::write_atomically(&*session.os, &path, text.as_bytes()).map_err(Failure::io(&path))?;
    if session.is_json {
        show::print_json(&lock)?;
    } else {
        show::print(&format!("{}: {} facts, {} profiles", path.display(), lock.facts.len(), lock.cases.len()));
    }
    Ok(0)
}

fn check(
    session: &Session,
    loaded: &Loaded,
    inventory: &Inventory,
    cases: &BTreeMap<String, CasesPin>,
) -> Result<u8, Failure> {
    let (lock, _) = loaded.lock(session)?;
    image::check_lock(loaded, &lock)?;
    let differences = lock::differences(&lock, inventory);
    let other: Vec<&String> = cases
        .iter()
        .filter(|(profile, pin)| lock.cases.get(*profile) != Some(pin))
        .map(|(profile, _)| profile)
        .collect();
    if session.is_json {
        show::print_json(&serde_json::json!({"facts": differences, "profiles": other}))?;
    } else if differences.is_empty() && other.is_empty() {
        show::print("the lock holds");
    } else {
        let rows: Vec<Vec<String>> =
            differences.iter().map(|one| vec![one.fact.clone(), one.locked.clone(), one.found.clone()]).collect();
        if !rows.is_empty() {
            show::print(&show::table(&["fact", "locked", "found"], &rows, &[]));
        }
        for profile in &other {
            show::print(&format!("the cases of the profile `{profile}` are others"));
        }
    }
    Ok(u8::from(!differences.is_empty() || !other.is_empty()))
}
