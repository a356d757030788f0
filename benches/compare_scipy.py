"""What `cargo run --release --example compare` does, with scipy and numpy, on the same values, on one core.

    python benches/compare_scipy.py VALUES CASES REPLICATES
"""

import sys
import time

import numpy as np
import scipy
from scipy import stats

values, cases, replicates = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
both = np.fromfile(values, dtype="<f8").reshape(2, cases * 2, replicates)
start = time.perf_counter()
p = np.empty(cases * 2)
for row, (one, other) in enumerate(zip(both[0], both[1])):
    logs = np.log(one), np.log(other)
    # the median of all ratios, its interval between order statistics, the exact test, two one-sided tests, the bootstrap
    shifts = np.sort((logs[1][:, None] - logs[0][None, :]).ravel())
    np.exp(np.median(shifts))
    p[row] = stats.mannwhitneyu(logs[1], logs[0], method="exact").pvalue
    stats.mannwhitneyu(logs[1] + np.log(1.03), logs[0], method="exact", alternative="greater")
    stats.mannwhitneyu(logs[1] - np.log(1.03), logs[0], method="exact", alternative="less")
    stats.bootstrap(
        (other, one),
        lambda b, a, axis: np.median(b, axis=axis) / np.median(a, axis=axis),
        n_resamples=4000,
        method="percentile",
        vectorized=True,
        rng=np.random.default_rng(1),
    )
adjusted = stats.false_discovery_control(p)
took = time.perf_counter() - start
print(f"scipy {scipy.__version__}, numpy {np.__version__}: {cases * 2} comparisons, {(adjusted <= 0.05).sum()} with p at most 0.05 after correction, {took:.3f} s")
