//! Two arms set against each other: the ratio of one to the other, its interval at the level it really has, and tests of
//! any ratio.
//!
//! How replicates were made decides the method. Blocks (each replicate holds both arms) of at most eight: Student's t on the
//! logarithms of the ratios, which assumes that they are log-normal. More blocks: the signed-rank test and the median of
//! Walsh averages. Independent arms: the Mann-Whitney test and the median of all ratios between them (Hodges and Lehmann,
//! Annals of Mathematical Statistics 34 (1963) 598). All values are above zero.

use statrs::distribution::{ContinuousCDF, StudentsT};

use super::rank::{
    cut_at, is_exact_mann_whitney, is_exact_signed_rank, mann_whitney, mann_whitney_cdf, signed_rank, signed_rank_cdf,
};
use super::{mean, median, standard_deviation};

/// The most blocks that are analysed by Student's t.
pub const BLOCKS_OF_T_MAX: usize = 8;

/// How two arms are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// Student's t on logarithms of ratios within blocks.
    BlockT,
    /// Wilcoxon's signed-rank test on them.
    SignedRank,
    /// The Mann-Whitney test on logarithms of independent arms.
    MannWhitney,
}

impl Method {
    /// What is estimated.
    pub const fn estimand(self) -> &'static str {
        match self {
            Self::BlockT => "geometric mean of the ratios within blocks",
            Self::SignedRank => "pseudo-median of the ratios within blocks",
            Self::MannWhitney => "median ratio between the arms: the ratio of their medians where one is only shifted",
        }
    }

    /// What it is called.
    pub const fn word(self) -> &'static str {
        match self {
            Self::BlockT => "t on logarithms of block ratios (assumes log-normal ratios)",
            Self::SignedRank => "signed-rank over blocks, exact",
            Self::MannWhitney => "Mann-Whitney, exact (assumes a shift alone)",
        }
    }
}

/// An interval of a ratio.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct Bounds {
    /// The lower ratio.
    pub low: f64,
    /// The upper one.
    pub high: f64,
    /// The level that it has: at least what was asked for, or the greatest that there is.
    pub level: f64,
}

/// The logarithm of a ratio, as a mean with its error.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LogRatio {
    /// Of the natural logarithms.
    pub mean: f64,
    /// The standard error of the mean.
    pub error: f64,
    /// The degrees of freedom of the error.
    pub freedom: f64,
}

/// The same with its distribution.
struct Student {
    mean: f64,
    error: f64,
    student: StudentsT,
}

/// Two arms.
#[derive(Debug, Clone, PartialEq)]
pub struct Contrast {
    method: Method,
    /// Logarithms: of the ratios within blocks, or of the baseline's values.
    first: Vec<f64>,
    /// Logarithms of the other arm's values; none in blocks.
    second: Vec<f64>,
    /// Sorted: Walsh averages, or differences between the arms; none for t, and none where there are too many to keep.
    shifts: Vec<f64>,
    /// The logarithm of the ratio.
    center: f64,
}

/// A standard deviation of logarithms that rounding makes.
const ROUNDING: f64 = 1e-12;

/// The most shifts that are kept: more are made again when they are asked for.
const SHIFTS_KEPT_MAX: usize = 20_000;

impl Contrast {
    /// Block by block; `None` where there is none, or a value is not above zero.
    pub fn blocks(baseline: &[f64], treated: &[f64]) -> Option<Self> {
        let is_usable = baseline.len() == treated.len() && !baseline.is_empty() && are_positive(baseline, treated);
        if !is_usable {
            return None;
        }
        let logs: Vec<f64> =
            baseline.iter().zip(treated).map(|(base, value)| libm::log(*value) - libm::log(*base)).collect();
        let method = if logs.len() <= BLOCKS_OF_T_MAX { Method::BlockT } else { Method::SignedRank };
        Some(Self::made(method, logs, vec![]))
    }

    /// Independent arms; `None` where one is empty, or a value is not above zero.
    pub fn independent(baseline: &[f64], treated: &[f64]) -> Option<Self> {
        if baseline.is_empty() || treated.is_empty() || !are_positive(baseline, treated) {
            return None;
        }
        let logs = |values: &[f64]| values.iter().map(|value| libm::log(*value)).collect::<Vec<f64>>();
        Some(Self::made(Method::MannWhitney, logs(baseline), logs(treated)))
    }

