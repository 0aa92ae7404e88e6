#!/usr/bin/env python3
"""Computes the analysis of a run.json again, from its histograms, and compares.

    recompute.py RUN.json

Plain Python 3, no packages, and nothing shared with the program that wrote the record: histograms are decoded here,
quantiles, units, intervals, cross-checks, verdicts and claims follow the method as written down. Every figure that
differs is printed with its place; exit 1 if there is one. Figures are equal to 1e-9 of their size.
"""

import json
import math
import sys
from collections import defaultdict

sys.dont_write_bytecode = True

from histograms import decode, figure, merged, size
from methods import THRESHOLD, holm, mean, p_beyond_threshold, t_interval, t_quantile
from units import LEAST_PER_UNIT, Latencies, Rates, by_restart, infer, join

ALPHA = 0.05
TOLERANCE = 1e-9

class Comparison:
    """Collects differences between what the record says and what comes out here."""

    def __init__(self):
        self.compared, self.differences = 0, []

    def same(self, place, said, found):
        self.compared += 1
        if said is None or found is None or isinstance(found, (str, bool, list)):
            equal = said == found
        else:
            equal = abs(said - found) <= TOLERANCE * max(abs(said), abs(found)) or abs(said - found) <= 1e-15
        if not equal:
            self.differences.append(f"{place}: run.json says {said}, recomputed {found}")


def usable(window):
    return window["outcome"] == "complete" and not window.get("disturbed")


def paired_windows(rounds, naive, model):
    def of(name):
        return {(w.get("restart", 0), w["round"]): w for w in rounds if w["model"] == name and usable(w)}

    left, right = of(naive), of(model)
    keys = sorted(left.keys() & right.keys())
    per_restart = defaultdict(int)
    for restart, _ in keys:
        per_restart[restart] += 1
    fullest = max(per_restart.values(), default=0)
    return [(key, left[key], right[key]) for key in keys if per_restart[key[0]] * 2 >= fullest]


def pairs_of(windows, operations, latency):
    """Rounds with the histograms of both models; of several operations their sum. Damaged rounds are left out."""
    pairs = []
    for (restart, number), naive, model in windows:
        histograms = []
        for window in (naive, model):
            texts = [window["operations"].get(name, {}).get(latency) for name in operations]
            histograms.append([decode(text) for text in texts if text is not None])
        if None in histograms[0] + histograms[1]:
            continue
        left, right = merged(histograms[0]), merged(histograms[1])
        pairs.append(dict(restart=restart, round=number, naive=left, model=right,
                          operations=min(size(left), size(right)), naive_window=naive, model_window=model))
    return pairs


def compare_speedup(check, place, said, found):
    """One speed-up of the record against what comes out here; verdicts come later."""
    for name in ("naive", "pattern", "speedup", "low", "high"):
        check.same(f"{place}.{name}", said.get(name), found.get(name))
    units = found.get("units", [])
    check.same(f"{place}.units", len(said.get("units", [])), len(units))
    for number, (unit, mine) in enumerate(zip(said.get("units", []), units)):
        at = f"{place}.units[{number}]"
        check.same(f"{at}.rounds", unit["rounds"], mine["rounds"])
        check.same(f"{at}.restart", unit.get("restart", 0), mine["restart"])
        check.same(f"{at}.naive", unit.get("naive"), mine["figures"][0])
        check.same(f"{at}.pattern", unit.get("pattern"), mine["figures"][1])
        check.same(f"{at}.ratio", unit["ratio"], mine["ratio"])
    checks, mine = said.get("checks"), found.get("checks")
    check.same(f"{place}.checks", checks is not None, mine is not None)
    if not checks or not mine:
        return
    for name in ("jackknife", "hodges_lehmann"):
        for end, log in zip(("ratio", "low", "high"), mine[name]):
            ratio = None if log is None else math.exp(log)
            check.same(f"{place}.checks.{name}.{end}", checks.get(name, {}).get(end), ratio)
    tests = mine["serial"] or {}
    for name, estimate, p in (("autocorrelation", "lag", "p"), ("trend", "slope", "p_trend")):
        test = checks.get(name, {})
        check.same(f"{place}.checks.{name}.estimate", test.get("estimate"), tests.get(estimate))
        check.same(f"{place}.checks.{name}.p", test.get("p"), tests.get(p))
    check.same(f"{place}.checks.joined", "joined" in checks, mine["joined"])
    check.same(f"{place}.checks.disagreement", "disagreement" in checks, mine["disagree"])


