//! `init`: a commented manifest for this machine.

use crate::cli::arguments::InitArguments;
use crate::cli::failure::Failure;
use crate::cli::workspace::Workspace;
use crate::cli::{Session, show};
use crate::name::Name;
use crate::os;

const TEMPLATE: &str = include_str!("init.yaml");

pub(crate) fn run(session: &Session, arguments: &InitArguments) -> Result<u8, Failure> {
    let name = Name::new(&arguments.name).map_err(|error| Failure::usage(error.to_string()))?;
    let root = match Workspace::here(session) {
        Ok(workspace) => workspace.root,
        Err(_) => session.os.current_folder().map_err(Failure::io(std::path::Path::new(".")))?,
    };
    let folder = root.join("experiments").join(name.as_str());
    let path = folder.join("experiment.yaml");
    if os::is_there(&*session.os, &path).map_err(Failure::io(&path))? {
        return Err(Failure::usage(format!("{} is there already", path.display())).help("Choose another name."));
    }
    let has_io_uring = session.os.read(std::path::Path::new("/proc/sys/kernel/io_uring_disabled"), 64);
    let engine = if has_io_uring.is_ok_and(|bytes| bytes.starts_with(b"0")) { "io_uring" } else { "libaio" };
    let text = TEMPLATE.replace("NAME", name.as_str()).replace("ENGINE", engine);
    os::create_folders(&*session.os, &folder).map_err(Failure::io(&folder))?;
    os::write_atomically(&*session.os, &path, text.as_bytes()).map_err(Failure::io(&path))?;
    let schema = root.join("schema").join("experiment.json");
    if !os::is_there(&*session.os, &schema).map_err(Failure::io(&schema))? {
        os::create_folders(&*session.os, &root.join("schema")).map_err(Failure::io(&root))?;
        let text = serde_json::to_string_pretty(&crate::manifest::schema())? + "\n";
        os::write_atomically(&*session.os, &schema, text.as_bytes()).map_err(Failure::io(&schema))?;
    }
    show::print(&path.display().to_string());
    show::note(&format!(
        "next: edit it, then `benchpaper check {0}`, `benchpaper lock {0}`, `benchpaper run {0}`",
        format_args!("experiments/{name}")
    ));
    Ok(0)
}
