//! Simulated truth: how often intervals hold what they should, and how often nothing is called something.

use benchpaper::compare::{Family, Found, adjust};
use benchpaper::digest::Digest;
use benchpaper::measurement::Metric;
use benchpaper::results::{MetricSamples, Sample};
use benchpaper::statistics::{Contrast, bootstrap};
use benchpaper::store::event::Origin;
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::{Rng as _, SeedableRng as _};

/// What one scenario came to.
#[derive(Debug, Clone)]
pub struct Outcome {
    pub name: String,
    /// The share of simulations that held, or that erred.
    pub share: f64,
    /// The least and greatest share that is right.
    pub bounds: (f64, f64),
    /// Whether it is asserted, or only told.
    pub is_asserted: bool,
}

impl Outcome {
    pub fn is_right(&self) -> bool {
        !self.is_asserted || (self.bounds.0..=self.bounds.1).contains(&self.share)
    }
}

/// Where logarithms of values come from; each has the median zero.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Shape {
    Normal(f64),
    /// Two modes, a tenth of the values in the upper one.
    Bimodal,
    /// One in ten far out.
    Outliers,
}

fn uniform(random: &mut ChaCha20Rng) -> f64 {
    ((random.next_u64() >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
}

fn normal(random: &mut ChaCha20Rng) -> f64 {
    (-2.0 * uniform(random).ln()).sqrt() * (std::f64::consts::TAU * uniform(random)).cos()
}

impl Shape {
    fn draw(self, random: &mut ChaCha20Rng) -> f64 {
        match self {
            Self::Normal(spread) => spread * normal(random),
            Self::Bimodal => 0.03 * normal(random) + if uniform(random) < 0.1 { 0.3 } else { 0.0 },
            Self::Outliers => 0.03 * normal(random) * if uniform(random) < 0.1 { 10.0 } else { 1.0 },
        }
    }
}

fn values(shape: Shape, shift: f64, count: usize, random: &mut ChaCha20Rng) -> Vec<f64> {
    (0..count).map(|_| 1000.0 * (shape.draw(random) + shift).exp()).collect()
}

/// Three standard errors of a share.
fn slack(share: f64, simulations: usize) -> f64 {
    3.0 * (share * (1.0 - share) / simulations as f64).sqrt()
}

/// The median of log(second) − log(first), from many draws.
fn truth(first: Shape, second: Shape, random: &mut ChaCha20Rng) -> f64 {
    let mut found: Vec<f64> = (0..400_001).map(|_| second.draw(random) - first.draw(random)).collect();
    found.sort_by(f64::total_cmp);
    found[found.len() / 2]
}

/// All scenarios, each so many times.
pub fn all(simulations: usize, seed: u64) -> Vec<Outcome> {
    let mut random = ChaCha20Rng::seed_from_u64(seed);
    let mut found = vec![];
    for count in [4, 6, 10, 30] {
        for shape in [Shape::Normal(0.1), Shape::Bimodal, Shape::Outliers] {
            found.push(shifted(shape, count, simulations, &mut random));
        }
    }
    for count in [3, 5, 8] {
        found.push(few_blocks(count, simulations, &mut random));
    }
    for count in [10, 20, 30] {
        found.push(many_blocks(count, simulations, &mut random));
    }
    for (first, second) in [(Shape::Normal(0.05), Shape::Normal(0.2)), (Shape::Normal(0.05), Shape::Bimodal)] {
        for count in [5, 10, 20, 30] {
            found.push(unequal((first, second), count, simulations, &mut random));
        }
    }
    for is_partial in [false, true] {
        found.push(family(is_partial, simulations, &mut random));
    }
    found.push(declared(simulations, &mut random));
    found.push(explored(simulations, &mut random));
    found.push(drift(simulations, &mut random));
    found.push(boots(simulations, &mut random));
    found.push(bootstrapped_boots(simulations, &mut random));
    for (first, second) in [(Shape::Normal(0.1), Shape::Normal(0.1)), (Shape::Normal(0.05), Shape::Bimodal)] {
        for count in [20, 50] {
            found.push(bootstrapped((first, second), count, simulations, &mut random));
        }
    }
    found
}

/// Exact intervals where one arm is the other, shifted: they hold the shift at least as often as their level says.
fn shifted(shape: Shape, count: usize, simulations: usize, random: &mut ChaCha20Rng) -> Outcome {
    let shift = 0.1;
    let (mut held, mut level) = (0, 0.0);
    for _ in 0..simulations {
        let (one, other) = (values(shape, 0.0, count, random), values(shape, shift, count, random));
        let bounds = Contrast::independent(&one, &other).unwrap().interval_or_widest(0.95).unwrap();
        held += usize::from(bounds.low <= shift.exp() && shift.exp() <= bounds.high);
        level = bounds.level;
    }
    let share = held as f64 / simulations as f64;
    let name = format!("Mann-Whitney, {shape:?} shifted, n {count}: level {:.1} %", level * 100.0);
    Outcome { name, share, bounds: (level - slack(level, simulations), 1.0), is_asserted: true }
}

/// Student's t on few blocks of log-normal ratios, with a level of their own for each block.
fn few_blocks(count: usize, simulations: usize, random: &mut ChaCha20Rng) -> Outcome {
    let held = (0..simulations).filter(|_| {
        let block: Vec<f64> = (0..count).map(|_| 0.3 * normal(random)).collect();
        let arm = |shift: f64, random: &mut ChaCha20Rng| -> Vec<f64> {
            block.iter().map(|level| 1000.0 * (level + 0.05 * normal(random) + shift).exp()).collect()
        };
        let (one, other) = (arm(0.0, random), arm(0.1, random));
        let bounds = Contrast::blocks(&one, &other).unwrap().interval(0.95).unwrap();
        bounds.low <= 0.1_f64.exp() && 0.1_f64.exp() <= bounds.high
    });
    let share = held.count() as f64 / simulations as f64;
    let room = slack(0.95, simulations).max(0.02);
    Outcome {
        name: format!("t on log-normal blocks, n {count}"),
        share,
        bounds: (0.95 - room, 0.95 + room),
        is_asserted: true,
    }
}

/// The signed-rank interval over more blocks, with noise that is symmetric and not normal.
fn many_blocks(count: usize, simulations: usize, random: &mut ChaCha20Rng) -> Outcome {
    let (mut held, mut level) = (0, 0.0);
    for _ in 0..simulations {
        let one: Vec<f64> = (0..count).map(|_| 1000.0 * (0.3 * normal(random)).exp()).collect();
        let other: Vec<f64> = one.iter().map(|value| value * (0.1 + Shape::Outliers.draw(random)).exp()).collect();
        let bounds = Contrast::blocks(&one, &other).unwrap().interval_or_widest(0.95).unwrap();
        held += usize::from(bounds.low <= 0.1_f64.exp() && 0.1_f64.exp() <= bounds.high);
        level = bounds.level;
    }
    let name = format!("signed-rank over blocks with outliers, n {count}: level {:.1} %", level * 100.0);
    let share = held as f64 / simulations as f64;
    Outcome { name, share, bounds: (level - slack(level, simulations), 1.0), is_asserted: true }
}

/// Arms of different shapes: what is said to be estimated, the median ratio between them, is held nine times in ten from ten
/// values on; below it is only told.
fn unequal((first, second): (Shape, Shape), count: usize, simulations: usize, random: &mut ChaCha20Rng) -> Outcome {
    let wanted = truth(first, second, random).exp();
    let held = (0..simulations).filter(|_| {
        let (one, other) = (values(first, 0.0, count, random), values(second, 0.0, count, random));
        let bounds = Contrast::independent(&one, &other).unwrap().interval_or_widest(0.95).unwrap();
        bounds.low <= wanted && wanted <= bounds.high
    });
    let share = held.count() as f64 / simulations as f64;
    let name = format!("median ratio of {first:?} and {second:?}, n {count}");
    Outcome { name, share, bounds: (0.90 - slack(0.90, simulations), 1.0), is_asserted: count >= 10 }
}

/// The share of families of ten in which anything is called a difference that is none, after Holm; in a partial null five of
/// them differ.
fn family(is_partial: bool, simulations: usize, random: &mut ChaCha20Rng) -> Outcome {
    let erred = (0..simulations).filter(|_| {
        let mut found: Vec<Found> = (0..10)
            .map(|number| {
                let shift = if is_partial && number < 5 { 0.3 } else { 0.0 };
                let (one, other) =
                    (values(Shape::Normal(0.1), 0.0, 8, random), values(Shape::Normal(0.1), shift, 8, random));
                Found::new(Contrast::independent(&one, &other).unwrap(), None)
            })
            .collect();
        let groups: Vec<usize> = (0..10).collect();
        let mut of: Vec<&mut Found> = found.iter_mut().collect();
        adjust(Family::Declared, &mut of, &groups);
        let nulls = if is_partial { &found[5..] } else { &found[..] };
        nulls.iter().any(|one| one.p_adjusted.is_some_and(|p| p <= 0.05))
    });
    let share = erred.count() as f64 / simulations as f64;
    let name = format!("errors of a family of ten after Holm, {} null", if is_partial { "partial" } else { "global" });
    Outcome { name, share, bounds: (0.0, 0.05 + slack(0.05, simulations)), is_asserted: true }
}

/// Ten declared comparisons with a margin: five arms are equal, so that a difference is an error, and five lie at the margin, so
/// that an equivalence is one.
fn declared(simulations: usize, random: &mut ChaCha20Rng) -> Outcome {
    let margin = 0.1;
    let erred = (0..simulations).filter(|_| {
        let arm = |shift: f64, random: &mut ChaCha20Rng| {
            let (one, other) =
                (values(Shape::Normal(0.1), 0.0, 8, random), values(Shape::Normal(0.1), shift, 8, random));
            Found::new(Contrast::independent(&one, &other).unwrap(), Some(margin))
        };
        let mut found: Vec<Found> =
            (0..10).map(|number| arm(if number < 5 { 0.0 } else { margin.ln_1p() }, random)).collect();
        let groups: Vec<usize> = (0..10).collect();
        adjust(Family::Declared, &mut found.iter_mut().collect::<Vec<_>>(), &groups);
        let is_small = |p: Option<f64>| p.is_some_and(|p| p <= 0.05);
        found[..5].iter().any(|one| is_small(one.p_adjusted))
            || found[5..].iter().any(|one| is_small(one.p_equivalence))
    });
    let share = erred.count() as f64 / simulations as f64;
    let name = "errors of a family of ten, five equal and five at the margin".to_owned();
    Outcome { name, share, bounds: (0.0, 0.05 + slack(0.05, simulations)), is_asserted: true }
}

/// Twenty cases of five metrics, of which one moves and four do not: the share of what is called that did not move.
fn explored(simulations: usize, random: &mut ChaCha20Rng) -> Outcome {
    let families = simulations / 10;
    let share = (0..families).map(|_| {
        let arm = |shift: f64, random: &mut ChaCha20Rng| {
            let (one, other) =
                (values(Shape::Normal(0.1), 0.0, 8, random), values(Shape::Normal(0.1), shift, 8, random));
            Found::new(Contrast::independent(&one, &other).unwrap(), None)
        };
        let mut found: Vec<Found> = (0..100).map(|row| arm(if row % 5 == 0 { 0.4 } else { 0.0 }, random)).collect();
        // the first three metrics of a case weigh one together
        let groups: Vec<usize> = (0..100_usize).map(|row| row / 5 * 3 + (row % 5).saturating_sub(2)).collect();
        adjust(Family::Exploratory, &mut found.iter_mut().collect::<Vec<_>>(), &groups);
        let called = |is_wrong: bool| {
            let rows = found.iter().enumerate().filter(|(row, _)| (row % 5 != 0) == is_wrong);
            let weight = |row: usize| if row % 5 < 3 { 1.0 / 3.0 } else { 1.0 };
            rows.filter(|(_, one)| one.p_adjusted.is_some_and(|p| p <= 0.05)).map(|(row, _)| weight(row)).sum::<f64>()
        };
        let (wrong, right) = (called(true), called(false));
        if wrong > 0.0 { wrong / (wrong + right) } else { 0.0 }
    });
    let share = share.sum::<f64>() / families as f64;
    let name = "false discoveries among twenty cases of five metrics, of which one moves".to_owned();
    Outcome { name, share, bounds: (0.0, 0.05 + slack(0.05, families)), is_asserted: true }
}

/// A drift of up to ten percent over the run, with arms in random order within blocks: nothing is called a difference more
/// often than it should.
fn drift(simulations: usize, random: &mut ChaCha20Rng) -> Outcome {
    let erred = (0..simulations).filter(|_| {
        let drift = 0.1 * uniform(random);
        let (mut one, mut other) = (vec![], vec![]);
        for block in 0..8 {
            let is_first = uniform(random) < 0.5;
            let place = |second: bool| (2 * block + usize::from(second)) as f64 / 15.0;
            let at = |second: bool, random: &mut ChaCha20Rng| {
                1000.0 * (1.0 + drift * place(second)) * (0.01 * normal(random)).exp()
            };
            one.push(at(!is_first, random));
            other.push(at(is_first, random));
        }
        Contrast::blocks(&one, &other).unwrap().p(1.0).unwrap() <= 0.05
    });
    let share = erred.count() as f64 / simulations as f64;
    let name = "false differences under drift, randomised blocks, n 8".to_owned();
    Outcome { name, share, bounds: (0.0, 0.05 + slack(0.05, simulations)), is_asserted: true }
}

/// Replicates in boots: boots differ far more than replicates of one do.
fn in_boots(boots: usize, replicates: usize, random: &mut ChaCha20Rng) -> MetricSamples {
    let mut samples = vec![];
    for boot in 0..boots {
        let level = 0.1 * normal(random);
        samples.extend((0..replicates).map(|at| Sample {
            replicate: (boot * replicates + at + 1) as u64,
            value: 1000.0 * (level + 0.02 * normal(random)).exp(),
            object: Digest::of(b""),
            pointer: String::new(),
            files: Default::default(),
            job: Digest::of(b""),
            run: 0,
            unit: Some(format!("boot {boot}")),
            origin: Origin::Measured,
            printed: None,
        }));
    }
    MetricSamples { metric: Metric::new("iops"), unit: "1/s".to_owned(), samples }
}

/// How often equal arms of six boots with five replicates each are told apart.
fn boots(simulations: usize, random: &mut ChaCha20Rng) -> Outcome {
    let erred = (0..simulations).filter(|_| {
        let (one, other) = (in_boots(6, 5, random), in_boots(6, 5, random));
        Contrast::independent(&one.unit_values(), &other.unit_values()).unwrap().p(1.0).unwrap() <= 0.05
    });
    let share = erred.count() as f64 / simulations as f64;
    let name = "false differences of equal arms, 6 boots of 5 replicates".to_owned();
    Outcome { name, share, bounds: (0.0, 0.05 + slack(0.05, simulations)), is_asserted: true }
}

/// The bootstrap over twenty boots of three replicates each.
fn bootstrapped_boots(simulations: usize, random: &mut ChaCha20Rng) -> Outcome {
    let held = (0..simulations).filter(|number| {
        let (one, other) = (in_boots(20, 3, random), in_boots(20, 3, random));
        let (one, other) = (one.unit_values(), other.unit_values());
        let bounds = bootstrap::ratio_of_medians(&one, &other, 0.95, *number as u64).unwrap();
        bounds.low <= 1.0 && 1.0 <= bounds.high
    });
    let share = held.count() as f64 / simulations as f64;
    let name = "bootstrapped ratio of medians over 20 boots of 3 replicates".to_owned();
    Outcome { name, share, bounds: (0.92 - slack(0.92, simulations), 1.0), is_asserted: true }
}

/// The bootstrap of the ratio of medians, from twenty values on.
fn bootstrapped(
    (first, second): (Shape, Shape),
    count: usize,
    simulations: usize,
    random: &mut ChaCha20Rng,
) -> Outcome {
    let median = |shape: Shape, random: &mut ChaCha20Rng| {
        let mut found: Vec<f64> = (0..400_001).map(|_| shape.draw(random)).collect();
        found.sort_by(f64::total_cmp);
        found[found.len() / 2].exp()
    };
    let wanted = median(second, random) / median(first, random);
    let held = (0..simulations).filter(|number| {
        let (one, other) = (values(first, 0.0, count, random), values(second, 0.0, count, random));
        let bounds = bootstrap::ratio_of_medians(&one, &other, 0.95, *number as u64).unwrap();
        bounds.low <= wanted && wanted <= bounds.high
    });
    let share = held.count() as f64 / simulations as f64;
    let name = format!("bootstrapped ratio of medians of {first:?} and {second:?}, n {count}");
    Outcome { name, share, bounds: (0.92 - slack(0.92, simulations), 1.0), is_asserted: true }
}

#[test]
fn intervals_and_tests_keep_what_they_promise() {
    let wrong: Vec<String> = all(1_000, 17)
        .iter()
        .filter(|outcome| !outcome.is_right())
        .map(|outcome| format!("{}: {:.3}, not within {:?}", outcome.name, outcome.share, outcome.bounds))
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}
