//! What a guest runs: its first program, and the commands of a job.
//!
//! A port of virtio-serial is the channel: the host writes shell commands to it and reads sections, each a line
//! `benchpaper NAME LENGTH` and so many bytes. The last is `benchpaper end CODE`. Where replicates must be exact nothing
//! comes from outside: the commands lie in the initramfs, and only the answers leave, by the second serial port. (A
//! serial port takes a byte each time QEMU's main loop turns, some 200 B/s while a guest is idle, and so takes no input.)

use std::fmt::Write as _;

use super::{NetworkSpec, Spec, VolumeSpec};
use crate::manifest::guest::Card;

/// The folder of ours in the guest's file system.
pub const FOLDER: &str = "benchpaper";
/// How a section begins on the channel.
pub const SECTION: &str = "benchpaper ";
/// The modules of the channel.
pub const CHANNEL_MODULES: &[&str] = &["virtio_pci", "virtio_console"];
/// The section that says what a guest found about itself; when it is there, the guest is ready.
pub const FACTS: &str = "facts";
/// The last section of a job.
pub const END: &str = "end";

const INIT: &str = r#"#!/bin/busybox sh
/bin/busybox mkdir -p /bin /sbin /dev /proc /sys /tmp /run /work
/bin/busybox --install -s /bin
export PATH=/bin:/sbin:/usr/bin:/usr/sbin
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
. /benchpaper/functions
cd /work
. /benchpaper/setup > /dev/console 2>&1
if [ -f /benchpaper/commands ]; then
    stty -F /dev/ttyS1 raw -echo
    exec 3> /dev/ttyS1
    send facts /tmp/facts >&3
    sh /benchpaper/commands >&3 2> /dev/console < /dev/null
    poweroff -f
fi
# the port can be opened once only
exec 3<> $(ls /dev/vport*p1)
send facts /tmp/facts >&3
sh <&3 >&3 2> /dev/console
"#;

