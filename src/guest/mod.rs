//! Guests: what is booted for a case, as values.
//!
//! [`resolve`] reads a guest of the manifest, its factors replaced, into a [`Spec`], which is hashed with the case. From a
//! spec follow the arguments of its [`hypervisor`], the kernel modules, the program that the guest runs first ([`script`])
//! and what its facts must say ([`facts`]). Nothing here touches the machine.

mod check;
mod controller;
mod describe;
pub mod facts;
pub mod hypervisor;
pub mod image;
mod resolve;
pub mod script;
mod spec;

pub use resolve::{boot_limit_ns, resolve};
pub use spec::{DiskSpec, NetworkSpec, Spec, VolumeSpec};

/// The version of our own part of a guest: its first program and the hypervisor's arguments. Results of another one are
/// other results. It changes whenever the test below fails.
pub const VERSION: u64 = 1;

#[cfg(test)]
mod tests {
    use super::hypervisor::{Cabling, Link};
    use super::*;
    use crate::digest::Digest;
    use crate::manifest::guest::{
        Accelerator, Aio, CacheMode, Card, Controller, DiskFormat, Machine, RaidLevel, Reboot,
    };

    #[test]
    fn another_first_program_or_other_arguments_have_another_version() {
        let disk = |name: &str, controller: Controller| DiskSpec {
            name: name.to_owned(),
            bytes: 1 << 20,
            controller,
            format: DiskFormat::Raw,
            cache: CacheMode::None,
            aio: Aio::Threads,
            converted_from: None,
            image: None,
        };
        let over = vec!["a".to_owned(), "b".to_owned()];
        let volume = VolumeSpec { name: "v".to_owned(), raid: RaidLevel::Raid1, over, lvm: true, bytes: 1 << 19 };
        let spec = Spec {
            name: "linux".to_owned(),
            product: hypervisor::first(),
            machine: Machine::Q35,
            accelerator: Accelerator::Tcg,
            instruction_time_shift: None,
            count: 2,
            vcpus: 1,
            memory_bytes: 128 << 20,
            command_line: String::new(),
            disks: Controller::ALL.into_iter().map(|one| disk(&format!("d-{one}"), one)).collect(),
            volumes: vec![volume],
            network: Some(NetworkSpec { card: Card::Igb, virtual_functions: 2 }),
            reboot: Reboot::EachJob,
        };
        let exact = Spec { instruction_time_shift: Some(3), ..spec.clone() };
        let place = Cabling { number: 1, port: Some((1, 2)), link: Some(Link { port: 3, is_listening: true }) };
        let server = ["server".to_owned()];
        let setup = format!("{}{}", script::serve_outside(&server, 1), script::link(&spec, &server, 1));
        let launch = script::launch(&server, &[("f".to_owned(), b"#!x".to_vec())]);
        let qemu = hypervisor::HYPERVISORS[0];
        let parts = (
            script::files(&spec, &setup, Some(&script::or_end(&server))),
            [qemu.argv(&spec, &place), qemu.argv(&exact, &place)],
            (launch, script::CLOCK),
        );
        let found = Digest::of(format!("{VERSION} {parts:?}").as_bytes()).short();
        insta::assert_snapshot!(found, @"a572b929e2ed");
    }
}
