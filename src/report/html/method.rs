//! How to read the report, and how its figures are made.

use maud::{Markup, html as markup};

use crate::analysis::disturbance_rule;
use crate::record::RunRecord;
use crate::words::Mode;

/// The rules by which figures and verdicts are made.
pub(super) fn section(run: &RunRecord) -> Markup {
    let plans = || run.scenarios.iter().map(|scenario| &scenario.plan);
    let restarted = plans().any(|plan| plan.restarts > 1);
    let once = plans().any(|plan| plan.restarts <= 1);
    let open = plans().any(|plan| plan.mode == Mode::Open);
    markup! {
        section.method id="method" {
            h2 { "How to read this" }
            dl {
                dt { "Same work, same state" }
                dd { "In every round each model runs the same operation numbers with the same arguments, in an \
                      order that is balanced and shuffled by the seed. Before measuring, and after the last round, \
                      the answers of all models are compared." }
                dt { "Speed-up" }
                dd { "Naive p95 ÷ the model's p95 of the same operation; above 1 the model is faster. It is the \
                      geometric mean of the ratios of units. A unit is a round, or neighbouring rounds joined \
                      until each model has 100 operations in it (30 for p50 and mean, 1 000 for p99); there must \
                      be at least five units. Otherwise the figure is that of all operations together, without \
                      interval." }
                dt { "Interval" }
                dd {
                    "95 % Student t interval over the logarithms of the units' ratios."
                    @if once { " Of one load of the data it speaks of this server start and this dataset." }
                    @if restarted {
                        " Of several fresh loads it is over their means, and speaks of other loads (and of other \
                         server starts, where patternbench starts the server) as well."
                    }
                }
                dt { "Verdict" }
                dd { "Faster or slower: the ratio lies beyond ±5 %, tested at 5 % with Holm's adjustment over the \
                      operations of the scenario (the whole mix is a question of its own). Equal: the 90 % \
                      interval lies inside ±5 %. Otherwise inconclusive, with the rounds that would settle it. \
                      Where p95 has too few operations, p50 carries the verdict and the cell says so. A smoke run \
                      gives none." }
                dt { "Response time, service time" }
                dd { "Under closed load the latency is service time: request sent to reply complete. Under open \
                      load it is response time: intended start to reply complete, so that stalls are not hidden \
                      (no coordinated omission)." }
                @if open {
                    dt { "Headline under open load" }
                    dd { "Every model is offered the same rate, 60 % of what the slower of naive and pattern can do \
                          unless a rate was asked for, and the verdict is on response times at that rate. A model near \
                          its capacity queues, so the ratio can be much larger than that of the work itself: the \
                          ratios by service time and at light load stand beside it. A model that cannot hold the rate \
                          is saturated: it has a rate achieved and no ratio, since its response times grow for as long \
                          as one measures." }
                }
                dt { "Light load" }
                dd { "One worker, closed, in rounds of its own: what an operation costs where nothing queues. A claim \
                      on a latency must hold at both loads." }
                dt { "Evidence" }
                dd { "Facts that do not depend on the machine: how the server finds the documents of each step and what it \
                      examines for them, round trips, bytes, sizes. They are gathered outside of all windows." }
                dt { "Left out" }
                dd { "Windows that did not finish or were disturbed leave the comparison as whole pairs; they stay \
                      in run.json. " (disturbance_rule()) " Failed operations are counted and in no latency." }
                dt { "†" }
                dd { "Engine-limited: the server measured executes this operation unlike mongod. It is measured \
                      and shown, but left out of claims and counts." }
                dt { "n/a" }
                dd { "There is no sample for this figure; its note or its table's caption says why." }
            }
        }
    }
}

