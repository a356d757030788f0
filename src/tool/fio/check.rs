//! What must hold between the numbers of one output, and habits that make a result say less than it seems to.

use super::output::{Document, Job, Row, bandwidth, counted};
use crate::law;
use crate::measurement::{Reading, Status};

/// How far a mean that fio printed may lie from the mean of its rows, as a share.
const MEAN_TOLERANCE: f64 = 0.005;
/// How far the operations of all clients may lie from the sum of their rows, as a share; fio's own sums are right.
const COUNT_TOLERANCE: f64 = 0.001;
/// Fewer operations in flight than this share of what was asked for is worth a word.
const QUEUE_SHARE_MIN: f64 = 0.5;
/// A block size is a multiple of this many bytes.
const SECTOR_BYTES: f64 = 512.0;

/// What stands before the JSON: clients that never answered, and an end by a signal.
pub(super) fn around(bytes: &[u8], document: &Document<'_>, reading: &mut Reading) {
    let end = bytes.iter().position(|byte| *byte == b'{').unwrap_or(bytes.len());
    let before = String::from_utf8_lossy(&bytes[..end]);
    if before.contains("fio: terminating on signal") {
        reading.invalidate("fio::interrupted", "it was ended by a signal before its time");
    }
    let connected = before.lines().filter(|line| line.starts_with("hostname=")).count();
    let clients: std::collections::BTreeSet<_> = document
        .client_stats
        .iter()
        .filter(|job| job.jobname != "All clients")
        .map(|job| (job.hostname.as_deref(), job.port))
        .collect();
    let unreachable = before.lines().filter(|line| line.starts_with("fio: connect: ")).count();
    if !document.client_stats.is_empty() && (clients.len() < connected || unreachable > 0) {
        let message = format!(
            "{} clients have results, {} were asked",
            clients.len(),
            connected.max(clients.len()) + unreachable
        );
        reading.fail("fio::missing-client", message);
    }
}

/// A client or job that did nothing while others did is missing, and missing is not zero.
pub(super) fn idle(document: &Document<'_>, rows: &[Row<'_, '_>], reading: &mut Reading) {
    let is_client = !document.client_stats.is_empty();
    let jobs = if is_client { &document.client_stats } else { &document.jobs };
    if rows.is_empty() {
        return;
    }
    for job in jobs.iter().filter(|job| job.jobname != "All clients") {
        let is_idle = rows.iter().all(|row| !std::ptr::eq(row.job, job)) && job.sync.is_none();
        if is_idle && is_client {
            let host = job.hostname.as_deref().unwrap_or("a client");
            reading.fail("fio::idle", format!("{host} did no operation for the job `{}`", job.jobname));
        } else if is_idle {
            reading.warn("fio::idle", format!("the job `{}` did no operation and counts for nothing", job.jobname));
        }
    }
}

/// An error of any job or client fails the whole output.
pub(super) fn errors(document: &Document<'_>, reading: &mut Reading) {
    for job in document.jobs.iter().chain(&document.client_stats) {
        if job.error != 0 {
            reading.fail("fio::error", format!("the job `{}` ended with error {}", job.jobname, job.error));
        }
        // fio books what fsync returns as short reads, also where nothing was read
        let syncs = job.sync.as_ref().and_then(|sync| sync.lat_ns.as_ref()?.count).unwrap_or(0.0);
        for values in [&job.read, &job.write, &job.trim, &job.mixed].into_iter().flatten() {
            let is_of_syncs = values.total_ios <= 0.0 && values.short_ios <= syncs;
            if (values.short_ios > 0.0 && !is_of_syncs) || values.drop_ios > 0.0 {
                let message = format!(
                    "the job `{}` has {} short and {} dropped operations",
                    job.jobname, values.short_ios, values.drop_ios
                );
                reading.invalidate("fio::short-operations", message);
            }
        }
        if job.has_missed_steady_state() {
            reading.warn("fio::steady-state", format!("the job `{}` did not become steady", job.jobname));
        }
    }
}

/// Bytes and operations must fit the block size, where there is one.
pub(super) fn product(row: &Row<'_, '_>, document: &Document<'_>, reading: &mut Reading) {
    let (own, global) = (&row.job.options, &document.options);
    if own.has_split || global.has_split || row.direction == "mixed" {
        return;
    }
    let (bandwidth, iops) = (bandwidth(row.values), row.values.iops);
    let text = own.bs.as_deref().or(global.bs.as_deref());
    match text.map(block_size_bytes) {
        Some(Some(block_size)) if !law::is_bandwidth_consistent(bandwidth, iops, block_size) => {
            let message = format!("{}: {iops} IOPS × {block_size} B is not {bandwidth} B/s", row.pointer);
            reading.invalidate("fio::bandwidth", message);
        }
        // the default is 4 KiB, but old versions do not print options at all
        None if !is_block_size(bandwidth / iops) => {
            let message =
                format!("{}: bandwidth ÷ IOPS is {:.0} B, which no block size is", row.pointer, bandwidth / iops);
            reading.warn("fio::bandwidth", message);
        }
        _ => {}
    }
}

/// Whether a quotient of rounded numbers can be a block size.
fn is_block_size(bytes: f64) -> bool {
    let sectors = (bytes / SECTOR_BYTES).round().max(1.0);
    (bytes / SECTOR_BYTES - sectors).abs() <= 0.005 * sectors
}

