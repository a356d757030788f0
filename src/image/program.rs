//! Programs of packages, and the libraries they need.

use std::collections::{BTreeMap, BTreeSet};

use object::elf;
use object::read::elf::{Dyn as _, FileHeader as _};

use super::package::{Package, Shelf};
use super::{ImageError, archive};

/// A program, where it comes from, and what it needs.
pub(super) struct Found {
    pub(super) package: Package,
    /// Its place in the guest.
    pub(super) place: String,
    pub(super) bytes: Vec<u8>,
    /// By soname.
    pub(super) libraries: BTreeMap<String, Vec<u8>>,
    pub(super) library_packages: Vec<Package>,
}

/// Where programs come from: name, package, path.
const HOMES: &[(&str, &str, &str)] =
    &[("iperf3", "iperf3", "usr/bin/iperf3"), ("mdadm", "mdadm", "sbin/mdadm"), ("lvm", "lvm2", "sbin/lvm")];

/// The package and path of a program.
pub(super) fn home(program: &str) -> Option<(&'static str, &'static str)> {
    HOMES.iter().find(|(name, _, _)| *name == program).map(|(_, package, path)| (*package, *path))
}

/// The programs that an image can have.
pub(super) fn known() -> Vec<&'static str> {
    std::iter::once("fio").chain(HOMES.iter().map(|(name, _, _)| *name)).collect()
}

/// Takes a program out of its package, and its libraries out of the packages that one depends on.
pub(super) fn of_package(shelf: &Shelf<'_>, name: &str, path: &str) -> Result<Found, ImageError> {
    let (package, bytes) = shelf.package(name)?;
    let is_program = |one: &str| one.trim_start_matches("usr/") == path.trim_start_matches("usr/");
    let program = files(&bytes, &is_program)?.into_values().next();
    let Some(program) = program else {
        let help = "Lock again: the package may have changed.";
        return Err(ImageError::new(format!("the package `{name}` holds no `{path}`"), help));
    };
    let (libraries, library_packages) = libraries(shelf, name, &program)?;
    let place = format!("bin/{}", path.rsplit('/').next().unwrap_or(path));
    Ok(Found { package, place, bytes: program, libraries, library_packages })
}

/// Libraries by soname, and the packages they come from.
type Libraries = (BTreeMap<String, Vec<u8>>, Vec<Package>);

/// All that a program needs, and what that needs.
fn libraries(shelf: &Shelf<'_>, name: &str, program: &[u8]) -> Result<Libraries, ImageError> {
    let (mut found, mut used): Libraries = Default::default();
    let mut open = needed(program);
    if open.is_empty() {
        return Ok((found, used));
    }
    let is_library = |path: &str| path.contains(".so");
    let mut shelves: Vec<(Package, BTreeMap<String, Vec<u8>>)> = vec![];
    for dependency in shelf.library_packages(name)? {
        let (package, bytes) = shelf.package(&dependency)?;
        shelves.push((package, files(&bytes, &is_library)?));
    }
    while let Some(soname) = open.pop() {
        if found.contains_key(&soname) {
            continue;
        }
        let holder = shelves.iter().find(|(_, files)| files.contains_key(&soname));
        let Some((package, files)) = holder else {
            let help = "Lock again: the packages may have changed.";
            return Err(ImageError::new(format!("no package that `{name}` depends on holds `{soname}`"), help));
        };
        let bytes = resolve(files, &soname);
        open.extend(needed(&bytes));
        used.push(package.clone());
        found.insert(soname, bytes);
    }
    Ok((found, used))
}

/// Follows a link within a package.
fn resolve(files: &BTreeMap<String, Vec<u8>>, name: &str) -> Vec<u8> {
    let mut name = name.to_owned();
    let mut seen = BTreeSet::new();
    loop {
        let bytes = files.get(&name).cloned().unwrap_or_default();
        let target =
            bytes.strip_prefix(archive::LINK.as_bytes()).map(|target| String::from_utf8_lossy(target).into_owned());
        match target {
            Some(target) if seen.insert(name.clone()) => {
                name = target.rsplit('/').next().unwrap_or(&target).to_owned();
            }
            _ => return bytes,
        }
    }
}

/// The files of a package that are wanted, by their last name.
fn files(package: &[u8], is_wanted: &dyn Fn(&str) -> bool) -> Result<BTreeMap<String, Vec<u8>>, ImageError> {
    let mut found = BTreeMap::new();
    archive::each_file(package, &mut |path, reader| {
        if is_wanted(path) {
            let mut bytes = vec![];
            reader.read_to_end(&mut bytes)?;
            let name = path.rsplit('/').next().unwrap_or(path).to_owned();
            // the loader lies in a package under one name twice, as a file and as a link to it
            let is_link = bytes.starts_with(archive::LINK.as_bytes());
            if !(is_link && found.contains_key(&name)) {
                found.insert(name, bytes);
            }
        }
        Ok(())
    })?;
    Ok(found)
}

/// The sonames that an ELF file needs, and the loader it names.
fn needed(bytes: &[u8]) -> Vec<String> {
    read_needed(bytes).unwrap_or_default()
}

fn read_needed(bytes: &[u8]) -> object::Result<Vec<String>> {
    let header = elf::FileHeader64::<object::Endianness>::parse(bytes)?;
    let endian = header.endian()?;
    let sections = header.sections(endian, bytes)?;
    let mut names = vec![];
    if let Some((entries, link)) = sections.dynamic(endian, bytes)? {
        let strings = sections.strings(endian, bytes, link)?;
        for entry in entries.iter().filter(|entry| entry.tag32(endian).map(i64::from) == Some(elf::DT_NEEDED)) {
            names.push(String::from_utf8_lossy(entry.string(endian, strings)?).into_owned());
        }
    }
    Ok(names)
}
