//! Packages of Debian: found, pinned, downloaded, checked and kept.
//!
//! `apt` says what there is and fetches it, by exact version; what arrives must have the digest that the signed index or
//! the lock names. A package that the archive has forgotten is taken from where it was kept.

use std::cell::RefCell;

use serde::{Deserialize, Serialize};

use super::{ImageError, Workshop};
use crate::digest::Digest;
use crate::os::{self, Captured, Input, Launch};

/// A package, or a source archive, pinned.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Package {
    /// Its name.
    pub name: String,
    /// Its exact version.
    pub version: String,
    /// The file in the archive.
    pub file: String,
    /// The file's digest.
    pub digest: Digest,
}

/// How a source archive's file ends.
const SOURCE_ENDING: &str = ".orig.tar.gz";
const KEYRING: &str = "/usr/share/keyrings/debian-archive-keyring.gpg";

/// All packages that can be had: those of the lock, or those of the machine's archives.
pub(super) struct Shelf<'a> {
    workshop: &'a Workshop<'a>,
    locked: Option<&'a [Package]>,
    /// Versions of packages whose names another package gave with an exact version.
    exact: RefCell<Vec<(String, String)>>,
}

/// One entry of an index.
struct Stanza<'t>(&'t str);

impl<'t> Stanza<'t> {
    fn value(&self, key: &str) -> Option<&'t str> {
        self.0.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(": ")).map(str::trim)
    }

    /// The packages it depends on: of alternatives the first, with an exact version where one is given.
    fn depends(&self) -> Vec<(String, Option<String>)> {
        let lists = ["Pre-Depends", "Depends"].into_iter().filter_map(|key| self.value(key));
        let entries = lists.flat_map(|list| list.split(',')).filter_map(|entry| entry.split('|').next());
        entries
            .map(|entry| {
                let mut words = entry.trim().splitn(2, ' ');
                let name = words.next().unwrap_or_default().split(':').next().unwrap_or_default().to_owned();
                let exact = words.next().and_then(|rest| rest.trim().strip_prefix("(= ")?.strip_suffix(')'));
                (name, exact.map(str::to_owned))
            })
            .collect()
    }
}

impl<'a> Shelf<'a> {
    pub(super) fn new(workshop: &'a Workshop<'a>, locked: Option<&'a [Package]>) -> Self {
        Self { workshop, locked, exact: RefCell::default() }
    }

    /// The package that holds a kernel: the named one, or the one that it stands for.
    pub(super) fn kernel(&self, name: &str, version: &str) -> Result<(Package, Vec<u8>), ImageError> {
        if let Some(locked) = self.locked {
            let kernel = locked.iter().find(|package| package.name.starts_with("linux-image-"));
            let kernel = kernel.ok_or_else(|| ImageError::new("the lock names no kernel's package", "Lock again."))?;
            return Ok((kernel.clone(), self.bytes(kernel)?));
        }
        let text = self.show(name)?;
        let chosen = self.choose(name, version, &text)?;
        let stands_for =
            chosen.depends().into_iter().find(|(name, exact)| name.starts_with("linux-image-") && exact.is_some());
        match stands_for {
            Some((name, exact)) => {
                self.exact.borrow_mut().push((name.clone(), exact.unwrap_or_default()));
                self.package(&name)
            }
            None => {
                let package = pinned(name, &chosen)?;
                let bytes = self.bytes(&package)?;
                Ok((package, bytes))
            }
        }
    }

    /// A package and its bytes.
    pub(super) fn package(&self, name: &str) -> Result<(Package, Vec<u8>), ImageError> {
        let package = match self.locked {
            Some(locked) => {
                let found = locked.iter().find(|one| one.name == name && !one.file.ends_with(SOURCE_ENDING));
                let missing = || ImageError::new(format!("the lock names no package `{name}`"), "Lock again.");
                found.cloned().ok_or_else(missing)?
            }
            None => {
                let text = self.show(name)?;
                let exact = self.exact.borrow().iter().find(|(one, _)| one == name).map(|(_, version)| version.clone());
                pinned(name, &self.choose(name, exact.as_deref().unwrap_or_default(), &text)?)?
            }
        };
        let bytes = self.bytes(&package)?;
        Ok((package, bytes))
    }

