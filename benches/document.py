#!/usr/bin/env python3
"""document.py FOLDER: one paper (20 sections of prose, 20 tables of 56 rows and 6 columns, 15 charts) as doc.md and
doc.typ, with its charts in fig/*.svg: what the peers of the renderer are given."""
import math
import os
import random
import sys

folder = sys.argv[1]
os.makedirs(f"{folder}/fig", exist_ok=True)
source = random.Random(7)
words = (
    "the storage engine under test was driven with a fixed queue depth and block size while latency percentiles were "
    "recorded for each run and compared against the baseline revision using a rank test with an interval"
).split()


def paragraph():
    text = " ".join(source.choice(words) for _ in range(90))
    return text[0].upper() + text[1:] + "."


def chart(number):
    lines = ['<svg xmlns="http://www.w3.org/2000/svg" width="640" height="360" viewBox="0 0 640 360"><rect width="640" height="360" fill="#fff"/>']
    for step in range(9):
        y = 20 + step * 37.5
        lines.append(f'<line x1="60" y1="{y}" x2="620" y2="{y}" stroke="#ddd"/><text x="54" y="{y + 4}" font-family="DejaVu Sans Mono" font-size="11" text-anchor="end">{(8 - step) * 100}</text>')
    for series, colour in enumerate(["#c00", "#080", "#00c", "#a60", "#088", "#808"]):
        points = " ".join(f"{60 + x * 5.6:.1f},{320 - (30 * series + 60 + 40 * math.sin(x / 9 + series) + source.random() * 12):.1f}" for x in range(101))
        lines.append(f'<polyline fill="none" stroke="{colour}" stroke-width="1.5" points="{points}"/>')
        lines.append(f'<text x="{70 + series * 90}" y="350" font-family="DejaVu Sans Mono" font-size="11">series {series}</text>')
    open(f"{folder}/fig/c{number}.svg", "w").write("\n".join(lines + ["</svg>"]))


heads = ["job", "iops", "mean_us", "p99_us", "ci_low", "ci_high"]
markdown = ['---\ntitle: "Storage whitepaper"\nauthor: "Lab"\n---\n']
typst = ['#set document(title: "Storage whitepaper")\n#set page(paper: "a4", margin: 2cm, numbering: "1")\n#set text(size: 10pt)\n#show figure: set block(breakable: true)\n= Storage whitepaper\n']
for section in range(20):
    markdown.append(f"\n# Section {section}\n")
    typst.append(f"\n== Section {section}\n")
    for _ in range(5):
        text = paragraph()
        markdown.append(text + "\n")
        typst.append(text + "\n")
    rows = [[f"job-{section}-{row}"] + [f"{source.random() * 1e5:.1f}" for _ in range(5)] for row in range(56)]
    markdown.append("| " + " | ".join(heads) + " |\n|" + "---|" + "--:|" * 5 + "\n" + "\n".join("| " + " | ".join(row) + " |" for row in rows) + f"\n\n: Results {section}\n")
    cells = ",\n".join(",".join(f"[{cell}]" for cell in row) for row in rows)
    head = ",".join("[" + one.replace("_", "\\_") + "]" for one in heads)
    typst.append(f"#figure(caption: [Results {section}], table(columns: 6, stroke: 0.4pt,\ntable.header({head}),\n{cells}))\n")
    if section < 15:
        chart(section)
        markdown.append(f"![Chart {section}](fig/c{section}.svg){{width=100%}}\n")
        typst.append(f'#figure(image("fig/c{section}.svg", width: 100%), caption: [Chart {section}])\n')
open(f"{folder}/doc.md", "w").write("\n".join(markdown))
open(f"{folder}/doc.typ", "w").write("\n".join(typst))
