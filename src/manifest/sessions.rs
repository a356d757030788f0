//! Sessions: how a factor that is hard to change is visited.
//!
//! A host that is booted anew, or a rack that is cabled anew, is set up seldom, and many jobs run until it is set up again.
//! Those jobs share whatever that session was like, so what is compared are sessions, not jobs (a split plot: Montgomery,
//! Design and Analysis of Experiments, 8th ed., section 14.5).

use super::Experiment;
use super::shape::{Map, Problems, Spanned};
use crate::name::{Name, nearest};

/// What a boot of the host is called as the unit that is repeated.
pub const HOST_BOOT: &str = "host-boot";

/// The sessions of a design.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sessions {
    /// The factor that is hard to change.
    pub factor: String,
    /// Its level in each session, in order.
    pub levels: Vec<String>,
}

impl Sessions {
    /// Those of a manifest that was checked; `None` where it has none.
    pub fn of(experiment: &Experiment) -> Option<Self> {
        let factor = experiment.design.whole_plot.as_ref()?.value.to_string();
        let levels: Vec<String> = experiment.design.sessions.iter().filter_map(|node| node.scalar()).collect();
        (!levels.is_empty()).then_some(Self { factor, levels })
    }

    /// How many sessions each level has.
    pub fn per_level(&self) -> u64 {
        self.levels.iter().filter(|level| **level == self.levels[0]).count() as u64
    }

    /// The session of a replicate, from 0; the replicates of a level are dealt out to its sessions in order, `each` to every
    /// one. `None` where no session has the level.
    pub fn of_replicate(&self, level: &str, replicate: u64, each: u64) -> Option<usize> {
        let nth = (replicate.saturating_sub(1) / each.max(1)) as usize;
        self.levels.iter().enumerate().filter(|(_, one)| *one == level).nth(nth).map(|(number, _)| number)
    }
}

/// Reports sessions that can not be: without a factor, of levels that there are not, or more of one than of another.
pub(super) fn check(experiment: &Experiment, problems: &mut Problems) {
    let design = &experiment.design;
    let Some(factor) = &design.whole_plot else {
        if let Some(first) = design.sessions.first() {
            let help = "Name the factor whose levels these are: `whole_plot: …`.";
            problems.error("manifest::sessions", first.span, "sessions without a `whole_plot`", help);
        }
        return;
    };
    let Some(known) = experiment.matrix.levels(factor.value.as_str()) else {
        super::check::unknown_reference("factor", factor, experiment.matrix.names().into_iter(), problems);
        return;
    };
    let known: Vec<&str> = known.iter().map(|level| level.text.as_str()).collect();
    check_levels(experiment, (factor, &known), problems);
    let lacks = |factors: &Map<super::Levels>| factors.get(factor.value.as_str()).is_none();
    if experiment.matrix.parts().any(|part| lacks(part.factors)) {
        let message = format!("a part of the matrix has no factor `{}`", factor.value);
        problems.error("manifest::sessions", factor.span, message, "Every job belongs to a session: give it a level.");
    }
    warn_of_time(experiment, factor, problems);
    if let Some(noise) = &design.noise {
        let help = "Leave `noise` away: sessions of the same level say how sessions differ.";
        let span = noise.case.iter().next().map_or(factor.span, |(_, level)| level.span);
        problems.error("manifest::sessions", span, "pairs within a session say nothing of sessions", help);
    }
}

/// Warns where sessions are no more than jobs in a row, and where time is confounded with the factor.
fn warn_of_time(experiment: &Experiment, factor: &Spanned<Name>, problems: &mut Problems) {
    let design = &experiment.design;
    let is_set_up = experiment.guest().is_some()
        || experiment.is_all_manual()
        || design.replicate_unit.as_deref() == Some(HOST_BOOT);
    if !is_set_up {
        let help = "Write `replicate_unit: host-boot`: `run` then measures one session a boot. As it is, nothing is set up anew between sessions.";
        let message = "sessions follow one another without anything that is repeated";
        problems.warn("manifest::sessions", factor.span, message, help);
    }
    let levels: Vec<String> = design.sessions.iter().filter_map(|node| node.scalar()).collect();
    let place = |level: &String| {
        let at = levels.iter().enumerate().filter(|(_, one)| *one == level).map(|(place, _)| place);
        (at.clone().min(), at.max())
    };
    for one in &levels {
        let is_before = |other: &&String| place(one).1 < place(other).0;
        if let Some(other) = levels.iter().find(is_before) {
            let message = format!("all sessions of `{one}` come before those of `{other}`");
            let help =
                "What changes with time can then not be told from the factor: write them in turns, `[a, b, b, a]`.";
            problems.warn("manifest::sessions", factor.span, message, help);
            return;
        }
    }
}

fn check_levels(experiment: &Experiment, (factor, known): (&Spanned<Name>, &[&str]), problems: &mut Problems) {
    let sessions = &experiment.design.sessions;
    for node in sessions {
        let text = node.scalar().unwrap_or_default();
        if !known.contains(&text.as_str()) {
            let help = match nearest(&text, known.iter().copied()) {
                Some(meant) => format!("Did you mean `{meant}`?"),
                None => format!("Its levels are {}.", known.join(", ")),
            };
            let message = format!("the factor `{}` has no level `{text}`", factor.value);
            problems.error("manifest::unknown-level", node.span, message, help);
        }
    }
    let count = |level: &&str| sessions.iter().filter(|node| node.scalar().as_deref() == Some(*level)).count();
    let counts: Vec<String> = known.iter().map(|level| format!("{level} {}", count(level))).collect();
    if known.iter().any(|level| count(level) == 0 || count(level) != count(&known[0])) {
        let message = format!("the levels of `{}` have sessions: {}", factor.value, counts.join(", "));
        let help = "Write `sessions: [a, b, b, a]`: each level as often as any other.";
        problems.error("manifest::sessions", factor.span, message, help);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replicates_are_dealt_out_to_the_sessions_of_their_level() {
        let levels = ["esxi", "pve", "pve", "esxi"].map(str::to_owned).to_vec();
        let sessions = Sessions { factor: "arm".to_owned(), levels };
        assert_eq!(sessions.per_level(), 2);
        let of = |level: &str| (1..=5).map(|replicate| sessions.of_replicate(level, replicate, 2)).collect::<Vec<_>>();
        assert_eq!(of("esxi"), [Some(0), Some(0), Some(3), Some(3), None]);
        assert_eq!(of("pve"), [Some(1), Some(1), Some(2), Some(2), None]);
        assert_eq!(of("hyper-v"), [None; 5]);
    }
}
