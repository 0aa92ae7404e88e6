"""From rounds to units, and from units to a ratio with its interval and cross-checks."""

import math

from histograms import figure, merged, rest
from methods import hodges_lehmann, jackknife, mean, serial, t_interval

LEAST_PER_UNIT = {"p50": 30, "p95": 100, "p99": 1000, "mean": 30}
FEWEST_UNITS = 5
FEWEST_FOR_TESTS = 20


def runs(items, key):
    """Neighbours with the same key, together."""
    groups = []
    for item in items:
        if groups and key(groups[-1][-1]) == key(item):
            groups[-1].append(item)
        else:
            groups.append([item])
    return groups


def split(items, parts):
    return [items[part * len(items) // parts : (part + 1) * len(items) // parts] for part in range(parts)]


def join(pairs, least):
    """As many units as possible with enough operations of both models, each of one restart; None where under five."""
    units = []
    for restart in runs(pairs, lambda pair: pair["restart"]):
        for parts in range(len(restart), 0, -1):
            candidate = split(restart, parts)
            if all(sum(pair["operations"] for pair in unit) >= least for unit in candidate):
                units += candidate
                break
        else:
            return None
    return units if len(units) >= FEWEST_UNITS else None


def by_restart(units):
    """The blocks that inference is over: restarts where there are several, else units."""
    groups = runs(units, lambda unit: unit[0]["restart"])
    return groups if len(groups) > 1 else [[unit] for unit in units]


class Latencies:
    def __init__(self, metric, pairs):
        self.metric, self.pairs = metric, pairs
        self.whole = [merged(pair[side] for pair in pairs) for side in ("naive", "model")]
        self.least = LEAST_PER_UNIT[metric]

    def figures(self, pairs):
        found = [figure(self.metric, merged(pair[side] for pair in pairs)) for side in ("naive", "model")]
        return found if None not in found else None

    def without(self, pairs):
        parts = [merged(pair[side] for pair in pairs) for side in ("naive", "model")]
        return [figure(self.metric, rest(whole, part)) for whole, part in zip(self.whole, parts)]

    @staticmethod
    def ratio(figures):
        return figures[0] / figures[1]


class Rates:
    def __init__(self, pairs):
        self.pairs, self.least = [dict(pair, operations=1) for pair in pairs], 1

    def figures(self, pairs):
        found = []
        for side in ("naive_window", "model_window"):
            done = sum(pair[side]["achieved_rate"] * pair[side]["seconds"] for pair in pairs)
            seconds = sum(pair[side]["seconds"] for pair in pairs)
            found.append(done / seconds)
        return found

    def without(self, pairs):
        return self.figures([pair for pair in self.pairs if pair not in pairs])

    @staticmethod
    def ratio(figures):
        return figures[1] / figures[0]


def infer(series):
    """The whole of a comparison: pooled figures, units, intervals, checks; None where a model has no figure."""
    pooled = series.figures(series.pairs) if series.pairs else None
    if pooled is None:
        return None
    found = {"naive": pooled[0], "pattern": pooled[1], "speedup": series.ratio(pooled), "logs": None}
    units = join(series.pairs, series.least)
    if units is None:
        return found

    def log(unit):
        return math.log(series.ratio(series.figures(unit)))

    checks = {"joined": False}
    tested = None
    if len(by_restart(units)) == len(units) and len(runs(units, lambda unit: unit[0]["restart"])) == 1:
        tested = serial([log(unit) for unit in units]) if len(units) >= FEWEST_FOR_TESTS else None
    if tested and tested["p"] < 0.05 and tested["lag"] > 0.2:
        checks["joined"] = True
        while len(units) // 2 >= FEWEST_UNITS:
            units = [sum(group, []) for group in split(units, len(units) // 2)]
            again = serial([log(unit) for unit in units])
            if again is None or again["lag"] <= 0.2:
                break
    blocks = by_restart(units)
    logs = [mean([log(unit) for unit in block]) for block in blocks]
    low, high = t_interval(logs, 0.95)
    estimate = math.log(series.ratio(pooled))
    deletions = [math.log(series.ratio(series.without(sum(block, [])))) for block in blocks]
    checks["jackknife"] = (estimate, *jackknife(estimate, deletions))
    centre, (centre_low, centre_high) = hodges_lehmann(logs)
    checks["hodges_lehmann"] = (centre, centre_low, centre_high)
    checks["serial"] = tested
    checks["disagree"] = any(not low - 0.002 <= one <= high + 0.002 for one in (estimate, centre))
    found.update(speedup=math.exp(mean(logs)), low=math.exp(low), high=math.exp(high), logs=logs, checks=checks)
    found["units"] = [dict(restart=unit[0]["restart"], rounds=[pair["round"] for pair in unit],
                           figures=series.figures(unit), ratio=math.exp(log(unit))) for unit in units]
    return found
