//! The words that the renderer itself writes, one struct a language: a missing word does not compile.
//!
//! `{}` in a sentence stands for what is put in, in order.

macro_rules! language {
    ($($(#[$doc:meta])* $field:ident: $english:literal,)*) => {
        /// The words of one language.
        #[derive(Debug, Clone, Copy)]
        pub struct Language {
            $($(#[$doc])* pub $field: &'static str,)*
        }

        /// English.
        pub const ENGLISH: Language = Language { $($field: $english,)* };
    };
}

language! {
    /// BCP 47.
    code: "en",
    contents: "Contents",
    question: "Question",
    version: "Version",
    commit: "Commit",
    manifest: "Manifest",
    profile: "Profile",
    draft: "DRAFT",
    figure: "Figure",
    table: "Table",
    no_date: "not dated",
    uncommitted: "uncommitted",
    property: "Property",
    value: "Value",
    origin: "How known",
    factor: "Factor",
    levels: "Levels",
    left_out: "Left out",
    reason: "Reason",
    not_affected: "cpu.mitigation, not affected",
    setting: "Setting",
    replicates_short: "n",
    median: "Median",
    interval: "Interval",
    level: "Level",
    variation: "CV",
    metric: "Metric",
    pairs: "Pairs",
    greatest: "Greatest seen",
    bound: "Bound",
    case: "Case",
    replicate: "Replicate",
    attempt: "Attempt",
    outcome: "Outcome",
    change: "Change",
    p_adjusted: "p (Holm)",
    p_rank: "p (rank)",
    shown: "Shown",
    yes: "yes",
    no: "no",
    run: "Run",
    begun: "Begun",
    attempts_ok: "ok",
    attempts_other: "not ok",
    chain: "Journal head",
    sealed: "Sealed",
    nothing: "–",
    facts_caption: "The machine, as found when the run began",
    matrix_caption: "Factors and their levels",
    excluded_caption: "Combinations that were left out",
    workload_caption: "Settings of the workload {}",
    results_caption: "{}: median of the replicates, with its interval",
    chart_caption: "{}: medians; whiskers span the interval of the median",
    comparison_caption: "{}: change against {}",
    noise_caption: "One case measured as two arms: how far apart equal things lie. 95 % of such pairs stay below the bound, which is the upper 95 % limit of that share",
    not_ok_caption: "Attempts without a usable result",
    runs_caption: "The runs of this experiment that are known",
    order_interleaved: "Each replicate visits every case before the next begins, in a new random order each time (seed {}). Replicates are blocks.",
    order_randomized: "All jobs run in one random order (seed {}). Arms are independent.",
    design: "Every case was measured {} times; what is repeated is {}.",
    a_job: "the job",
    timing: "A job ran for {} before it counted, and then counted for {}.",
    untimed: "Jobs ran to their own end.",
    precondition: "Before the first job: {}.",
    no_precondition: "Devices were not preconditioned.",
    one_replicate: "There is one replicate, so nothing can be said about variation: the tables have no intervals.",
    power_can: "Arms are compared as {}; {} comparisons of one metric share a family. The smallest p that this design can reach is {}, after Holm's correction {}.",
    power_cannot: "No difference could be significant at 0.05 in this design, whatever its size: that needs at least {} replicates.",
    statistics: "Intervals of medians run between order statistics and are printed with the level they really have; below 6 replicates that is less than 95 %. Changes are geometric means of the ratios within replicates, with a 95 % interval by Student's t on logarithms, which assumes log-normal ratios; the exact signed-rank p, which does not, stands beside it. A change is called shown where the adjusted p is at most 0.05 and, where there is a noise bound, it exceeds that bound.",
    attempts: "{} attempts were made at {} jobs; {} jobs have no usable result. The first usable attempt of each job counts, in the order of the journal.",
    all_ok: "No attempt failed, was invalid or was interrupted.",
    noise_none: "No noise pairs were measured.",
    noise_few: "With fewer than {} pairs no bound is computed.",
    missing: "{} of {} jobs have no usable result: this paper is incomplete.",
    hidden: "Values come from runs that differ in facts which nobody declared: {}.",
    waiver: "Run {} was made although the machine differs from the lock in {}: {}.",
    remark: "During run {}: {}.",
    emulated: "These numbers were measured under emulation. They say how the emulated machine behaves and are not to be set beside numbers of hardware.",
    provenance: "The manifest has the digest {}, the lock {}. The expanded cases have the digest {}.",
    verify: "This file holds its manifest, lock, prose, results and cell map as attachments. {} makes it again from them and compares every byte; with the store at hand it reads every number again from the raw output.",
    trace: "{} shows where a number comes from.",
    disclosure_waived: "Not disclosed: {} ({}).",
}
