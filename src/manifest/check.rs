//! What holds between the parts of a manifest: names that are referred to, levels, treatment, the numbers of the design.

use super::guest::{Accelerator, Hypervisor};
use super::node::{Node, Value};
use super::shape::{Problems, Spanned};
use super::{Arm, Experiment, FORMAT, NO_ACCESS, Role};
use crate::digest::Digest;
use crate::name::{Name, nearest};
use crate::source::Span;
use crate::store::event::Environment;

/// What holds between parts of a manifest.
pub(super) fn check(experiment: &Experiment, problems: &mut Problems) {
    if experiment.format.value != FORMAT {
        let message = format!("the format `{}`, expected `{FORMAT}`", experiment.format.value);
        problems.error("manifest::format", experiment.format.span, message, format!("Write `format: {FORMAT}`."));
    }
    check_version(&experiment.version, problems);
    check_hosts(experiment, problems);
    check_guests(experiment, problems);
    check_factors(experiment, problems);
    check_exclusions(experiment, problems);
    check_treatment(experiment, problems);
    check_design(experiment, problems);
    super::sessions::check(experiment, problems);
    check_manual(experiment, problems);
    if experiment.workloads.is_empty() {
        problems.error(
            "manifest::no-workloads",
            experiment.name.span,
            "there is no workload",
            "Describe one under `workloads`.",
        );
    }
}

/// A machine without access takes no jobs, results need a case, and a number of people's replicates is a number.
fn check_manual(experiment: &Experiment, problems: &mut Problems) {
    let sut = experiment.sut().filter(|sut| sut.access.value.word() == NO_ACCESS);
    for (name, workload) in experiment.workloads.iter() {
        let is_manual = experiment.is_manual(workload);
        if let (Some(sut), false) = (sut, is_manual) {
            let message = format!("the workload `{}` can not be run on a machine without access", name.value);
            let help = "Write `execution: manual` for the workload or the whole experiment.";
            problems.error("manifest::access", sut.access.span, message, help);
        }
        if let (Some(environment), false) = (&workload.environment, is_manual) {
            let message = "the environment of a workload that benchpaper runs is that of the experiment";
            problems.error(
                "manifest::environment",
                environment.span,
                message,
                "Leave it away, or add `execution: manual`.",
            );
        }
        if let Some(replicates) = &workload.replicates {
            if !is_manual {
                let message = "the workload has its own number of replicates, and benchpaper runs it";
                let help = "Write the number in `design`, or add `execution: manual`.";
                problems.error("manifest::replicates", replicates.span, message, help);
            } else if !(1..=10_000).contains(&replicates.value) {
                let message = format!("{} replicates, expected 1 to 10000", replicates.value);
                problems.error(
                    "manifest::replicates",
                    replicates.span,
                    message,
                    "Write how often each case is measured.",
                );
            }
        }
    }
    for rule in &experiment.imports {
        for (factor, level) in rule.levels.iter() {
            let known = experiment.matrix.levels(factor.value.as_str());
            let Some(known) = known else {
                unknown_reference("factor", factor, experiment.matrix.names().into_iter(), problems);
                continue;
            };
            if !known.iter().any(|one| Some(&one.text) == level.scalar().as_ref()) {
                let message = format!("the factor `{}` has no such level", factor.value);
                problems.error("manifest::unknown-level", level.span, message, "Name a level of the matrix.");
            }
        }
    }
    for (_, host) in experiment.hosts.iter() {
        for (path, fact) in host.facts.iter() {
            if fact.object.value.parse::<Digest>().is_err() {
                let message = format!("`{}` is no digest", fact.object.value);
                let help = format!("`benchpaper inventory --from FOLDER` writes `{}` with one.", path.value);
                problems.error("manifest::digest", fact.object.span, message, help);
            }
        }
    }
}

fn check_version(version: &Spanned<String>, problems: &mut Problems) {
    let parts: Vec<&str> = version.value.split('.').collect();
    let is_number = |part: &&str| !part.is_empty() && part.len() < 10 && part.bytes().all(|byte| byte.is_ascii_digit());
    if parts.len() != 3 || !parts.iter().all(is_number) {
        let message = format!("the version `{}`, expected three numbers", version.value);
        problems.error("manifest::version", version.span, message, "Write it as `1.0.0`.");
    }
}

