//! From what is compared to findings: overlap of intervals, other readings of a column, usual mistakes, the smallest repair,
//! and how likely a wrong number would have passed.

use super::check::{Card, Check, Comparison, Relation};
use super::{Finding, Kind, Outcome, Row, Subject, View};
use crate::exact::Exact;
use crate::interval::Interval;
use crate::printed::{Dim, Shortening};

/// Units that are printed for another: symbol, factor, and what is meant.
const SLIPS: &[(&str, u64, u64, &str)] = &[
    ("MB/s", 1_048_576, 1_000_000, "MB means MiB"),
    ("GB/s", 1_073_741_824, 1_000_000_000, "GB means GiB"),
    ("kB/s", 1_024, 1_000, "kB means KiB"),
    ("MiB/s", 1_000_000, 1_048_576, "MiB means MB"),
    ("KiB/s", 1_000, 1_024, "KiB means kB"),
    ("GiB/s", 1_000_000_000, 1_073_741_824, "GiB means GB"),
    ("GB", 1_073_741_824, 1_000_000_000, "GB means GiB"),
    ("MB", 1_048_576, 1_000_000, "MB means MiB"),
    ("TB", 1_099_511_627_776, 1_000_000_000_000, "TB means TiB"),
];

/// Usual mistakes: the factor by which a number is off, and what it would be.
const LADDER: &[(u64, u64, &str)] = &[
    (1024, 1000, "powers of 1000 and 1024 mixed up once"),
    (1_048_576, 1_000_000, "powers of 1000 and 1024 mixed up twice"),
    (1_073_741_824, 1_000_000_000, "powers of 1000 and 1024 mixed up three times"),
    (8, 1, "bits and bytes"),
    (10, 1, "a decimal point by one place"),
    (60, 1, "minutes and seconds"),
    (100, 1, "percent and fractions"),
    (1000, 1, "a thousand"),
    (2, 1, "one of two counted twice, or left out"),
];

/// The span of ratios within which an accidental hit is counted: from a thousandth to a thousand.
const LADDER_SPAN: f64 = 1e6;

/// How many failing rows of a column are asked what would mend them.
const REPAIRS_MAX: usize = 200;

/// Runs a check over all rows and over the facts of the whole paper.
pub(super) fn run(check: &dyn Check, subject: &Subject<'_>) -> Vec<Finding> {
    let mut findings = vec![];
    let mut missing: Option<String> = None;
    for (number, table) in subject.tables.iter().enumerate() {
        let series = table.series();
        let cells: Vec<Cells<'_>> = (0..table.rows.len())
            .flat_map(|row| series.iter().map(move |series| (Some((number, row)), *series)))
            .collect();
        findings.extend(of_column(check, subject, &cells, &mut missing));
    }
    findings.extend(of_column(check, subject, &[(None, None)], &mut missing));
    if findings.is_empty() {
        let needs = check.card().needs.join(", ");
        let reason = missing.unwrap_or_else(|| format!("nothing has all of: {needs}"));
        findings.push(blank(check.card(), Outcome::Skip, Subject::place(""), reason));
    }
    findings
}

/// Identities of sums and means, which medians over replicates need not keep.
const OF_SUMS: &[&str] = &["U7", "U9", "U10", "R1", "R12", "R13", "D3"];

/// Which row of a table is looked at, and which series of it.
type Cells<'a> = (Option<(usize, usize)>, Option<&'a str>);

/// A comparison of a row that failed.
struct Failed {
    /// The place of its finding.
    finding: usize,
    /// The row, among those that are looked at.
    row: usize,
    /// Which comparison of the row.
    which: usize,
}

/// A finding without numbers.
pub(super) fn blank(card: &Card, verdict: Outcome, place: crate::claims::Place, detail: String) -> Finding {
    Finding {
        check: card.id,
        kind: card.kind,
        verdict,
        place,
        detail,
        chance_pass: None,
        assumption: None,
        explained: None,
        repair: None,
    }
}

