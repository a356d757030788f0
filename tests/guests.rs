//! Guests under QEMU, for real: booted, measured, torn down, and what happens when they are not as they should be.
//!
//! Kernel and programs are downloaded and built once and kept in the folder of the build.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::time::Duration;

use crate::laboratory::{Laboratory, program};

/// One guest, one disk.
const ONE: &str = r#"format: benchpaper/experiment@1
name: one
title: One guest
version: 1.0.0
authors: [{name: The tests}]
question: Does a guest measure?
hosts: {bench: {role: [controller, sut], access: local}}
hypervisors: {qemu: {product: QEMU, version: ">= 7.2", accelerator: tcg}}
guests:
  linux:
    hypervisor: qemu
    memory: 128 MiB
    kernel: {debian: linux-image-cloud-amd64, version: "6.1"}
    disks: {test: {size: 16 MiB, controller: {factor: controller}}}
workloads:
  random: {tool: fio, engine: libaio, direct: true, rw: randread, block_size: 4 KiB, iodepth: 4, device: test}
matrix: {factors: {controller: [virtio-blk, pvscsi]}}
design: {replicates: 1, order: interleaved, seed: 7, runtime: 1 s}
treatment: [controller]
"#;

/// A repository with an experiment, and the images that were made before.
fn laboratory(manifest: &str) -> Laboratory {
    static IMAGES: OnceLock<PathBuf> = OnceLock::new();
    let images = IMAGES.get_or_init(|| {
        for needed in ["qemu-system-x86_64", "qemu-img", "apt-get", "make", "cc"] {
            let found = Command::new("sh").args(["-c", "command -v \"$1\"", "sh", needed]).output().unwrap();
            assert!(found.status.success(), "{needed} is not installed: `make test` installs what the tests need");
        }
        let images = Path::new(env!("CARGO_TARGET_TMPDIR")).join("images");
        std::fs::create_dir_all(&images).unwrap();
        let first = with_images(ONE, &images);
        first.expect(0, &["lock", "one"]);
        images
    });
    with_images(manifest, images)
}

fn with_images(manifest: &str, images: &Path) -> Laboratory {
    let name = manifest.lines().find_map(|line| line.strip_prefix("name: ")).unwrap();
    let laboratory = Laboratory::with(name, manifest);
    std::fs::create_dir_all(laboratory.join("artifacts")).unwrap();
    std::os::unix::fs::symlink(images, laboratory.join("artifacts/images")).unwrap();
    laboratory
}

/// What the attempts of an experiment left, by role: digests, in the order of the record.
fn objects(laboratory: &Laboratory, role: &str) -> Vec<String> {
    let journals = std::fs::read_dir(laboratory.join("artifacts/runs")).unwrap().flatten();
    let mut found = vec![];
    for journal in journals {
        let text = std::fs::read_to_string(journal.path().join("journal.jsonl")).unwrap();
        for line in text.lines() {
            let event: serde_json::Value = serde_json::from_str(line).unwrap();
            if let Some(digest) = event["event"]["objects"][role]["digest"].as_str() {
                found.push(digest.to_owned());
            }
        }
    }
    found
}

/// The hypervisors that run in a folder.
fn hypervisors(folder: &Path) -> usize {
    let folder = folder.canonicalize().unwrap();
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    let is_ours = |process: &std::fs::DirEntry| {
        let cwd = std::fs::read_link(process.path().join("cwd"));
        let name = std::fs::read_to_string(process.path().join("comm")).unwrap_or_default();
        let is_inside = |cwd: PathBuf| cwd.starts_with(&folder) && cwd.display().to_string().contains("/slot-");
        cwd.is_ok_and(is_inside) && name.starts_with("qemu-system")
    };
    processes.filter(is_ours).count()
}

