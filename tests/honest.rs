//! Honest papers: random truth, queues that are not full, short runs, averages over rows and repetitions, each column
//! shortened in one way; or with one number that is wrong.

use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::Rng as _;

/// A printed number: shortened to some decimals, cut off or rounded.
fn shortened(value: f64, decimals: usize, is_cut: bool) -> String {
    let scale = 10_f64.powi(decimals as i32);
    let value = if is_cut { (value * scale).floor() / scale } else { value };
    format!("{value:.decimals$}")
}

/// A claims file; where a factor is given, one printed number of one row is off by it.
pub fn honest(random: &mut ChaCha20Rng, wrong: Option<f64>) -> String {
    let mut unit = || (random.next_u64() >> 11) as f64 / (1_u64 << 53) as f64;
    // which of the tables holds the number that is wrong
    let of_table = (unit() * 3.0) as usize;
    let in_table = |table: usize| wrong.filter(|_| table == of_table);
    let cases = cases(&mut unit, in_table(0));
    let run = short_run(&mut unit, in_table(1));
    let repeated = repeated(&mut unit, in_table(2));
    let checks: Vec<String> = CLAIMED.iter().map(|id| format!("{{check: {id}}}")).collect();
    format!(
        "format: benchpaper/claims@1\npaper: {{title: honest}}\ntables:\n{cases}{run}{repeated}claims:\n  - {{id: all, text: x, rank: table, checks: [{}]}}\n",
        checks.join(", ")
    )
}

/// The checks that a claim stands with.
const CLAIMED: &[&str] = &["U1", "U8", "L1", "L3", "R1", "R7", "R9", "D1", "D2", "D4", "D5", "D6", "D8", "G1", "G3"];

/// Cases of a matrix: IOPS, bandwidth, latency, and a gain over another arm, with what is said of all gains together.
fn cases(unit: &mut impl FnMut() -> f64, wrong: Option<f64>) -> String {
    let rows = 1 + (unit() * 6.0) as usize;
    let decimals: Vec<usize> = (0..4).map(|_| (unit() * 4.0) as usize).collect();
    let cuts: Vec<bool> = (0..4).map(|_| unit() < 0.3).collect();
    let (wrong_row, wrong_cell) = ((unit() * rows as f64) as usize, (unit() * 5.0) as usize);
    let (mut lines, mut gains) = (vec![], vec![]);
    for row in 0..rows {
        let off = |cell: usize, value: f64| match wrong {
            Some(factor) if (row, cell) == (wrong_row, wrong_cell) => value * factor,
            _ => value,
        };
        let depth = 1 << (unit() * 8.0) as u32;
        let block_kib = 1 << (unit() * 8.0) as u32;
        let latency_ms = 0.05 * (unit() * 6.0).exp();
        let filled = 0.3 + 0.7 * unit();
        let iops = f64::from(depth) * filled / (latency_ms / 1e3);
        let baseline = iops / (1.0 + unit());
        let mib = iops * f64::from(block_kib) / 1024.0;
        // a latency that is printed as nothing says nothing
        let latency = shortened(off(0, latency_ms), decimals[0].max(3), cuts[0]);
        let cells = [
            shortened(off(1, iops), decimals[1], cuts[1]),
            shortened(off(2, mib), decimals[2].max(1), cuts[2]),
            latency,
        ];
        let gain = shortened(off(3, (iops / baseline - 1.0) * 100.0), decimals[3], cuts[3]);
        gains.push((iops / baseline, gain.clone()));
        let exact = format!("{iops:.6}");
        lines.push(format!(
            "      - [{depth}, {block_kib} KiB, {}, {exact}, {baseline:.6}, \"{gain} %\"]",
            cells.map(|cell| format!("\"{cell}\"")).join(", ")
        ));
    }
    let mean = gains.iter().map(|(ratio, _)| ratio - 1.0).sum::<f64>() / rows as f64;
    let geometric = gains.iter().map(|(ratio, _)| ratio.ln()).sum::<f64>() / rows as f64;
    let (kind, mean) = if unit() < 0.5 { ("arithmetic", mean) } else { ("geometric", geometric.exp_m1()) };
    let greatest = gains.iter().max_by(|one, other| one.0.total_cmp(&other.0)).map_or("", |(_, gain)| gain);
    format!(
        "  t:\n    columns:\n      depth: {{role: outstanding, unit: \"1\", exact: true}}\n      block: {{role: block_size, unit: KiB, exact: true}}\n      iops: {{role: iops, unit: 1/s}}\n      rate: {{role: bandwidth, unit: MiB/s}}\n      latency: {{role: latency_mean, unit: ms}}\n      new: {{role: value, unit: \"1\"}}\n      old: {{role: baseline, unit: \"1\"}}\n      gain: {{role: gain, unit: \"%\"}}\n    rows:\n{}\n    facts: [{{set: {{mean_gain: {:.1} %, mean_kind: {kind}, gain_max: {greatest} %}}}}]\n",
        lines.join("\n"),
        mean * 100.0 * wrong.filter(|_| wrong_cell == 4).unwrap_or(1.0)
    )
}

