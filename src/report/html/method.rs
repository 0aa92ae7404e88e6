//! How to read the report.

use maud::{Markup, html as markup};

/// The rules by which figures and verdicts are made.
pub(super) fn section() -> Markup {
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
                dd { "95 % Student t interval over the logarithms of the units' ratios. It speaks of this server \
                      start and this dataset." }
                dt { "Verdict" }
                dd { "Faster or slower: the ratio lies beyond ±5 %, tested at 5 % with Holm's adjustment over the \
                      operations of the scenario (the whole mix is a question of its own). Equal: the 90 % \
                      interval lies inside ±5 %. Otherwise inconclusive, with the rounds that would settle it. \
                      Where p95 has too few operations, p50 carries the verdict and the cell says so. A smoke run \
                      gives none." }
                dt { "Left out" }
                dd { "Windows that did not finish or were disturbed leave the comparison as whole pairs; they stay \
                      in run.json. Failed operations are counted and in no latency." }
                dt { "†" }
                dd { "Engine-limited: the server measured executes this operation unlike mongod. It is measured \
                      and shown, but left out of claims and counts." }
                dt { "n/a" }
                dd { "There is no sample for this figure; its note says why." }
                dt { "Service time, response time" }
                dd { "Under closed load the latency is service time: request sent to reply complete. Under open \
                      load it is response time: intended start to reply complete, so that stalls are not hidden." }
            }
        }
    }
}