    /// The names of the packages of libraries that a package depends on, by whatever way.
    pub(super) fn library_packages(&self, name: &str) -> Result<Vec<String>, ImageError> {
        let is_library = |name: &str| name.starts_with("lib");
        if let Some(locked) = self.locked {
            return Ok(locked.iter().filter(|one| is_library(&one.name)).map(|one| one.name.clone()).collect());
        }
        let (mut found, mut open): (Vec<String>, Vec<String>) = (vec![], vec![name.to_owned()]);
        while let Some(name) = open.pop() {
            let text = self.show(&name)?;
            let chosen = self.choose(&name, "", &text)?;
            for (dependency, _) in chosen.depends() {
                if is_library(&dependency) && !found.contains(&dependency) {
                    found.push(dependency.clone());
                    open.push(dependency);
                }
            }
        }
        found.sort();
        Ok(found)
    }

    /// The source of a package as its authors gave it, and its bytes.
    pub(super) fn source(&self, name: &str) -> Result<(Package, Vec<u8>), ImageError> {
        let package = match self.locked {
            Some(locked) => {
                let found = locked.iter().find(|one| one.name == name && one.file.ends_with(SOURCE_ENDING));
                let missing = || ImageError::new(format!("the lock names no source of `{name}`"), "Lock again.");
                found.cloned().ok_or_else(missing)?
            }
            None => self.find_source(name)?,
        };
        let bytes = self.bytes(&package)?;
        Ok((package, bytes))
    }

    /// From where it was kept, or from the archive.
    fn bytes(&self, package: &Package) -> Result<Vec<u8>, ImageError> {
        let Workshop { os, cache, tell } = self.workshop;
        if let Some(bytes) = cache.get(*os, &package.digest)? {
            return Ok(bytes);
        }
        tell(&format!("downloading {} {}", package.name, package.version));
        let folder = cache.workshop();
        let _ = os.remove_all(&folder);
        os::create_folders(*os, &folder).map_err(ImageError::io(&folder))?;
        let wanted = format!("{}={}", package.name, package.version);
        let is_source = package.file.ends_with(SOURCE_ENDING);
        let downloaded = if is_source {
            let options = self.source_lists(&package.name)?;
            let mut argv =
                vec!["apt-get".to_owned(), "source".to_owned(), "--download-only".to_owned(), "-q".to_owned()];
            argv.extend(options);
            argv.push(wanted);
            self.perform(argv)?
        } else {
            self.perform(["apt-get", "download", "-q", &wanted].map(str::to_owned).to_vec())?
        };
        let found = os.list(&folder).unwrap_or_default();
        let file = found.iter().find(|name| if is_source { **name == package.file } else { name.ends_with(".deb") });
        let Some(file) = file else {
            let words = last_words(&downloaded);
            let message =
                format!("{} {} is neither kept here nor in the archive: {words}", package.name, package.version);
            let help =
                "Copy `artifacts/images` from where it was locked, or lock again to pin what the archive has now.";
            return Err(ImageError::new(message, help));
        };
        let path = folder.join(file);
        let bytes = os.read(&path, 1 << 30).map_err(ImageError::io(&path))?;
        let _ = os.remove_all(&folder);
        let digest = Digest::of(&bytes);
        if digest != package.digest {
            let message =
                format!("{} {} has the digest {digest}, expected {}", package.name, package.version, package.digest);
            return Err(ImageError::new(message, "The archive or the way to it is damaged, or the lock was edited."));
        }
        cache.put(*os, &bytes)?;
        Ok(bytes)
    }

    fn show(&self, name: &str) -> Result<String, ImageError> {
        let captured = self.capture(&["apt-cache", "show", name])?;
        if captured.is_success {
            return Ok(String::from_utf8_lossy(&captured.stdout).into_owned());
        }
        let help = "Run `apt-get update`, or name another package; `apt-cache search linux-image` lists kernels.";
        Err(ImageError::new(format!("no package is called `{name}`"), help))
    }

