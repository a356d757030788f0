//! Golden values: what R 4.2.2 (`wilcox.test`, `t.test`, `p.adjust`, `cor.test`, and complete enumerations where there are
//! ties) says of the same numbers.

#![expect(clippy::excessive_precision, reason = "as R printed them")]

use super::rank::{mann_whitney, signed_rank};
use super::{Bounds, Contrast, LogRatio, benjamini_hochberg, holm, rank_correlation_p};

/// Equal to nine digits.
fn same(one: f64, other: f64) -> bool {
    (one - other).abs() <= 1e-9 * other.abs().max(1e-6)
}

fn is(bounds: Option<Bounds>, wanted: (f64, f64, f64)) -> bool {
    let (low, high, level) = wanted;
    bounds.is_some_and(|found| same(found.low, low) && same(found.high, high) && same(found.level, level))
}

#[test]
fn independent_arms() {
    let six =
        Contrast::independent(&[101.2, 98.7, 103.4, 99.1, 100.6, 102.3], &[104.9, 107.1, 103.9, 110.2, 106.4, 105.8])
            .unwrap();
    assert!(same(six.p(1.0).unwrap(), 0.002_164_502_164_502_164_5));
    assert!(same(six.ratio(), 1.052_187_264_666_608_6));
    let bounds = (1.026_679_841_897_232_9, 1.080_726_538_849_646_5, 0.958_874_458_874_458_9);
    assert!(is(six.interval(0.95), bounds), "{:?}", six.interval(0.95));
    assert!(same(six.p_at_least(1.1).unwrap(), 0.004_329_004_329_004_329));
    assert!(same(six.p_at_most(1.02).unwrap(), 0.007_575_757_575_757_576));
    let unequal =
        Contrast::independent(&[12.1, 11.4, 13.9, 12.8, 11.9], &[12.5, 14.2, 13.1, 15.8, 14.9, 13.5, 16.1, 12.9, 15.2])
            .unwrap();
    assert!(same(unequal.p(1.0).unwrap(), 0.018_981_018_981_018_98));
    assert!(same(unequal.ratio(), 1.136_690_647_482_014_2));
    assert!(is(unequal.interval(0.95), (1.023_437_5, 1.305_785_123_966_942, 0.958_041_958_041_958)));
    // Welch's t of the logarithms
    let LogRatio { mean: center, error, freedom } = unequal.mean_of_logs().unwrap();
    assert!(same(error, 0.046_085_406_055_050_245) && same(freedom, 9.889_738_309_197_13));
    let half = super::student_t_quantile(0.975, freedom).unwrap() * error;
    assert!(same(libm::exp(center - half), 1.033_318_682_499_287_9));
    assert!(same(libm::exp(center + half), 1.269_287_600_592_265_3));
}

#[test]
fn many_values() {
    let value = |at: u32, step: u32| f64::from((at * step) % 61);
    let arms = |count: u32| -> (Vec<f64>, Vec<f64>) {
        (0..count)
            .map(|at| (100.0 + value(at, 37) + f64::from(at) / 1000.0, 104.0 + value(at, 23) + f64::from(at) / 997.0))
            .unzip()
    };
    let (one, other) = arms(60);
    assert!(same(Contrast::independent(&one, &other).unwrap().p(1.0).unwrap(), 0.265_767_616_022_777_2), "exact");
    let (one, other) = arms(120);
    let normal = Contrast::independent(&one, &other).unwrap().p(1.0).unwrap();
    assert!(same(normal, NORMAL_TWO), "by the normal distribution, with the correction for continuity: {normal}");
    let differences: Vec<f64> = (0..250).map(|at| value(at, 37) - 28.0 + f64::from(at) / 1000.0).collect();
    assert!(same(signed_rank(&differences).unwrap().two_sided(), NORMAL_ONE));
}

#[test]
fn blocks() {
    let of = |ratios: &[f64]| Contrast::blocks(&vec![1.0; ratios.len()], ratios).unwrap();
    let nine = [1.021, 0.987, 1.054, 1.033, 1.012, 1.047, 0.995, 1.029, 1.061];
    let found = of(&nine);
    assert!(same(found.p(1.0).unwrap(), 0.027_343_75) && same(found.ratio(), 1.026_982_473_073_420_9));
    assert!(is(found.interval(0.95), (1.003_856_065_379_893, 1.047, 0.960_937_5)));
    let twelve = of(&[&nine[..], &[1.018, 0.979, 1.042]].concat());
    assert!(same(twelve.p(1.0).unwrap(), 0.020_996_093_75) && same(twelve.ratio(), 1.023_408_270_514_644_6));
    assert!(is(twelve.interval(0.95), (1.003_856_065_379_893, 1.041_424_985_296_588_7, 0.957_519_531_25)));
}

