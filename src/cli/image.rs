//! Guest images at the command line: what an experiment's guests need, made, found and loaded.

use std::collections::BTreeMap;

use super::failure::Failure;
use super::host::host_of;
use super::workspace::Loaded;
use super::{Session, show};
use crate::diagnostic::Diagnostic;
use crate::guest::script;
use crate::image::{self, Cache, Image, ImageError, Recipe, Source, Workshop};
use crate::lock::{self, Lock};
use crate::manifest::guest::{Accelerator, Controller, Kernel};
use crate::manifest::node::{Node, Value};
use crate::manifest::shape::{Problems, Shape};
use crate::plan::{self, Case};
use crate::run::{self, GuestImage};
use crate::source::Span;

/// What the guests of an experiment need, over all profiles; none where jobs run on the host.
fn recipe(loaded: &Loaded) -> Result<Option<(String, Recipe)>, Failure> {
    let Some((name, guest)) = loaded.experiment.guest() else { return Ok(None) };
    let mut problems = Problems::new(&loaded.source);
    let kernel = guest.get("kernel").and_then(|node| Kernel::decode(node, &mut problems));
    let Some(kernel) = kernel else { return Err(problems.into_sorted().into()) };
    let file = |name: &Option<crate::manifest::shape::Spanned<String>>| {
        name.as_ref().and_then(|name| loaded.files.get(&name.value)).cloned().unwrap_or_default()
    };
    let source = match &kernel.debian {
        Some(package) => Source::Debian {
            package: package.value.to_string(),
            version: kernel.version.as_ref().map_or_else(String::new, |version| version.value.clone()),
        },
        None => Source::Files { kernel: file(&kernel.file), userland: file(&kernel.userland) },
    };
    let mut recipe = Recipe { source, modules: Default::default(), programs: Default::default() };
    for profile in plan::profile_names(&loaded.experiment) {
        for case in &loaded.expand(Some(&profile))?.cases {
            add_needs(case, &mut recipe);
        }
    }
    Ok(Some((name.value.to_string(), recipe)))
}

/// A client of fio believes its servers: one outside asks only guests whose fio is ours.
pub(crate) fn check_servers(loaded: &Loaded, cases: &[Case]) -> Result<(), Failure> {
    let Some((_, guest)) = loaded.experiment.guest() else { return Ok(()) };
    let Some(file) = guest.get("kernel").and_then(|kernel| kernel.get("userland")) else { return Ok(()) };
    if cases.iter().all(|case| case.guest.as_ref().is_none_or(|spec| spec.count == 1)) {
        return Ok(());
    }
    let help = "Give `kernel: {debian: …}`, or `count: 1`.";
    let message = "several guests are asked by a client on the host, which trusts no userland that it does not know";
    Err(vec![Diagnostic::error("image::servers", message).at(&loaded.source, file.span).help(help)].into())
}

/// Whatever the case, a network card of virtio leads outside where several guests are asked.
fn add_needs(case: &Case, recipe: &mut Recipe) {
    let Some(spec) = &case.guest else { return };
    recipe.modules.extend(spec.modules().into_iter().map(str::to_owned));
    if !spec.is_exact() {
        recipe.modules.extend(script::CHANNEL_MODULES.iter().map(|module| (*module).to_owned()));
    }
    if spec.count > 1 {
        recipe.modules.extend(["virtio_pci", "virtio_net"].map(str::to_owned));
    }
    let known = image::known_programs();
    let started = case.work().map(|work| work.programs()).unwrap_or_default();
    recipe.programs.extend(started.into_iter().filter(|program| known.contains(&program.as_str())));
    if !spec.volumes.is_empty() {
        recipe.programs.insert("mdadm".to_owned());
    }
    if spec.volumes.iter().any(|volume| volume.lvm) {
        recipe.programs.insert("lvm".to_owned());
    }
}

