//! Ways of benchmarking that mislead, after Heiser (Systems Benchmarking Crimes), van der Kouwe et al. (Benchmarking Crimes,
//! 2018) and SIGPLAN's checklist: one rule a file. They ask; they never decide a claim.

pub(super) mod ablation;
pub(super) mod baseline;
pub(super) mod cached_test;
pub(super) mod calibrated;
pub(super) mod cherry_picked;
pub(super) mod clocks;
pub(super) mod confounded;
pub(super) mod degradation;
pub(super) mod durability;
pub(super) mod generator_bound;
pub(super) mod graphs;
pub(super) mod harking;
pub(super) mod micro_only;
pub(super) mod missing_platform;
pub(super) mod multiplicity;
pub(super) mod no_ramp;
pub(super) mod noisy_host;
pub(super) mod one_replicate;
pub(super) mod only_run_time;
pub(super) mod order_bias;
pub(super) mod overhead_claim;
pub(super) mod relative_only;
pub(super) mod saturation;
pub(super) mod sections;
pub(super) mod sub_results;
pub(super) mod subset;
pub(super) mod tool_errors;
pub(super) mod tool_fault;
pub(super) mod unfair_competitor;
pub(super) mod wrong_mean;
