//! From the file as written to a simulation: everything that is wrong with a value by itself.

use std::ops::RangeInclusive;
use std::time::Duration;

use super::behaviour::{Answers, Behaviour, Errors, Grows};
use super::duration::Length;
use super::file::{
    AnswersFile, BehaviourFile, ErrorsFile, GeneratorFile, GrowsFile, LatencyFile, OperationsFile, PartFile,
    SimulationFile, StallFile, TimeFile,
};
use super::simulation::{DeclaredModel, DeclaredOperation, Simulation, Time};
use super::{Latency, Stall};
use crate::backend::CallErrorKind;
use crate::source::{At, List, Problem, Problems, Soft, SourceFile, Span, decode, nearest};
use crate::units::Share;
use crate::words::ErrorName;

/// The name under which a model says how its other operations behave.
const DEFAULT: &str = "default";
/// The most operations that a server can be declared to serve at a time.
const MOST_PLACES: i64 = 100_000;
/// Deviations of a logarithm: 3 spreads a factor over three orders of magnitude.
const DEVIATIONS: RangeInclusive<f64> = 0.0..=3.0;
/// Shares of a mixture may miss 1 by this much.
const ROUNDING: f64 = 1e-6;

/// Makes a simulation of a file; `None` where it is no simulation at all. Problems are recorded either way.
pub(super) fn simulation(file: &SourceFile, problems: &mut Problems) -> Option<Simulation> {
    let root = file.arena.root()?;
    let written: SimulationFile = decode(&file.arena, root, problems)?;
    let mut builder = Builder { problems };
    let default = soft(written.default).and_then(|behaviour| builder.behaviour(behaviour));
    let models = soft(written.models).unwrap_or_default();
    Some(Simulation {
        time: match soft(written.time) {
            Some(TimeFile::Real) => Time::Real,
            Some(TimeFile::Virtual) | None => Time::Virtual,
        },
        concurrency: soft(written.concurrency).and_then(|places| builder.concurrency(places)),
        stalls: soft(written.stalls).map_or_else(Vec::new, |stalls| builder.stalls(stalls)),
        generator_cost: soft(written.generator).map_or(Duration::ZERO, |generator| builder.cost(generator)),
        default,
        models: models
            .0
            .into_iter()
            .filter_map(|entry| builder.model(entry.key, entry.key_span, entry.value.0?))
            .collect(),
        source: file.text.clone(),
    })
}

/// A field that is there and whole.
fn soft<T>(field: Option<Soft<T>>) -> Option<T> {
    field.and_then(|soft| soft.0)
}

struct Builder<'a> {
    problems: &'a mut Problems,
}