/// Makes what guests boot; with a lock, what the lock says.
pub(crate) fn build(
    session: &Session,
    loaded: &Loaded,
    locked: Option<&Lock>,
) -> Result<BTreeMap<String, Image>, Failure> {
    let Some((name, recipe)) = recipe(loaded)? else { return Ok(BTreeMap::new()) };
    let locked = match locked {
        Some(lock) => Some(locked_image(loaded, lock, (&name, &recipe))?),
        None => None,
    };
    let artifacts = loaded.workspace.artifacts();
    let cache = Cache::new(&artifacts);
    let workshop = Workshop { os: &*session.os, cache: &cache, tell: &|text| show::note(text) };
    let image = image::build(&workshop, &recipe, locked).map_err(|error| failure(loaded, error))?;
    let wrong = lock::check_image(&loaded.experiment, &image, &loaded.source);
    if !wrong.is_empty() {
        return Err(wrong.into());
    }
    Ok(BTreeMap::from([(name, image)]))
}

fn locked_image<'l>(loaded: &Loaded, lock: &'l Lock, (name, recipe): (&str, &Recipe)) -> Result<&'l Image, Failure> {
    match lock.images.get(name) {
        Some(image) if image.recipe == recipe.digest() => Ok(image),
        _ => {
            let message = format!("the lock was written for other guests than `{name}` is now");
            Err(Failure::usage(message).help(format!("Run `benchpaper lock {}` and commit it.", loaded.shown())))
        }
    }
}

/// The bytes that guests boot, as the lock has them.
pub(crate) fn load(session: &Session, loaded: &Loaded, lock: &Lock) -> Result<Option<GuestImage>, Failure> {
    let Some((_, image)) = build(session, loaded, Some(lock))?.into_iter().next() else { return Ok(None) };
    let artifacts = loaded.workspace.artifacts();
    let cache = Cache::new(&artifacts);
    let get = |digest| -> Result<Vec<u8>, Failure> {
        let bytes = cache.get(&*session.os, digest).map_err(|error| failure(loaded, error))?;
        bytes.ok_or_else(|| Failure::incomplete(format!("{digest} is not in artifacts/images")))
    };
    let (kernel, initramfs) = (get(&image.kernel)?, get(&image.initramfs)?);
    let client = image.programs.get("fio").map(|fio| Ok::<_, Failure>(("fio".to_owned(), get(&fio.digest)?)));
    let client = client.transpose()?;
    Ok(Some(GuestImage { image, kernel, initramfs, client }))
}

/// Disk images beside the manifest that name other files, or are no images, are refused before anything opens them.
pub(crate) fn check_disks(loaded: &Loaded) -> Result<(), Failure> {
    let Some(Value::Map(disks)) =
        loaded.experiment.guest().and_then(|(_, guest)| guest.get("disks")).map(|disks| &disks.value)
    else {
        return Ok(());
    };
    let images = disks.iter().filter_map(|(_, disk)| disk.get("image"));
    let wrong = images.filter_map(|image| {
        let bytes = loaded.files.get(&image.scalar()?)?;
        let head = &bytes[..bytes.len().min(crate::guest::image::HEAD_BYTES as usize)];
        let reason = crate::guest::image::format_of(head).err()?;
        let help = "Convert it where you trust it: `qemu-img convert -O raw`, or `-O qcow2`.";
        Some(Diagnostic::error("image::disk", reason).at(&loaded.source, image.span).help(help))
    });
    let wrong: Vec<Diagnostic> = wrong.collect();
    if wrong.is_empty() { Ok(()) } else { Err(wrong.into()) }
}

/// An image that can not be made is a problem of what the manifest says of the guests.
fn failure(loaded: &Loaded, error: ImageError) -> Failure {
    let controller = error.driver.as_ref().and_then(|driver| {
        let needs = |modules: &[&str]| modules.contains(&driver.as_str());
        let mut controllers = Controller::ALL.into_iter().filter(|controller| needs(controller.modules()));
        controllers.find_map(|controller| place_of(loaded, controller.word()))
    });
    let card = error.driver.as_ref().and_then(|driver| place_of(loaded, driver));
    let kernel = loaded.experiment.guest().and_then(|(_, guest)| guest.get("kernel")).map(|node| node.span);
    let span = controller.or(card).or(kernel).unwrap_or_default();
    vec![Diagnostic::error("image::build", error.message).at(&loaded.source, span).help(error.help)].into()
}