    fn made(method: Method, first: Vec<f64>, second: Vec<f64>) -> Self {
        let center = if method == Method::BlockT { mean(&first) } else { 0.0 };
        let mut made = Self { method, first, second, shifts: vec![], center };
        if method == Method::BlockT {
            return made;
        }
        let mut shifts = made.all_shifts();
        if shifts.len() <= SHIFTS_KEPT_MAX {
            shifts.sort_unstable_by(f64::total_cmp);
            made.center = median(&shifts);
            made.shifts = shifts;
        } else {
            let middle = shifts.len() / 2;
            let upper = nth(&mut shifts, middle);
            made.center =
                if shifts.len() % 2 == 1 { upper } else { f64::midpoint(nth(&mut shifts, middle - 1), upper) };
        }
        made
    }

    /// Walsh averages, or differences between the arms, in no order.
    fn all_shifts(&self) -> Vec<f64> {
        if self.method == Method::MannWhitney {
            let mut shifts = Vec::with_capacity(self.first.len() * self.second.len());
            shifts.extend(self.first.iter().flat_map(|one| self.second.iter().map(move |other| other - one)));
            return shifts;
        }
        let pairs = self.first.iter().enumerate();
        pairs.flat_map(|(at, one)| self.first[at..].iter().map(move |other| f64::midpoint(*one, *other))).collect()
    }

    /// The shifts that so many others lie below, and so many above.
    fn ends(&self, cut: usize) -> Option<(f64, f64)> {
        let mut made = if self.shifts.is_empty() { self.all_shifts() } else { vec![] };
        let count = self.shifts.len().max(made.len());
        let last = count.checked_sub(cut)?;
        if made.is_empty() {
            return Some((*self.shifts.get(cut - 1)?, *self.shifts.get(last)?));
        }
        Some((nth(&mut made, cut - 1), nth(&mut made, last)))
    }

    /// How they are compared.
    pub const fn method(&self) -> Method {
        self.method
    }