/// The formulas, and where in `run.json` their terms stand.
pub(super) fn figures() -> Markup {
    markup! {
        section.method id="statistics" {
            h2 { "How the figures are made" }
            p { "Every figure can be computed again from run.json. Paths below lie inside an entry of "
                code { "scenarios[]" } "; durations are in µs." }
            dl {
                dt { "Histograms" }
                dd {
                    code { "rounds[].operations.<operation>" } " holds " code { "service" } ", under open load "
                    code { "response" } " and " code { "pacer_lag" } ": HdrHistograms with three significant digits, \
                    V2-deflate, base64. Used are windows with " code { "phase: measured" } " (light load: "
                    code { "light_load" } "), " code { "outcome: complete" } " and nothing in " code { "disturbed" }
                    ", of rounds in which naive and the model both have one."
                }
                dt { "Figure of a unit" }
                dd { "The histograms of the unit's rounds are added. A quantile q is the value of rank ⌈q × n⌉ of its \
                      n operations; the mean is that of the histogram. In "
                     code { "analysis.operations.<operation>.<metric>" }
                     " the units stand under " code { "units[]" } ": " code { "rounds" } ", " code { "naive" } ", "
                     code { "pattern" } ", " code { "ratio" } ", " code { "restart" } ". Further models stand under "
                     code { "others.<model>" } " with the same keys; " code { "all" } " is the whole mix." }
                dt { "Ratio, " code { "speedup" } }
                dd { "d = ln(naive ÷ model) of each of the K units (throughput: model ÷ naive). Mean m = Σ d ÷ K; \
                      deviation s = √(Σ (d − m)² ÷ (K − 1)); standard error e = s ÷ √K. The ratio is exp(m), the \
                      geometric mean. With several fresh loads of the data (" code { "rounds[].restart" } ") d is the \
                      mean of each load's units, and K the number of loads." }
                dt { "Interval, " code { "low" } " and " code { "high" } }
                dd { "exp(m ± t × e), where t is the 97.5 % quantile of Student's t with K − 1 degrees of freedom." }
                dt { "Verdict" }
                dd { "p is twice the upper tail of Student's t with K − 1 degrees of freedom at (|m| − ln 1.05) ÷ e, \
                      and 1 where |m| ≤ ln 1.05. Holm: the i-th smallest p of F operations is multiplied by F − i + \
                      1, and none becomes smaller than the one before. Faster or slower where the adjusted p is at \
                      most 0.05, by the sign of m. Equal where m ± t(95 %) × e lies inside ± ln 1.05 (two one-sided \
                      tests at 5 %)." }
                dt { "Jackknife, " code { "checks.jackknife" } }
                dd { "r = ln of the ratio of the figures of all K units' operations together; r₋ᵢ the same without \
                      unit i. Error = √((K − 1) ÷ K × Σ (r₋ᵢ − mean of r₋ᵢ)²); interval exp(r ± t × error), K − 1 \
                      degrees of freedom." }
                dt { "Hodges–Lehmann, " code { "checks.hodges_lehmann" } }
                dd { "exp of the median of the Walsh averages (dᵢ + dⱼ) ÷ 2, i ≤ j. The interval runs from the C-th \
                      smallest to the C-th largest of them, where C is the largest number for which the signed-rank \
                      statistic is below C with a probability of at most 2.5 %. It needs six units." }
                dt { "Independence, " code { "checks.autocorrelation" } " and " code { "checks.trend" } }
                dd { "The slope b of the straight line through the d of all units before any joining, tested by \
                      Student's t with K − 2 degrees of freedom; and of the residuals e around it the lag-1 \
                      autocorrelation Σ eᵢ eᵢ₊₁ ÷ Σ eᵢ², tested by Durbin and Watson's Σ (eᵢ₊₁ − eᵢ)² ÷ Σ eᵢ² against \
                      a normal distribution with its mean and variance. From 20 units of one load of the data on. \
                      Where the autocorrelation is above 0.2 with p < 0.05, neighbours are joined in pairs, and again \
                      while it stays above 0.2 and five units remain; " code { "checks.joined" } " says so." }
                dt { "Beside the headline, " code { "service" } " and " code { "light_load" } }
                dd { "The same over histograms of service times, and over the rounds at light load; without verdict." }
                dt { "Load, " code { "analysis.load.<model>" } }
                dd { "Utilisation = rate offered ÷ " code { "calibration.<model>.capacity" } ". In flight = rate \
                      achieved × mean service time (Little's law). Backlogged = operations that came due while no \
                      worker was free ÷ all. A rate is not achieved where a window ended as saturated, or the windows \
                      took over 1 % longer than the time in which their operations were due and the longest single \
                      wait (Poisson arrivals: plus 3 ÷ √n for n operations). Then the server was the limit if workers \
                      waited for it for at least 90 % of their time (Σ service time ÷ (seconds × workers)), else the \
                      load generator. Where median lag exceeds 10 % of the smaller response p50, or lag p95 exceeds 25 % of the \
                      smaller response p95 of the whole mix, the load generator was late (" code { "late" } "): a verdict or a \
                      claim on response times then stands only where service times, which hold no lag, give the same." }
                dt { "Order of windows, " code { "analysis.order_effects[]" } }
                dd { "Least squares of the log p95 of the whole mix on round, model, place and the model before; the \
                      effects of each sum to zero, so an effect is read against the average place or predecessor. \
                      What cannot be told from the rest is left out." }
            }
        }
    }
}