#[test]
fn a_guest_measures_and_the_paper_says_what_it_was() {
    let laboratory = laboratory(ONE);
    laboratory.expect(0, &["lock", "one"]);
    laboratory.expect(0, &["run", "one"]);
    let results = laboratory.json(0, &["results", "one"]);
    assert_eq!(results["missing"], 0);
    assert_eq!(results["runs"][0]["environment"], "emulated");
    let drivers = &results["guest_facts"]["disk.test.driver"];
    assert_eq!(drivers, &serde_json::json!({"virtio_blk": 1, "vmw_pvscsi": 1}), "as the guests said");
    laboratory.commit();
    laboratory.expect(0, &["publish", "one"]);
    let paper = laboratory.read("reports/one/1.0.0/paper.md");
    let release = results["guest_facts"]["kernel.release"].as_object().unwrap().keys().next().unwrap().clone();
    assert!(release.starts_with("6.1") && paper.contains(&release), "{release}");
    assert!(paper.contains("measured under emulation") && paper.contains("tool.qemu-system-x86\\_64.version"));
    laboratory.expect(0, &["verify", "reports/one/1.0.0/paper.pdf"]);
    laboratory.expect(0, &["store", "check"]);
    assert_eq!(hypervisors(laboratory.path()), 0);
}

#[test]
fn several_guests_are_asked_by_one_client_and_counted_while_all_were_active() {
    let manifest = ONE
        .replace("name: one", "name: two")
        .replace("    memory: 128 MiB", "    memory: 128 MiB\n    count: 2")
        .replace("[virtio-blk, pvscsi]", "[virtio-blk]")
        .replace("runtime: 1 s", "runtime: 5 s");
    let laboratory = laboratory(&manifest);
    laboratory.expect(0, &["lock", "two"]);
    let told = laboratory.expect(0, &["run", "two"]).stderr;
    let run = laboratory.run_folder().file_name().unwrap().to_str().unwrap().to_owned();
    let again = laboratory.expect(0, &["run", "two", "--replay", &run]).stderr;
    let ends = |text: &str| text.lines().filter(|line| line.starts_with('[')).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(ends(&told), ends(&again), "a replay shows the total of the common time, as the run did");
    let results = laboratory.json(0, &["results", "two"]);
    let metrics = results["results"].as_array().unwrap();
    let sample = |name: &str| metrics.iter().find(|one| one["metric"] == name).unwrap()["values"][0].clone();
    let (iops, skew) = (sample("iops"), sample("start_skew")["value"].as_f64().unwrap());
    assert!(iops["value"].as_f64().unwrap() > 100.0 && (0.0..3e9).contains(&skew), "{iops} {skew}");
    assert!((0.0..=1.0).contains(&sample("fairness")["value"].as_f64().unwrap()));
    let files = iops["files"].as_object().unwrap();
    assert!(files.contains_key("file/clocks.json") && files.len() == 5, "{files:?}");
    assert_eq!(results["guest_facts"]["server.state"], serde_json::json!({"listening": 2}));
    laboratory.commit();
    laboratory.expect(0, &["publish", "two"]);
    laboratory.expect(0, &["verify", "reports/two/1.0.0"]);
    let paper = laboratory.read("reports/two/1.0.0/paper.md");
    assert!(paper.contains("the time in which all of them were active") && paper.contains("Start skew"), "{paper}");
}

#[test]
fn exact_guests_give_the_same_bytes_in_every_replicate_and_every_run() {
    let manifest = ONE
        .replace("name: one", "name: exact\nenvironment: virtual-exact")
        .replace("controller: {factor: controller}", "controller: memory")
        .replace("engine: libaio, direct: true, rw: randread", "engine: psync, rw: {factor: rw}")
        .replace(", iodepth: 4", "")
        .replace("{controller: [virtio-blk, pvscsi]}", "{rw: [randread]}")
        .replace("replicates: 1", "replicates: 2")
        .replace("[controller]\n", "[rw]\n");
    let gives = || {
        let laboratory = laboratory(&manifest);
        laboratory.expect(0, &["lock", "exact"]);
        laboratory.expect(0, &["run", "exact"]);
        ["stdout", "guest-1/console", "guest-1/facts"].map(|role| objects(&laboratory, role))
    };
    let (one, other) = (gives(), gives());
    assert_eq!(one, other, "two runs of one experiment");
    for digests in &one {
        assert_eq!(digests.len(), 2);
        assert_eq!(digests[0], digests[1], "two replicates of one run");
    }
}