fn check_hosts(experiment: &Experiment, problems: &mut Problems) {
    let suts: Vec<_> = experiment.hosts.iter().filter(|(_, host)| host.role.0.contains(&Role::Sut)).collect();
    if suts.len() != 1 {
        let message = format!("{} hosts have the role `sut`, expected one", suts.len());
        problems.error(
            "manifest::sut",
            experiment.name.span,
            message,
            "Give exactly one host `role: [controller, sut]`.",
        );
    }
    let of_hosts = suts.iter().flat_map(|(_, host)| host.devices.names());
    let devices: Vec<&str> = of_hosts.chain(experiment.guest_devices()).collect();
    if let Some(fill) = experiment
        .design
        .precondition
        .iter()
        .map(|step| &step.fill)
        .find(|fill| !devices.contains(&fill.device.value.as_str()))
    {
        unknown_reference("device", &fill.device, devices.iter().copied(), problems);
    }
}

/// Reports a name that nothing has.
pub fn unknown_reference<'a>(
    what: &str,
    name: &Spanned<Name>,
    known: impl Iterator<Item = &'a str>,
    problems: &mut Problems,
) {
    let known: Vec<&str> = known.collect();
    let help = match nearest(name.value.as_str(), known.iter().copied()) {
        Some(meant) => format!("Did you mean `{meant}`?"),
        None if known.is_empty() => format!("No {what} is declared."),
        None => format!("Declared: {}.", known.iter().map(|one| format!("`{one}`")).collect::<Vec<_>>().join(", ")),
    };
    problems.error("manifest::unknown-reference", name.span, format!("no {what} is called `{}`", name.value), help);
}

fn check_factors(experiment: &Experiment, problems: &mut Problems) {
    for (special, known) in
        [("workload", experiment.workloads.names().collect::<Vec<_>>()), ("arm", experiment.arms.names().collect())]
    {
        let Some(levels) = experiment.matrix.levels(special) else { continue };
        for level in levels {
            if !known.contains(&level.text.as_str())
                && let Ok(value) = Name::new(&level.text)
            {
                unknown_reference(special, &Spanned { span: level.node.span, value }, known.iter().copied(), problems);
            }
        }
    }
    if !experiment.arms.is_empty() && experiment.matrix.levels("arm").is_none() {
        let help = "Add `arm: […]` to `matrix.factors`.";
        problems.error(
            "manifest::arms-unused",
            experiment.name.span,
            "there are arms, but no factor `arm` chooses one",
            help,
        );
    }
    if experiment.workloads.len() > 1 && experiment.matrix.levels("workload").is_none() {
        let help = "Add `workload: […]` to `matrix.factors`.";
        problems.error(
            "manifest::workloads-unused",
            experiment.name.span,
            "there are several workloads, but no factor `workload` chooses one",
            help,
        );
    }
}

fn check_exclusions(experiment: &Experiment, problems: &mut Problems) {
    for part in experiment.matrix.parts() {
        let levels = part.exclude.iter().flat_map(|exclusion| &exclusion.levels);
        for (factor, levels) in levels {
            let Some(known) = part.factors.get(factor.value.as_str()) else {
                unknown_reference("factor", factor, part.factors.names(), problems);
                continue;
            };
            for level in levels.iter().filter(|level| !known.0.iter().any(|one| one.text == level.value)) {
                let message = format!("the factor `{}` has no level `{}`", factor.value, level.value);
                let help = "An exclude names levels of the matrix.";
                problems.error("manifest::unknown-level", level.span, message, help);
            }
        }
    }
}

