//! Kernel modules: those that are wanted, and those that they need.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Read};

use object::{Object as _, ObjectSection as _};

use super::ImageError;
use super::cpio::File;

/// The parts of a kernel from which a guest's modules are likely to come: the others are not even unpacked into memory.
const FOLDERS: &[&str] =
    &["kernel/drivers/", "kernel/lib/", "kernel/net/", "kernel/block/", "kernel/crypto/", "kernel/arch/"];
/// Groups of drivers that no guest here has.
const LEFT_OUT: &[&str] = &[
    "kernel/drivers/gpu/",
    "kernel/drivers/media/",
    "kernel/drivers/staging/",
    "kernel/drivers/infiniband/",
    "kernel/net/wireless/",
];

/// The modules of a kernel, by name, `_` for `-`.
#[derive(Default)]
pub(super) struct Modules {
    files: BTreeMap<String, (String, Vec<u8>)>,
    built_in: BTreeSet<String>,
}

impl Modules {
    /// Takes a file below `lib/modules/RELEASE/`.
    pub(super) fn take(&mut self, path: &str, reader: &mut dyn Read) -> io::Result<()> {
        let is_likely = FOLDERS.iter().any(|folder| path.starts_with(folder))
            && !LEFT_OUT.iter().any(|folder| path.starts_with(folder));
        if path == "modules.builtin" {
            let mut text = String::new();
            reader.read_to_string(&mut text)?;
            self.built_in.extend(text.lines().map(name_of));
        } else if is_likely && (path.ends_with(".ko") || path.ends_with(".ko.xz")) {
            let mut bytes = vec![];
            reader.read_to_end(&mut bytes)?;
            if path.ends_with(".xz") {
                let packed = std::mem::take(&mut bytes);
                liblzma::read::XzDecoder::new(packed.as_slice()).read_to_end(&mut bytes)?;
            }
            self.files.insert(name_of(path), (path.trim_end_matches(".xz").to_owned(), bytes));
        }
        Ok(())
    }

    /// Those that are wanted with all that they need; the wanted ones must be files or built in.
    pub(super) fn closure(mut self, wanted: &BTreeSet<String>) -> Result<Self, ImageError> {
        let mut kept = Self { files: BTreeMap::new(), built_in: self.built_in };
        let mut open: Vec<(String, Option<String>)> = wanted.iter().map(|name| (name.clone(), None)).collect();
        while let Some((name, needed_by)) = open.pop() {
            if kept.built_in.contains(&name) || kept.files.contains_key(&name) {
                continue;
            }
            let Some((path, bytes)) = self.files.remove(&name) else {
                let by = needed_by.map_or_else(String::new, |by| format!(", which `{by}` needs"));
                let help = "`linux-image-amd64` has more drivers than `linux-image-cloud-amd64`.";
                let error = ImageError::new(format!("the kernel has no driver `{name}`{by}"), help);
                return Err(ImageError { driver: Some(name), ..error });
            };
            open.extend(needs(&bytes).into_iter().map(|needed| (needed, Some(name.clone()))));
            kept.files.insert(name, (path, bytes));
        }
        Ok(kept)
    }

    /// All that a module needs, in the order of `modules.dep`: whatever needs something stands before it.
    fn needed_by(&self, bytes: &[u8]) -> Vec<String> {
        let mut order: Vec<String> = vec![];
        let mut open = needs(bytes);
        while let Some(name) = open.pop() {
            order.retain(|one| *one != name);
            if let Some((_, bytes)) = self.files.get(&name) {
                order.push(name);
                open.extend(needs(bytes));
            }
        }
        order
    }

    /// The files for an archive, and the list from which `modprobe` knows their order.
    pub(super) fn files(self, release: &str) -> Vec<File> {
        let folder = format!("lib/modules/{release}");
        let places: BTreeMap<&String, &String> = self.files.iter().map(|(name, (path, _))| (name, path)).collect();
        let mut list = String::new();
        for (path, bytes) in self.files.values() {
            let needed = self.needed_by(bytes);
            let needed = needed.iter().filter_map(|name| Some(places.get(name)?.as_str()));
            list.push_str(&format!("{path}: {}\n", needed.collect::<Vec<_>>().join(" ")));
        }
        let built_in: String = self.built_in.iter().map(|name| format!("kernel/{name}.ko\n")).collect();
        let mut files = vec![
            File::data(&format!("{folder}/modules.dep"), list.into_bytes()),
            File::data(&format!("{folder}/modules.builtin"), built_in.into_bytes()),
        ];
        files.extend(self.files.into_values().map(|(path, bytes)| File::data(&format!("{folder}/{path}"), bytes)));
        files
    }
}

fn name_of(path: &str) -> String {
    let file = path.rsplit('/').next().unwrap_or(path);
    file.split('.').next().unwrap_or(file).replace('-', "_")
}

/// The modules that a module needs: `depends=` and `softdep=pre:` in its section `.modinfo`.
fn needs(module: &[u8]) -> Vec<String> {
    let file = object::File::parse(module).ok();
    let section = file.as_ref().and_then(|file| file.section_by_name(".modinfo")?.data().ok()).unwrap_or_default();
    let text = String::from_utf8_lossy(section);
    let depends = text.split('\0').filter_map(|entry| entry.strip_prefix("depends="));
    depends.flat_map(|names| names.split(',')).filter(|name| !name.is_empty()).map(name_of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_driver_that_the_kernel_lacks_is_named() {
        let mut modules = Modules::default();
        modules.take("modules.builtin", &mut &b"kernel/drivers/nvme/host/nvme.ko\n"[..]).unwrap();
        modules.take("kernel/drivers/scsi/virtio_scsi.ko", &mut &b"no ELF"[..]).unwrap();
        let wanted = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        let kept = modules.closure(&wanted(&["nvme", "virtio_scsi"])).unwrap();
        assert_eq!(kept.files.keys().collect::<Vec<_>>(), ["virtio_scsi"]);
        let error = kept.closure(&wanted(&["mptsas"])).err().unwrap();
        assert_eq!(error.message, "the kernel has no driver `mptsas`");
    }
}
