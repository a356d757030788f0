//! The machine that this program runs on, as a place.
//!
//! What takes long is done on another thread, or awaited in small parts.

use std::io;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use super::{Access, Clock, Host, Launch, Pipes, Place, Running, Step};
use crate::digest::Digest;
use crate::inventory::{self, Inventory, Program};
use crate::os::{self, Child, Exit, Kind, Os, Output, Stat};

/// How manifests name it.
pub(super) const ACCESS: Access = Access { word: "local", open: |controller| Ok(Rc::new(Local::new(controller))) };

/// This machine.
#[derive(Clone)]
pub struct Local {
    os: Arc<dyn Os>,
}

impl Local {
    /// The machine behind a door.
    pub fn new(os: &Arc<dyn Os>) -> Self {
        Self { os: Arc::clone(os) }
    }

    /// Does what takes long on another thread.
    async fn elsewhere<T, W>(&self, work: W) -> io::Result<T>
    where
        T: Send + 'static,
        W: FnOnce(&dyn Os) -> io::Result<T> + Send + 'static,
    {
        let os = Arc::clone(&self.os);
        tokio::task::spawn_blocking(move || work(&*os)).await.map_err(io::Error::other)?
    }
}

/// Writes a file anew, with the folders above it.
fn write(os: &dyn Os, path: &Path, bytes: &[u8]) -> io::Result<()> {
    if let Some(parent) = path.parent() {
        os::create_folders(os, parent)?;
    }
    let _ = os.remove_file(path);
    os.create_file(path)?.append(bytes)?;
    if bytes.starts_with(b"#!") { os.make_executable(path) } else { Ok(()) }
}

fn write_all(os: &dyn Os, folder: &Path, files: &[(String, Vec<u8>)]) -> io::Result<()> {
    for (name, bytes) in files {
        let path = folder.join(name);
        let failed = |error: io::Error| io::Error::other(format!("writing {}: {error}", path.display()));
        write(os, &path, bytes).map_err(failed)?;
    }
    Ok(())
}

/// Removes a file, or a folder and all below it.
fn remove(os: &dyn Os, path: &Path) -> io::Result<()> {
    match os.stat(path) {
        Ok(stat) if stat.kind == Kind::Folder => os.remove_all(path),
        Ok(_) => os.remove_file(path),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    }
}

/// The boot of the machine behind a door; `unknown` where it does not say.
pub fn boot_id(os: &dyn Os) -> String {
    let read = os.read(Path::new("/proc/sys/kernel/random/boot_id"), 4096);
    read.map_or_else(|_| "unknown".to_owned(), |bytes| String::from_utf8_lossy(&bytes).trim().to_owned())
}

impl Place for Local {
    fn facts<'a>(&'a self, scratch: &'a Path, programs: &'a [Program]) -> Step<'a, io::Result<Inventory>> {
        let (scratch, programs) = (scratch.to_owned(), programs.to_vec());
        Box::pin(self.elsewhere(move |os| {
            Ok(inventory::collect(&inventory::Scope { os, scratch: &scratch, programs: &programs }))
        }))
    }

    fn find_program<'a>(&'a self, name: &'a str) -> Step<'a, io::Result<Option<PathBuf>>> {
        Box::pin(async move { Ok(self.os.find_program(name)) })
    }

    fn start<'a>(&'a self, launch: &'a Launch) -> Step<'a, io::Result<Box<dyn Running>>> {
        Box::pin(async move {
            if !launch.files.is_empty() {
                let (folder, files) = (launch.folder.clone(), launch.files.clone());
                self.elsewhere(move |os| write_all(os, &folder, &files)).await?;
            }
            let (name, value) = launch.mark.split_once('=').unwrap_or((&launch.mark, ""));
            let variables = vec![(name.to_owned(), value.to_owned())];
            let (argv, folder, input) = (launch.argv.clone(), launch.folder.clone(), launch.input);
            let child = self.os.spawn(&os::Launch { argv, folder, variables, input })?;
            Ok(Box::new(Process { child }) as Box<dyn Running>)
        })
    }

    fn put<'a>(&'a self, path: &'a Path, bytes: &'a [u8]) -> Step<'a, io::Result<()>> {
        let (path, bytes) = (path.to_owned(), bytes.to_vec());
        Box::pin(self.elsewhere(move |os| write(os, &path, &bytes)))
    }

    fn take<'a>(&'a self, path: &'a Path, limit: u64) -> Step<'a, io::Result<Vec<u8>>> {
        let path = path.to_owned();
        Box::pin(self.elsewhere(move |os| os.read(&path, limit)))
    }

    fn clock(&self) -> Step<'_, io::Result<Clock>> {
        Box::pin(async { Ok(Clock { wall_ns: self.os.now_ns(), monotonic_ns: Some(self.os.monotonic_ns()) }) })
    }

    fn boot_id(&self) -> Step<'_, String> {
        Box::pin(async { boot_id(&*self.os) })
    }

    fn end_all<'a>(&'a self, mark: &'a str, kept: &'a [i32]) -> Step<'a, ()> {
        Box::pin(end_marked(mark, kept))
    }
}

