//! A guest as a place: what is asked of it becomes commands on its channel.

use std::io;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use tokio::sync::Mutex;

use super::GuestError;
use super::conversation::Conversation;
use crate::guest::{facts, script};
use crate::inventory::{Fact, Inventory, Program};
use crate::os::{Exit, Output};
use crate::place::{Clock, Launch, Pipes, Place, Running, Step};

/// A running guest.
pub(super) struct Guest {
    number: u64,
    port: u16,
    group: Option<i32>,
    is_exact: bool,
    conversation: Rc<Mutex<Conversation>>,
}

impl Guest {
    /// `port` of 127.0.0.1 leads to its server, where it has one.
    pub(super) fn new(conversation: Conversation, port: u16, is_exact: bool) -> Self {
        let (number, group) = (conversation.number, conversation.process.group());
        Self { number, port, group, is_exact, conversation: Rc::new(Mutex::new(conversation)) }
    }

    /// From 1.
    pub(super) fn number(&self) -> u64 {
        self.number
    }

    pub(super) fn port(&self) -> u16 {
        self.port
    }

    /// The process of its hypervisor.
    pub(super) fn group(&self) -> Option<i32> {
        self.group
    }

    pub(super) async fn ready(&self) -> Result<(), GuestError> {
        self.conversation.lock().await.ready().await
    }

    pub(super) async fn facts_as_sent(&self) -> Vec<u8> {
        self.conversation.lock().await.facts.clone()
    }

    pub(super) async fn console(&self) -> Vec<u8> {
        self.conversation.lock().await.console().await
    }

    /// Waits until its hypervisor has ended.
    pub(super) async fn ended(&self) {
        let _ = self.conversation.lock().await.process.ended().await;
    }

    /// Ends its hypervisor.
    pub(super) async fn end(&self) {
        let mut conversation = self.conversation.lock().await;
        conversation.process.end().await;
        let _ = conversation.process.ended().await;
    }

    /// Sends commands and takes the section of a name out of the answer.
    async fn ask(&self, commands: &str, name: &str) -> io::Result<Vec<u8>> {
        let done = self.conversation.lock().await.talk(Some(commands)).await;
        let (sections, code) = done.map_err(io::Error::other)?;
        if code != 0 {
            return Err(io::Error::other(format!("guest {}: it ended with code {code}", self.number)));
        }
        let found = sections.into_iter().find(|(one, _)| one == name);
        found.map(|(_, bytes)| bytes).ok_or_else(|| io::ErrorKind::NotFound.into())
    }
}

impl Place for Guest {
    fn facts<'a>(&'a self, _: &'a Path, _: &'a [Program]) -> Step<'a, io::Result<Inventory>> {
        Box::pin(async {
            let said = facts::parse(&String::from_utf8_lossy(&self.facts_as_sent().await));
            Ok(Inventory(said.into_iter().map(|(path, value)| (path, Fact::Measured(value))).collect()))
        })
    }

    fn find_program<'a>(&'a self, name: &'a str) -> Step<'a, io::Result<Option<PathBuf>>> {
        Box::pin(async move {
            let found = self.ask(&script::find_program(name), script::ANSWER).await?;
            let path = String::from_utf8_lossy(&found).trim().to_owned();
            Ok((!path.is_empty()).then(|| PathBuf::from(path)))
        })
    }

    fn start<'a>(&'a self, launch: &'a Launch) -> Step<'a, io::Result<Box<dyn Running>>> {
        Box::pin(async move {
            // the commands of an exact guest lie in its initramfs
            let commands = (!self.is_exact).then(|| script::launch(&launch.argv, &launch.files));
            Ok(Box::new(Asked { conversation: Rc::clone(&self.conversation), commands }) as Box<dyn Running>)
        })
    }

    fn put<'a>(&'a self, path: &'a Path, bytes: &'a [u8]) -> Step<'a, io::Result<()>> {
        Box::pin(async move {
            let done = self.conversation.lock().await.talk(Some(&script::put(&text(path)?, bytes))).await;
            done.map(|_| ()).map_err(io::Error::other)
        })
    }

    fn take<'a>(&'a self, path: &'a Path, limit: u64) -> Step<'a, io::Result<Vec<u8>>> {
        Box::pin(async move {
            let bytes = self.ask(&script::take(&text(path)?), script::ANSWER).await?;
            if bytes.len() as u64 > limit { Err(io::ErrorKind::FileTooLarge.into()) } else { Ok(bytes) }
        })
    }

    fn clock(&self) -> Step<'_, io::Result<Clock>> {
        Box::pin(async {
            let answer = self.ask(script::CLOCK, "clock").await?;
            let answer = String::from_utf8_lossy(&answer);
            let numbers: Vec<i128> = answer.split_whitespace().filter_map(|word| word.parse().ok()).collect();
            let [seconds, microseconds] = numbers.as_slice() else {
                return Err(io::Error::other(format!("guest {} does not tell its time", self.number)));
            };
            Ok(Clock { wall_ns: seconds * 1_000_000_000 + microseconds * 1_000, monotonic_ns: None })
        })
    }

    fn boot_id(&self) -> Step<'_, String> {
        Box::pin(async {
            let answer = self.take(Path::new("/proc/sys/kernel/random/boot_id"), 4096).await;
            answer.map_or_else(|_| "unknown".to_owned(), |bytes| String::from_utf8_lossy(&bytes).trim().to_owned())
        })
    }

    /// Nothing outlives a guest.
    fn end_all<'a>(&'a self, _: &'a str, _: &'a [i32]) -> Step<'a, ()> {
        Box::pin(self.end())
    }
}

fn text(path: &Path) -> io::Result<String> {
    path.to_str().map(str::to_owned).ok_or_else(|| io::ErrorKind::InvalidFilename.into())
}

/// A launch in a guest; its commands are sent when its output is asked for.
struct Asked {
    conversation: Rc<Mutex<Conversation>>,
    commands: Option<String>,
}

impl Running for Asked {
    fn group(&self) -> Option<i32> {
        None
    }

    fn pipes(&mut self) -> Option<Pipes> {
        None
    }

    fn ended(&mut self) -> Step<'_, io::Result<Exit>> {
        Box::pin(async { self.output(u64::MAX).await.map(|output| output.exit) })
    }

    fn output(&mut self, _: u64) -> Step<'_, io::Result<Output>> {
        Box::pin(async {
            let done = self.conversation.lock().await.talk(self.commands.as_deref()).await;
            let (sections, code) = done.map_err(io::Error::other)?;
            let mut output = Output { stdout: vec![], stderr: vec![], exit: Exit::Code(code) };
            for (name, bytes) in sections {
                match name.as_str() {
                    "stdout" => output.stdout = bytes,
                    "stderr" => output.stderr = bytes,
                    _ => {}
                }
            }
            Ok(output)
        })
    }

    /// The guest is torn down where a launch does not end.
    fn end(&mut self) -> Step<'_, ()> {
        Box::pin(std::future::ready(()))
    }
}
