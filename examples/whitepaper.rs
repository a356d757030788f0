//! A paper of some 45 pages, 20 tables and 15 charts, to time the renderer: `whitepaper FOLDER-OF-CHARTS OUT.pdf`.
//!
//! The charts are SVG files; words and numbers come from a fixed generator.
#![expect(clippy::disallowed_methods, reason = "a rig that is run by hand")]

use benchpaper::cellmap;
use benchpaper::document::{Block, Column, Document, Figure, Inline, Table, TitleBlock};
use benchpaper::render::Paper;
use benchpaper::render::format::pdf::{self, Identity};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const WORDS: &str = "the storage engine under test was driven with a fixed queue depth and block size while latency \
percentiles were recorded for each run and compared against the baseline revision using a rank test with an interval";

struct Generator(u64);

impl Generator {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }
}

fn table(section: usize, generator: &mut Generator) -> Block {
    let heads = ["job", "iops", "mean_us", "p99_us", "ci_low", "ci_high"];
    let columns =
        heads.iter().enumerate().map(|(number, head)| Column { head: (*head).to_owned(), is_number: number > 0 });
    let mut row = |number: usize| {
        let mut cells = vec![vec![Inline::text(format!("job-{section}-{number}"))]];
        cells.extend((0..5).map(|_| {
            let value = generator.below(1_000_000);
            vec![Inline::text(format!("{}.{}", value / 10, value % 10))]
        }));
        cells
    };
    let rows = (0..56).map(&mut row).collect();
    Block::Table(Table {
        id: format!("t{section}"),
        caption: format!("Results {section}"),
        columns: columns.collect(),
        rows,
    })
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let (charts, out) = (arguments.next().unwrap_or_default(), arguments.next().unwrap_or_default());
    let words: Vec<&str> = WORDS.split_whitespace().collect();
    let mut generator = Generator(7);
    let mut document = Document {
        title: TitleBlock {
            title: "Storage whitepaper".to_owned(),
            authors: vec!["Lab".to_owned()],
            ..TitleBlock::default()
        },
        ..Document::default()
    };
    for section in 0..20 {
        document.blocks.push(Block::Heading { level: 1, text: vec![Inline::text(format!("Section {section}"))] });
        for _ in 0..5 {
            let text: Vec<&str> = (0..90).map(|_| words[generator.below(words.len() as u64) as usize]).collect();
            document.blocks.push(Block::Paragraph(vec![Inline::text(format!("{}.", text.join(" ")))]));
        }
        document.blocks.push(table(section, &mut generator));
        if section < 15 {
            let file = format!("c{section}.svg");
            document.drawings.push((file.clone(), std::fs::read_to_string(format!("{charts}/{file}"))?));
            let (caption, description) = (format!("Chart {section}"), format!("Chart {section}"));
            document.blocks.push(Block::Figure(Figure { id: file.clone(), caption, description, file }));
        }
    }
    let paper = Paper { cellmap: cellmap::of_document(&document), document, ..Paper::default() };
    let bytes = pdf::write(&paper, &Identity { ident: "bench".to_owned(), time_s: 1_767_225_600 });
    std::fs::write(out, bytes.map_err(|problems| format!("{problems:?}"))?)?;
    Ok(())
}