def verdicts(found, questions=None):
    """The verdict of each operation's carrier, with whether Holm held it back; the whole mix is a family of its own.
    With questions (operation, metric), of those instead, as far as they have an interval."""
    carriers = {operation: metric for operation, metric in questions or () if found[operation].get(metric)
                and found[operation][metric]["logs"]}
    for operation, metrics in found.items() if questions is None else ():
        for metric in ("p95", "p50"):
            if metrics.get(metric) and metrics[metric]["logs"]:
                carriers[operation] = metric
                break
    decided = {}
    for family in ([name for name in carriers if name != "all"], [name for name in carriers if name == "all"]):
        logs = [found[name][carriers[name]]["logs"] for name in family]
        ps = [p_beyond_threshold(one) for one in logs]
        for name, one, p, adjusted in zip(family, logs, ps, holm(ps)):
            low, high = t_interval(one, 0.90)
            if adjusted <= ALPHA:
                verdict = "faster" if mean(one) > 0 else "slower"
            else:
                verdict = "equal" if -THRESHOLD < low and high < THRESHOLD else "inconclusive"
            decided[name, carriers[name]] = verdict, verdict == "inconclusive" and p <= ALPHA
    return decided


def late(scenario, models):
    load = scenario["analysis"].get("load", {})
    return any("late" in load.get(model, {}) for model in models)


def withheld(run, scenario, models):
    mismatches = [(scenario.get(name) or {}).get("mismatches", 0) for name in ("parity", "closing_parity")]
    load = scenario["analysis"].get("load", {})
    limited = any(load.get(model, {}).get("bottleneck") == "generator" for model in models)
    return run["profile"] == "smoke" or any(mismatches) or limited


def contest(check, run, scenario, cast, place):
    """One model against naive: every operation and metric, headline and sides. Returns what was found."""
    naive, model, select = cast
    measured = [window for window in scenario["rounds"] if window["phase"] == "measured"]
    light = [window for window in scenario["rounds"] if window["phase"] == "light_load"]
    recorded = [one for window in measured for one in window["operations"].values()]
    timed = [one for one in recorded if "service" in one or "response" in one]
    headline = "response" if timed and all("response" in one for one in timed) else "service"
    names = sorted(set(scenario["plan"]["mix"]) | {name for window in measured for name in window["operations"]})
    windows = {"measured": paired_windows(measured, naive, model), "light": paired_windows(light, naive, model)}
    views = {"": ("measured", headline)}
    if headline == "response":
        views["service"] = "measured", "service"
    if light:
        views["light_load"] = "light", "service"
    found = {view: defaultdict(dict) for view in ("", "service", "light_load")}
    for operation in names + ["all"]:
        said_of = scenario["analysis"]["operations"][operation]
        for view, (phase, latency) in views.items():
            pairs = pairs_of(windows[phase], names if operation == "all" else [operation], latency)
            if not pairs:
                continue
            for metric in LEAST_PER_UNIT:
                mine = infer(Latencies(metric, pairs))
                found[view][operation][metric] = mine
                said = select(said_of[metric])
                said = said.get(view) if view else said
                at = f"{place} {operation} {metric} {view}".strip()
                if mine is None:
                    check.same(f"{at}.speedup", said.get("speedup"), None)
                else:
                    compare_speedup(check, at, said, mine)
        for view in ("service", "light_load"):
            for metric in LEAST_PER_UNIT:
                stands = view in select(said_of[metric])
                check.same(f"{place} {operation} {metric} {view}", stands, view in views)
    said = select(scenario["analysis"]["operations"]["all"]["throughput"])
    if scenario["plan"]["mode"] == "closed":
        pairs = [dict(restart=key[0], round=key[1], naive_window=one, model_window=two)
                 for key, one, two in windows["measured"]]
        if pairs:
            compare_speedup(check, f"{place} all throughput", said, infer(Rates(pairs)))
    else:
        capacity = [(scenario["calibration"].get(name) or {}).get("capacity") for name in (naive, model)]
        ratio = capacity[1] / capacity[0] if None not in capacity else None
        check.same(f"{place} all throughput.speedup", said.get("speedup"), ratio)
    decided = {} if withheld(run, scenario, (naive, model)) else verdicts(found[""])
    if late(scenario, (naive, model)):
        # Service times, which hold no lag of the load generator, must say the same; they are a family of their own.
        witness = {key: verdict for key, (verdict, _) in verdicts(found["service"], decided).items()}
        decided = {key: (verdict if witness.get(key) == verdict else "inconclusive", held_back)
                   for key, (verdict, held_back) in decided.items()}
    for operation in names + ["all"]:
        for metric, comparison in scenario["analysis"]["operations"][operation].items():
            said = select(comparison)
            verdict, held_back = decided.get((operation, metric), (None, False))
            check.same(f"{place} {operation} {metric}.verdict", said.get("verdict"), verdict)
            check.same(f"{place} {operation} {metric} held back", "Holm" in said.get("reason", ""), held_back)
    return found