/// A run so short that operations cross its ends: each of some slots begins the next operation when the last is done, some
/// time before it counts, and what is done in the window counts in full.
fn short_run(unit: &mut impl FnMut() -> f64, wrong: Option<f64>) -> String {
    let depth = 1 << (unit() * 5.0) as u32;
    let (spread, scale_ms) = (0.1 + 1.2 * unit(), 0.1 + unit());
    let (ramp_ms, window_ms) = (scale_ms * 5.0, scale_ms * (60.0 + 400.0 * unit()));
    let mut times = vec![];
    for _ in 0..depth {
        let mut now = 0.0;
        while now < ramp_ms + window_ms {
            let normal = (-2.0 * (1.0 - unit()).ln()).sqrt() * (std::f64::consts::TAU * unit()).cos();
            let time = scale_ms * (spread * normal).exp();
            now += time;
            if now > ramp_ms && now <= ramp_ms + window_ms {
                times.push(time);
            }
        }
    }
    times.sort_by(f64::total_cmp);
    let count = times.len();
    let rank = |share: f64| times[((share * count as f64).ceil() as usize).clamp(1, count) - 1];
    let mean = times.iter().sum::<f64>() / count as f64;
    let decimals = 2 + (unit() * 3.0) as usize;
    let which = (unit() * 5.0) as usize;
    let off = |at: usize, value: f64| value * wrong.filter(|_| at == which).unwrap_or(1.0);
    let cell = |at: usize, value: f64| format!("\"{:.decimals$}\"", off(at, value));
    let printed = [mean, rank(0.5), rank(0.99), times[count - 1]];
    let cells = printed.iter().enumerate().map(|(at, value)| cell(at, *value));
    let iops = off(4, count as f64 / window_ms * 1e3);
    format!(
        "  run:\n    columns:\n      mean: {{role: latency_mean, unit: ms}}\n      p50: {{role: latency_p50, unit: ms}}\n      p99: {{role: latency_p99, unit: ms}}\n      max: {{role: latency_max, unit: ms}}\n      iops: {{role: iops, unit: 1/s}}\n    rows: [[{}, \"{iops:.1}\"]]\n    facts: [{{set: {{outstanding: {depth}, duration: {:.6} s, operations: {count}, percentiles_of: total}}}}]\n",
        cells.collect::<Vec<_>>().join(", "),
        window_ms / 1e3
    )
}

/// Repetitions, as a mean with its deviation and interval; of whole numbers or of others, in two groups and all together.
fn repeated(unit: &mut impl FnMut() -> f64, wrong: Option<f64>) -> String {
    let is_whole = unit() < 0.5;
    let (level, spread) = (10.0 + 90.0 * unit(), 0.5 + 5.0 * unit());
    let which = (unit() * 3.0) as usize;
    let mut lines = vec![];
    let mut all: Vec<f64> = vec![];
    for group in 0..2 {
        let count = 3 + (unit() * 8.0) as usize;
        let value = |random: f64| level + spread * (random - 0.5) * 2.0;
        let values: Vec<f64> =
            (0..count).map(|_| value(unit())).map(|value| if is_whole { value.round() } else { value }).collect();
        all.extend(&values);
        let mean = values.iter().sum::<f64>() / count as f64;
        let sd = (values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (count - 1) as f64).sqrt();
        let mut sorted = values.clone();
        sorted.sort_by(f64::total_cmp);
        let median = (sorted[(count - 1) / 2] + sorted[count / 2]) / 2.0;
        let half = benchpaper::statistics::student_t_quantile(0.975, (count - 1) as f64).unwrap_or(0.0) * sd
            / (count as f64).sqrt();
        let off = |at: usize, value: f64| value * wrong.filter(|_| at == which && group == 0).unwrap_or(1.0);
        lines.push(format!(
            "[\"{:.2}\", \"{:.2}\", \"{:.2}\", \"{:.2}\", \"{:.2}\", \"{:.2}\", {count}]",
            off(0, mean),
            off(1, sd),
            median,
            off(2, half),
            sorted[0],
            sorted[count - 1]
        ));
    }
    let pooled = all.iter().sum::<f64>() / all.len() as f64;
    format!(
        "  repeated:\n    columns:\n      mean: {{role: mean, unit: \"1\"}}\n      sd: {{role: sd, unit: \"1\"}}\n      median: {{role: median, unit: \"1\"}}\n      half: {{role: ci_half, unit: \"1\"}}\n      least: {{role: minimum, unit: \"1\"}}\n      most: {{role: maximum, unit: \"1\"}}\n      n: {{role: n, unit: \"1\", exact: true}}\n    rows: [{}]\n    facts: [{{set: {{pooled_mean: {pooled:.2}, level: 95 %, integers: {is_whole}}}}}]\n",
        lines.join(", ")
    )
}