fn check_treatment(experiment: &Experiment, problems: &mut Problems) {
    let settings = arm_settings(experiment);
    let is_factor = |name: &str| experiment.matrix.levels(name).is_some_and(|levels| levels.len() > 1);
    let mut factors = experiment.treatment.iter().filter(|one| is_factor(one.value.as_str()));
    if let (Some(first), Some(second)) = (factors.next(), factors.next()) {
        let message =
            format!("only the levels of `{}` are compared; `{}` is a factor like others", first.value, second.value);
        let help = "Name one factor, or make arms of both.";
        problems.warn("manifest::treatment", second.span, message, help);
    }
    for treatment in &experiment.treatment {
        let is_factor = experiment.matrix.levels(treatment.value.as_str()).is_some();
        if !is_factor && !settings.iter().any(|(key, _)| key == treatment.value.as_str()) {
            let known = experiment.matrix.names().into_iter().chain(settings.iter().map(|(key, _)| key.as_str()));
            unknown_reference("factor or setting of an arm", treatment, known, problems);
        }
    }
    let declares_arm = experiment.treatment.iter().any(|one| one.value.as_str() == "arm");
    for (key, span) in &settings {
        let is_declared = declares_arm || experiment.treatment.iter().any(|one| one.value.as_str() == key);
        if !is_declared && !experiment.treatment.is_empty() {
            let message = format!("arms differ in `{key}`, which is not part of the treatment");
            problems.error(
                "manifest::undeclared-difference",
                *span,
                message,
                format!("Add `{key}` to `treatment`, or give all arms the same."),
            );
        }
    }
}

/// The settings in which arms differ, with a place each.
fn arm_settings(experiment: &Experiment) -> Vec<(String, Span)> {
    let mut found: Vec<(String, Span)> = vec![];
    for (_, arm) in experiment.arms.iter() {
        for choose in [|arm: &Arm| arm.set.clone(), |arm: &Arm| arm.guests.clone()] {
            let Some(Value::Map(entries)) = choose(arm).map(|node| node.value) else { continue };
            for (key, node) in &entries {
                let same = |other: &Arm| choose(other).is_some_and(|other| same_value(other.get(&key.text), node));
                let is_known = found.iter().any(|(one, _)| *one == key.text);
                if !is_known && !experiment.arms.iter().all(|(_, other)| same(other)) {
                    found.push((key.text.clone(), key.span));
                }
            }
        }
    }
    found
}

/// Whether two settings say the same, places aside.
fn same_value(one: Option<&Node>, other: &Node) -> bool {
    let Some(one) = one else { return false };
    match (&one.value, &other.value) {
        (Value::Map(left), Value::Map(right)) => {
            left.len() == right.len() && right.iter().all(|(key, node)| same_value(one.get(&key.text), node))
        }
        (Value::List(left), Value::List(right)) => {
            left.len() == right.len() && left.iter().zip(right).all(|(left, right)| same_value(Some(left), right))
        }
        _ => one.scalar() == other.scalar(),
    }
}

fn check_guests(experiment: &Experiment, problems: &mut Problems) {
    if let Some((name, _)) = experiment.guests.iter().nth(1) {
        let help = "Let `count` say how many there are, and give each experiment its own kind of guest.";
        problems.error("manifest::guests", name.span, "a second kind of guests", help);
    }
    for (name, hypervisor) in experiment.hypervisors.iter() {
        if let Some(host) = &hypervisor.host
            && experiment.hosts.get(host.value.as_str()).is_none()
        {
            unknown_reference("host", host, experiment.hosts.names(), problems);
        }
        check_environment(experiment, (name.value.as_str(), hypervisor), problems);
    }
    for (_, arm) in experiment.arms.iter() {
        let Some(guests) = &arm.guests else { continue };
        let Some((_, guest)) = experiment.guest() else {
            problems.error(
                "manifest::guests",
                guests.span,
                "an arm sets guests, and there are none",
                "Describe them under `guests`.",
            );
            continue;
        };
        for part in ["disks", "volumes"] {
            let (Some(set), Some(known)) = (guests.get(part), guest.get(part)) else { continue };
            let (Value::Map(set), Value::Map(known)) = (&set.value, &known.value) else { continue };
            for (key, _) in set.iter().filter(|(key, _)| !known.iter().any(|(one, _)| one.text == key.text)) {
                if let Ok(value) = Name::new(&key.text) {
                    let names = known.iter().map(|(key, _)| key.text.as_str());
                    unknown_reference("disk or volume", &Spanned { span: key.span, value }, names, problems);
                }
            }
        }
    }
    let has_host_devices = experiment.sut().is_some_and(|sut| !sut.devices.is_empty());
    if let (Some((name, _)), true) = (experiment.guest(), has_host_devices) {
        let help = "Give the disks to the guests, under `guests`, or leave the guests away.";
        problems.error("manifest::guests", name.span, "jobs run in guests, which see no devices of the host", help);
    }
}

