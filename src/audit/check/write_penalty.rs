//! P3: redundant writes cost device operations.

use super::{Card, Check, Comparison, one};
use crate::audit::{Finding, Kind, Row, Subject, judge};
use crate::printed::Dim;

/// reads + penalty × writes ≤ what the devices do.
pub(super) struct WritePenalty;

const CARD: Card = Card {
    id: "P3",
    kind: Kind::Physical,
    title: "reads + penalty × writes ≤ what the devices do",
    needs: &["write_penalty", "devices", "device_iops", "iops"],
    explain: "A write costs two device operations in RAID 10, four in RAID 5, six in RAID 6, where nothing is cached.",
};

impl Check for WritePenalty {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn compare(&self, row: &Row<'_>) -> Vec<Comparison> {
        let found = || {
            let is_whole_stripes = row.word("access").is_some_and(|access| !access.contains("random"));
            if !row.is("uncached") || is_whole_stripes {
                return None;
            }
            let (penalty, all) =
                (row.positive("write_penalty")?, &row.positive("devices")? * &row.positive("device_iops")?);
            let cost = match (row.get("read_iops"), row.get("write_iops")) {
                (Some(reads), Some(writes)) => &reads + &(&penalty * &writes),
                _ => {
                    let (iops, reads) = (row.positive("iops")?, row.get("read_share")?);
                    &iops * &(&reads + &(&penalty * &(&one() - &reads)))
                }
            };
            Some(Comparison::at_most(
                ("device operations", cost),
                ("what the devices do", all),
                Dim { bytes: 0, seconds: -1 },
            ))
        };
        found().into_iter().collect()
    }

    fn run(&self, subject: &Subject<'_>) -> Vec<Finding> {
        judge::run(self, subject)
    }
}