const FUNCTIONS: &str = r#"send() {
    printf '\nbenchpaper %s %s\n' "$1" "$(stat -c %s "$2")"
    cat "$2"
}
listens() {
    tries=0
    while [ $tries -lt 200 ]; do
        if grep -qi ":$1 .* 0A " /proc/net/tcp /proc/net/tcp6 2> /dev/null; then
            fact server.state listening
            return
        fi
        usleep 50000
        tries=$((tries + 1))
    done
    fact server.state "$(tail -n 1 /tmp/server)"
}
reaches() {
    tries=0
    while [ $tries -lt 60 ]; do
        if ping -c 1 -W 1 "$1" > /dev/null 2>&1; then
            fact server.state reached
            return
        fi
        sleep 1
        tries=$((tries + 1))
    done
    fact server.state "$1 does not answer"
}
fact() {
    printf '%s=%s\n' "$1" "$(printf '%s' "$2" | tr '\n' ' ')" >> /tmp/facts
}
value() {
    [ -r "$1" ] && fact "$2" "$(cat "$1" 2> /dev/null)"
}
serial() {
    if [ -r "$1/serial" ]; then cat "$1/serial"
    elif [ -r "$1/device/serial" ]; then cat "$1/device/serial"
    elif [ -r "$1/device/vpd_pg80" ]; then tail -c +5 "$1/device/vpd_pg80"
    fi 2> /dev/null | tr -d ' \000\n'
}
driver() {
    place=$(readlink -f "$1")
    while [ "$place" != / ] && [ -n "$place" ]; do
        if [ -e "$place/driver" ]; then
            name=$(basename "$(readlink -f "$place/driver")")
            if [ "$name" != sd ] && [ "$name" != pcieport ]; then echo "$name"; return; fi
        fi
        place=$(dirname "$place")
    done
}
disk() {
    tries=0
    while [ $tries -lt 100 ]; do
        for found in /sys/block/*; do
            device=$(basename "$found")
            # of the paths to an NVMe namespace only one has a device file
            if [ -b "/dev/$device" ] && [ "$(serial "$found")" = "$1" ]; then
                ln -s "/dev/$device" "/work/$1"
                case $device in
                    nvme*) place=/sys/class/nvme/${device%n*}/device ;;
                    *) place=$found/device ;;
                esac
                fact "disk.$1.driver" "$(driver "$place")"
                fact "disk.$1.size" "$(($(cat "$found/size") * 512)) B"
                for limit in logical_block_size max_sectors_kb nr_requests rotational scheduler write_cache; do
                    value "$found/queue/$limit" "disk.$1.$limit"
                done
                fact "disk.$1.hardware_queues" "$(ls "$found/mq" 2> /dev/null | wc -w)"
                return
            fi
        done
        usleep 50000
        tries=$((tries + 1))
    done
    fact "disk.$1.driver" none
}
"#;

/// The files of ours for a guest: path and bytes. All may be executed.
pub fn files(spec: &Spec, setup: &str, commands: Option<&str>) -> Vec<(String, Vec<u8>)> {
    let mut files = vec![
        (format!("{FOLDER}/init"), INIT.as_bytes().to_vec()),
        (format!("{FOLDER}/functions"), FUNCTIONS.as_bytes().to_vec()),
        (format!("{FOLDER}/setup"), format!("{}{setup}", assemble(spec)).into_bytes()),
    ];
    files.extend(commands.map(|commands| (format!("{FOLDER}/commands"), commands.as_bytes().to_vec())));
    files
}

/// Loads drivers, finds disks and writes down what there is.
fn assemble(spec: &Spec) -> String {
    let mut text = String::new();
    let channel: &[&str] = if spec.is_exact() { &[] } else { CHANNEL_MODULES };
    for module in channel.iter().copied().chain(spec.modules()) {
        let _ = writeln!(text, "modprobe {module} || echo 'benchpaper: no module {module}'");
    }
    text.push_str(concat!(
        "fact kernel.release \"$(uname -r)\"\nfact kernel.version \"$(uname -v)\"\n",
        "value /proc/cmdline kernel.command_line\n",
        "fact cpu.model \"$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)\"\n",
        "fact cpu.count \"$(grep -c ^processor /proc/cpuinfo)\"\n",
        "fact memory.usable \"$(($(sed -n 's/^MemTotal: *\\([0-9]*\\) kB/\\1/p' /proc/meminfo) / 1024)) MiB\"\n",
        "value /sys/devices/system/clocksource/clocksource0/current_clocksource clock.source\n",
    ));
    for disk in &spec.disks {
        match disk.controller.driver() {
            Some(_) => {
                let _ = writeln!(text, "disk {}", disk.name);
            }
            None => {
                let _ = writeln!(text, "truncate -s {} /work/{}", disk.bytes, disk.name);
            }
        }
    }
    for (index, volume) in spec.volumes.iter().enumerate() {
        text.push_str(&assemble_volume(volume, index));
    }
    text
}

/// An array is made with `--assume-clean`, for a resync in the background would be measured too.
fn assemble_volume(volume: &VolumeSpec, index: usize) -> String {
    const LVM: &str = "lvm";
    const OPTIONS: &str = "--config 'activation{udev_sync=0 udev_rules=0} devices{use_devicesfile=0 scan=[\"/dev\"]} global{locking_type=0}'";
    let level = volume.raid.word().trim_start_matches("raid");
    let disks: Vec<String> = volume.over.iter().map(|disk| format!("$(readlink -f /work/{disk})")).collect();
    let (name, count, disks) = (&volume.name, volume.over.len(), disks.join(" "));
    let mut text = format!(
        "mdadm --create /dev/md{index} --run --level={level} --raid-devices={count} --metadata=1.2 --assume-clean {disks}\n"
    );
    let array = format!("/dev/md{index}");
    if volume.lvm {
        let _ = writeln!(text, "{LVM} pvcreate {OPTIONS} -y {array}");
        let _ = writeln!(text, "{LVM} vgcreate {OPTIONS} group{index} {array}");
        let _ = writeln!(text, "{LVM} lvcreate {OPTIONS} -y -Zn -Wn -l 100%FREE -n {name} group{index}");
        let _ = writeln!(text, "ln -s \"$(readlink -f /dev/group{index}/{name})\" /work/{name}");
    } else {
        let _ = writeln!(text, "ln -s {array} /work/{name}");
    }
    let status = format!("$(sed -n '/^md{index} /{{n;s/^ *//;p}}' /proc/mdstat)");
    let _ = writeln!(text, "fact volume.{name}.array \"$(cat /sys/block/md{index}/md/level) {status}\"");
    let _ = writeln!(text, "fact volume.{name}.size \"$(blockdev --getsize64 /work/{name}) B\"");
    text
}

/// Brings up the card that leads outside and listens there.
pub fn serve_outside(server: &[String], port: u16) -> String {
    format!(
        "modprobe virtio_pci\nmodprobe virtio_net\nip link set lo up\nip link set eth0 up\nip addr add 10.0.2.15/24 dev eth0\n\
         {} > /tmp/server 2>&1 < /dev/null &\nlistens {port:04X}\n",
        quoted(server)
    )
}

/// Brings up the card that leads to the other guest, of SR-IOV its first virtual function; the first guest listens.
pub fn link(spec: &Spec, server: &[String], port: u16) -> String {
    let fallback = NetworkSpec { card: Card::VirtioNet, virtual_functions: 0 };
    let network = spec.network.as_ref().unwrap_or(&fallback);
    let mut text = String::from("modprobe virtio_pci\nmodprobe virtio_net\nip link set lo up\ncard=eth0\n");
    if network.virtual_functions > 0 {
        let _ = write!(
            text,
            "ip link set eth0 up\necho {} > /sys/class/net/eth0/device/sriov_numvfs\ntries=0\n\
             while [ ! -e /sys/class/net/eth1 ] && [ $tries -lt 100 ]; do usleep 50000; tries=$((tries + 1)); done\n\
             card=eth1\nfact network.virtual_functions \"$(cat /sys/class/net/eth0/device/sriov_numvfs)\"\n\
             fact network.physical_driver \"$(driver /sys/class/net/eth0/device)\"\n",
            network.virtual_functions
        );
    }
    let _ = write!(
        text,
        "fact network.driver \"$(driver /sys/class/net/$card/device)\"\nip link set $card up\n\
         number=$(sed -n 's/.*benchpaper.guest=\\([0-9]*\\).*/\\1/p' /proc/cmdline)\n\
         ip addr add {}$number/24 dev $card\n\
         if [ \"$number\" = 1 ]; then {} > /tmp/server 2>&1 < /dev/null & listens {port:04X}; else reaches {}; fi\n",
        NETWORK,
        quoted(server),
        address(1)
    );
    text
}

