//! fio for guests: built without shared libraries from the source that Debian keeps.
//!
//! Debian's own fio needs 63 libraries, more than a small guest has memory. The same source and compiler give the same
//! bytes: no paths, no times and no features of the machine go in. The folder it is built in does not matter.

use super::package::{Package, Shelf};
use super::{ImageError, Workshop};
use crate::digest::Digest;
use crate::os::{self, Captured, Input, Launch};

/// What guests never do, and would need libraries for.
const CONFIGURE: &[&str] = &[
    "--build-static",
    "--disable-native",
    "--disable-numa",
    "--disable-rdma",
    "--disable-rados",
    "--disable-rbd",
    "--disable-gfapi",
    "--disable-http",
    "--disable-pmem",
    "--disable-xnvme",
    "--disable-libnfs",
    "--disable-libzbc",
    "--disable-lex",
    // what debuggers read holds the folder's name, and the identifier of the build is made of it
    "--extra-cflags=-g0",
];

/// What `configure` finds on some machines and has no option for: taken out of what it wrote.
const LEFT_OUT: &str = "/CONFIG_ZLIB/d;/CONFIG_VALGRIND/d;/CONFIG_HAVE_VALGRIND/d";

/// What was built.
pub(super) struct Built {
    pub(super) bytes: Vec<u8>,
    pub(super) version: String,
    pub(super) source: Package,
    pub(super) compiler: String,
}

/// Builds it, or finds what was built of the same source by the same compiler.
pub(super) fn build(workshop: &Workshop<'_>, shelf: &Shelf<'_>) -> Result<Built, ImageError> {
    let (source, archive) = shelf.source("fio")?;
    let compiler = compiler(workshop)?;
    let recipe = [source.digest.hex(), compiler.clone(), CONFIGURE.join(" "), LEFT_OUT.to_owned()].join("\n");
    let recipe = Digest::tagged("benchpaper/fio@1", &[recipe.as_bytes()]);
    let version = source.version.split('-').next().unwrap_or_default().to_owned();
    let known = workshop.cache.recall(workshop.os, &recipe).and_then(|text| text.parse::<Digest>().ok());
    let known = known.map(|digest| workshop.cache.get(workshop.os, &digest)).transpose()?.flatten();
    let bytes = match known {
        Some(bytes) => bytes,
        None => {
            (workshop.tell)(&format!("building fio {version} for guests, which takes up to a minute"));
            let bytes = compile(workshop, &archive)?;
            let digest = workshop.cache.put(workshop.os, &bytes)?;
            workshop.cache.remember(workshop.os, &recipe, &digest.to_string())?;
            bytes
        }
    };
    Ok(Built { bytes, version, source, compiler })
}

/// The compiler and the C library it links, in one line.
fn compiler(workshop: &Workshop<'_>) -> Result<String, ImageError> {
    let first = |argv: &[&str]| -> Option<String> {
        let captured = workshop.os.capture(argv).ok().filter(|captured| captured.is_success)?;
        Some(crate::diagnostic::printable(String::from_utf8_lossy(&captured.stdout).lines().next()?.trim()))
    };
    let help = "Install them: `apt-get install build-essential libaio-dev`.";
    let cc = first(&["cc", "--version"]).ok_or_else(|| ImageError::new("there is no C compiler to build fio", help))?;
    first(&["make", "--version"]).ok_or_else(|| ImageError::new("there is no `make` to build fio", help))?;
    let libraries = ["binutils", "libc6-dev", "libaio-dev"].map(|name| {
        let version = first(&["dpkg-query", "-W", "-f=${Version}", name]);
        format!("{name} {}", version.as_deref().unwrap_or("of an unknown version"))
    });
    Ok(format!("{cc}, {}", libraries.join(", ")))
}

fn compile(workshop: &Workshop<'_>, archive: &[u8]) -> Result<Vec<u8>, ImageError> {
    let os = workshop.os;
    let folder = workshop.cache.workshop();
    let _ = os.remove_all(&folder);
    let source = folder.join("source");
    os::create_folders(os, &source).map_err(ImageError::io(&source))?;
    let packed = folder.join("fio.tar.gz");
    os::write_atomically(os, &packed, archive).map_err(ImageError::io(&packed))?;
    let variables =
        [("TZ", "UTC"), ("SOURCE_DATE_EPOCH", "0")].map(|(name, value)| (name.to_owned(), value.to_owned()));
    let perform = |argv: &[&str]| -> Result<Captured, ImageError> {
        let argv: Vec<String> = argv.iter().map(|word| (*word).to_owned()).collect();
        let step = argv[0].clone();
        let launch = Launch { argv, folder: source.clone(), variables: variables.to_vec(), input: Input::Null };
        let done = os.perform(&launch).map_err(|error| failed(&step, &error.to_string()))?;
        if done.is_success {
            return Ok(done);
        }
        let text = String::from_utf8_lossy(&done.stderr).into_owned();
        Err(failed(
            &step,
            text.lines().rfind(|line| line.contains("rror")).or(text.lines().next_back()).unwrap_or_default(),
        ))
    };
    perform(&["tar", "-xzf", "../fio.tar.gz", "--strip-components=1", "--no-same-owner"])?;
    let configure: Vec<&str> = ["sh", "./configure"].into_iter().chain(CONFIGURE.iter().copied()).collect();
    perform(&configure)?;
    perform(&["sed", "-i", LEFT_OUT, "config-host.h", "config-host.mak"])?;
    let jobs = format!("-j{}", os.processors());
    perform(&["make", &jobs, "fio"])?;
    perform(&["strip", "fio"])?;
    let built = source.join("fio");
    let bytes = os.read(&built, 64 << 20).map_err(ImageError::io(&built))?;
    let _ = os.remove_all(&folder);
    Ok(bytes)
}

fn failed(step: &str, words: &str) -> ImageError {
    let message = format!("building fio failed at `{step}`: {}", crate::diagnostic::printable(words));
    ImageError::new(message, "It needs a C compiler, make and libaio: `apt-get install build-essential libaio-dev`.")
}
