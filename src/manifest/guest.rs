//! Hypervisors and guests: what is booted for a job.
//!
//! A guest stays a tree until its factors have their levels; [`Guest`] is what it is then. Every word here becomes an
//! option of a hypervisor, so each is an enum, a number or a checked name: no text of a manifest reaches a command line.

use super::shape::{Map, Size, Spanned, Time, record, words};
use crate::name::Name;

record! {
    /// A hypervisor and the machine it emulates.
    pub struct Hypervisor {
        /// What it is, such as QEMU.
        product: Spanned<Name>,
        /// The version, with a comparison: `>= 7.2`.
        version: Option<Spanned<String>>,
        /// The board that guests see.
        machine: Option<Machine>,
        /// What executes the guests' instructions.
        accelerator: Spanned<Accelerator>,
        /// The host it runs on.
        host: Option<Spanned<Name>>,
        /// With `environment: virtual-exact`: a guest instruction takes 2 to the power of this, in nanoseconds.
        instruction_time_shift: Option<Spanned<u64>>,
    }
}

words! {
    /// A board.
    pub enum Machine {
        /// PCI Express, Intel Q35.
        Q35 = "q35",
        /// PCI, Intel 440FX.
        Pc = "pc",
    }
}

words! {
    /// What executes a guest's instructions.
    pub enum Accelerator {
        /// Software: works everywhere, says nothing of hardware.
        Tcg = "tcg",
        /// The processor, through Linux.
        Kvm = "kvm",
    }
}

record! {
    /// Guests of one kind.
    pub struct Guest {
        /// What they run under.
        hypervisor: Spanned<Name>,
        /// How many run at once.
        count: Option<Spanned<u64>>,
        /// Virtual processors of each.
        vcpus: Option<Spanned<u64>>,
        /// Memory of each.
        memory: Spanned<Size>,
        /// Kernel and programs.
        kernel: Kernel,
        /// Disks by name; a workload's `device` names one.
        disks: Map<Disk>,
        /// Volumes over several disks; a workload's `device` may name one.
        volumes: Map<Volume>,
        /// The network card.
        network: Option<Network>,
        /// How long a guest may take until it is ready.
        boot_limit: Option<Time>,
    }
}

record! {
    /// What a guest boots: a package of Debian, or files beside the manifest.
    pub struct Kernel {
        /// The package, such as `linux-image-amd64`.
        debian: Option<Spanned<Name>>,
        /// How its version begins, such as 6.1; the lock pins the exact one.
        version: Option<Spanned<String>>,
        /// A kernel beside the manifest: an ELF file or a bzImage.
        file: Option<Spanned<String>>,
        /// With `file`: a cpio archive with `/bin/busybox`, the programs and their modules.
        userland: Option<Spanned<String>>,
        /// What is added to the kernel's command line.
        command_line: Option<Spanned<String>>,
    }
}

record! {
    /// A disk of a guest. A fresh guest has fresh disks.
    pub struct Disk {
        /// How large it is.
        size: Spanned<Size>,
        /// The controller that the guest sees.
        controller: Spanned<Controller>,
        /// The format of its file on the host.
        format: Option<DiskFormat>,
        /// What of it the host keeps in memory.
        cache: Option<CacheMode>,
        /// How the host submits its I/O.
        aio: Option<Aio>,
        /// The format it was made in, full of random bytes, before `qemu-img convert` made it what it is.
        converted_from: Option<DiskFormat>,
        /// An image beside the manifest that it begins as.
        image: Option<Spanned<String>>,
    }
}

words! {
    /// A disk controller, by the name its users know.
    pub enum Controller {
        /// virtio-blk over PCI.
        VirtioBlk = "virtio-blk",
        /// virtio-scsi over PCI.
        VirtioScsi = "virtio-scsi",
        /// NVM Express.
        Nvme = "nvme",
        /// VMware's paravirtual SCSI.
        Pvscsi = "pvscsi",
        /// LSI Logical SAS 1068.
        LsiLogicalSas = "lsi-logical-sas",
        /// LSI MegaRAID SAS 1078.
        Megasas = "megasas",
        /// AHCI, SATA.
        Ahci = "ahci",
        /// A file in the guest's own memory: no controller, no host I/O.
        Memory = "memory",
    }
}

words! {
    /// The format of a disk's file.
    pub enum DiskFormat {
        /// The bytes of the disk.
        Raw = "raw",
        /// QEMU's copy on write.
        Qcow2 = "qcow2",
        /// VMware's monolithic sparse.
        Vmdk = "vmdk",
    }
}

words! {
    /// What the host keeps in memory, and when a write is done.
    pub enum CacheMode {
        /// O_DIRECT; a flush reaches the disk.
        None = "none",
        /// The host's page cache; a flush reaches the disk.
        Writeback = "writeback",
        /// The host's page cache; every write reaches the disk.
        Writethrough = "writethrough",
        /// O_DIRECT; every write reaches the disk.
        Directsync = "directsync",
    }
}

words! {
    /// How the host submits I/O.
    pub enum Aio {
        /// Threads that block.
        Threads = "threads",
        /// Linux AIO; needs O_DIRECT.
        Native = "native",
        /// io_uring.
        IoUring = "io_uring",
    }
}

record! {
    /// One device out of several disks, assembled when a guest boots.
    pub struct Volume {
        /// The RAID level of Linux md.
        raid: RaidLevel,
        /// The disks.
        over: Vec<Spanned<Name>>,
        /// Whether the array is the only physical volume of an LVM group, and the device a logical volume in it.
        lvm: Option<bool>,
    }
}

words! {
    /// A level of Linux md.
    pub enum RaidLevel {
        /// Striped.
        Raid0 = "raid0",
        /// Mirrored.
        Raid1 = "raid1",
        /// Striped mirrors.
        Raid10 = "raid10",
    }
}

record! {
    /// The network card of a guest.
    pub struct Network {
        /// The model.
        card: Spanned<Card>,
        /// How many virtual functions of SR-IOV the guest makes; the traffic goes over the first.
        virtual_functions: Option<Spanned<u64>>,
    }
}

words! {
    /// A network card.
    pub enum Card {
        /// virtio-net over PCI.
        VirtioNet = "virtio-net",
        /// Intel 82576, which has SR-IOV.
        Igb = "igb",
        /// Intel 82574L.
        E1000e = "e1000e",
    }
}

words! {
    /// When guests are booted anew.
    pub enum Reboot {
        /// For each job.
        EachJob = "each-job",
        /// When the next job is of another case.
        EachCase = "each-case",
        /// When a session begins.
        EachSession = "each-session",
        /// Only when they must be other guests, or after a failure.
        Never = "never",
    }
}
