//! Records of a file of values.

use super::CELLS_MAX;

pub(in crate::claims) type Records = Vec<(usize, Vec<String>)>;

/// The rows of a text with their lines: a Markdown table, or the separator that its first line has most of.
pub(in crate::claims) fn records(text: &str) -> Result<Records, String> {
    let is_content = |line: &&str| !line.trim().is_empty() && !line.starts_with('#');
    let first = text.lines().find(is_content).unwrap_or_default();
    if first.trim_start().starts_with('|') {
        let is_rule = |line: &str| line.chars().all(|one| matches!(one, '|' | '-' | ':' | ' '));
        let rows = text.lines().enumerate().filter(|(_, line)| line.trim_start().starts_with('|') && !is_rule(line));
        let cells = |line: &str| line.trim().trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect();
        return Ok(rows.map(|(number, line)| (number + 1, cells(line))).collect());
    }
    let count = |mark: u8| first.bytes().filter(|byte| *byte == mark).count();
    let separator = [b',', b'\t', b';'].into_iter().max_by_key(|mark| count(*mark)).unwrap_or(b',');
    let mut reader = csv::ReaderBuilder::new();
    let reader = reader.has_headers(false).trim(csv::Trim::All).flexible(true).delimiter(separator).comment(Some(b'#'));
    let (mut rows, mut cells) = (vec![], 0);
    for record in reader.from_reader(text.as_bytes()).records() {
        let record = record.map_err(|error| error.to_string())?;
        cells += record.len();
        if cells > CELLS_MAX {
            return Err(format!("more than {CELLS_MAX} cells"));
        }
        let line = record.position().map_or(0, |position| position.line() as usize);
        rows.push((line, record.iter().map(str::to_owned).collect()));
    }
    Ok(rows)
}