#[test]
fn a_guest_that_never_gets_ready_fails_its_attempt_with_its_console_and_the_run_goes_on() {
    let manifest =
        ONE.replace("name: one", "name: slow").replace("    memory: 128", "    boot_limit: 300 ms\n    memory: 128");
    let laboratory = laboratory(&manifest);
    laboratory.expect(0, &["lock", "slow"]);
    let said = laboratory.expect(3, &["run", "slow"]);
    assert!(said.stderr.contains("the guest was not ready after 300 ms"), "{said:#?}");
    assert_eq!(objects(&laboratory, "guest-1/console").len(), 2, "both cases were tried");
    assert_eq!(hypervisors(laboratory.path()), 0);
}

#[test]
fn a_guest_without_a_first_program_is_gone_and_says_why() {
    let manifest = ONE.replace("name: one", "name: panic").replace(
        "kernel: {debian: linux-image-cloud-amd64, version: \"6.1\"}",
        "kernel: {file: vmlinuz, userland: empty.cpio}",
    );
    let laboratory = laboratory(&manifest);
    let images = std::fs::read_dir(laboratory.join("artifacts/images/sha256")).unwrap().flatten();
    let mut files = images.flat_map(|folder| std::fs::read_dir(folder.path()).unwrap().flatten());
    let is_kernel = |file: &std::fs::DirEntry| std::fs::read(file.path()).unwrap().len() > 40_000_000;
    let kernel = files.find(is_kernel).unwrap();
    std::fs::copy(kernel.path(), laboratory.join("experiments/panic/vmlinuz")).unwrap();
    laboratory.write("experiments/panic/empty.cpio", b"070701 no archive that the kernel can read");
    laboratory.expect(0, &["lock", "panic"]);
    let said = laboratory.expect(3, &["run", "panic"]);
    assert!(said.stderr.contains("guest 1 is gone"), "{said:#?}");
    assert_eq!(objects(&laboratory, "guest-1/console").len(), 2);
    laboratory.write("experiments/panic/empty.cpio", b"070701 another one");
    let said = laboratory.expect(2, &["run", "panic"]);
    assert!(said.stderr.contains("lock"), "a file whose digest differs: {said:#?}");
}

#[test]
fn a_kernel_and_a_userland_given_as_files_are_booted() {
    let manifest = ONE.replace("name: one", "name: files").replace("[virtio-blk, pvscsi]", "[virtio-blk]").replace(
        "kernel: {debian: linux-image-cloud-amd64, version: \"6.1\"}",
        "kernel: {file: vmlinux, userland: userland.cpio}",
    );
    let laboratory = laboratory(&manifest);
    laboratory.write("experiments/one/experiment.yaml", ONE.as_bytes());
    laboratory.expect(0, &["lock", "one"]);
    let lock = laboratory.read("experiments/one/experiment.lock.yaml");
    for (key, name) in [("    kernel: sha256:", "vmlinux"), ("    initramfs: sha256:", "userland.cpio")] {
        let digest = lock.lines().find_map(|line| line.strip_prefix(key)).unwrap();
        let image = laboratory.join(&format!("artifacts/images/sha256/{}/{}", &digest[..2], &digest[2..]));
        std::fs::copy(image, laboratory.join(&format!("experiments/files/{name}"))).unwrap();
    }
    laboratory.expect(0, &["lock", "files"]);
    laboratory.expect(0, &["run", "files"]);
    assert_eq!(laboratory.json(0, &["results", "files"])["missing"], 0);
}

#[test]
fn a_killed_runner_leaves_no_hypervisor_and_the_run_goes_on() {
    let laboratory = laboratory(&ONE.replace("name: one", "name: killed").replace("runtime: 1 s", "runtime: 2 s"));
    laboratory.expect(0, &["lock", "killed"]);
    let mut child = laboratory.command(&["run", "killed"]).stderr(Stdio::null()).spawn().unwrap();
    wait_for("a hypervisor", 60, || hypervisors(laboratory.path()) == 1);
    child.kill().unwrap();
    child.wait().unwrap();
    wait_for("no hypervisor", 5, || hypervisors(laboratory.path()) == 0);
    // the supervisor looks a second time before it lets go of the measuring lock
    wait_for("the measuring lock", 5, || {
        let said = laboratory.say(&["run", "killed", "--resume"]);
        assert!(said.code == 0 || said.stderr.contains("another run is measuring"), "{said:#?}");
        said.code == 0
    });
    assert_eq!(laboratory.json(0, &["results", "killed"])["missing"], 0);
}

