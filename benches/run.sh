#!/bin/bash
# Times benchpaper beside its peers, each in turn, in one run, and prints ratios.
# Wants: hyperfine, ninja, make, openssl, python3 with orjson and pandas, fio, a C compiler; the paper also wants the
# typst module of PyPI (TYPST_PYTHON names its python) and pandoc with xelatex. What is missing is left out, and said.
# Usage: benches/run.sh [WORK-FOLDER]. Run it when nothing else runs.
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
work=${1:-$(mktemp -d)}
mkdir -p "$work"; cd "$work"
target=$(cd "$here" && cargo metadata --format-version 1 --no-deps | sed 's/.*"target_directory":"\([^"]*\)".*/\1/')
bench=$target/release/benchpaper
runs=${RUNS:-5}
jobs=10000
have() { command -v "$1" >/dev/null 2>&1; }
# median wall time of a command, in seconds; the second argument is run before each
median() {
    hyperfine --shell=none --warmup 1 --runs "$runs" ${2:+--prepare "$2"} --export-json time.json "$1" >/dev/null 2>&1
    python3 -c "import json; print('%.4f' % json.load(open('time.json'))['results'][0]['median'])"
}
ratio() { python3 -c "print('  %-34s %8.3f s   beside %-22s %8.3f s   ratio %.2f' % ('$1', $2, '$3', $4, $2 / $4))"; }

echo "machine: $(grep -m1 'model name' /proc/cpuinfo | cut -d: -f2 | xargs), $(nproc) processors; $(date -u +%F); $("$bench" --version)"

# ── ten thousand trivial jobs ────────────────────────────────────────────────────────────────────────────────────────
cat > job.c <<'C'
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
int main(int count, char **words) {
    char block[1024]; memset(block, 'x', sizeof block);
    int in = open(words[1], O_RDONLY); if (in < 0 || read(in, block, 16) < 0) return 2; close(in);
    int out = open(words[2], O_WRONLY | O_CREAT | O_TRUNC, 0644);
    return out < 0 || write(out, block, sizeof block) != sizeof block || close(out);
}
C
cc -O2 -static job.c -o job
python3 - "$work" $jobs <<'P'
import os, sys
work, count = sys.argv[1], int(sys.argv[2])
for folder in ("in", "out", "experiments/jobs"): os.makedirs(folder, exist_ok=True)
for n in range(count): open(f"in/{n}.txt", "w").write(f"{n:015d}\n")
open("build.ninja", "w").write("rule j\n  command = ./job $in $out\n  description =\n" + "".join(f"build out/{n}.out: j in/{n}.txt\n" for n in range(count)))
open("Makefile", "w").write("O := " + " ".join(f"out/{n}.out" for n in range(count)) + "\nall: $(O)\nout/%.out: in/%.txt\n\t@./job $< $@\n")
levels = ", ".join(map(str, range(count)))
open("experiments/jobs/experiment.yaml", "w").write(f"""format: benchpaper/experiment@1
name: jobs
title: Trivial jobs
version: 1.0.0
authors: [{{name: bench}}]
question: How long do they take?
hosts: {{bench: {{role: [controller, sut], access: local}}}}
workloads: {{job: {{tool: command, argv: ["{work}/job", "{work}/in/{{n}}.txt", out]}}}}
matrix: {{factors: {{n: [{levels}]}}}}
design: {{replicates: 1, order: interleaved, seed: 1, concurrency: 2}}
""")
P
"$bench" lock jobs >/dev/null
echo "10,000 trivial jobs, two at once (ours hashed, stored and journaled durably)"
ours=$(median "$bench run jobs" "rm -rf artifacts")
have make && ratio benchpaper "$ours" make "$(median "make -j2 -s" "sh -c 'rm -rf out; mkdir out'")"
have ninja && ratio benchpaper "$ours" ninja "$(median "ninja -j2 --quiet" "sh -c 'rm -rf out .ninja_log .ninja_deps; mkdir out'")"
echo "10,000 finished jobs, nothing to do"
"$bench" run jobs >/dev/null 2>&1
ours=$(median "$bench run jobs")
have ninja && { ninja -j2 --quiet >/dev/null; ratio benchpaper "$ours" ninja "$(median "ninja -j2 --quiet")"; }