#[test]
fn few_blocks() {
    // p, bounds at 95 %, estimate, and p of a difference beyond 10 % by two t tests
    let eight = [1.02, 1.05, 1.01, 0.99, 1.03, 1.04, 0.98, 1.06];
    let cases: [(&[f64], [f64; 5]); 4] = [
        (
            &[1.1, 1.2],
            [0.193_347_666_424_580_01, 0.661_016_606_000_129_3, 1.996_924_113_882_317_5, 1.148_912_529_307_605_7, 0.75],
        ),
        (
            &eight[..3],
            [
                0.153_780_463_407_144_7,
                0.976_310_775_237_104_1,
                1.079_325_606_370_968,
                1.026_526_774_852_608,
                0.013_638_065_777_721_987,
            ],
        ),
        (
            &eight[..5],
            [
                0.116_166_144_113_963_82,
                0.992_410_683_674_314_6,
                1.047_953_167_303_801_4,
                1.019_803_863_114_191_7,
                0.000_758_209_342_449_434_4,
            ],
        ),
        (
            &eight,
            [
                0.059_778_722_371_175_555,
                0.998_816_211_131_156_6,
                1.046_047_855_724_666_9,
                1.022_159_261_522_773_9,
                6.794_840_694_657_098_5e-5,
            ],
        ),
    ];
    for (ratios, [p, low, high, estimate, beyond]) in cases {
        let found = Contrast::blocks(&vec![1.0; ratios.len()], ratios).unwrap();
        let found_p = found.p(1.0).unwrap();
        assert!(same(found_p, p) && same(found.ratio(), estimate), "{ratios:?}: {found_p:e} {p:e}");
        assert!(is(found.interval(0.95), (low, high, 0.95)), "{ratios:?}: {:?}", found.interval(0.95));
        let found_beyond = found.p_of_difference(0.1).unwrap();
        assert!(same(found_beyond, beyond), "{ratios:?}: {found_beyond:e}");
    }
}

#[test]
fn ties() {
    let tails = mann_whitney(&[10.0, 11.0, 11.0, 12.0], &[11.0, 12.0, 13.0, 13.0, 14.0]).unwrap();
    assert!(same(tails.below, 0.992_063_492_063_492) && same(tails.above, 0.055_555_555_555_555_55));
    let tails = mann_whitney(&[5.0, 5.0, 5.0, 6.0, 7.0, 7.0], &[6.0, 6.0, 7.0, 7.0, 8.0, 8.0]).unwrap();
    assert!(same(tails.below, 0.966_450_216_450_216_5) && same(tails.above, 0.053_030_303_030_303_03));
    // zeros are dropped
    let tails = signed_rank(&[1.0, 1.0, -1.0, 2.0, 2.0, 3.0, -2.0, 4.0, 0.0, 5.0]).unwrap();
    assert!(same(tails.below, 0.978_515_625) && same(tails.above, 0.041_015_625));
}

#[test]
fn adjusted_values_and_ranks() {
    let values = [0.01, 0.04, 0.03, 0.03, 0.5];
    let close = |found: Vec<f64>, wanted: [f64; 5]| found.iter().zip(wanted).all(|(one, other)| same(*one, other));
    assert!(close(holm(&values), [0.05, 0.12, 0.12, 0.12, 0.5]));
    assert!(close(benjamini_hochberg(&values), [0.05, 0.05, 0.05, 0.05, 0.5]));
    let one = [1.0, 3.0, 2.0, 5.0, 4.0, 6.0, 8.0, 7.0, 9.0, 12.0, 10.0, 11.0];
    let other = [2.0, 1.0, 4.0, 3.0, 6.0, 5.0, 8.0, 9.0, 7.0, 10.0, 12.0, 11.0];
    assert!(same(rank_correlation_p(&one, &other).unwrap().1, 0.000_152_674_064_676_698_86));
}

const NORMAL_TWO: f64 = 0.078717538962144548;
const NORMAL_ONE: f64 = 0.078162199591822815;
