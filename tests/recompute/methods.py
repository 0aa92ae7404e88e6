"""The statistics: Student's t, Holm, jackknife, signed ranks, serial correlation."""

import math
from functools import lru_cache

THRESHOLD = math.log(1.05)


def log_beta(a, b):
    return math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)


def incomplete_beta(a, b, x):
    """Regularised incomplete beta function by its continued fraction (modified Lentz)."""
    if x <= 0:
        return 0.0
    if x >= 1:
        return 1.0
    if x > (a + 1) / (a + b + 2):
        return 1 - incomplete_beta(b, a, 1 - x)
    front = math.exp(a * math.log(x) + b * math.log1p(-x) - log_beta(a, b)) / a
    tiny = 1e-300
    c, d = 1.0, 1 - (a + b) * x / (a + 1)
    d = 1 / (d if abs(d) > tiny else tiny)
    result = d
    for m in range(1, 10_000):
        for numerator in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1 + numerator * d
            d = 1 / (d if abs(d) > tiny else tiny)
            c = 1 + numerator / c
            c = c if abs(c) > tiny else tiny
            result *= c * d
        if abs(c * d - 1) < 1e-16:
            break
    return front * result


def t_tail(t, freedom):
    """P(T > t) for t >= 0."""
    return 0.5 * incomplete_beta(freedom / 2, 0.5, freedom / (freedom + t * t))


@lru_cache(maxsize=None)
def t_quantile(probability, freedom):
    low, high = 0.0, 1.0
    while t_tail(high, freedom) > 1 - probability:
        high *= 2
    for _ in range(200):
        middle = (low + high) / 2
        if t_tail(middle, freedom) > 1 - probability:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def mean(values):
    return sum(values) / len(values)


def t_interval(logs, confidence):
    centre = mean(logs)
    deviation = math.sqrt(sum((log - centre) ** 2 for log in logs) / (len(logs) - 1))
    reach = t_quantile(0.5 + confidence / 2, len(logs) - 1) * deviation / math.sqrt(len(logs))
    return centre - reach, centre + reach


def p_beyond_threshold(logs):
    """Of the hypothesis that |log ratio| is at most log 1.05."""
    centre = mean(logs)
    error = math.sqrt(sum((log - centre) ** 2 for log in logs) / (len(logs) - 1) / len(logs))
    excess = abs(centre) - THRESHOLD
    if excess <= 0:
        return 1.0
    return min(1.0, 2 * t_tail(excess / error, len(logs) - 1)) if error > 0 else 0.0


def holm(ps):
    adjusted, running = [1.0] * len(ps), 0.0
    for rank, place in enumerate(sorted(range(len(ps)), key=lambda place: ps[place])):
        running = max(running, min(1.0, ps[place] * (len(ps) - rank)))
        adjusted[place] = running
    return adjusted


def jackknife(estimate, deletions):
    count, centre = len(deletions), mean(deletions)
    error = math.sqrt((count - 1) / count * sum((one - centre) ** 2 for one in deletions))
    reach = t_quantile(0.975, count - 1) * error
    return estimate - reach, estimate + reach


@lru_cache(maxsize=None)
def signed_rank_depth(count):
    """How far from either end of the Walsh averages the 95 % interval begins; 0 where there is none."""
    if count > 30:
        z = 1.959963984540054
        return max(0, math.floor(count * (count + 1) / 4 - z * math.sqrt(count * (count + 1) * (2 * count + 1) / 24)))
    ways = [1]
    for rank in range(1, count + 1):
        longer = ways + [0] * rank
        for place, number in enumerate(ways):
            longer[place + rank] += number
        ways = longer
    depth = below = 0
    while 40 * (below + ways[depth]) <= 2**count:  # a half of 5 % of the sign patterns
        below += ways[depth]
        depth += 1
    return depth


def hodges_lehmann(logs):
    averages = sorted((logs[i] + logs[j]) / 2 for i in range(len(logs)) for j in range(i, len(logs)))
    half = len(averages) // 2
    estimate = averages[half] if len(averages) % 2 else (averages[half - 1] + averages[half]) / 2
    depth = signed_rank_depth(len(logs))
    return estimate, (averages[depth - 1], averages[-depth]) if depth else (None, None)


def serial(logs):
    """Lag-1 autocorrelation around the trend with Durbin and Watson's test, and the slope with its t test."""
    n = len(logs)
    places = [t - (n - 1) / 2 for t in range(n)]
    spread = sum(t * t for t in places)
    slope = sum(t * (log - mean(logs)) for t, log in zip(places, logs)) / spread
    left = [log - mean(logs) - slope * t for t, log in zip(places, logs)]
    squares = sum(e * e for e in left)
    if math.sqrt(squares / n) <= 1e-9:
        return None
    lag_one = sum(a * b for a, b in zip(left, left[1:])) / squares
    d = sum((b - a) ** 2 for a, b in zip(left, left[1:])) / squares
    # Moments of d by the columns of X: A·1 = 0, and A takes the slope to its ends alone.
    unit = [t / math.sqrt(spread) for t in places]
    gap = [b - a for a, b in zip(unit, unit[1:])]
    first = sum(g * g for g in gap)
    image = [-gap[0]] + [gap[i - 1] - gap[i] for i in range(1, n - 1)] + [gap[-1]]
    trace = 2 * (n - 1) - first
    square = 2 + 4 * (n - 2) + 2 * (n - 1) - 2 * sum(v * v for v in image) + first**2
    expected = trace / (n - 2)
    variance = 2 * (square - expected * trace) / ((n - 2) * n)
    p = math.erfc(abs(expected - d) / math.sqrt(2 * variance))
    p_trend = min(1.0, 2 * t_tail(abs(slope) / math.sqrt(squares / (n - 2) / spread), n - 2))
    return {"lag": lag_one, "p": p, "slope": slope, "p_trend": p_trend}