# ── hashing ──────────────────────────────────────────────────────────────────────────────────────────────────────────
(cd "$here" && cargo build --release --locked --examples -q)
hash=$target/release/examples/hash_files
[ -s big ] || openssl enc -aes-128-ctr -K 00112233445566778899aabbccddeeff -iv 00000000000000000000000000000001 -in /dev/zero 2>/dev/null | head -c 2147483648 > big || true
[ -d small ] || { mkdir small; python3 -c "
import random
source = random.Random(3)
for n in range(10000): open(f'small/{n}', 'wb').write(source.randbytes(65536))"; }
ls small | sed 's|^|small/|' > small.list
cat big small/* > /dev/null
echo "SHA-256"
ratio "2 GiB, one core" "$(median "$hash 1 big")" "openssl dgst" "$(median "openssl dgst -sha256 big")"
ratio "10,000 × 64 KiB, one core" "$(median "$hash 1 --list small.list")" "openssl dgst" "$(median "xargs -a small.list openssl dgst -sha256")"
ratio "10,000 × 64 KiB, two cores" "$(median "$hash 2 --list small.list")" "openssl dgst, xargs -P2" "$(median "xargs -a small.list -P2 -n500 openssl dgst -sha256")"

# ── ten thousand fio files ───────────────────────────────────────────────────────────────────────────────────────────
if have fio && python3 -c 'import orjson, pandas' 2>/dev/null; then
    [ -s fio.json ] || fio --name=g --rw=randread --bs=4k --iodepth=16 --numjobs=6 --size=64M --runtime=2 --time_based --ioengine=libaio --direct=1 --output-format=json --filename=fio.dat --output=fio.json >/dev/null
    [ -d fio ] || { mkdir fio; python3 - <<'P'
import copy, json, random
base, source = json.load(open("fio.json")), random.Random(1)
def jitter(value, by):
    if isinstance(value, dict): return {key: jitter(one, by) for key, one in value.items()}
    if isinstance(value, list): return [jitter(one, by) for one in value]
    if isinstance(value, bool) or isinstance(value, str): return value
    return int(value * by) if isinstance(value, int) else value * by
for n in range(10000):
    by, one = source.gauss(1 + 0.01 * (n % 17), 0.03), copy.deepcopy(base)
    one["jobs"] = [jitter(job, by) for job in base["jobs"]]
    for job, old in zip(one["jobs"], base["jobs"]): job["job options"], job["jobname"], job["error"] = old["job options"], f"g{n % 100:03d}", 0
    json.dump(one, open(f"fio/g{n % 100:03d}_r{n // 100:03d}.json", "w"), indent=2)
P
    }
    cat > pandas_fio.py <<'P'
import glob, orjson
import pandas as pd
rows = []
for path in glob.glob("fio/*.json"):
    for job in orjson.loads(open(path, "rb").read())["jobs"]:
        read = job["read"]
        rows.append((job["jobname"], read["iops"], read["bw"], read["clat_ns"]["mean"], read["clat_ns"]["percentile"]["99.000000"]))
groups = pd.DataFrame(rows, columns="group iops bw clat p99".split()).groupby("group").agg(["mean", "std", "count"])
for column in ("iops", "bw", "clat", "p99"): groups[(column, "ci95")] = 1.96 * groups[(column, "std")] / groups[(column, "count")] ** 0.5
print(groups.to_string())
P
    cat fio/* > /dev/null
    echo "10,000 fio JSON files to medians and intervals (ours: 13 metrics, all checks; theirs: 4 columns)"
    printf '#!/bin/sh\nexec %s parse --summary fio/*\n' "$bench" > summary.sh
    printf '#!/bin/sh\nfind fio -type f -print0 | xargs -0 cat | tail -c1\n' > floor.sh
    chmod +x summary.sh floor.sh
    ours=$(median ./summary.sh)
    ratio benchpaper "$ours" "orjson and pandas" "$(median "python3 pandas_fio.py")"
    ratio benchpaper "$ours" "only reading (cat)" "$(median ./floor.sh)"
else
    echo "left out: fio, orjson or pandas is missing"
fi

# ── a paper ──────────────────────────────────────────────────────────────────────────────────────────────────────────
python3 "$here/benches/document.py" doc
echo "a paper of 20 sections, 20 tables, 15 charts (ours tagged, PDF/A-3a and UA-1)"
ours=$(median "$target/release/examples/whitepaper doc/fig ours.pdf")
if ${TYPST_PYTHON:-python3} -c 'import typst' 2>/dev/null; then
    echo 'import typst; typst.compile("doc/doc.typ", output="typst.pdf")' > typst_doc.py
    ratio benchpaper "$ours" "typst by itself" "$(median "${TYPST_PYTHON:-python3} typst_doc.py")"
else
    echo "  left out: the typst module is missing"
fi
if have pandoc && have xelatex && have rsvg-convert; then
    for chart in doc/fig/*.svg; do rsvg-convert -f pdf -o "${chart%.svg}.pdf" "$chart"; done
    sed 's/\.svg/.pdf/' doc/doc.md > doc/docpdf.md
    printf '#!/bin/sh\ncd doc && exec pandoc docpdf.md -o ../pandoc.pdf --pdf-engine=xelatex\n' > pandoc.sh; chmod +x pandoc.sh
    ratio benchpaper "$ours" "pandoc with xelatex" "$(median ./pandoc.sh)"
else
    echo "  left out: pandoc, xelatex or rsvg-convert is missing"
fi