#[test]
fn a_slow_image_tool_does_not_keep_a_signal_waiting() {
    let manifest = ONE
        .replace("name: one", "name: tardy")
        .replace("size: 16 MiB, controller", "size: 16 MiB, format: qcow2, controller");
    let laboratory = laboratory(&manifest);
    let real = Command::new("sh").args(["-c", "command -v qemu-img"]).output().unwrap().stdout;
    let real = String::from_utf8(real).unwrap();
    // says its version at once, and makes disks for a minute
    let slow = format!("#!/bin/sh\n[ \"$1\" = create ] && sleep 60\nexec {} \"$@\"\n", real.trim());
    laboratory.write("bin/qemu-img", slow.as_bytes());
    let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(laboratory.join("bin/qemu-img"), executable).unwrap();
    let path = format!("{}:{}", laboratory.join("bin").display(), std::env::var("PATH").unwrap());
    assert!(laboratory.command(&["lock", "tardy"]).env("PATH", &path).status().unwrap().success());
    let mut command = laboratory.command(&["run", "tardy"]);
    let mut child = command.env("PATH", &path).stderr(Stdio::null()).spawn().unwrap();
    let is_making = || {
        let journal = std::fs::read_dir(laboratory.join("artifacts/runs")).into_iter().flatten().flatten().next();
        journal.is_some_and(|run| {
            let text = std::fs::read_to_string(run.path().join("journal.jsonl")).unwrap_or_default();
            text.contains("\"type\":\"started\"")
        })
    };
    wait_for("the first job", 60, is_making);
    std::thread::sleep(Duration::from_millis(500));
    let started = std::time::Instant::now();
    Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(3));
    assert!(started.elapsed() < Duration::from_secs(10), "{:?}", started.elapsed());
    assert_eq!(objects(&laboratory, "stdout").len(), 0);
}