    /// The method in words, as it was used.
    pub fn described(&self) -> &'static str {
        match self.method {
            Method::MannWhitney if !self.is_exact() => {
                "Mann-Whitney, by the normal distribution (assumes a shift alone)"
            }
            Method::SignedRank if !self.is_exact() => "signed-rank over blocks, by the normal distribution",
            method => method.word(),
        }
    }

    /// How unequally two independent arms scatter: the greater standard deviation of logarithms by the smaller, and Welch's p of
    /// no difference, which does not assume that they scatter alike. `None` in blocks, and where one does not scatter.
    pub fn unequal_spread(&self) -> Option<(f64, f64)> {
        if self.method != Method::MannWhitney || self.units() < 2 {
            return None;
        }
        let (one, other) = (standard_deviation(&self.first), standard_deviation(&self.second));
        if one <= 0.0 || other <= 0.0 {
            return None;
        }
        let LogRatio { mean: center, error, freedom } = self.mean_of_logs()?;
        let tail = super::student_t_tail((center / error).abs(), freedom)?;
        Some((one.max(other) / one.min(other), (2.0 * tail).min(1.0)))
    }

    /// Blocks, or values of the smaller arm.
    pub fn units(&self) -> usize {
        if self.method == Method::MannWhitney { self.first.len().min(self.second.len()) } else { self.first.len() }
    }

    /// The ratio.
    pub fn ratio(&self) -> f64 {
        libm::exp(self.center)
    }

    /// The narrowest interval with at least a level; `None` where there is none.
    pub fn interval(&self, level: f64) -> Option<Bounds> {
        if self.method == Method::BlockT {
            let Student { mean: center, error, student } = self.student()?;
            // ratios that do not vary say nothing of their spread: what is known is how seldom signs agree by chance
            if error == 0.0 {
                let (ratio, known) = (libm::exp(center), self.level_of_signs());
                return (level <= known).then_some(Bounds { low: ratio, high: ratio, level: known });
            }
            let half = student.inverse_cdf(f64::midpoint(1.0, level)) * error;
            return Some(Bounds { low: libm::exp(center - half), high: libm::exp(center + half), level });
        }
        if self.first.len() + self.second.len() < 3 && self.units() < 2 {
            return None;
        }
        let (cut, level) = match self.is_exact() {
            true => cut_at(&self.distribution(), level)?,
            false => (self.normal_cut(level), level),
        };
        let (low, high) = self.ends(cut)?;
        Some(Bounds { low: libm::exp(low), high: libm::exp(high), level })
    }

    /// The interval at a level, or the widest there is, whose level is less.
    pub fn interval_or_widest(&self, level: f64) -> Option<Bounds> {
        self.interval(level).or_else(|| self.interval(0.0_f64.max(self.widest_level()?)))
    }

    /// 1 less the chance that all blocks have one sign.
    fn level_of_signs(&self) -> f64 {
        1.0 - 2.0 * signed_rank_cdf(self.first.len())[0]
    }

    fn widest_level(&self) -> Option<f64> {
        if self.student().is_some_and(|one| self.method == Method::BlockT && one.error == 0.0) {
            return Some(self.level_of_signs());
        }
        (self.method != Method::BlockT && self.units() > 1).then(|| 1.0 - 2.0 * self.distribution()[0])
    }

    /// By how much the mean log ratio scatters less than that of one pair of values does, where they do so alike: √(1 ÷ n) for n
    /// blocks, √((1 ÷ m + 1 ÷ n) ÷ 2) for independent arms.
    pub fn scatter_by_pair(&self) -> f64 {
        let (m, n) = (self.first.len() as f64, self.second.len() as f64);
        match self.method {
            Method::MannWhitney => libm::sqrt((1.0 / m + 1.0 / n) / 2.0),
            Method::BlockT | Method::SignedRank => libm::sqrt(1.0 / m),
        }
    }

    /// The standard deviation of the logarithms: of block ratios, or within the arms; from two units on.
    pub fn spread(&self) -> Option<f64> {
        if self.units() < 2 {
            return None;
        }
        let variance = |values: &[f64]| libm::pow(standard_deviation(values), 2.0) * (values.len() - 1) as f64;
        Some(match self.method {
            Method::MannWhitney => {
                let freedom = (self.first.len() + self.second.len() - 2) as f64;
                libm::sqrt((variance(&self.first) + variance(&self.second)) / freedom)
            }
            Method::BlockT | Method::SignedRank => standard_deviation(&self.first),
        })
    }

    /// The mean of the logarithms of the ratio, its standard error and degrees of freedom: of blocks, or by Welch
    /// (Biometrika 34 (1947) 28).
    pub fn mean_of_logs(&self) -> Option<LogRatio> {
        if self.units() < 2 {
            return None;
        }
        let share = |values: &[f64]| libm::pow(standard_deviation(values), 2.0) / values.len() as f64;
        if self.method != Method::MannWhitney {
            let (error, freedom) = (libm::sqrt(share(&self.first)), (self.first.len() - 1) as f64);
            return Some(LogRatio { mean: mean(&self.first), error, freedom });
        }
        let (a, b) = (share(&self.first), share(&self.second));
        let (m, n) = ((self.first.len() - 1) as f64, (self.second.len() - 1) as f64);
        let freedom = if a + b > 0.0 { (a + b) * (a + b) / (a * a / m + b * b / n) } else { m + n };
        Some(LogRatio { mean: mean(&self.second) - mean(&self.first), error: libm::sqrt(a + b), freedom })
    }

    /// Two-sided p of one ratio.
    pub fn p(&self, ratio: f64) -> Option<f64> {
        let (below, above) = self.tails(libm::log(ratio))?;
        Some((2.0 * below.min(above)).min(1.0))
    }

    /// p of the ratio being at least `bound`: small where it lies below.
    pub fn p_at_least(&self, bound: f64) -> Option<f64> {
        self.tails(libm::log(bound)).map(|(below, _)| below)
    }

    /// p of the ratio being at most `bound`: small where it lies above.
    pub fn p_at_most(&self, bound: f64) -> Option<f64> {
        self.tails(libm::log(bound)).map(|(_, above)| above)
    }

    /// p of the ratio lying outside of 1 ÷ (1 + margin) to 1 + margin: two one-sided tests (Schuirmann, Journal of
    /// Pharmacokinetics and Biopharmaceutics 15 (1987) 657).
    pub fn p_of_difference(&self, margin: f64) -> Option<f64> {
        let (least, most) = (1.0 / (1.0 + margin), 1.0 + margin);
        Some(self.p_at_most(least)?.max(self.p_at_least(most)?))
    }

    /// Two-sided p of no difference by ranks, whatever the method; beside t it says what needs no assumption.
    pub fn p_rank(&self) -> Option<f64> {
        match self.method {
            Method::MannWhitney => self.p(1.0),
            Method::BlockT | Method::SignedRank => signed_rank(&self.first).map(super::rank::Tails::two_sided),
        }
    }

    /// The chances, where the logarithm of the ratio is `shift`, of what lies as far below, and as far above.
    fn tails(&self, shift: f64) -> Option<(f64, f64)> {
        match self.method {
            Method::BlockT => {
                let Student { mean, error, student } = self.student()?;
                if error == 0.0 {
                    let moved: Vec<f64> = self.first.iter().map(|log| log - shift).collect();
                    return Some(signed_rank(&moved).map_or((1.0, 1.0), |tails| (tails.below, tails.above)));
                }
                let t = (mean - shift) / error;
                Some((student.cdf(t), student.sf(t)))
            }
            Method::SignedRank => {
                let moved: Vec<f64> = self.first.iter().map(|log| log - shift).collect();
                let tails = signed_rank(&moved);
                Some(tails.map_or((1.0, 1.0), |tails| (tails.below, tails.above)))
            }
            Method::MannWhitney => {
                let moved: Vec<f64> = self.second.iter().map(|log| log - shift).collect();
                mann_whitney(&self.first, &moved).map(|tails| (tails.below, tails.above))
            }
        }
    }

    /// Mean and standard error of the logarithms, and Student's distribution; from two blocks on.
    fn student(&self) -> Option<Student> {
        let count = self.first.len();
        if count < 2 {
            return None;
        }
        let spread = standard_deviation(&self.first);
        // what differs by rounding alone does not vary
        let spread = if spread <= ROUNDING * mean(&self.first).abs().max(1.0) { 0.0 } else { spread };
        let error = spread / libm::sqrt(count as f64);
        let student = StudentsT::new(0.0, 1.0, (count - 1) as f64).ok()?;
        Some(Student { mean: mean(&self.first), error, student })
    }

    fn distribution(&self) -> std::rc::Rc<Vec<f64>> {
        match self.method {
            Method::MannWhitney => mann_whitney_cdf(self.first.len(), self.second.len()),
            Method::BlockT | Method::SignedRank => signed_rank_cdf(self.first.len()),
        }
    }

    fn is_exact(&self) -> bool {
        match self.method {
            Method::MannWhitney => is_exact_mann_whitney(self.first.len(), self.second.len()),
            Method::BlockT | Method::SignedRank => is_exact_signed_rank(self.first.len()),
        }
    }

    /// How many extreme shifts are cut from each end, by the normal distribution of the statistic.
    fn normal_cut(&self, level: f64) -> usize {
        let (m, n) = (self.first.len() as f64, self.second.len() as f64);
        let (center, variance) = match self.method {
            Method::MannWhitney => (m * n / 2.0, m * n * (m + n + 1.0) / 12.0),
            Method::BlockT | Method::SignedRank => (m * (m + 1.0) / 4.0, m * (m + 1.0) * (2.0 * m + 1.0) / 24.0),
        };
        let quantile = statrs::distribution::Normal::standard().inverse_cdf(f64::midpoint(1.0, level));
        let cut = libm::floor(center - quantile * libm::sqrt(variance));
        cut.max(1.0) as usize
    }
}

