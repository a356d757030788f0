//! The disks of a fresh guest: made, or converted from an image, and what is in them hashed.

use std::path::Path;

use rand_chacha::rand_core::{Rng as _, SeedableRng as _};

use crate::digest::Digest;
use crate::guest::DiskSpec;
use crate::guest::hypervisor::{Hypervisor, ImageStep, disk_file};
use crate::manifest::guest::DiskFormat;
use crate::os::Input;
use crate::place::{Host, Launch, perform};

/// Makes disks in the folder of a guest.
pub(super) struct Maker<'a> {
    pub(super) host: &'a dyn Host,
    pub(super) hypervisor: &'static dyn Hypervisor,
    pub(super) folder: &'a Path,
    /// The mark of the run.
    pub(super) mark: &'a str,
    /// Files beside the manifest that a disk may begin as: name and bytes.
    pub(super) files: &'a [(String, Vec<u8>)],
}

/// An image in the folder.
#[derive(Clone, Copy)]
struct Image<'a> {
    file: &'a str,
    format: DiskFormat,
}

impl Maker<'_> {
    /// Makes a disk. Returns what is to be recorded of a conversion; `Err` says why it can not be made.
    pub(super) async fn make(&self, disk: &DiskSpec) -> Result<Option<String>, String> {
        let target = disk_file(disk);
        let Some((from, format)) = self.begin(disk).await? else {
            let step = ImageStep::Create { file: &target, format: disk.format, size_bytes: disk.bytes };
            return self.perform(&step).await.map(|_| None);
        };
        let (from, to) = (Image { file: &from, format }, Image { file: &target, format: disk.format });
        let held = self.virtual_size(from).await?;
        if held > disk.bytes {
            return Err(format!("the image of {held} B is larger than the disk `{}` of {} B", disk.name, disk.bytes));
        }
        self.convert(from, to).await?;
        if held < disk.bytes {
            let step = ImageStep::Resize { file: to.file, format: to.format, size_bytes: disk.bytes };
            self.perform(&step).await?;
        }
        let (before, after) = (self.content(from).await?, self.content(to).await?);
        let _ = self.host.remove(&self.folder.join(from.file)).await;
        if held == disk.bytes && before != after {
            return Err(format!(
                "converting the disk `{}` from {format} to {} changed what is in it",
                disk.name, to.format
            ));
        }
        Ok(Some(format!("disk {}: {format} {} to {} {}\n", disk.name, before.0, disk.format, after.0)))
    }

    /// The file that a disk is converted from, and its format; none for an empty one.
    async fn begin(&self, disk: &DiskSpec) -> Result<Option<(String, DiskFormat)>, String> {
        let from = format!("from-{}", disk.name);
        if let Some((file, _)) = &disk.image {
            let bytes = self.files.iter().find(|(name, _)| name == file).map(|(_, bytes)| bytes.as_slice());
            let bytes = bytes.ok_or_else(|| format!("the image `{file}` is not there"))?;
            let head = &bytes[..bytes.len().min(crate::guest::image::HEAD_BYTES as usize)];
            let format =
                crate::guest::image::format_of(head).map_err(|reason| format!("the image `{file}`: {reason}"))?;
            let path = self.folder.join(&from);
            let written = self.host.put(&path, bytes).await;
            written.map_err(|error| format!("writing {}: {error}", path.display()))?;
            return Ok(Some((from, format)));
        }
        let Some(format) = disk.converted_from else { return Ok(None) };
        self.write_random(&from, disk).await.map_err(|error| format!("writing {from}: {error}"))?;
        if format == DiskFormat::Raw {
            return Ok(Some((from, format)));
        }
        let first = format!("first-{}", disk.name);
        self.convert(Image { file: &from, format: DiskFormat::Raw }, Image { file: &first, format }).await?;
        let _ = self.host.remove(&self.folder.join(&from)).await;
        Ok(Some((first, format)))
    }

    /// Writes bytes that no format can leave out, the same for the same disk.
    async fn write_random(&self, name: &str, disk: &DiskSpec) -> std::io::Result<()> {
        const PIECE_BYTES: u64 = 1 << 20;
        let path = self.folder.join(name);
        let seed = Digest::tagged("benchpaper/disk@1", &[disk.name.as_bytes()]);
        let mut random = rand_chacha::ChaCha8Rng::from_seed(*seed.as_bytes());
        self.host.put(&path, &[]).await?;
        let mut left = disk.bytes;
        while left > 0 {
            let mut piece = vec![0; left.min(PIECE_BYTES) as usize];
            random.fill_bytes(&mut piece);
            self.host.append(&path, &piece).await?;
            left -= piece.len() as u64;
        }
        Ok(())
    }

    /// The digest and length of what a guest would read. VMDK files differ each time they are made; their content does
    /// not.
    async fn content(&self, image: Image<'_>) -> Result<(Digest, u64), String> {
        let plain = format!("{}.content", image.file);
        let is_raw = image.format == DiskFormat::Raw;
        if !is_raw {
            self.convert(image, Image { file: &plain, format: DiskFormat::Raw }).await?;
        }
        let path = self.folder.join(if is_raw { image.file } else { &plain });
        let hashed = self.host.digest(&path).await;
        if !is_raw {
            let _ = self.host.remove(&path).await;
        }
        hashed.map_err(|error| format!("{}: {error}", path.display()))
    }

    async fn virtual_size(&self, image: Image<'_>) -> Result<u64, String> {
        let shown = self.perform(&ImageStep::Inspect { file: image.file, format: image.format }).await?;
        let size = self.hypervisor.virtual_size_bytes(&shown);
        size.ok_or_else(|| format!("{} tells no size", self.hypervisor.image_tool().name))
    }

    async fn convert(&self, from: Image<'_>, to: Image<'_>) -> Result<(), String> {
        let step = ImageStep::Convert { from: from.file, from_format: from.format, to: to.file, to_format: to.format };
        self.perform(&step).await.map(|_| ())
    }

    async fn perform(&self, step: &ImageStep<'_>) -> Result<Vec<u8>, String> {
        let launch = Launch {
            argv: self.hypervisor.image_argv(step),
            folder: self.folder.to_owned(),
            files: vec![],
            mark: self.mark.to_owned(),
            input: Input::Null,
        };
        perform(self.host, &launch).await
    }
}