fn wait_for(what: &str, seconds: u64, is_so: impl Fn() -> bool) {
    for _ in 0..seconds * 100 {
        if is_so() {
            return;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    panic!("{what}: not after {seconds} seconds");
}

#[test]
fn kept_guests_are_used_again() {
    let manifest = ONE
        .replace("name: one", "name: kept")
        .replace("controller: {factor: controller}", "controller: nvme")
        .replace("rw: randread", "rw: {factor: rw}")
        .replace("{controller: [virtio-blk, pvscsi]}", "{rw: [randread, read]}")
        .replace("runtime: 1 s", "runtime: 1 s, reboot_guests: never")
        .replace("[controller]\n", "[rw]\n");
    let laboratory = laboratory(&manifest);
    laboratory.expect(0, &["lock", "kept"]);
    laboratory.expect(0, &["run", "kept"]);
    assert_eq!(objects(&laboratory, "stdout").len(), 2);
    let boots = objects(&laboratory, "guests/boot");
    assert_eq!((boots.len(), &boots[0]), (2, &boots[1]), "one boot for both jobs");
    assert_eq!(objects(&laboratory, "guest-1/facts").len(), 2, "each job says in what it ran");
    assert_eq!(hypervisors(laboratory.path()), 0);
}

#[test]
fn a_session_is_one_boot_and_jobs_in_it_are_no_replicates() {
    let manifest = ONE
        .replace("name: one", "name: sessions")
        .replace(
            "replicates: 1",
            "replicates: 2, whole_plot: controller, sessions: [virtio-blk, pvscsi, pvscsi, virtio-blk]",
        )
        .replace("runtime: 1 s", "runtime: 1 s, reboot_guests: each-session");
    let laboratory = laboratory(&manifest);
    laboratory.expect(0, &["lock", "sessions"]);
    laboratory.expect(0, &["run", "sessions"]);
    let boots = objects(&laboratory, "guests/boot");
    let runs: Vec<&String> = boots.iter().step_by(2).collect();
    assert!(boots.chunks(2).all(|pair| pair[0] == pair[1]), "two jobs a session: {boots:?}");
    assert_eq!(runs.iter().collect::<std::collections::BTreeSet<_>>().len(), 4, "each session is a boot: {boots:?}");
    let results = laboratory.json(0, &["results", "sessions"]);
    let units = |case: usize| -> Vec<&str> {
        let samples =
            results["results"][case * results["results"].as_array().unwrap().len() / 2]["values"].as_array().unwrap();
        samples.iter().map(|sample| sample["unit"].as_str().unwrap()).collect()
    };
    assert_eq!(units(0), ["session 1", "session 1", "session 4", "session 4"]);
    assert_eq!(units(1), ["session 2", "session 2", "session 3", "session 3"]);
}

/// Bad input: what is changed in the manifest, the verb that finds it, and what it says.
#[test]
fn what_can_not_be_booted_is_refused_where_it_is_written() {
    let cases: &[(&str, &str, &str, &[&str])] = &[
        ("[virtio-blk, pvscsi]", "[virtio-blk, pvscs]", "check", &["found the text `pvscs`", "Did you mean `pvscsi`?"]),
        ("[virtio-blk, pvscsi]", "[lsi-logical-sas]", "lock", &["has no driver `mptsas`", "lsi-logical-sas]"]),
        ("version: \"6.1\"}", "version: \"6.1\", command_line: \"a\\nb\"}", "check", &["no kernel option has"]),
        ("{test: {", "{\"a,file=/etc/passwd\": {", "check", &["a,file=/etc/passwd"]),
        ("size: 16 MiB,", "size: 16 MiB, format: \"raw,readonly=on\",", "check", &["expected one of `raw`"]),
        ("size: 16 MiB,", "size: 900 TiB,", "run", &["the disks take", "free"]),
        ("size: 16 MiB,", "size: 16 MiB, image: nowhere.img,", "check", &["there is no file `nowhere.img`"]),
        ("linux-image-cloud-amd64", "linux-image-of-nobody", "lock", &["no package is called"]),
        ("version: \"6.1\"}", "version: \"2.4\"}", "lock", &["no version of", "begins with `2.4`"]),
        ("version: \">= 7.2\"", "version: \">= 99\"", "lock", &["required is `>= 99`"]),
        ("accelerator: tcg", "accelerator: kqemu", "check", &["expected one of `tcg`, `kvm`"]),
        ("memory: 128 MiB", "memory: 128", "check", &["the bare number `128`"]),
        (
            "memory: 128 MiB",
            "memory: 128 MiB\n    count: 2\n    volumes: {v: {raid: raid10, over: [test]}}",
            "check",
            &["raid10 over 1 disks"],
        ),
        ("hypervisor: qemu", "hypervisor: qemuu", "check", &["no hypervisor is called `qemuu`"]),
        (
            "controller: {factor: controller}",
            "controller: memory, cache: writeback",
            "check",
            &["has no file on the host"],
        ),
        (
            "memory: 128 MiB",
            "memory: 128 MiB\n    network: {card: virtio-net}",
            "check",
            &["sends nothing between guests"],
        ),
        ("runtime: 1 s", "runtime: 1 s, reboot_guests: never", "check", &["are never booted anew"]),
        ("{factor: controller}", "{factor: controler}", "check", &["no factor is called `controler`"]),
        ("memory: 128 MiB", "memory: 900 GiB", "run", &["of memory, this machine has"]),
        (
            "hosts: {bench: {",
            "environment: hardware\nhosts: {bench: {",
            "check",
            &["`hardware` under `qemu` with `tcg`"],
        ),
    ];
    for (from, to, verb, words) in cases {
        let manifest = ONE.replacen(from, to, 1).replace("name: one", "name: bad");
        let laboratory = laboratory(&manifest);
        if *verb == "run" {
            laboratory.expect(0, &["lock", "bad"]);
        }
        let said = laboratory.expect(2, &[verb, "bad"]);
        for word in *words {
            assert!(said.stderr.contains(word), "{to}: {word}: {}", said.stderr);
        }
        assert!(!laboratory.join("artifacts/scratch").exists(), "{to}: nothing is left behind");
    }
}

#[test]
fn an_image_that_is_not_what_it_says_is_refused_before_the_hypervisor_sees_it() {
    let manifest = ONE.replace("name: one", "name: image").replace("size: 16 MiB,", "size: 16 MiB, image: disk.img,");
    let laboratory = laboratory(&manifest);
    let mut image = vec![0; 4096];
    image[..8].copy_from_slice(b"QFI\xfb\0\0\0\x03");
    image[15] = 1;
    laboratory.write("experiments/image/disk.img", &image);
    let said = laboratory.expect(2, &["check", "image"]);
    assert!(said.stderr.contains("names a backing file") && said.stderr.contains("image: disk.img"), "{said:#?}");
    laboratory.write("experiments/image/disk.img", b"KDMV\x01\0\0\0");
    assert!(laboratory.expect(2, &["check", "image"]).stderr.contains("may name other files"));
    laboratory.write("experiments/image/disk.img", &vec![7; 32 << 20]);
    laboratory.expect(0, &["lock", "image"]);
    let said = laboratory.expect(3, &["run", "image"]);
    assert!(said.stderr.contains("is larger than the disk `test`"), "{said:#?}");
}

#[test]
fn an_image_is_made_again_with_the_same_bytes_and_a_forgotten_package_is_named() {
    let laboratory = laboratory(&ONE.replace("name: one", "name: again"));
    laboratory.expect(0, &["lock", "again"]);
    std::fs::remove_file(laboratory.join("artifacts/images")).unwrap();
    // nothing is at hand: packages are fetched, fio is built in another folder, and what comes out must be what is locked
    laboratory.expect(0, &["run", "again", "--only", "virtio-blk"]);
    std::fs::remove_dir_all(laboratory.join("artifacts/images")).unwrap();
    let lock = laboratory.read("experiments/again/experiment.lock.yaml");
    let version = lock.lines().skip_while(|line| !line.contains("name: busybox-static")).nth(1).unwrap();
    let forgotten = lock.replacen(version, "      version: 1:0.0.1-1", 1);
    laboratory.write("experiments/again/experiment.lock.yaml", forgotten.as_bytes());
    let said = laboratory.expect(2, &["run", "again"]);
    let words = "busybox-static 1:0.0.1-1 is neither kept here nor in the archive";
    assert!(said.stderr.replace("\n  | ", " ").contains(words), "{said:#?}");
}

#[test]
fn a_hypervisor_too_old_for_a_card_is_refused() {
    let manifest = ONE
        .replace("name: one", "name: old")
        .replace("    memory: 128 MiB", "    memory: 128 MiB\n    count: 2\n    network: {card: igb}")
        .replace("random: {tool: fio, engine: libaio, direct: true, rw: randread, block_size: 4 KiB, iodepth: 4, device: test}", "stream: {tool: iperf3}");
    let laboratory = laboratory(&manifest);
    laboratory.write("bin/qemu-system-x86_64", b"#!/bin/sh\necho QEMU emulator version 7.2.0\n");
    let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(laboratory.join("bin/qemu-system-x86_64"), executable).unwrap();
    let path = format!("{}:{}", laboratory.join("bin").display(), std::env::var("PATH").unwrap());
    let output = laboratory.command(&["lock", "old"]).env("PATH", path).output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(2) && stderr.contains("`igb` needs QEMU 8.0"), "{stderr}");
}

#[test]
fn every_experiment_of_this_repository_is_well_formed() {
    let experiments = std::fs::read_dir("experiments").unwrap().flatten();
    let mut count = 0;
    for experiment in experiments {
        let output = Command::new(program()).arg("check").arg(experiment.path()).output().unwrap();
        assert!(output.status.success(), "{experiment:?}: {output:?}");
        count += 1;
    }
    assert!(count >= 8, "{count}");
}