/// The findings of one table. Where a reading other than rounding is needed, the same is tried for the whole column.
fn of_column(
    check: &dyn Check,
    subject: &Subject<'_>,
    cells: &[Cells<'_>],
    missing: &mut Option<String>,
) -> Vec<Finding> {
    let mut findings = vec![];
    let mut failed: Vec<Failed> = vec![];
    for (number, (at, series)) in cells.iter().enumerate() {
        let row = Row::new(subject, *at, *series, &View::PLAIN);
        let comparisons = check.compare(&row);
        if !row.is_used.get() {
            continue;
        }
        if comparisons.is_empty() {
            missing.get_or_insert_with(|| lacking(check.card(), &row));
        }
        let is_of_medians =
            OF_SUMS.contains(&check.card().id) && row.word("reported").is_some_and(|word| word.contains("median"));
        for (which, comparison) in comparisons.iter().enumerate() {
            let mut finding = first_look(check, &row, comparison, which);
            if finding.verdict == Outcome::Fail && is_of_medians {
                finding.verdict = Outcome::Warn;
                finding.detail.push_str("; of medians it need not hold exactly");
            }
            if finding.verdict == Outcome::Fail {
                failed.push(Failed { finding: findings.len(), row: number, which });
            }
            findings.push(finding);
        }
    }
    if !failed.is_empty() {
        read_again(check, subject, cells, &failed, &mut findings);
    }
    findings
}

/// Looks at what failed once more: under a reading that all rows hold under, within one unit of the last digit, and for what
/// would explain or repair it. `failed` has the place of the finding, its row, and which comparison of it.
fn read_again(
    check: &dyn Check,
    subject: &Subject<'_>,
    cells: &[Cells<'_>],
    failed: &[Failed],
    findings: &mut [Finding],
) {
    let holds_for_all = |view: &View| {
        cells.iter().all(|(at, series)| {
            check.compare(&Row::new(subject, *at, *series, view)).iter().all(|one| one.verdict() != Outcome::Fail)
        })
    };
    let other = views().into_iter().find(|(view, _)| holds_for_all(view));
    for (nth, one) in failed.iter().enumerate() {
        let ((at, series), which) = (cells[one.row], one.which);
        let finding = &mut findings[one.finding];
        if let Some((_, words)) = &other {
            finding.verdict = Outcome::Pass;
            finding.assumption = Some((*words).to_owned());
            continue;
        }
        let loose = View { is_loose: true, ..View::PLAIN };
        let again = check.compare(&Row::new(subject, at, series, &loose));
        if again.get(which).is_some_and(|one| one.verdict() != Outcome::Fail) {
            finding.verdict = Outcome::Pass;
            finding.assumption = Some("within one unit of the last digit, not by rounding".to_owned());
            continue;
        }
        let row = Row::new(subject, at, series, &View::PLAIN);
        if let Some(comparison) = check.compare(&row).get(which) {
            finding.explained = explained(comparison);
            let is_equal = comparison.relation == Relation::Equal && nth < REPAIRS_MAX;
            finding.repair = is_equal.then(|| repair(check, &row, which)).flatten();
        }
    }
}

/// The first role that a row has no number for.
fn lacking(card: &Card, row: &Row<'_>) -> String {
    let missing = card.needs.iter().find(|role| row.get(role).is_none() && row.word(role).is_none());
    let place = row.place();
    match missing {
        Some(role) => format!("{}: no {role} ({})", place.table, crate::claims::role::words_of(role)),
        None => format!("{}: it does not apply", place.table),
    }
}

/// Under rounding, and with zeros at the end of whole numbers as mere filling.
fn first_look(check: &dyn Check, row: &Row<'_>, comparison: &Comparison, which: usize) -> Finding {
    let card = check.card();
    let mut finding = blank(card, comparison.verdict(), row.place(), comparison.words());
    finding.chance_pass = Some(comparison.chance());
    if finding.verdict == Outcome::Fail {
        let padded = View { shortening: Shortening::Padded, ..View::PLAIN };
        let again = Row::new(row.subject, row.at, row.series, &padded);
        if let Some(other) = check.compare(&again).get(which).filter(|other| other.verdict() == Outcome::Pass) {
            finding.verdict = Outcome::Pass;
            finding.chance_pass = Some(other.chance());
            finding.detail = format!("{}, where zeros at the end only fill places", other.words());
        }
    }
    if finding.verdict == Outcome::Fail && matches!(card.kind, Kind::Suspicion) {
        finding.verdict = Outcome::Warn;
    }
    finding
}

/// Other readings of a whole column, the smallest assumption first.
fn views() -> Vec<(View, &'static str)> {
    let plain = || View::PLAIN;
    let mut views = vec![
        (View { shortening: Shortening::Truncated, ..plain() }, "digits were cut off, not rounded"),
        (View { shortening: Shortening::RoundedUp, ..plain() }, "digits were rounded up"),
        (View { is_loose: true, ..plain() }, "within one unit of the last digit, not by rounding"),
    ];
    for is_loose in [false, true] {
        for (symbol, above, below, words) in SLIPS {
            let slip = Some((*symbol, Exact::from_ratio(*above, *below)));
            views.push((View { slip, is_loose, ..plain() }, words));
        }
    }
    views
}

/// The usual mistakes that would make two sides equal; one alone explains it.
fn explained(comparison: &Comparison) -> Option<String> {
    if comparison.relation != Relation::Equal {
        return None;
    }
    let mut hits: Vec<(String, &str)> = vec![];
    let mut widths = 0.0;
    for (above, below, words) in LADDER {
        for (factor, is_above) in
            [(Exact::from_ratio(*above, *below), true), (Exact::from_ratio(*below, *above), false)]
        {
            let shifted = &comparison.left * &Interval::exactly(factor);
            widths += relative_width(&comparison.left) + relative_width(&comparison.right);
            if shifted.overlaps(&comparison.right) {
                let shown =
                    if below == &1 { above.to_string() } else { format!("{:.4}", *above as f64 / *below as f64) };
                hits.push((if is_above { format!("×{shown}") } else { format!("÷{shown}") }, words));
            }
        }
    }
    let [(factor, words)] = hits.as_slice() else { return None };
    let rate = widths / libm::log(LADDER_SPAN) * 100.0;
    Some(format!("{factor}: {words} (a wrong number hits one of these by accident in {rate:.1} % of cases)"))
}

fn relative_width(interval: &Interval) -> f64 {
    let (low, high) = (interval.low().to_float(), interval.high().to_float());
    if low > 0.0 { libm::log(high / low) } else { 0.0 }
}

/// The change of one digit of one printed number, the smallest of all, with which it would hold.
fn repair(check: &dyn Check, row: &Row<'_>, which: usize) -> Option<String> {
    let mut best: Option<(f64, String)> = None;
    for (role, printed) in row.used.borrow().iter() {
        for digits in one_digit_away(printed.digits()) {
            let Some(other) = printed.with_digits(&digits) else { continue };
            let (before, after) = (printed.value().to_float(), other.value().to_float());
            let view = View { replaced: Some((role.clone(), other)), ..View::PLAIN };
            let holds = check
                .compare(&Row::new(row.subject, row.at, row.series, &view))
                .get(which)
                .is_some_and(|one| one.verdict() == Outcome::Pass);
            let change = (after / before - 1.0).abs();
            if holds && best.as_ref().is_none_or(|(least, _)| change < *least) {
                best = Some((change, format!("{role} {digits} in place of {}", printed.token())));
            }
        }
    }
    best.map(|(_, words)| words)
}

/// All numbers that differ in one digit.
fn one_digit_away(digits: &str) -> Vec<String> {
    let mut found = vec![];
    for (at, old) in digits.char_indices().filter(|(_, one)| one.is_ascii_digit()) {
        let is_first = !digits[..at].bytes().any(|one| one.is_ascii_digit());
        for new in ('0'..='9').filter(|new| *new != old && !(is_first && *new == '0')) {
            found.push(format!("{}{new}{}", &digits[..at], &digits[at + 1..]));
        }
    }
    found
}

/// Two numbers for people: the values they may have, in one unit of their size.
pub(super) fn shown(one: &Interval, other: &Interval, dim: Dim) -> (String, String) {
    let size = |interval: &Interval| interval.low().to_float().abs().max(interval.high().to_float().abs());
    let most = size(one).max(size(other));
    let steps: &[(f64, &str)] = match (dim.bytes, dim.seconds) {
        (1, -1) => &[(1e9, " GB/s"), (1e6, " MB/s"), (1e3, " kB/s"), (1.0, " B/s")],
        (1, 0) => &[(1e12, " TB"), (1e9, " GB"), (1e6, " MB"), (1e3, " kB"), (1.0, " B")],
        (0, 1) => &[(3600.0, " h"), (60.0, " min"), (1.0, " s"), (1e-3, " ms"), (1e-6, " µs"), (1e-9, " ns")],
        (0, -1) => &[(1.0, "/s")],
        _ => &[(1.0, "")],
    };
    let (scale, unit) = steps.iter().copied().find(|(scale, _)| most >= *scale).unwrap_or(steps[steps.len() - 1]);
    let text = |interval: &Interval| {
        let (low, high) = (interval.low().to_float() / scale, interval.high().to_float() / scale);
        let (low, high) = (plain(low, high), plain(high, low));
        if low == high { format!("{low}{unit}") } else { format!("{low} to {high}{unit}") }
    };
    (text(one), text(other))
}

/// Enough digits to tell a number from the other bound.
fn plain(value: f64, other: f64) -> String {
    let gap = (value - other).abs();
    let of_size = |size: f64| if size > 0.0 { libm::floor(libm::log10(size)) } else { 0.0 };
    let wanted = if gap > 0.0 { 1.0 - of_size(gap) } else { 4.0 - of_size(value.abs().max(1e-9)) };
    let decimals = wanted.clamp(0.0, 9.0) as usize;
    let text = format!("{value:.decimals$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// The share of wrong values that lie in a window of factors, where wrong values are the true one times a factor between a
/// half and two, all as likely on a logarithmic scale.
pub(super) fn chance(least: f64, most: f64) -> f64 {
    let log = |factor: f64| libm::log2(factor.max(1e-300)).clamp(-1.0, 1.0);
    ((log(most) - log(least)) / 2.0).clamp(0.0, 1.0)
}

/// A finding of a whole table.
pub(super) fn of_table(card: &Card, place: crate::claims::Place, comparison: &Comparison) -> Finding {
    let mut finding = blank(card, comparison.verdict(), place, comparison.words());
    finding.chance_pass = Some(comparison.chance());
    finding
}

/// The findings, or that there was nothing to look at.
pub(super) fn or_skip(card: &Card, findings: Vec<Finding>) -> Vec<Finding> {
    if findings.is_empty() {
        let reason = format!("nothing has all of: {}", card.needs.join(", "));
        return vec![blank(card, Outcome::Skip, Subject::place(""), reason)];
    }
    findings
}

/// A finding of a fact, or of the experiment, by what it is about.
pub(super) fn remark(card: &Card, verdict: Outcome, about: &str, detail: String) -> Finding {
    blank(card, verdict, Subject::place(about), detail)
}

/// What is found in each row of each table, and among the facts of the whole paper.
pub(super) fn rows(subject: &Subject<'_>, look: impl Fn(&Row<'_>) -> Option<Finding>) -> Vec<Finding> {
    let mut found = vec![];
    for (number, table) in subject.tables.iter().enumerate() {
        for row in 0..table.rows.len() {
            for series in table.series() {
                let row = Row::new(subject, Some((number, row)), series, &View::PLAIN);
                found.extend(look(&row).filter(|_| row.is_used.get()));
            }
        }
    }
    found.extend(look(&Row::new(subject, None, None, &View::PLAIN)));
    found
}

/// Of findings that say the same of several things, the worst, with how many are like it; all of them pass as one.
pub(super) fn worst_of(findings: Vec<Finding>) -> Vec<Finding> {
    let count = findings.len();
    let Some(worst) = findings.iter().map(|finding| finding.verdict).max() else { return vec![] };
    let mut alike = findings.into_iter().filter(|finding| finding.verdict == worst);
    let Some(first) = alike.next() else { return vec![] };
    let like = alike.count() + 1;
    let rest = if count > 1 { format!("; so are {like} of {count}") } else { String::new() };
    vec![Finding { detail: format!("{}{rest}", first.detail), ..first }]
}

/// What a row for all of the others is called.
const TOTALS: &[&str] = &["all", "total", "mean", "average", "avg", "overall", "sum", "mittel", "gesamt", "summe"];

/// Whether a row stands for all of the others.
pub(super) fn is_total(table: &crate::claims::Table, row: usize) -> bool {
    let label = table.label(row).to_lowercase();
    label.split(|one: char| !one.is_alphanumeric()).any(|part| TOTALS.contains(&part))
}