def against(claim, low, high):
    least, most = claim.get("at_least"), claim.get("at_most")
    if least is None and most is None:
        return "inconclusive"
    if (least is None or low >= least) and (most is None or high <= most):
        return "confirmed"
    if (least is not None and high < least) or (most is not None and low > most):
        return "refuted"
    return "inconclusive"


def limited(scenario, operation):
    models = scenario["models"]
    shown = [next((m for m in models if m["role"] == role), None) for role in ("naive", "pattern")]
    names = [operation] if operation != "all" else list(scenario["plan"]["mix"])
    return any(m and "engine_limited" in m["operations"].get(name, {}) for m in shown for name in names)


def claims(check, run, scenario, found, models):
    for claim in scenario["claims"]:
        metric, operation = claim["metric"], claim["operation"]
        if metric not in LEAST_PER_UNIT:
            continue
        place = f"{scenario['name']} claim {operation} {metric} {claim['wanted']}"
        elsewhere = any(scenario["parameters"].get(name) != value for name, value in claim.get("at", {}).items())
        if elsewhere or run["profile"] == "smoke" or limited(scenario, operation):
            check.same(f"{place}.outcome", claim["outcome"], "not_tested_here")
            continue
        headline = found[""][operation].get(metric)
        light = found["light_load"][operation].get(metric) if found["light_load"] else None
        if found["light_load"] and not (light and light["logs"]):
            stand_in = found["light_load"][operation].get("p50")
            light = stand_in if stand_in and stand_in["logs"] else light
        load = scenario["analysis"].get("load", {})
        borne = not any(load.get(model, {}).get("bottleneck") for model in models)
        check.same(f"{place}.measured", claim.get("measured"), (headline or {}).get("speedup") if borne else None)
        for name, end in (("ratio", "speedup"), ("low", "low"), ("high", "high")):
            check.same(f"{place}.light_load.{name}", claim.get("light_load", {}).get(name), (light or {}).get(end))
        outcomes = []
        service = found["service"][operation].get(metric) if found["service"] else None
        for side in [headline, light] if found["light_load"] else [headline]:
            judged = side and side["logs"]
            outcomes.append(against(claim, side["low"], side["high"]) if judged else "inconclusive")
        by_service = against(claim, service["low"], service["high"]) if service and service["logs"] else None
        if not borne or late(scenario, models) and by_service != outcomes[0]:
            outcomes[0] = "inconclusive"
        mismatches = [(scenario.get(name) or {}).get("mismatches", 0) for name in ("parity", "closing_parity")]
        if any(mismatches):
            outcome = "inconclusive"
        elif "refuted" in outcomes:
            outcome = "refuted"
        else:
            outcome = "inconclusive" if "inconclusive" in outcomes else "confirmed"
        check.same(f"{place}.outcome", claim["outcome"], outcome)


