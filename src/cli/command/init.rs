//! `init`: a commented manifest for this machine.

use std::path::Path;

use crate::cli::arguments::InitArguments;
use crate::cli::failure::Failure;
use crate::cli::workspace::Workspace;
use crate::cli::{Session, show};
use crate::name::Name;
use crate::os;
use crate::tool::{self, draft};

const TEMPLATE: &str = include_str!("init.yaml");

pub(crate) fn run(session: &Session, arguments: &InitArguments) -> Result<u8, Failure> {
    let name = Name::new(&arguments.name).map_err(|error| Failure::usage(error.to_string()))?;
    let root = match Workspace::here(session) {
        Ok(workspace) => workspace.root,
        Err(_) => session.os.current_folder().map_err(Failure::io(Path::new(".")))?,
    };
    let folder = root.join("experiments").join(name.as_str());
    let path = folder.join("experiment.yaml");
    if os::is_there(&*session.os, &path).map_err(Failure::io(&path))? {
        return Err(Failure::usage(format!("{} is there already", path.display())).help("Choose another name."));
    }
    let text = match &arguments.from {
        Some(file) => drafted(session, file, &name)?,
        None => template(session, &name),
    };
    os::create_folders(&*session.os, &folder).map_err(Failure::io(&folder))?;
    os::write_atomically(&*session.os, &path, text.as_bytes()).map_err(Failure::io(&path))?;
    let schema = root.join("schema").join("experiment.json");
    if !os::is_there(&*session.os, &schema).map_err(Failure::io(&schema))? {
        os::create_folders(&*session.os, &root.join("schema")).map_err(Failure::io(&root))?;
        let text = serde_json::to_string_pretty(&crate::manifest::schema())? + "\n";
        os::write_atomically(&*session.os, &schema, text.as_bytes()).map_err(Failure::io(&schema))?;
    }
    show::print(&path.display().to_string());
    let next = if text.contains("\nexecution: manual") { "import" } else { "run" };
    let last = match next {
        "run" => format!("`benchpaper run experiments/{name}`"),
        _ => format!("`benchpaper plan experiments/{name} --runsheet`, `benchpaper import experiments/{name} FILES`"),
    };
    let folder = format!("experiments/{name}");
    show::note(&format!("next: edit it, then `benchpaper check {folder}`, `benchpaper lock {folder}`, {last}"));
    Ok(0)
}

/// The commented manifest for this machine.
fn template(session: &Session, name: &Name) -> String {
    let has_io_uring = session.os.read(Path::new("/proc/sys/kernel/io_uring_disabled"), 64);
    let engine = if has_io_uring.is_ok_and(|bytes| bytes.starts_with(b"0")) { "io_uring" } else { "libaio" };
    TEMPLATE.replace("NAME", name.as_str()).replace("ENGINE", engine)
}

/// The largest job file or output that a manifest is begun from, in bytes.
const FILE_LIMIT_BYTES: u64 = 64 << 20;

/// A manifest out of a job file, or out of what a tool printed.
fn drafted(session: &Session, file: &Path, name: &Name) -> Result<String, Failure> {
    let bytes = session.os.read(file, FILE_LIMIT_BYTES).map_err(Failure::io(file))?;
    let decoded = tool::decode(&bytes);
    let Some(draft) = tool::TOOLS.iter().find_map(|tool| tool.draft(&decoded)) else {
        let message = format!("{}: it is neither a job file of fio nor an output that is recognised", file.display());
        return Err(Failure::usage(message).help("Leave `--from` away to begin with a commented example."));
    };
    draft.left_out.iter().for_each(|one| show::note(&format!("not carried over: {one}")));
    let shown = file.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    Ok(draft::manifest(&draft, name, &shown))
}
