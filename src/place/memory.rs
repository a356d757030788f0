//! A place in memory: files are entries of a map, and programs are answers that somebody declared, with their delays and
//! faults. The whole runner can be tried in it without a process.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::Duration;

use tokio::sync::watch;

use super::{Clock, Host, Launch, Pipes, Place, Running, Step};
use crate::digest::Digest;
use crate::inventory::{self, Inventory};
use crate::os::{Exit, Kind, Output, Stat};

/// What a program does in a place in memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// How long it takes.
    pub delay: Duration,
    /// What it prints.
    pub stdout: Vec<u8>,
    /// What it complains.
    pub stderr: Vec<u8>,
    /// How it ends.
    pub exit: Exit,
    /// The files that it leaves in the folder it started in.
    pub files: Vec<(String, Vec<u8>)>,
}

impl Answer {
    /// Prints something at once and ends well.
    pub fn of(stdout: &str) -> Self {
        let (stdout, exit) = (stdout.as_bytes().to_vec(), Exit::Code(0));
        Self { delay: Duration::ZERO, stdout, stderr: vec![], exit, files: vec![] }
    }

    /// The same, after a while.
    pub fn after(self, delay: Duration) -> Self {
        Self { delay, ..self }
    }
}

/// From a launch to what it does; `Err` where it cannot be started.
type Program = dyn Fn(&Launch) -> io::Result<Answer>;

#[derive(Default)]
struct State {
    files: BTreeMap<PathBuf, Vec<u8>>,
    folders: BTreeSet<PathBuf>,
    started: Vec<Vec<String>>,
    /// The marks of the processes that run, each with the end of whoever waits for it.
    running: BTreeMap<i32, (String, watch::Sender<bool>)>,
    next: i32,
    operations: u64,
}

/// A place in memory.
#[derive(Clone)]
pub struct Memory {
    state: Rc<RefCell<State>>,
    program: Rc<Program>,
    fault: Option<u64>,
}

impl Memory {
    /// A place in which every launch is answered by a function.
    pub fn new(program: impl Fn(&Launch) -> io::Result<Answer> + 'static) -> Self {
        Self { state: Rc::default(), program: Rc::new(program), fault: None }
    }

    /// The same, in which the nth operation that changes a file fails, from 1.
    pub fn failing(self, nth: u64) -> Self {
        Self { fault: Some(nth), ..self }
    }

    /// What was started, in order.
    pub fn started(&self) -> Vec<Vec<String>> {
        self.state.borrow().started.clone()
    }

    /// How many processes run.
    pub fn running(&self) -> usize {
        self.state.borrow().running.len()
    }

    /// How many operations that change a file were asked for.
    pub fn operations(&self) -> u64 {
        self.state.borrow().operations
    }

    fn change<T>(&self, work: impl FnOnce(&mut State) -> io::Result<T>) -> io::Result<T> {
        let mut state = self.state.borrow_mut();
        state.operations += 1;
        if self.fault == Some(state.operations) {
            return Err(io::Error::other("injected fault"));
        }
        work(&mut state)
    }

    fn write(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        self.change(|state| {
            state.folders.extend(path.ancestors().skip(1).map(Path::to_owned));
            state.files.insert(path.to_owned(), bytes.to_vec());
            Ok(())
        })
    }

    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        self.state.borrow().files.get(path).cloned().ok_or_else(|| io::ErrorKind::NotFound.into())
    }
}

impl Place for Memory {
    fn facts<'a>(&'a self, _: &'a Path, _: &'a [inventory::Program]) -> Step<'a, io::Result<Inventory>> {
        Box::pin(async { Ok(Inventory::default()) })
    }

    fn find_program<'a>(&'a self, name: &'a str) -> Step<'a, io::Result<Option<PathBuf>>> {
        Box::pin(
            async move { Ok(self.state.borrow().files.contains_key(Path::new(name)).then(|| PathBuf::from(name))) },
        )
    }

    fn start<'a>(&'a self, launch: &'a Launch) -> Step<'a, io::Result<Box<dyn Running>>> {
        Box::pin(async move {
            for (name, bytes) in &launch.files {
                self.write(&launch.folder.join(name), bytes)?;
            }
            let answer = (self.program)(launch)?;
            let (ends, waits) = watch::channel(false);
            let mut state = self.state.borrow_mut();
            state.started.push(launch.argv.clone());
            state.next += 1;
            let group = state.next;
            state.running.insert(group, (launch.mark.clone(), ends));
            let folder = launch.folder.clone();
            Ok(Box::new(Process { place: self.clone(), group, folder, answer, waits }) as Box<dyn Running>)
        })
    }

    fn put<'a>(&'a self, path: &'a Path, bytes: &'a [u8]) -> Step<'a, io::Result<()>> {
        Box::pin(async move { self.write(path, bytes) })
    }

    fn take<'a>(&'a self, path: &'a Path, limit: u64) -> Step<'a, io::Result<Vec<u8>>> {
        Box::pin(async move {
            let bytes = self.read(path)?;
            if bytes.len() as u64 > limit { Err(io::ErrorKind::FileTooLarge.into()) } else { Ok(bytes) }
        })
    }

    fn clock(&self) -> Step<'_, io::Result<Clock>> {
        Box::pin(async { Ok(Clock { wall_ns: 0, monotonic_ns: None }) })
    }

    fn boot_id(&self) -> Step<'_, String> {
        Box::pin(async { "memory".to_owned() })
    }

    fn end_all<'a>(&'a self, mark: &'a str, kept: &'a [i32]) -> Step<'a, ()> {
        Box::pin(async move {
            let is_ended = |group: &i32, (of, ends): &mut (String, watch::Sender<bool>)| {
                let is_meant = of == mark && !kept.contains(group);
                if is_meant {
                    ends.send_replace(true);
                }
                !is_meant
            };
            self.state.borrow_mut().running.retain(is_ended);
        })
    }
}