/// Where a word stands: as the level of a factor, or in the guests.
fn place_of(loaded: &Loaded, word: &str) -> Option<Span> {
    fn within(node: &Node, word: &str) -> Option<Span> {
        match &node.value {
            Value::Map(entries) => entries.iter().find_map(|(_, node)| within(node, word)),
            Value::List(items) => items.iter().find_map(|node| within(node, word)),
            _ => (node.scalar().as_deref() == Some(word)).then_some(node.span),
        }
    }
    let levels = loaded.experiment.matrix.factors.iter().flat_map(|(_, levels)| &levels.0);
    let of_levels = levels.filter(|level| level.text == word).map(|level| level.node.span).next();
    of_levels.or_else(|| loaded.experiment.guest().and_then(|(_, guest)| within(guest, word)))
}

/// Refuses what the hypervisor here is too old for.
pub(crate) fn check_hypervisor(
    loaded: &Loaded,
    cases: &[Case],
    inventory: &crate::inventory::Inventory,
) -> Result<(), Failure> {
    let mut specs = cases.iter().filter_map(|case| case.guest.as_ref());
    let too_old = specs.find_map(|spec| {
        let hypervisor = spec.hypervisor();
        let version = inventory.value(&format!("tool.{}.version", hypervisor.emulator().name))?;
        hypervisor.too_old(spec, version)
    });
    let Some(too_old) = too_old else { return Ok(()) };
    let span = place_of(loaded, too_old.word).unwrap_or_default();
    Err(vec![Diagnostic::error("image::hypervisor", too_old.message).at(&loaded.source, span).help(too_old.help)]
        .into())
}

/// Refuses a lock that was written for other guests.
pub(crate) fn check_lock(loaded: &Loaded, lock: &Lock) -> Result<(), Failure> {
    match recipe(loaded)? {
        Some((name, recipe)) => locked_image(loaded, lock, (&name, &recipe)).map(|_| ()),
        None => Ok(()),
    }
}

/// Hardware virtualisation is what a guest that boots with it says.
pub(crate) fn probe_accelerator(
    session: &Session,
    loaded: &Loaded,
    lock: &Lock,
    cases: &[Case],
) -> Result<(), Failure> {
    let mut specs = cases.iter().filter_map(|case| case.guest.as_ref());
    let Some(spec) = specs.find(|spec| spec.accelerator != Accelerator::Tcg) else { return Ok(()) };
    let Some(image) = load(session, loaded, lock)? else { return Ok(()) };
    show::note(&format!("booting a guest to see whether `{}` works here", spec.accelerator));
    let layout = loaded.workspace.layout();
    let folder = crate::os::temporary_beside(&*session.os, &layout.folder().join("scratch").join("probe"));
    let folder = folder.map_err(Failure::io(layout.folder()))?;
    let program = session.os.own_program().map_err(Failure::io(&folder))?;
    let controller = std::sync::Arc::clone(&session.os);
    let probed =
        run::probe(&run::Probe { controller, host: host_of(session, loaded)?, image: &image, spec, folder, program })?;
    let Err(reason) = probed else { return Ok(()) };
    let hypervisors = loaded.experiment.hypervisors.iter().map(|(_, one)| &one.accelerator);
    let span = hypervisors.filter(|one| one.value == spec.accelerator).map(|one| one.span).next();
    let message = format!("`{}` does not boot a guest here: {reason}", spec.accelerator);
    let help = "Write `accelerator: tcg`: software emulation works everywhere, and the paper says that it was used.";
    let problem = Diagnostic::error("image::accelerator", message);
    Err(vec![problem.at(&loaded.source, span.unwrap_or_default()).help(help)].into())
}