impl Host for Local {
    fn create_folder<'a>(&'a self, path: &'a Path) -> Step<'a, io::Result<()>> {
        Box::pin(async move { os::create_folders(&*self.os, path) })
    }

    fn entries<'a>(&'a self, folder: &'a Path) -> Step<'a, io::Result<Vec<PathBuf>>> {
        Box::pin(async move { self.os.entries(folder) })
    }

    fn stat<'a>(&'a self, path: &'a Path) -> Step<'a, io::Result<Stat>> {
        Box::pin(async move { self.os.stat(path) })
    }

    fn remove<'a>(&'a self, path: &'a Path) -> Step<'a, io::Result<()>> {
        let path = path.to_owned();
        Box::pin(self.elsewhere(move |os| remove(os, &path)))
    }

    fn make_executable<'a>(&'a self, path: &'a Path) -> Step<'a, io::Result<()>> {
        Box::pin(async move { self.os.make_executable(path) })
    }

    fn append<'a>(&'a self, path: &'a Path, bytes: &'a [u8]) -> Step<'a, io::Result<()>> {
        let (path, bytes) = (path.to_owned(), bytes.to_vec());
        Box::pin(self.elsewhere(move |os| os.append_file(&path)?.append(&bytes)))
    }

    fn read_range<'a>(&'a self, path: &'a Path, offset: u64, length: u64) -> Step<'a, io::Result<Vec<u8>>> {
        let path = path.to_owned();
        Box::pin(self.elsewhere(move |os| os.read_range(&path, offset, length)))
    }

    fn digest<'a>(&'a self, path: &'a Path) -> Step<'a, io::Result<(Digest, u64)>> {
        let path = path.to_owned();
        let work = move |os: &dyn Os| os.open(&path).and_then(|mut file| Digest::of_reader(&mut *file));
        Box::pin(self.elsewhere(work))
    }

    fn canonical<'a>(&'a self, path: &'a Path) -> Step<'a, io::Result<PathBuf>> {
        Box::pin(async move { self.os.canonical(path) })
    }

    fn free_bytes<'a>(&'a self, folder: &'a Path) -> Step<'a, io::Result<u64>> {
        Box::pin(async move { self.os.free_bytes(folder) })
    }

    fn free_port(&self) -> Step<'_, io::Result<u16>> {
        Box::pin(async { self.os.free_port() })
    }

    fn is_listening(&self, port: u16) -> Step<'_, io::Result<bool>> {
        Box::pin(async move {
            // local address, any remote one, state LISTEN (proc(5))
            let wanted = format!("0100007F:{port:04X} 00000000:0000 0A ");
            // such files have no length, so they are read in parts
            let table = self.os.read_range(Path::new("/proc/net/tcp"), 0, 4 << 20)?;
            Ok(String::from_utf8_lossy(&table).contains(&wanted))
        })
    }
}

/// A process of this machine.
struct Process {
    child: Child,
}

impl Running for Process {
    fn group(&self) -> Option<i32> {
        self.child.group()
    }

    fn pipes(&mut self) -> Option<Pipes> {
        let os::Pipes { input, output, errors } = self.child.pipes()?;
        Some(Pipes { input: Box::new(input), output: Box::new(output), errors: Box::new(errors) })
    }

    fn ended(&mut self) -> Step<'_, io::Result<Exit>> {
        Box::pin(self.child.ended())
    }

    fn output(&mut self, limit_bytes: u64) -> Step<'_, io::Result<Output>> {
        Box::pin(self.child.wait(limit_bytes))
    }

    fn end(&mut self) -> Step<'_, ()> {
        if let Some(group) = self.child.group() {
            os::kill_group(group);
        }
        Box::pin(std::future::ready(()))
    }
}

/// Ends all processes of this machine that carry a mark, but for those that are kept: politely, then not.
///
/// A process that was just being started is found by the second look.
pub async fn end_marked(mark: &str, kept: &[i32]) {
    const GRACE: Duration = Duration::from_millis(300);
    const PAUSE: Duration = Duration::from_millis(20);
    const LOOKS: usize = 100;
    let (mut is_first, mut looks_empty) = (true, 0);
    for _ in 0..LOOKS {
        let mut found = os::marked_processes(mark);
        found.retain(|process| !kept.contains(process));
        if found.is_empty() {
            looks_empty += 1;
            if looks_empty == 2 {
                return;
            }
            tokio::time::sleep(PAUSE).await;
            continue;
        }
        looks_empty = 0;
        if is_first {
            os::ask_to_end(&found);
            tokio::time::sleep(GRACE).await;
        } else {
            os::end(&found);
            tokio::time::sleep(PAUSE).await;
        }
        is_first = false;
    }
}
