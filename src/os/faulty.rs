//! A machine whose nth changing operation fails, is torn, or is the last one before the power goes.
//!
//! Operations that only read are not counted, except in that nothing works after a stop.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::process::{Captured, Child, Launch};
use super::{Files, Held, Machine, Os, Sharing, Stat, WritableFile};

/// What happens at the nth operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// It fails; later ones work.
    Fail,
    /// A write is done by half and fails; anything else fails.
    Tear,
    /// It is not done, and nothing is done after it: the machine has stopped.
    Stop,
}

#[derive(Debug)]
struct State {
    fault: Fault,
    nth: u64,
    done: AtomicU64,
    stopped: AtomicBool,
}

/// The real machine with one fault in it.
#[derive(Debug, Clone)]
pub struct Faulty {
    machine: Machine,
    state: Arc<State>,
}

const STOPPED: &str = "the machine has stopped";

impl Faulty {
    /// With a fault at the nth changing operation, from 1.
    pub fn new(fault: Fault, nth: u64) -> Self {
        let state = State { fault, nth, done: AtomicU64::new(0), stopped: AtomicBool::new(false) };
        Self { machine: Machine, state: Arc::new(state) }
    }

    /// How many changing operations were asked for.
    pub fn operations(&self) -> u64 {
        self.state.done.load(Ordering::SeqCst)
    }
}

impl State {
    fn alive(&self) -> io::Result<()> {
        if self.stopped.load(Ordering::SeqCst) { Err(io::Error::other(STOPPED)) } else { Ok(()) }
    }

    /// Counts one operation; the fault that strikes it, if any.
    fn count(&self) -> io::Result<Option<Fault>> {
        self.alive()?;
        if self.done.fetch_add(1, Ordering::SeqCst) + 1 != self.nth {
            return Ok(None);
        }
        if self.fault == Fault::Stop {
            self.stopped.store(true, Ordering::SeqCst);
            return Err(io::Error::other(STOPPED));
        }
        Ok(Some(self.fault))
    }

    fn gate(&self) -> io::Result<()> {
        match self.count()? {
            None => Ok(()),
            Some(_) => Err(io::Error::other("injected fault")),
        }
    }
}

struct FaultyFile {
    file: Box<dyn WritableFile>,
    state: Arc<State>,
}

impl WritableFile for FaultyFile {
    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self.state.count() {
            Ok(None) => self.file.append(bytes),
            Ok(Some(Fault::Tear)) => {
                self.file.append(&bytes[..bytes.len() / 2])?;
                Err(io::Error::other("injected fault: torn write"))
            }
            Ok(Some(_)) => Err(io::Error::other("injected fault")),
            Err(error) => {
                // the power may go in the middle of a write
                if self.state.done.load(Ordering::SeqCst) == self.state.nth {
                    self.file.append(&bytes[..bytes.len() / 2])?;
                }
                Err(error)
            }
        }
    }

    fn sync(&mut self) -> io::Result<()> {
        self.state.gate()?;
        self.file.sync()
    }
}

impl Files for Faulty {
    fn read(&self, path: &Path, limit: u64) -> io::Result<Vec<u8>> {
        self.state.alive()?;
        self.machine.read(path, limit)
    }

    fn read_range(&self, path: &Path, offset: u64, length: u64) -> io::Result<Vec<u8>> {
        self.state.alive()?;
        self.machine.read_range(path, offset, length)
    }

    fn open(&self, path: &Path) -> io::Result<Box<dyn io::Read + Send>> {
        self.state.alive()?;
        self.machine.open(path)
    }

    fn stat(&self, path: &Path) -> io::Result<Stat> {
        self.state.alive()?;
        self.machine.stat(path)
    }

    fn list(&self, folder: &Path) -> io::Result<Vec<String>> {
        self.state.alive()?;
        self.machine.list(folder)
    }

    fn entries(&self, folder: &Path) -> io::Result<Vec<PathBuf>> {
        self.state.alive()?;
        self.machine.entries(folder)
    }
}

impl Os for Faulty {
    fn free_bytes(&self, folder: &Path) -> io::Result<u64> {
        self.state.alive()?;
        self.machine.free_bytes(folder)
    }

    fn canonical(&self, path: &Path) -> io::Result<PathBuf> {
        self.state.alive()?;
        self.machine.canonical(path)
    }

    fn create_folder(&self, path: &Path) -> io::Result<()> {
        self.state.gate()?;
        self.machine.create_folder(path)
    }

    fn create_file(&self, path: &Path) -> io::Result<Box<dyn WritableFile>> {
        self.state.gate()?;
        Ok(Box::new(FaultyFile { file: self.machine.create_file(path)?, state: Arc::clone(&self.state) }))
    }

    fn make_executable(&self, path: &Path) -> io::Result<()> {
        self.state.gate()?;
        self.machine.make_executable(path)
    }

    fn append_file(&self, path: &Path) -> io::Result<Box<dyn WritableFile>> {
        self.state.gate()?;
        Ok(Box::new(FaultyFile { file: self.machine.append_file(path)?, state: Arc::clone(&self.state) }))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.state.gate()?;
        self.machine.rename(from, to)
    }

    fn sync_folder(&self, path: &Path) -> io::Result<()> {
        self.state.gate()?;
        self.machine.sync_folder(path)
    }

    fn remove_file(&self, path: &Path) -> io::Result<()> {
        self.state.gate()?;
        self.machine.remove_file(path)
    }

    fn remove_folder(&self, path: &Path) -> io::Result<()> {
        self.state.gate()?;
        self.machine.remove_folder(path)
    }

    fn remove_all(&self, path: &Path) -> io::Result<()> {
        self.state.gate()?;
        self.machine.remove_all(path)
    }

    fn lock(&self, path: &Path, sharing: Sharing) -> io::Result<Box<dyn Held>> {
        self.state.gate()?;
        self.machine.lock(path, sharing)
    }

    fn now_ns(&self) -> i128 {
        self.machine.now_ns()
    }

    fn monotonic_ns(&self) -> u64 {
        self.machine.monotonic_ns()
    }

    fn random(&self, bytes: &mut [u8]) -> io::Result<()> {
        self.state.alive()?;
        self.machine.random(bytes)
    }

    fn variable(&self, name: &str) -> Option<String> {
        self.machine.variable(name)
    }

    fn current_folder(&self) -> io::Result<PathBuf> {
        self.machine.current_folder()
    }

    fn own_program(&self) -> io::Result<PathBuf> {
        self.machine.own_program()
    }

    fn processors(&self) -> usize {
        self.machine.processors()
    }

    fn find_program(&self, name: &str) -> Option<PathBuf> {
        self.machine.find_program(name)
    }

    fn free_port(&self) -> io::Result<u16> {
        self.state.alive()?;
        self.machine.free_port()
    }

    fn capture(&self, argv: &[&str]) -> io::Result<Captured> {
        self.state.alive()?;
        self.machine.capture(argv)
    }

    fn perform(&self, launch: &Launch) -> io::Result<Captured> {
        self.state.alive()?;
        self.machine.perform(launch)
    }

    fn spawn(&self, launch: &Launch) -> io::Result<Child> {
        self.state.gate()?;
        self.machine.spawn(launch)
    }
}