def loads(check, scenario):
    """Utilisation, rate, operations under way, backlog and lag of each model, over its undisturbed windows."""
    open_load = scenario["plan"]["mode"] == "open"
    for model, said in scenario["analysis"].get("load", {}).items():
        place = f"{scenario['name']} load {model}"
        windows = [window for window in scenario["rounds"] if window["phase"] == "measured" and window["model"] == model
                   and not window.get("disturbed") and window["outcome"] in ("complete", "saturated")]
        if not windows:
            continue
        seconds = sum(window["seconds"] for window in windows)
        done = sum(window["achieved_rate"] * window["seconds"] for window in windows)
        operations = [one for window in windows for one in window["operations"].values()]
        busy = 0.0
        for histogram in (decode(one["service"]) for one in operations if "service" in one):
            busy += (figure("mean", histogram) or 0) * size(histogram) / 1e6 if histogram else 0
        check.same(f"{place}.achieved_rate", said.get("achieved_rate"), done / seconds if done else None)
        check.same(f"{place}.in_flight", said.get("in_flight"), busy / seconds if busy else None)
        lag = merged(decode(one["pacer_lag"]) for one in operations if "pacer_lag" in one)
        for name in ("p50", "p95"):
            check.same(f"{place}.lag_{name}", said.get(f"lag_{name}"), figure(name, lag) if open_load else None)
        tried = sum(one["count"] + sum(one.get("errors", {}).values()) for one in operations)
        waited = sum(one.get("backlogged", 0) for one in operations)
        check.same(f"{place}.backlogged", said.get("backlogged"), waited / tried if open_load and tried else None)
        capacity = (scenario["calibration"].get(model) or {}).get("capacity")
        offered = scenario["plan"].get("rate")
        utilisation = offered / capacity if open_load and offered and capacity else None
        check.same(f"{place}.utilisation", said.get("utilisation"), utilisation)


def weighed(rounds, operations, mix):
    """Mean service times of an operation of these, by their weights, in naive and in the model; of joined rounds."""
    sums = [0.0, 0.0]
    for name in operations:
        for side in (0, 1):
            histograms = [one[name][side] for one in rounds]
            micros = sum((figure("mean", h) or 0) * size(h) for h in histograms)
            sums[side] += mix[name] * micros / sum(size(h) for h in histograms)
    whole = sum(mix[name] for name in operations)
    return [one / whole for one in sums]


def crossing(gains):
    """Where the line from the gain per write to the gain per read passes zero, with Fieller's interval inside 0 to 1."""
    count = len(gains)
    write, read = mean([one[0] for one in gains]), mean([one[1] for one in gains])
    slope = read - write

    def covariance(left, right):
        one, other = mean(left), mean(right)
        return sum((a - one) * (b - other) for a, b in zip(left, right)) / (count - 1) / count

    writes, reads = [one[0] for one in gains], [one[1] for one in gains]
    slopes = [b - a for a, b in gains]
    square = t_quantile(0.975, count - 1) ** 2
    a = slope**2 - square * covariance(slopes, slopes)
    b = write * slope - square * covariance(writes, slopes)
    c = write**2 - square * covariance(writes, writes)
    sure = c > 0, read**2 - square * covariance(reads, reads) > 0
    root = math.sqrt(max(0.0, b * b - a * c))
    zeros = sorted(x for x in ((-b - root) / a, (-b + root) / a) if 0 <= x <= 1)
    low = zeros[0] if sure[0] and zeros else None
    high = zeros[-1] if sure[1] and zeros else None
    if sure == (True, True) and (read > 0) == (write > 0):
        low = high = None
    return read, write, sure, low, high