    /// The entry of the version wanted: the candidate where it fits, else the first that does.
    fn choose<'t>(&self, name: &str, wanted: &str, text: &'t str) -> Result<Stanza<'t>, ImageError> {
        let policy = self.capture(&["apt-cache", "policy", name])?;
        let policy = String::from_utf8_lossy(&policy.stdout).into_owned();
        let candidate = policy.lines().find_map(|line| line.trim().strip_prefix("Candidate: ")).unwrap_or_default();
        let versions = || text.split("\n\n").map(Stanza).filter_map(|stanza| Some((stanza.value("Version")?, stanza)));
        let mut fitting: Vec<(&str, Stanza<'t>)> =
            versions().filter(|(version, _)| begins_with(version, wanted)).collect();
        if fitting.is_empty() {
            let known: Vec<&str> = versions().map(|(version, _)| version).collect();
            let message = format!("no version of `{name}` begins with `{wanted}`");
            return Err(ImageError::new(message, format!("The archive has {}.", known.join(", "))));
        }
        let place = fitting.iter().position(|(version, _)| *version == candidate).unwrap_or(0);
        Ok(fitting.swap_remove(place).1)
    }

    /// Options under which `apt` knows the source of a package: lists of our own, so that the machine's stay as they are.
    fn source_lists(&self, name: &str) -> Result<Vec<String>, ImageError> {
        let Workshop { os, cache, tell } = self.workshop;
        let policy = self.capture(&["apt-cache", "policy", name])?;
        let policy = String::from_utf8_lossy(&policy.stdout).into_owned();
        let mut lines: Vec<String> = vec![];
        for line in policy.lines() {
            let words: Vec<&str> = line.split_whitespace().collect();
            if let [_, site, place, _, "Packages"] = words.as_slice()
                && let Some((suite, component)) = place.split_once('/')
            {
                let is_signed = site.contains("debian") && os::is_there(*os, KEYRING.as_ref()).unwrap_or(false);
                let signed = if is_signed { format!("[signed-by={KEYRING}] ") } else { String::new() };
                lines.push(format!("deb-src {signed}{site} {suite} {component}\n"));
            }
        }
        if lines.is_empty() {
            let help = "Run `apt-get update`: the machine's lists name no archive that has it.";
            return Err(ImageError::new(format!("no archive has the package `{name}`"), help));
        }
        let folder = cache.workshop().with_file_name("apt");
        let lists = folder.join("lists").join("partial");
        os::create_folders(*os, &lists).map_err(ImageError::io(&lists))?;
        let sources = folder.join("sources.list");
        os::write_atomically(*os, &sources, lines.concat().as_bytes()).map_err(ImageError::io(&sources))?;
        let options: Vec<String> = [
            format!("-oDir::State::lists={}", folder.join("lists").display()),
            format!("-oDir::Etc::sourcelist={}", sources.display()),
            "-oDir::Etc::sourceparts=/dev/null".to_owned(),
        ]
        .to_vec();
        tell("reading the archive's list of sources");
        let mut argv = vec!["apt-get".to_owned(), "update".to_owned(), "-q".to_owned()];
        argv.extend(options.iter().cloned());
        let updated = self.perform(argv)?;
        if !updated.is_success {
            let message = format!("the archive's list of sources can not be read: {}", last_words(&updated));
            return Err(ImageError::new(message, "See whether the archive can be reached."));
        }
        Ok(options)
    }

    fn find_source(&self, name: &str) -> Result<Package, ImageError> {
        let folder = self.workshop.cache.workshop();
        os::create_folders(self.workshop.os, &folder).map_err(ImageError::io(&folder))?;
        let options = self.source_lists(name)?;
        let mut argv = vec!["apt-cache".to_owned(), "showsrc".to_owned()];
        argv.extend(options);
        argv.push(name.to_owned());
        let shown = self.perform(argv)?;
        let text = String::from_utf8_lossy(&shown.stdout).into_owned();
        let missing = || ImageError::new(format!("the archive has no source of `{name}`"), "See `apt-cache showsrc`.");
        let stanza =
            text.split("\n\n").map(Stanza).find(|stanza| stanza.value("Package") == Some(name)).ok_or_else(missing)?;
        let sums = stanza.0.lines().skip_while(|line| !line.starts_with("Checksums-Sha256")).skip(1);
        let sums = sums.take_while(|line| line.starts_with(' '));
        let mut files = sums.filter_map(|line| {
            let mut words = line.split_whitespace();
            let (sum, _, file) = (words.next()?, words.next()?, words.next()?);
            file.ends_with(SOURCE_ENDING).then(|| (format!("sha256:{sum}").parse::<Digest>().ok(), file.to_owned()))
        });
        match (files.next(), stanza.value("Version")) {
            (Some((Some(digest), file)), Some(version)) => {
                Ok(Package { name: name.to_owned(), version: version.to_owned(), file, digest })
            }
            _ => Err(missing()),
        }
    }

    fn capture(&self, argv: &[&str]) -> Result<Captured, ImageError> {
        self.workshop.os.capture(argv).map_err(|error| without_apt(argv[0], &error))
    }

    /// Runs `apt` in the workshop's folder.
    fn perform(&self, argv: Vec<String>) -> Result<Captured, ImageError> {
        let program = argv.first().cloned().unwrap_or_default();
        let launch = Launch { argv, folder: self.workshop.cache.workshop(), variables: vec![], input: Input::Null };
        self.workshop.os.perform(&launch).map_err(|error| without_apt(&program, &error))
    }
}

