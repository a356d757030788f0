//! How an experiment measures: replicates, order, preparation, noise, failures.

use super::guest::Reboot;
use super::node::Node;
use super::shape::{Map, Share, Spanned, Time, record, words};
use crate::name::Name;

words! {
    /// The order of jobs.
    pub enum Order {
        /// A replicate visits every case before the next begins, in a new random order each time: replicates are blocks.
        Interleaved = "interleaved",
        /// All jobs in one random order: arms are independent.
        Randomized = "randomized",
    }
}

record! {
    /// How it is measured.
    pub struct Design {
        /// How often each case is measured; with `sessions`, in each of them.
        replicates: Spanned<u64>,
        /// What is really repeated, such as job or boot.
        replicate_unit: Option<String>,
        /// When guests are booted anew: for each job unless said otherwise.
        reboot_guests: Option<Reboot>,
        /// The factor that is hard to change, such as an arm that needs a boot of the host: its levels are visited in
        /// `sessions` and compared by them.
        whole_plot: Option<Spanned<Name>>,
        /// The level of `whole_plot` in each session, in order; every level as often as any other.
        sessions: Vec<Node>,
        /// In which order.
        order: Order,
        /// The seed of the order.
        seed: u64,
        /// What is done to the devices before the first job.
        precondition: Vec<Precondition>,
        /// How long a job runs before it counts.
        ramp_time: Option<Time>,
        /// How long a job counts.
        runtime: Option<Time>,
        /// How long a job may take in all before it is ended.
        time_limit: Option<Time>,
        /// How long the machine rests between jobs.
        pause: Option<Time>,
        /// How many jobs run at once; more than one only where nothing is measured that they could disturb.
        concurrency: Option<Spanned<u64>>,
        /// Rounds that are run until the metric is steady.
        steady_state: Option<SteadyState>,
        /// A case measured as two arms of the same thing: the noise floor.
        noise: Option<Noise>,
        /// What happens when a job fails.
        on_failure: Option<OnFailure>,
    }
}

record! {
    /// What is done to a device before the first job.
    pub struct Precondition {
        /// Writes the whole device.
        fill: Fill,
    }
}

record! {
    /// Sequential writes over a whole device.
    pub struct Fill {
        /// Which device.
        device: Spanned<Name>,
        /// How often.
        passes: Option<u64>,
    }
}

record! {
    /// When a metric counts as steady (SNIA SSS PTS: range and slope of a window of rounds).
    pub struct SteadyState {
        /// Which metric.
        metric: Spanned<Name>,
        /// How many rounds the window holds.
        rounds: Spanned<u64>,
        /// How far rounds may lie apart, as a share of their mean.
        range: Share,
        /// How far the fitted line may move over the window, as a share of the mean.
        slope: Share,
        /// How many rounds are run at most.
        at_most: Spanned<u64>,
        /// What happens when it does not become steady.
        otherwise: Otherwise,
    }
}

words! {
    /// What happens when a case does not become steady.
    pub enum Otherwise {
        /// It is measured, and the paper says so.
        Mark = "mark",
        /// The attempt is invalid.
        Fail = "fail",
    }
}

record! {
    /// The same case measured as two arms.
    pub struct Noise {
        /// Which case: factors and levels.
        case: Map<Node>,
        /// How many pairs.
        pairs: u64,
    }
}

record! {
    /// What happens when a job fails.
    pub struct OnFailure {
        /// How often it is tried again after a failure of the infrastructure; never because of a number.
        retry: Option<u64>,
        /// After how many failures in a row the run stops.
        stop_after: Option<u64>,
    }
}

record! {
    /// A variation of the design.
    pub struct Profile {
        /// How often each case is measured.
        replicates: Option<Spanned<u64>>,
        /// How long a job counts.
        runtime: Option<Time>,
        /// How long a job runs before it counts.
        ramp_time: Option<Time>,
        /// How many noise pairs.
        noise_pairs: Option<u64>,
    }
}
