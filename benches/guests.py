#!/usr/bin/env python3
"""How fast guests are ready, what they take, and what the runner adds to the same command lines by hand.

    benches/guests.py PROGRAM FOLDER

PROGRAM is benchpaper, FOLDER a folder for the experiments, with `artifacts/images` where images were made before.
Needs qemu-system-x86_64. Prints one line a figure.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import threading
import time

MANIFEST = """format: benchpaper/experiment@1
name: {name}
title: Bench
version: 1.0.0
authors: [{{name: The benchpaper authors}}]
question: How long does it take?
hosts: {{bench: {{role: [controller, sut], access: local}}}}
hypervisors: {{qemu: {{product: QEMU, accelerator: tcg}}}}
guests:
  linux:
    hypervisor: qemu
    count: {count}
    memory: 104 MiB
    kernel: {{debian: linux-image-cloud-amd64, version: "6.1"}}
    disks: {{test: {{size: 16 MiB, controller: virtio-blk}}}}
workloads: {{random: {{tool: fio, engine: libaio, direct: true, rw: randread, block_size: 4 KiB, iodepth: 4, device: test}}}}
design: {{replicates: {replicates}, order: interleaved, seed: 1, runtime: {runtime}}}
matrix: {{factors: {{}}}}
"""


def hypervisors(folder):
    found = []
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            is_qemu = (process / "comm").read_text().startswith("qemu")
            if is_qemu and str((process / "cwd").readlink()).startswith(str(folder)):
                found.append(process)
        except OSError:
            pass
    return found


def resident_mib(process):
    """Its share of memory: pages that several map are divided among them."""
    try:
        lines = (process / "smaps_rollup").read_text().splitlines()
        return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024
    except OSError:
        return 0.0


def prepare(program, folder, name, **settings):
    place = folder / "experiments" / name
    place.mkdir(parents=True, exist_ok=True)
    (place / "experiment.yaml").write_text(MANIFEST.format(name=name, **settings))
    subprocess.run([program, "lock", name], cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def density(program, folder, count):
    name = f"density-{count}"
    prepare(program, folder, name, count=count, replicates=1, runtime="3 s")
    shutil.rmtree(folder / "artifacts" / "runs", ignore_errors=True)
    run = subprocess.Popen([program, "run", name], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    most = 0.0
    while run.poll() is None:
        sizes = [resident_mib(process) for process in hypervisors(folder)]
        if len(sizes) == count:
            most = max(most, max(sizes))
        time.sleep(0.5)
    said = run.stderr.read()
    ready = None
    for journal in (folder / "artifacts" / "runs").glob("*/journal.jsonl"):
        for line in journal.read_text().splitlines():
            event = json.loads(line)["event"]
            digest = event.get("objects", {}).get("guests/boot", {}).get("digest")
            if digest:
                shown = subprocess.run([program, "store", "show", digest], cwd=folder, capture_output=True, text=True).stdout
                ready = int(json.loads(shown)["ready_ns"]) / 1e9
    state = "ok" if run.returncode == 0 else said.strip().splitlines()[-2:]
    print(f"{count} guests: ready after {ready:.1f} s, at most {most:.0f} MiB of host memory each, {state}", flush=True)


def by_hand(argv, folder, kernel, initramfs, commands):
    """One job: the same emulator, the same guest, the same words to it."""
    guest = folder / "slot-0" / "guest-1"
    shutil.rmtree(folder, ignore_errors=True)
    guest.mkdir(parents=True)
    os.link(kernel, folder / "kernel")
    os.link(initramfs, folder / "slot-0" / "initramfs")
    subprocess.run(["qemu-img", "create", "-q", "-f", "raw", "disk-test.raw", "16M"], cwd=guest, check=True)
    process = subprocess.Popen(argv, cwd=guest, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    for line in process.stdout:
        if line.startswith(b"benchpaper facts"):
            process.stdin.write(commands)
            process.stdin.flush()
        if line.startswith(b"benchpaper end"):
            break
    process.kill()
    process.wait()


def overhead(program, folder, jobs):
    name = "overhead"
    prepare(program, folder, name, count=1, replicates=jobs, runtime="1 s")
    keep = folder / "kept"
    shutil.rmtree(keep, ignore_errors=True)
    keep.mkdir()
    caught = {}

    def catch():
        while "argv" not in caught:
            for process in hypervisors(folder):
                try:
                    argv = (process / "cmdline").read_bytes().split(b"\0")[:-1]
                    slot = process.joinpath("cwd").readlink().parent
                    for source, target in ((slot.parent / "kernel", "kernel"), (slot / "initramfs", "initramfs")):
                        shutil.copy(source, keep / target)
                    caught["argv"] = argv
                except OSError:
                    pass
            time.sleep(0.02)

    prepare(program, folder, "catch", count=1, replicates=1, runtime="1 s")
    thread = threading.Thread(target=catch)
    thread.start()
    subprocess.run([program, "run", "catch"], cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    thread.join()
    job = b"[job]\nfilename=test\nioengine=libaio\ndirect=1\nrw=randread\nbs=4096\nsize=16777216\nnumjobs=1\niodepth=4\ngroup_reporting=1\ntime_based=1\nruntime=1000000us\n"
    commands = b". /benchpaper/functions\ncd /work\ncat > job.fio <<'X'\n" + job + b"X\n"
    commands += b"fio --output-format=json job.fio > /tmp/stdout 2> /tmp/stderr < /dev/null; code=$?\n"
    commands += b"send stdout /tmp/stdout; send stderr /tmp/stderr; printf '\\nbenchpaper end %s\\n' $code\n"
    hand = []
    for _ in range(jobs):
        started = time.monotonic()
        by_hand(caught["argv"], folder / "hand", keep / "kernel", keep / "initramfs", commands)
        hand.append(time.monotonic() - started)
    started = time.monotonic()
    subprocess.run([program, "run", name], cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    ours = time.monotonic() - started
    print(f"{jobs} jobs: {sum(hand):.2f} s by hand, {ours:.2f} s by benchpaper, ratio {ours / sum(hand):.3f}", flush=True)


def main():
    program, folder = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
    (folder / "experiments").mkdir(parents=True, exist_ok=True)
    overhead(program, folder, 20)
    density(program, folder, 8)
    density(program, folder, 32)


main()