fn without_apt(program: &str, error: &std::io::Error) -> ImageError {
    let help = "On systems without apt, copy `artifacts/images` from where it was locked, or give `kernel: {file: …, userland: …}`.";
    ImageError::new(format!("`{program}` can not be started: {error}"), help)
}

fn pinned(name: &str, stanza: &Stanza<'_>) -> Result<Package, ImageError> {
    let parts = (|| {
        let digest = format!("sha256:{}", stanza.value("SHA256")?).parse::<Digest>().ok()?;
        let file = stanza.value("Filename")?.rsplit('/').next()?.to_owned();
        Some((stanza.value("Version")?.to_owned(), file, digest))
    })();
    match parts {
        Some((version, file, digest)) => Ok(Package { name: name.to_owned(), version, file, digest }),
        None => Err(ImageError::new(format!("the index says too little of `{name}`"), "Run `apt-get update`.")),
    }
}

/// Whether a version begins with another, at the end of a number: 6.1.192 begins with 6.1, 6.12 does not.
fn begins_with(version: &str, wanted: &str) -> bool {
    let rest = version.strip_prefix(wanted).or_else(|| version.split_once(':')?.1.strip_prefix(wanted));
    rest.is_some_and(|rest| wanted.is_empty() || !rest.starts_with(|one: char| one.is_ascii_digit()))
}

fn last_words(captured: &Captured) -> String {
    let text = String::from_utf8_lossy(&captured.stderr);
    let line = text
        .lines()
        .rfind(|line| line.starts_with("E:"))
        .or_else(|| text.lines().next_back())
        .unwrap_or("no word of why");
    crate::diagnostic::printable(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_begins_at_numbers() {
        assert!(begins_with("6.1.192-3", "6.1") && begins_with("6.1.192-3", "") && begins_with("1:1.35.0-4", "1.35"));
        assert!(!begins_with("6.12.95-1", "6.1") && !begins_with("6.1", "6.1.1"));
    }

    #[test]
    fn of_alternatives_the_first_is_taken() {
        let stanza = Stanza(
            "Package: x\nDepends: debconf (>= 0.5) | debconf-2.0, libc6:any (>= 2.34), linux-image-6.1 (= 6.1.2)\n",
        );
        let exact = Some("6.1.2".to_owned());
        let expected =
            [("debconf".to_owned(), None), ("libc6".to_owned(), None), ("linux-image-6.1".to_owned(), exact)];
        assert_eq!(stanza.depends(), expected);
    }
}