def break_even(check, run, scenario, models):
    """The read share at which naive and the pattern cost the same."""
    said = scenario["analysis"].get("break_even")
    if not said:
        return
    place = f"{scenario['name']} break_even"
    mix, declared = scenario["plan"]["mix"], scenario.get("declared", {})
    pairs = []
    measured = [window for window in scenario["rounds"] if window["phase"] == "measured"]
    for (restart, _), naive, model in paired_windows(measured, *models):
        histograms = {}
        for name in declared:
            both = [window["operations"].get(name, {}).get("service") for window in (naive, model)]
            histograms[name] = [merged([decode(text)] if text and decode(text) is not None else []) for text in both]
        pairs.append((restart, histograms))
    kinds = {kind: [name for name in sorted(declared) if declared[name]["kind"] == kind and mix.get(name, 0) > 0
                    and any(min(map(size, one[name])) for _, one in pairs)] for kind in ("read", "write")}
    if not pairs or not kinds["read"] or not kinds["write"]:
        return
    names = kinds["read"] + kinds["write"]
    joinable = [dict(restart=restart, histograms=one, operations=min(size(h) for name in names for h in one[name]))
                for restart, one in pairs]
    units = join(joinable, LEAST_PER_UNIT["mean"])
    if units is None:
        check.same(f"{place}.answer", said["answer"], "undecided")
        return

    def costs(unit):
        rounds = [one["histograms"] for one in unit]
        return weighed(rounds, kinds["write"], mix) + weighed(rounds, kinds["read"], mix)

    blocks = [[mean(column) for column in zip(*map(costs, block))] for block in by_restart(units)]
    columns = [mean(column) for column in zip(*blocks)]
    for kind, at in (("writes", 0), ("reads", 2)):
        check.same(f"{place}.{kind}.naive", said[kind]["naive"], columns[at])
        check.same(f"{place}.{kind}.pattern", said[kind]["pattern"], columns[at + 1])
    read, write, sure, low, high = crossing([(one[0] - one[1], one[2] - one[3]) for one in blocks])
    share = write / (write - read) if (read > 0) != (write > 0) else None
    if sure == (True, True) and share is None:
        answer = "always" if read > 0 else "never"
    else:
        answer = "share" if share is not None and any(sure) else "undecided"
    check.same(f"{place}.units", said["units"], len(blocks))
    check.same(f"{place}.read_share", said.get("read_share"), share)
    reasoned = withheld(run, scenario, models)
    check.same(f"{place}.answer", said["answer"], "undecided" if reasoned else answer)
    if not reasoned:
        check.same(f"{place}.low", said.get("low"), low)
        check.same(f"{place}.high", said.get("high"), high)


def tuning(check, scenario, found, models):
    """Share of the pattern's speed-up, on the log scale, that the model `tuned` gets."""
    tuned = found.get("tuned")
    for operation, metrics in scenario["analysis"]["operations"].items():
        names = [operation] if operation != "all" else list(scenario["plan"]["mix"])
        apart = any("engine_limited" in model["operations"].get(name, {}) for model in scenario["models"]
                    for name in names if model["name"] in (*models, "tuned"))
        for metric, said in metrics.items():
            share = None
            if tuned and not apart and said.get("verdict") == "faster":
                ratios = [one[""][operation][metric]["speedup"] for one in (tuned, found[models[1]])]
                share = min(1.0, max(0.0, math.log(ratios[0]) / math.log(ratios[1])))
            check.same(f"{scenario['name']} {operation} {metric}.tuning_share", said.get("tuning_share"), share)


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        run = json.load(file)
    check = Comparison()
    for scenario in run["scenarios"]:
        first = {role: next((m["name"] for m in scenario["models"] if m["role"] == role), None)
                 for role in ("naive", "pattern")}
        naive, pattern = first["naive"], first["pattern"]
        others = [m["name"] for m in scenario["models"] if m["name"] not in (naive, pattern)]
        cast = naive, pattern, lambda one: one
        found = {pattern: contest(check, run, scenario, cast, f"{scenario['name']} {pattern}")}
        for other in others:
            cast = naive, other, lambda one, other=other: one["others"][other]
            compared = scenario["analysis"]["operations"].values()
            at_all = all(other in metrics["p95"].get("others", {}) for metrics in compared)
            check.same(f"{scenario['name']} {other}", at_all, True)
            if at_all:
                found[other] = contest(check, run, scenario, cast, f"{scenario['name']} {other}")
        claims(check, run, scenario, found[pattern], (naive, pattern))
        loads(check, scenario)
        break_even(check, run, scenario, (naive, pattern))
        tuning(check, scenario, found, (naive, pattern))
    for difference in check.differences:
        print(difference)
    print(f"{check.compared} figures compared, {len(check.differences)} differ")
    return 1 if check.differences else 0


if __name__ == "__main__":
    sys.exit(main())