impl Host for Memory {
    fn create_folder<'a>(&'a self, path: &'a Path) -> Step<'a, io::Result<()>> {
        Box::pin(async move {
            self.change(|state| {
                state.folders.extend(path.ancestors().map(Path::to_owned));
                Ok(())
            })
        })
    }

    fn entries<'a>(&'a self, folder: &'a Path) -> Step<'a, io::Result<Vec<PathBuf>>> {
        Box::pin(async move {
            let state = self.state.borrow();
            let below = |path: &PathBuf| {
                let inside = path.strip_prefix(folder).ok()?.components().next()?;
                Some(folder.join(inside))
            };
            let found: BTreeSet<PathBuf> = state.files.keys().chain(&state.folders).filter_map(below).collect();
            Ok(found.into_iter().collect())
        })
    }

    fn stat<'a>(&'a self, path: &'a Path) -> Step<'a, io::Result<Stat>> {
        Box::pin(async move {
            let state = self.state.borrow();
            let (kind, length) = match state.files.get(path) {
                Some(bytes) => (Kind::File, bytes.len() as u64),
                None if state.folders.contains(path) => (Kind::Folder, 0),
                None => return Err(io::ErrorKind::NotFound.into()),
            };
            Ok(Stat { kind, length, allotted: length, modified_ns: 0, changed_ns: 0, identity: (0, 0) })
        })
    }

    fn remove<'a>(&'a self, path: &'a Path) -> Step<'a, io::Result<()>> {
        Box::pin(async move {
            self.change(|state| {
                state.files.retain(|one, _| !one.starts_with(path));
                state.folders.retain(|one| !one.starts_with(path));
                Ok(())
            })
        })
    }

    fn make_executable<'a>(&'a self, _: &'a Path) -> Step<'a, io::Result<()>> {
        Box::pin(async move { self.change(|_| Ok(())) })
    }

    fn append<'a>(&'a self, path: &'a Path, bytes: &'a [u8]) -> Step<'a, io::Result<()>> {
        Box::pin(async move {
            self.change(|state| {
                state.files.entry(path.to_owned()).or_default().extend_from_slice(bytes);
                Ok(())
            })
        })
    }

    fn read_range<'a>(&'a self, path: &'a Path, offset: u64, length: u64) -> Step<'a, io::Result<Vec<u8>>> {
        Box::pin(async move {
            let bytes = self.read(path)?;
            let rest = bytes.get(offset as usize..).unwrap_or_default();
            Ok(rest[..rest.len().min(length as usize)].to_vec())
        })
    }

    fn digest<'a>(&'a self, path: &'a Path) -> Step<'a, io::Result<(Digest, u64)>> {
        Box::pin(async move { self.read(path).map(|bytes| (Digest::of(&bytes), bytes.len() as u64)) })
    }

    fn canonical<'a>(&'a self, path: &'a Path) -> Step<'a, io::Result<PathBuf>> {
        Box::pin(async move { Ok(path.to_owned()) })
    }

    fn free_bytes<'a>(&'a self, _: &'a Path) -> Step<'a, io::Result<u64>> {
        Box::pin(async { Ok(1 << 40) })
    }

    fn free_port(&self) -> Step<'_, io::Result<u16>> {
        Box::pin(async {
            let mut state = self.state.borrow_mut();
            state.next += 1;
            Ok(10_000 + state.next as u16)
        })
    }

    fn is_listening(&self, _: u16) -> Step<'_, io::Result<bool>> {
        Box::pin(async { Ok(true) })
    }
}

/// A program that is running, or thought to be.
struct Process {
    place: Memory,
    group: i32,
    folder: PathBuf,
    answer: Answer,
    waits: watch::Receiver<bool>,
}

impl Process {
    /// Waits until its time is over, or somebody ends it.
    async fn wait(&mut self) -> Exit {
        tokio::select! {
            () = tokio::time::sleep(self.answer.delay) => {}
            _ = self.waits.wait_for(|is_ended| *is_ended) => return Exit::Signal(15),
        }
        self.place.state.borrow_mut().running.remove(&self.group);
        for (name, bytes) in std::mem::take(&mut self.answer.files) {
            let _ = self.place.write(&self.folder.join(name), &bytes);
        }
        self.answer.exit
    }
}

impl Running for Process {
    fn group(&self) -> Option<i32> {
        Some(self.group)
    }

    /// A program here prints its answer and hears nothing.
    fn pipes(&mut self) -> Option<Pipes> {
        let output = io::Cursor::new(std::mem::take(&mut self.answer.stdout));
        Some(Pipes {
            input: Box::new(tokio::io::sink()),
            output: Box::new(output),
            errors: Box::new(tokio::io::empty()),
        })
    }

    fn ended(&mut self) -> Step<'_, io::Result<Exit>> {
        Box::pin(async { Ok(self.wait().await) })
    }

    fn output(&mut self, _: u64) -> Step<'_, io::Result<Output>> {
        Box::pin(async {
            let exit = self.wait().await;
            let stdout = std::mem::take(&mut self.answer.stdout);
            Ok(Output { stdout, stderr: std::mem::take(&mut self.answer.stderr), exit })
        })
    }

    fn end(&mut self) -> Step<'_, ()> {
        if let Some((_, ends)) = self.place.state.borrow_mut().running.remove(&self.group) {
            ends.send_replace(true);
        }
        Box::pin(std::future::ready(()))
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.place.state.borrow_mut().running.remove(&self.group);
    }
}