/// The network between guests.
const NETWORK: &str = "10.77.0.";

/// The address of a guest on the cable between guests.
pub fn address(number: u64) -> String {
    format!("{NETWORK}{number}")
}

/// The commands of one launch: writes its files, starts it, sends what came out.
pub fn launch(argv: &[String], files: &[(String, Vec<u8>)]) -> String {
    let mut text = String::from(". /benchpaper/functions\ncd /work\n");
    for (name, bytes) in files {
        text.push_str(&put_file(name, bytes));
    }
    let _ = writeln!(text, "{} > /tmp/stdout 2> /tmp/stderr < /dev/null; code=$?", quoted(argv));
    text.push_str("send stdout /tmp/stdout; send stderr /tmp/stderr\n");
    let _ = writeln!(text, "printf '\\nbenchpaper end %s\\n' $code");
    text
}

/// Starts something whose output nobody wants while it works; when it fails, nothing more is done.
pub fn or_end(argv: &[String]) -> String {
    let failed = "{ send stderr /tmp/failed; printf '\\nbenchpaper end 1\\n'; exit; }";
    format!("{} > /tmp/failed 2>&1 < /dev/null || {failed}\n", quoted(argv))
}

/// Writes a file into the current folder; one that begins with `#!` may be executed.
pub fn put_file(name: &str, bytes: &[u8]) -> String {
    let mut text = String::new();
    let folder = name.rsplit_once('/').map_or(String::new(), |(folder, _)| format!("mkdir -p {}; ", quote(folder)));
    let _ = writeln!(text, "{folder}base64 -d > {} <<'BENCHPAPER'", quote(name));
    for line in base64(bytes).as_bytes().chunks(76) {
        text.push_str(&String::from_utf8_lossy(line));
        text.push('\n');
    }
    text.push_str("BENCHPAPER\n");
    if bytes.starts_with(b"#!") {
        let _ = writeln!(text, "chmod 755 {}", quote(name));
    }
    text
}

/// Asks a guest for its clock: seconds and microseconds since the epoch.
pub const CLOCK: &str = ". /benchpaper/functions; adjtimex | sed -n 's/.*time.tv_[u]*sec: *//p' > /tmp/clock; send clock /tmp/clock; printf '\\nbenchpaper end 0\\n'\n";

/// The section of an answer to one of the questions below.
pub const ANSWER: &str = "answer";

/// A question whose answer is what some commands leave in a file.
fn ask(commands: &str, file: &str) -> String {
    format!(". /benchpaper/functions; cd /work; {commands}send {ANSWER} {file}; printf '\\nbenchpaper end 0\\n'\n")
}

/// Asks for a file; a missing one is empty.
pub fn take(path: &str) -> String {
    ask(&format!("cat {} > /tmp/answer 2> /dev/null; ", quote(path)), "/tmp/answer")
}

/// Asks where a program is; nothing where it is not.
pub fn find_program(name: &str) -> String {
    ask(&format!("command -v {} > /tmp/answer; ", quote(name)), "/tmp/answer")
}

/// Writes a file.
pub fn put(name: &str, bytes: &[u8]) -> String {
    format!("cd /work\n{}printf '\\nbenchpaper end 0\\n'\n", put_file(name, bytes))
}

fn quoted(argv: &[String]) -> String {
    argv.iter().map(|word| quote(word)).collect::<Vec<_>>().join(" ")
}

/// A word that the shell takes as it is.
fn quote(word: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_./:=,@%+-".contains(&byte);
    if !word.is_empty() && word.bytes().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

/// RFC 4648 with padding.
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for part in bytes.chunks(3) {
        let number = part.iter().fold(0_u32, |number, byte| number << 8 | u32::from(*byte)) << (8 * (3 - part.len()));
        for place in 0..4 {
            let digit = DIGITS[(number >> (18 - 6 * place) & 63) as usize] as char;
            text.push(if place <= part.len() { digit } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_survive_base64() {
        for (bytes, text) in [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg==")] {
            assert_eq!(base64(bytes.as_bytes()), text);
        }
    }

    #[test]
    fn no_word_becomes_a_command() {
        assert_eq!(quote("a; reboot"), "'a; reboot'");
        assert_eq!(quote("it's $(x)"), "'it'\\''s $(x)'");
        assert_eq!(quote(""), "''");
        assert_eq!(quote("--size=4"), "--size=4");
    }
}
