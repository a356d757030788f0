//! The real machine.
#![expect(clippy::disallowed_methods, clippy::disallowed_types, reason = "this is the door to the machine")]

use std::fs;
use std::io::{self, Read as _, Seek as _, Write as _};
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use super::process::{self, Captured, Child, Launch};
use super::{Files, Held, Kind, Os, Sharing, Stat, WritableFile};

/// This computer, as the standard library and the kernel show it.
#[derive(Debug, Clone, Copy, Default)]
pub struct Machine;

struct RealFile(fs::File);

impl WritableFile for RealFile {
    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.0.write_all(bytes)
    }

    fn sync(&mut self) -> io::Result<()> {
        rustix::fs::fdatasync(&self.0).map_err(Into::into)
    }
}

struct RealLock(#[expect(dead_code, reason = "held, not read")] fs::File);

impl Held for RealLock {}

impl Files for Machine {
    fn read(&self, path: &Path, limit: u64) -> io::Result<Vec<u8>> {
        let file = open_regular(path)?;
        let length = file.metadata()?.len();
        if length > limit {
            return Err(too_large(length, limit));
        }
        let mut bytes = Vec::with_capacity(length as usize + 1);
        file.take(limit + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > limit { Err(too_large(bytes.len() as u64, limit)) } else { Ok(bytes) }
    }

    fn read_range(&self, path: &Path, offset: u64, length: u64) -> io::Result<Vec<u8>> {
        let mut file = open_regular(path)?;
        file.seek(io::SeekFrom::Start(offset))?;
        let mut bytes = Vec::with_capacity(length.min(1 << 20) as usize);
        file.take(length).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    fn open(&self, path: &Path) -> io::Result<Box<dyn io::Read + Send>> {
        Ok(Box::new(open_regular(path)?))
    }

    fn stat(&self, path: &Path) -> io::Result<Stat> {
        let metadata = fs::symlink_metadata(path)?;
        let file_type = metadata.file_type();
        let kind = if file_type.is_symlink() {
            Kind::Link
        } else if file_type.is_dir() {
            Kind::Folder
        } else if file_type.is_file() {
            Kind::File
        } else if file_type.is_block_device() {
            Kind::BlockDevice
        } else {
            Kind::Other
        };
        let nanoseconds = |seconds: i64, rest: i64| i128::from(seconds) * 1_000_000_000 + i128::from(rest);
        Ok(Stat {
            kind,
            length: metadata.len(),
            allotted: metadata.blocks() * 512,
            modified_ns: nanoseconds(metadata.mtime(), metadata.mtime_nsec()),
            changed_ns: nanoseconds(metadata.ctime(), metadata.ctime_nsec()),
            identity: (metadata.dev(), metadata.ino()),
        })
    }

    fn list(&self, folder: &Path) -> io::Result<Vec<String>> {
        let mut names = vec![];
        for entry in fs::read_dir(folder)? {
            let name = entry?.file_name().into_string();
            names.push(name.map_err(|name| io::Error::other(format!("the name {name:?} is not UTF-8")))?);
        }
        names.sort_unstable();
        Ok(names)
    }

    fn entries(&self, folder: &Path) -> io::Result<Vec<PathBuf>> {
        let mut paths = fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>()?;
        paths.sort_unstable();
        Ok(paths)
    }
}

impl Os for Machine {
    fn free_bytes(&self, folder: &Path) -> io::Result<u64> {
        let found = rustix::fs::statvfs(folder)?;
        Ok(found.f_bavail.saturating_mul(found.f_frsize))
    }

    fn canonical(&self, path: &Path) -> io::Result<PathBuf> {
        fs::canonicalize(path)
    }

    fn create_folder(&self, path: &Path) -> io::Result<()> {
        fs::create_dir(path)
    }

    fn create_file(&self, path: &Path) -> io::Result<Box<dyn WritableFile>> {
        Ok(Box::new(RealFile(fs::File::create_new(path)?)))
    }

    fn make_executable(&self, path: &Path) -> io::Result<()> {
        fs::set_permissions(path, fs::Permissions::from_mode(0o755))
    }

    fn append_file(&self, path: &Path) -> io::Result<Box<dyn WritableFile>> {
        Ok(Box::new(RealFile(fs::File::options().append(true).open(path)?)))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(from, to)
    }

    fn sync_folder(&self, path: &Path) -> io::Result<()> {
        fs::File::open(path)?.sync_all()
    }

    fn remove_file(&self, path: &Path) -> io::Result<()> {
        fs::remove_file(path)
    }

    fn remove_folder(&self, path: &Path) -> io::Result<()> {
        fs::remove_dir(path)
    }

    fn remove_all(&self, path: &Path) -> io::Result<()> {
        fs::remove_dir_all(path)
    }

    fn lock(&self, path: &Path, sharing: Sharing) -> io::Result<Box<dyn Held>> {
        use rustix::fs::FlockOperation;
        use std::os::unix::fs::OpenOptionsExt as _;
        // a link in place of a lock would make a file wherever it points
        let no_follow = rustix::fs::OFlags::NOFOLLOW.bits() as i32;
        let mut options = fs::File::options();
        let file = options.create(true).truncate(false).write(true).read(true).custom_flags(no_follow).open(path)?;
        let operation = match sharing {
            Sharing::Shared => FlockOperation::NonBlockingLockShared,
            Sharing::Exclusive => FlockOperation::NonBlockingLockExclusive,
        };
        rustix::fs::flock(&file, operation)?;
        Ok(Box::new(RealLock(file)))
    }

    fn now_ns(&self) -> i128 {
        SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos() as i128)
    }

    fn monotonic_ns(&self) -> u64 {
        let now = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
        now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
    }

    fn random(&self, bytes: &mut [u8]) -> io::Result<()> {
        fs::File::open("/dev/urandom")?.read_exact(bytes)
    }

    fn variable(&self, name: &str) -> Option<String> {
        std::env::var(name).ok()
    }

    fn current_folder(&self) -> io::Result<PathBuf> {
        std::env::current_dir()
    }

    fn own_program(&self) -> io::Result<PathBuf> {
        std::env::current_exe()
    }

    fn processors(&self) -> usize {
        std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
    }

    fn find_program(&self, name: &str) -> Option<PathBuf> {
        let is_program = |path: &Path| {
            fs::metadata(path).is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
        };
        if name.contains('/') {
            return Some(PathBuf::from(name)).filter(|path| is_program(path));
        }
        let path = std::env::var_os("PATH")?;
        std::env::split_paths(&path).map(|folder| folder.join(name)).find(|path| is_program(path))
    }

    fn free_port(&self) -> io::Result<u16> {
        Ok(std::net::TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port())
    }

    fn capture(&self, argv: &[&str]) -> io::Result<Captured> {
        process::capture(argv)
    }

    fn perform(&self, launch: &Launch) -> io::Result<Captured> {
        process::perform(launch)
    }

    fn spawn(&self, launch: &Launch) -> io::Result<Child> {
        process::spawn(launch)
    }
}

/// Opens a regular file; a pipe or device would keep the reader waiting.
fn open_regular(path: &Path) -> io::Result<fs::File> {
    let flags = rustix::fs::OFlags::NONBLOCK.bits() as i32;
    let file = std::os::unix::fs::OpenOptionsExt::custom_flags(fs::File::options().read(true), flags).open(path)?;
    let kind = file.metadata()?.file_type();
    if kind.is_file() {
        return Ok(file);
    }
    let kind = if kind.is_dir() { io::ErrorKind::IsADirectory } else { io::ErrorKind::InvalidInput };
    Err(io::Error::new(kind, "it is no regular file"))
}

fn too_large(length: u64, limit: u64) -> io::Error {
    io::Error::new(io::ErrorKind::FileTooLarge, format!("{length} bytes, more than the {limit} that are read"))
}