impl Builder<'_> {
    fn report<T>(&mut self, place: Span, message: impl Into<String>, help: impl Into<String>) -> Option<T> {
        self.problems.push(Problem::new(place, message).help(help));
        None
    }

    fn concurrency(&mut self, places: At<i64>) -> Option<usize> {
        if (1..=MOST_PLACES).contains(&places.value) {
            return usize::try_from(places.value).ok();
        }
        let message = format!("a server cannot serve {} operations at a time", places.value);
        self.report(places.span, message, format!("1 to {MOST_PLACES}; leave it out for no limit"))
    }

    fn stalls(&mut self, stalls: List<At<StallFile>>) -> Vec<Stall> {
        stalls.0.into_iter().filter_map(|stall| self.stall(stall)).collect()
    }

    fn stall(&mut self, stall: At<StallFile>) -> Option<Stall> {
        let StallFile { every, lasts, after } = stall.value;
        let (Some(every), Some(lasts)) = (every, lasts) else {
            return self.report(stall.span, "a stall has `every` and `lasts`", "such as `{every: 1s, lasts: 100ms}`");
        };
        let (every, lasts) = (self.positive(every.0?)?, lasts.0?);
        let after = after.map_or(Some(every), |after| after.0.map(|after| after.value.0));
        if lasts.value.0 >= every {
            return self.report(
                lasts.span,
                "a stall lasts as long as from one to the next",
                "make it shorter than `every`",
            );
        }
        Some(Stall { after: after?, every, lasts: self.positive(lasts)? })
    }

    fn cost(&mut self, generator: GeneratorFile) -> Duration {
        soft(generator.cost).map_or(Duration::ZERO, |cost| cost.value.0)
    }

    fn model(&mut self, name: String, place: Span, operations: OperationsFile) -> Option<DeclaredModel> {
        let mut model = DeclaredModel { name, place, default: None, operations: Vec::new() };
        for entry in operations.0 {
            let Some(behaviour) = entry.value.0.and_then(|behaviour| self.behaviour(behaviour)) else { continue };
            if entry.key == DEFAULT {
                model.default = Some(behaviour);
            } else {
                let (name, place) = (entry.key, entry.key_span);
                model.operations.push(DeclaredOperation { name, place, behaviour });
            }
        }
        Some(model)
    }

    fn behaviour(&mut self, behaviour: At<BehaviourFile>) -> Option<Behaviour> {
        let At {
            value: BehaviourFile { latency, grows, errors, drift, between_windows, between_restarts, empty, answers },
            span,
        } = behaviour;
        let Some(latency) = latency else {
            return self.report(span, "no `latency`", "such as `latency: {constant: 5ms}`");
        };
        let latency = latency.0.and_then(|latency| self.latency(latency.value));
        let grows = soft(grows).map(|grows| self.grows(grows));
        let errors = soft(errors).map(|errors| self.errors(errors.value));
        let drift = soft(drift).map_or(Some(0.0), |drift| self.number(drift, -0.99..=100.0, "drift"));
        let deviation = |builder: &mut Self, field, what| {
            soft(field).map_or(Some(0.0), |deviation| builder.number(deviation, DEVIATIONS, what))
        };
        let between_windows = deviation(self, between_windows, "between_windows");
        let between_restarts = deviation(self, between_restarts, "between_restarts");
        let empty = soft(empty).map_or(Some(0.0), |share| self.number(share, 0.0..=1.0, "empty"));
        Some(Behaviour {
            latency: latency?,
            grows: grows.map_or(Some(None), |grows| grows.map(Some))?,
            errors: errors.map_or(Some(None), |errors| errors.map(Some))?,
            drift: drift?,
            between_windows: between_windows?,
            between_restarts: between_restarts?,
            empty: Share::new(empty?),
            answers: match soft(answers) {
                Some(AnswersFile::Differ) => Answers::Differ,
                Some(AnswersFile::Agree) | None => Answers::Agree,
            },
        })
    }

    fn grows(&mut self, grows: At<GrowsFile>) -> Option<Grows> {
        let At { value: GrowsFile { with, unit, exponent, fixed }, span } = grows;
        let Some(with) = with else {
            return self.report(span, "growth has no parameter", "such as `grows: {with: products, unit: 1000}`");
        };
        let number = |builder: &mut Self, field, usual: f64, allowed, what| {
            soft(field).map_or(Some(usual), |number| builder.number(number, allowed, what))
        };
        let unit = number(self, unit, 1.0, 1e-9..=1e15, "unit");
        let exponent = number(self, exponent, 1.0, 0.0..=10.0, "exponent");
        let fixed = number(self, fixed, 0.0, 0.0..=1e9, "fixed");
        let At { value: parameter, span: place } = with.0?;
        Some(Grows { parameter, place, unit: unit?, exponent: exponent?, fixed: fixed? })
    }

    fn latency(&mut self, latency: LatencyFile) -> Option<Latency> {
        Some(match latency {
            LatencyFile::Constant(time) => Latency::Constant(self.positive(time)?),
            LatencyFile::Uniform((low, high)) => {
                if low.value.0 > high.value.0 {
                    return self.report(
                        low.span,
                        "the shortest is longer than the longest",
                        "write the shorter one first",
                    );
                }
                Latency::Uniform { low: low.value.0, high: self.positive(high)? }
            }
            LatencyFile::Exponential(written) => Latency::Exponential { mean: self.positive(written.mean)? },
            LatencyFile::LogNormal(written) => {
                let median = self.positive(written.median);
                let sigma = self.number(written.sigma, DEVIATIONS, "sigma");
                Latency::LogNormal { median: median?, sigma: sigma? }
            }
            LatencyFile::Pareto(written) => {
                let minimum = self.positive(written.minimum);
                let shape = self.number(written.shape, 0.1..=100.0, "shape");
                Latency::Pareto { minimum: minimum?, shape: shape? }
            }
            LatencyFile::Mixture(parts) => self.mixture(parts)?,
        })
    }

    fn mixture(&mut self, parts: At<List<PartFile>>) -> Option<Latency> {
        let mut mixture = Vec::new();
        for part in parts.value.0 {
            let share = self.number(part.share, 0.0..=1.0, "share");
            let latency = self.latency(part.of);
            mixture.push((Share::new(share?), latency?));
        }
        let sum: f64 = mixture.iter().map(|(share, _)| share.get()).sum();
        if (sum - 1.0).abs() > ROUNDING {
            let message = format!("the shares of this mixture add up to {}", (sum * 1e6).round() / 1e6);
            return self.report(parts.span, message, "make them add up to 1");
        }
        Some(Latency::Mixture(mixture))
    }

    fn errors(&mut self, errors: ErrorsFile) -> Option<Errors> {
        let share = self.number(errors.share, 0.0..=1.0, "share");
        let kind = self.kind(errors.kind);
        Some(Errors { share: Share::new(share?), kind: kind? })
    }

    fn kind(&mut self, kind: At<String>) -> Option<CallErrorKind> {
        let plain = [CallErrorKind::Timeout, CallErrorKind::Connection, CallErrorKind::Driver];
        let kinds = || plain.iter().cloned().chain(ErrorName::ALL.iter().copied().map(CallErrorKind::Named));
        if let Some(known) = kinds().find(|known| known.to_string() == kind.value) {
            return Some(known);
        }
        let names: Vec<String> = kinds().map(|known| known.to_string()).collect();
        let known = || names.iter().map(String::as_str);
        let help = match nearest(&kind.value, known()) {
            Some(name) => format!("did you mean `{name}`?"),
            None => format!("one of {}", known().collect::<Vec<_>>().join(", ")),
        };
        self.report(kind.span, format!("unknown kind of error `{}`", kind.value), help)
    }

    fn number(&mut self, number: At<f64>, allowed: RangeInclusive<f64>, what: &str) -> Option<f64> {
        if allowed.contains(&number.value) {
            return Some(number.value);
        }
        let (low, high) = (allowed.start(), allowed.end());
        self.report(number.span, format!("`{what}` is {}", number.value), format!("between {low} and {high}"))
    }

    fn positive(&mut self, time: At<Length>) -> Option<Duration> {
        if !time.value.0.is_zero() {
            return Some(time.value.0);
        }
        self.report(time.span, "this time is 0", "write a longer one, such as `1us`")
    }
}