/// The value that so many others lie below.
fn nth(values: &mut [f64], rank: usize) -> f64 {
    *values.select_nth_unstable_by(rank, f64::total_cmp).1
}

fn are_positive(one: &[f64], other: &[f64]) -> bool {
    one.iter().chain(other).all(|value| *value > 0.0 && value.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(one: f64, other: f64) -> bool {
        (one / other - 1.0).abs() < 1e-9
    }

    #[test]
    fn few_blocks_are_analysed_by_t() {
        let contrast = Contrast::blocks(&[1.0; 4], &[1.1, 1.2, 1.15, 1.18]).unwrap();
        // scipy 1.17.1: ttest_1samp(log([1.1, 1.2, 1.15, 1.18]), 0).pvalue = 0.004567666393041371
        assert!(close(contrast.p(1.0).unwrap(), 0.004_567_666_393_041_371));
        assert!(close(contrast.ratio(), 1.156_880_350_579_063_2));
        let bounds = contrast.interval(0.95).unwrap();
        // the same, .confidence_interval(0.95), exponentiated
        assert!(close(bounds.low, 1.089_182_359_376_766) && close(bounds.high, 1.228_786_101_825_737_8), "{bounds:?}");
        assert!(Contrast::blocks(&[0.0], &[1.0]).is_none());
        assert_eq!(Contrast::blocks(&[1.0], &[2.0]).unwrap().interval(0.95), None);
    }

    #[test]
    fn independent_arms_have_exact_intervals() {
        let (one, other) = ([1.1, 1.3, 0.9, 1.2, 1.05, 1.0], [1.6, 1.9, 1.4, 1.75, 2.0, 1.5]);
        let contrast = Contrast::independent(&one, &other).unwrap();
        // 2 ÷ C(12, 6): complete separation
        assert!(close(contrast.p(1.0).unwrap(), 2.0 / 924.0));
        let bounds = contrast.interval(0.95).unwrap();
        // R's wilcox.test(log(b), log(a), conf.int = TRUE) keeps the 6th of 36 differences: 1 − 2·P(U ≤ 5) = 0.9589
        assert!(close(bounds.level, 1.0 - 2.0 * 19.0 / 924.0), "{bounds:?}");
        let few = Contrast::independent(&[1.0, 1.1, 1.2], &[2.0, 2.1, 2.2]).unwrap();
        assert_eq!(few.interval(0.95), None);
        assert!(close(few.interval_or_widest(0.95).unwrap().level, 0.9));
    }

    #[test]
    fn tests_and_intervals_agree() {
        let one: Vec<f64> = (0..12).map(|at| 100.0 + f64::from(at) * 1.37 % 7.0).collect();
        let other: Vec<f64> = (0..12).map(|at| 104.0 + f64::from(at) * 2.11 % 9.0).collect();
        for contrast in [Contrast::independent(&one, &other).unwrap(), Contrast::blocks(&one, &other).unwrap()] {
            let bounds = contrast.interval(0.95).unwrap();
            let miss = 1.0 - bounds.level;
            assert!(contrast.p(bounds.low * 0.999_999).unwrap() <= miss + 1e-12, "{contrast:?}");
            assert!(contrast.p(bounds.low * 1.000_001).unwrap() > miss);
            assert!(contrast.p(bounds.high * 1.000_001).unwrap() <= miss + 1e-12);
            assert!(contrast.p_of_difference(0.5).unwrap() < 0.001 && contrast.p_of_difference(0.001).unwrap() > 0.5);
        }
    }

    #[test]
    fn what_does_not_vary_is_known_exactly() {
        let contrast = Contrast::blocks(&[2.0; 5], &[4.0; 5]).unwrap();
        assert_eq!((contrast.ratio(), contrast.p(2.0)), (2.0, Some(1.0)));
        assert_eq!(contrast.p(1.0), Some(2.0 / 32.0), "five blocks that agree are no more than that");
        assert_eq!(contrast.interval(0.95), None);
        let widest = contrast.interval_or_widest(0.95).unwrap();
        assert!(close(widest.low, 2.0) && close(widest.level, 0.9375), "{widest:?}");
        assert_eq!(Contrast::blocks(&[2.0; 6], &[4.0; 6]).unwrap().interval(0.95).map(|bounds| bounds.low), Some(2.0));
    }

    #[test]
    fn what_differs_by_rounding_is_the_same() {
        let (base, treated) = ([0.1, 0.2, 0.7], [0.11, 0.22, 0.77]);
        assert_eq!(Contrast::blocks(&base, &treated).unwrap().p(1.0), Some(0.25), "three signs that agree");
        let base = [100.0, 100.0, 100.0, 100.0, 100.0, 100.0, 100.0, 110.0, 110.0, 50.0];
        let treated = [110.0, 110.0, 110.0, 110.0, 110.0, 110.0, 110.0, 100.0, 100.0, 51.0];
        // enumerated in R 4.2.2: nine equal sizes, two of them the other way
        assert!(close(Contrast::blocks(&base, &treated).unwrap().p(1.0).unwrap(), 0.109_375));
        // R 4.2.2: 2 / choose(60, 30), upward as downward
        let (low, high): (Vec<f64>, Vec<f64>) = (1..=30).map(|at| (f64::from(at), 100.0 + f64::from(at))).unzip();
        for (one, other) in [(&low, &high), (&high, &low)] {
            let p = Contrast::independent(one, other).unwrap().p(1.0).unwrap();
            assert!(close(p, 1.691_123_389_214_477_6e-17), "{p:e}");
        }
        // a small arm beside a large one is exact: 2 / choose(201, 2)
        let many: Vec<f64> = (1..=199).map(f64::from).collect();
        let few = Contrast::independent(&[1_000.0, 1_001.0], &many).unwrap();
        assert!(close(few.p(1.0).unwrap(), 2.0 / 20_100.0) && few.described().contains("exact"));
    }
}
