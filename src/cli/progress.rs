//! Shows the events of a run: bars on a terminal, plain lines when piped, nothing with `--quiet`.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::output;
use crate::run::{Event, Listener};
use crate::units::Micros;
use crate::words::Phase;

/// How progress is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Display {
    /// Bars that redraw themselves.
    Bars,
    /// A line per step.
    Lines,
    /// Warnings only.
    Quiet,
}

/// Listens to a run and shows how far it is.
#[derive(Debug)]
pub(super) struct Progress {
    display: Display,
    bar: Option<ProgressBar>,
    load: Option<Load>,
    measured: Option<Measured>,
}

/// The loading under way.
#[derive(Debug)]
struct Load {
    expected: Option<u64>,
    started: Instant,
}

/// The measured phase under way.
#[derive(Debug, Default)]
struct Measured {
    windows: u64,
    last_p95: BTreeMap<String, Micros>,
}

impl Progress {
    /// Shows progress in that way, on standard error.
    pub(super) const fn new(display: Display) -> Self {
        Self { display, bar: None, load: None, measured: None }
    }

    fn line(&self, text: &str) {
        match (&self.bar, self.display) {
            (_, Display::Quiet) => {}
            (Some(bar), _) => bar.suspend(|| output::tell(text)),
            (None, _) => output::tell(text),
        }
    }

    fn start_bar(&mut self, name: &str, length: Option<u64>) {
        if self.display != Display::Bars {
            return;
        }
        let template = match length {
            Some(_) => "  {prefix:<15} {bar:28} {pos}/{len}  {eta} left  {msg}",
            None => "  {prefix:<15} {spinner} {pos}  {msg}",
        };
        let style =
            ProgressStyle::with_template(template).expect("the templates above are valid").progress_chars("━╸─");
        let bar = ProgressBar::with_draw_target(length, ProgressDrawTarget::stderr_with_hz(8)).with_style(style);
        bar.set_prefix(name.to_owned());
        bar.enable_steady_tick(Duration::from_millis(250));
        self.bar = Some(bar);
    }

    fn end_bar(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }

    fn load_started(&mut self, target: &str, parity: bool, expected: Option<u64>) {
        if parity {
            return;
        }
        self.load = Some(Load { expected, started: Instant::now() });
        self.start_bar(&format!("load {target}"), expected);
    }

    fn load_progress(&self, documents: u64) {
        let (Some(bar), Some(load)) = (&self.bar, &self.load) else { return };
        bar.set_position(documents);
        let rate = documents as f64 / load.started.elapsed().as_secs_f64().max(0.001);
        bar.set_message(format!("{rate:.0} documents/s"));
        if load.expected.is_some_and(|expected| documents > expected) {
            bar.set_length(documents);
        }
    }

    fn load_finished(&mut self, target: &str, documents: u64, seconds: f64) {
        if self.load.take().is_none() {
            return;
        }
        self.end_bar();
        let rate = documents as f64 / seconds.max(0.001);
        self.line(&format!("  loaded {target}: {documents} documents in {seconds:.1} s ({rate:.0}/s)"));
    }

    fn phase_started(&mut self, phase: Phase, length: u64) {
        self.end_bar();
        self.measured = (phase == Phase::Measured).then(Measured::default);
        self.start_bar(phase_name(phase), Some(length).filter(|length| *length > 0));
    }

    fn window_finished(&mut self, model: &str, p95: Option<Micros>) {
        let Some(measured) = &mut self.measured else { return };
        measured.windows += 1;
        if let Some(p95) = p95 {
            measured.last_p95.insert(model.to_owned(), p95);
        }
        if let Some(bar) = &self.bar {
            bar.set_position(measured.windows);
            let shown: Vec<_> =
                measured.last_p95.iter().map(|(model, p95)| format!("{model} {}", milliseconds(*p95))).collect();
            bar.set_message(format!("p95 {}", shown.join(" · ")));
        }
    }
}

impl Listener for Progress {
    fn hear(&mut self, event: &Event) {
        match event {
            Event::ScenarioStarted { scenario, workload, models, estimate_seconds } => {
                let workload = if workload == "default" { String::new() } else { format!(" ({workload})") };
                self.line(&format!(
                    "{scenario}{workload}: {}, about {}",
                    models.join(", "),
                    duration(*estimate_seconds)
                ));
            }
            Event::LoadStarted { target, parity, documents } => self.load_started(target, *parity, *documents),
            Event::LoadProgress { documents, .. } => self.load_progress(*documents),
            Event::LoadFinished { target, documents, seconds } => self.load_finished(target, *documents, *seconds),
            Event::PhaseStarted { phase, length } => self.phase_started(*phase, *length),
            Event::PhaseProgress { done } => {
                if let Some(bar) = &self.bar {
                    bar.set_position(*done);
                }
            }
            Event::PhaseFinished { phase, summary } => {
                self.end_bar();
                self.measured = None;
                if let Some(summary) = summary {
                    self.line(&format!("  {}: {summary}", phase_name(*phase)));
                }
            }
            Event::Planned { rows } => {
                rows.iter().for_each(|row| self.line(&format!("    {:<8} {}", row.what, row.value)))
            }
            Event::WindowStarted { .. } => {}
            Event::WindowFinished { record, p95 } => self.window_finished(&record.model, *p95),
            Event::Warning(text) => match &self.bar {
                Some(bar) => bar.suspend(|| output::tell(&format!("warning: {text}"))),
                None => output::tell(&format!("warning: {text}")),
            },
            Event::ScenarioFinished { .. } => self.end_bar(),
        }
    }
}

const fn phase_name(phase: Phase) -> &'static str {
    match phase {
        Phase::Parity => "parity",
        Phase::Evidence => "evidence",
        Phase::Calibration => "calibration",
        Phase::LightLoad => "light load",
        Phase::LeadIn => "lead-in",
        Phase::Measured => "rounds",
        Phase::ClosingParity => "closing parity",
    }
}

fn milliseconds(latency: Micros) -> String {
    format!("{:.2} ms", latency.get() / 1e3)
}

/// A time to wait, as a person says it.
pub(super) fn duration(seconds: f64) -> String {
    if seconds < 90.0 { format!("{seconds:.0} s") } else { format!("{:.0} min", seconds / 60.0) }
}
