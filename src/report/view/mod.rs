//! What a report says, once, before anything decides how it looks: the terminal and HTML are made from this.

mod answer;
mod around;
mod beside;
mod bill;
mod break_even;
mod capacity;
mod claims;
mod compare;
mod control;
mod evidence;
mod facts;
mod growth;
mod latencies;
mod load;
mod machine;
mod notes;
mod order;
mod overview;
mod plan;
mod results;
mod run;
mod scenario;
mod side_by_side;
mod statistics;
mod sweep;
mod table;
mod tally;
mod trend;
mod verdict;
mod warnings;

pub(super) use break_even::MixView;
pub(super) use capacity::CapacityView;
pub(super) use compare::{CompareView, ComparedView};
pub(super) use evidence::{EvidenceView, words as flag_words};
pub(super) use facts::{operations_shown, series_of};
pub(super) use growth::GrowthView;
pub(super) use notes::{Mark, Notes};
pub(super) use overview::OverviewView;
pub(super) use run::RunView;
pub(super) use scenario::ScenarioView;
pub(super) use side_by_side::{RowBeside, RunColumn, ScenarioBeside, SideBySide};
pub(super) use statistics::{Inference, Part, Side, Statistic};
pub(super) use sweep::{AxisView, OperationView, SweepView, WorkloadView, beside_cache, part_name};
pub(super) use table::{Align, Cell, Column, Row, Table, Tone};
pub(super) use tally::Tally;
pub(super) use trend::{
    ChangeView, TrendOperationView, TrendScenarioView, TrendView, day, figure, operation_name, run_name,
};