/// What the numbers are follows from what executes the instructions.
fn check_environment(experiment: &Experiment, (name, hypervisor): (&str, &Hypervisor), problems: &mut Problems) {
    let Some(environment) = &experiment.environment else { return };
    let accelerator = hypervisor.accelerator.value;
    let fits = match environment.value {
        Environment::Hardware => accelerator == Accelerator::Kvm,
        Environment::Emulated | Environment::VirtualExact => accelerator == Accelerator::Tcg,
        Environment::Unknown => true,
    };
    if !fits {
        let message =
            format!("the environment `{}` under `{name}` with `{}`", environment.value.word(), accelerator.word());
        let help = "`tcg` is emulated or virtual-exact, `kvm` is hardware; leave `environment` away.";
        problems.error("manifest::environment", environment.span, message, help);
    }
    match &hypervisor.instruction_time_shift {
        Some(shift) if shift.value > 10 => {
            let help = "Write 0 to 10: an instruction takes 1 to 1024 nanoseconds.";
            problems.error("manifest::instruction-time", shift.span, format!("the shift {}", shift.value), help);
        }
        Some(shift) if environment.value != Environment::VirtualExact => {
            let help = "Write `environment: virtual-exact`, or leave it away.";
            problems.error("manifest::instruction-time", shift.span, "instructions are counted", help);
        }
        _ => {}
    }
}

fn check_design(experiment: &Experiment, problems: &mut Problems) {
    let design = &experiment.design;
    let profiles = experiment.profiles.iter().filter_map(|(_, profile)| profile.replicates.as_ref());
    for replicates in profiles.chain([&design.replicates]) {
        if replicates.value == 0 || replicates.value > 10_000 {
            let message = format!("{} replicates, expected 1 to 10000", replicates.value);
            problems.error("manifest::replicates", replicates.span, message, "Write how often each case is measured.");
        }
    }
    if let Some(concurrency) = &design.concurrency
        && !(1..=1024).contains(&concurrency.value)
    {
        let message = format!("{} jobs at once, expected 1 to 1024", concurrency.value);
        problems.error("manifest::concurrency", concurrency.span, message, "Write `concurrency: 1`.");
    }
    if let Some(steady) = &design.steady_state
        && (steady.rounds.value < 2 || steady.at_most.value < steady.rounds.value)
    {
        let help = "The window holds at least two rounds, and no more than `at_most`.";
        problems.error("manifest::steady-state", steady.rounds.span, "the window and the most rounds do not fit", help);
    }
    if let Some(noise) = &design.noise {
        let least = crate::statistics::NOISE_PAIRS_MIN as u64;
        if (1..least).contains(&noise.pairs) {
            let span = noise.case.iter().next().map_or(experiment.name.span, |(factor, _)| factor.span);
            let message = format!("{} noise pairs give no noise floor", noise.pairs);
            problems.warn("manifest::noise", span, message, format!("Write `pairs: {least}` or more."));
        }
        for (factor, level) in noise.case.iter() {
            let Some(known) = experiment.matrix.factors.get(factor.value.as_str()) else {
                unknown_reference("factor", factor, experiment.matrix.factors.names(), problems);
                continue;
            };
            if !known.0.iter().any(|one| Some(&one.text) == level.scalar().as_ref()) {
                let message = format!("the factor `{}` has no such level", factor.value);
                problems.error("manifest::unknown-level", level.span, message, "Name a case of the matrix.");
            }
        }
    }
}
