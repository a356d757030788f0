//! Honest papers: random truth, queues that are not full, each column shortened in one way; or with one number that is wrong.

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
    let rows = 1 + (unit() * 6.0) as usize;
    let decimals: Vec<usize> = (0..4).map(|_| (unit() * 4.0) as usize).collect();
    let cuts: Vec<bool> = (0..4).map(|_| unit() < 0.3).collect();
    let (wrong_row, wrong_cell) = ((unit() * rows as f64) as usize, (unit() * 4.0) as usize);
    let mut lines = vec![];
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
        let exact = format!("{iops:.6}");
        lines.push(format!(
            "      - [{depth}, {block_kib} KiB, {}, {exact}, {baseline:.6}, \"{gain} %\"]",
            cells.map(|cell| format!("\"{cell}\"")).join(", ")
        ));
    }
    format!(
        "format: benchpaper/claims@1\npaper: {{title: honest}}\ntables:\n  t:\n    columns:\n      depth: {{role: outstanding, unit: \"1\", exact: true}}\n      block: {{role: block_size, unit: KiB, exact: true}}\n      iops: {{role: iops, unit: 1/s}}\n      rate: {{role: bandwidth, unit: MiB/s}}\n      latency: {{role: latency_mean, unit: ms}}\n      new: {{role: value, unit: \"1\"}}\n      old: {{role: baseline, unit: \"1\"}}\n      gain: {{role: gain, unit: \"%\"}}\n    rows:\n{}\nclaims:\n  - {{id: rates, text: x, rank: table, checks: [{{check: U1}}, {{check: L1}}, {{check: R1}}]}}\n",
        lines.join("\n")
    )
}