/// `4k`, `4096`, `1m`, `4k,8k,` (one size only where they differ).
pub(super) fn block_size_bytes(text: &str) -> Option<f64> {
    let lower = text.trim().to_ascii_lowercase();
    let lower = lower.trim_end_matches("ib").trim_end_matches('b');
    let digits_end = lower.find(|one: char| !one.is_ascii_digit()).unwrap_or(lower.len());
    let number: f64 = lower[..digits_end].parse().ok()?;
    match &lower[digits_end..] {
        "" => Some(number),
        "k" => Some(number * 1024.0),
        "m" => Some(number * 1_048_576.0),
        "g" => Some(number * 1_073_741_824.0),
        _ => None,
    }
}

/// Options that do not do what they seem to.
pub(super) fn habits(rows: &[Row<'_, '_>], document: &Document<'_>, reading: &mut Reading) {
    let Some(row) = rows.first() else { return };
    let options = row.job.options.over(&document.options);
    let longest = rows.iter().map(|row| row.values.runtime).fold(0.0, f64::max) / 1000.0;
    // a run that was ended by something else says nothing of its data
    let is_whole = reading.status == Status::Ok && rows.iter().all(|row| row.job.steadystate.is_none());
    if let Some(runtime) = options.runtime.as_deref().filter(|_| !options.is_time_based && is_whole && longest > 0.0) {
        let asked = runtime.trim_end_matches('s').parse::<f64>();
        if asked.is_ok_and(|asked| longest < 0.95 * asked) {
            let message = format!(
                "`runtime={runtime}` without `time_based`: it ended when all data was touched, after {longest:.1} s"
            );
            reading.warn("fio::not-time-based", message);
        }
    }
    if let Some(depth) = options.iodepth.as_deref().filter(|depth| options.is_synchronous() && *depth != "1") {
        let engine = options.engine.as_deref().unwrap_or_default();
        reading
            .warn("fio::iodepth", format!("`iodepth={depth}` does nothing with `{engine}`, which holds one operation"));
    }
}

/// More operations in flight than there can be means that a number is wrong; far fewer, that something else was the limit.
pub(super) fn little((iops, latency_mean_ns): (f64, f64), most: f64, is_limited: bool, reading: &mut Reading) {
    let found = law::concurrency(iops, latency_mean_ns);
    if !law::is_concurrency_possible(iops, latency_mean_ns, most) {
        reading
            .warn("fio::little", format!("IOPS × mean latency is {found:.2}, above the {most} operations in flight"));
    } else if found < most * QUEUE_SHARE_MIN && most > 1.0 && !is_limited {
        let message = format!("IOPS × mean latency is {found:.1} of {most} in flight: the queue was not full");
        reading.warn("fio::little", message);
    }
}

/// What fio printed as the mean of all clients, beside that of its own rows. Before 3.30 it left out the first client that
/// answered (axboe/fio commit 016869be).
pub(super) fn all_clients(document: &Document<'_>, rows: &[Row<'_, '_>], reading: &mut Reading) {
    let Some(all) = document.client_stats.iter().find(|job| job.jobname == "All clients") else { return };
    for (direction, printed) in directions(all) {
        let own: f64 = rows.iter().filter(|row| row.direction == direction).map(|row| row.values.total_ios).sum();
        if let Some(all) = printed.map(|values| values.total_ios)
            && (all - own).abs() > COUNT_TOLERANCE * all.max(own)
        {
            let message = format!(
                "fio counts {all} {direction} operations of all clients, its rows have {own}: a client is missing"
            );
            reading.fail("fio::missing-client", message);
            continue;
        }
        let Some(printed) = printed.and_then(|values| counted(values.lat_ns.as_ref())).map(|latency| latency.mean)
        else {
            continue;
        };
        let of_direction = rows.iter().filter(|row| row.direction == direction);
        let parts: Option<Vec<(f64, f64)>> = of_direction
            .map(|row| {
                let latency = counted(row.values.lat_ns.as_ref())?;
                Some((latency.mean, latency.count.unwrap_or(row.values.total_ios)))
            })
            .collect();
        let Some(parts) = parts.filter(|parts| !parts.is_empty()) else { continue };
        let count: f64 = parts.iter().map(|(_, count)| count).sum();
        let own = parts.iter().map(|(mean, count)| mean * count).sum::<f64>() / count;
        if (printed - own).abs() > MEAN_TOLERANCE * own {
            let cause = if is_before_330(&reading.tool_version) {
                "fio before 3.30 leaves out the first client"
            } else {
                "the cause is not known"
            };
            let message = format!(
                "fio prints {printed:.0} ns as the mean {direction} latency of all clients, its rows have {own:.0} ns: {cause}"
            );
            reading.warn("fio::all-clients", message);
        }
    }
}

fn is_before_330(version: &str) -> bool {
    let mut numbers = version.split(|one: char| !one.is_ascii_digit()).filter_map(|part| part.parse::<u64>().ok());
    (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0)) < (3, 30)
}

type Named<'a, 'b> = (&'static str, Option<&'b super::output::Direction<'a>>);

fn directions<'a, 'b>(job: &'b Job<'a>) -> [Named<'a, 'b>; 3] {
    [("read", job.read.as_ref()), ("write", job.write.as_ref()), ("trim", job.trim.as_ref())]
}
