//! Windows under open load: in virtual time, where the wait of every operation is known, and on the wall clock.

use super::*;
use crate::clock::VirtualClock;
use crate::record::OperationRound;
use crate::record::histogram::{self, LatencyHistogram};
use crate::units::Rate;
use crate::words::ArrivalProcess;

/// How long an operation takes, by its number and by when it is sent, both counted from the window's start.
type Service = dyn Fn(u64, Duration) -> Duration + Send + Sync;

/// Takes as long as it is said to, on a clock of its own.
#[derive(Clone)]
struct Timed {
    clock: VirtualClock,
    /// When the first operation of the window is due.
    start: Instant,
    service: Arc<Service>,
}

impl Work for Timed {
    type Prepared = u64;

    fn prepare(&self, _: usize, number: u64) -> Result<u64, CallError> {
        Ok(number)
    }

    async fn execute(&self, number: u64) -> Result<Finished, CallError> {
        let sent = self.clock.now();
        self.clock.sleep_until(sent + (self.service)(number, sent.saturating_duration_since(self.start))).await;
        Ok(Finished::default())
    }
}

/// A window of one operation under open load.
#[derive(Clone, Copy)]
struct Open {
    workers: u32,
    rate: f64,
    arrivals: ArrivalProcess,
    operations: u64,
    limit: Duration,
}

impl Open {
    fn constant(workers: u32, rate: f64, operations: u64) -> Self {
        Self { workers, rate, arrivals: ArrivalProcess::Constant, operations, limit: Duration::from_secs(30) }
    }

    fn plan(self) -> WindowPlan {
        let Self { workers, rate, arrivals, operations, limit } = self;
        let load = Load::Open { workers, rate: Rate::new(rate), arrivals, seed: 5 };
        WindowPlan { load, limit, grace: GRACE, ..plan(workers, 0..operations) }
    }

    /// Does the window in virtual time.
    fn window(self, service: impl Fn(u64, Duration) -> Duration + Send + Sync + 'static) -> Window {
        let (clock, runtime) = VirtualClock::runtime().expect("a runtime");
        runtime.block_on(async {
            let work = Timed { start: clock.now() + RUN_UP, clock: clock.clone(), service: Arc::new(service) };
            let mix = Arc::new(Mix::new(1, &[1.0]));
            let mut workers = Workers::new(mix, recorded(&["read"]), Interrupt::new(), clock);
            workers.window(&work, self.plan(), &Declared::healthy()).await
        })
    }

    /// What must come of it, by the recursion of a queue with several servers that takes the first come first: an
    /// operation is sent when it is due, or when the first worker becomes free. (J. Kiefer, J. Wolfowitz, *On the theory
    /// of queues with many servers*, Trans. Amer. Math. Soc. 78, 1955.)
    fn expected(self, service: impl Fn(u64, Duration) -> Duration) -> Expected {
        let mut free = vec![Duration::ZERO; self.workers as usize];
        let mut expected = Expected { service: histogram::empty(), response: histogram::empty(), backlogged: 0 };
        let start = Instant::now();
        let schedule = Schedule::new(start, Rate::new(self.rate), self.arrivals, 5, self.operations);
        for number in 0..self.operations {
            let due = schedule.time(number) - start;
            let worker = free.iter_mut().min().expect("there are workers");
            let sent = due.max(*worker);
            let takes = service(number, sent);
            expected.backlogged += u64::from(*worker > due);
            histogram::record(&mut expected.service, micros(takes));
            histogram::record(&mut expected.response, micros(sent + takes - due));
            *worker = sent + takes;
        }
        expected
    }
}

/// What a window must yield.
struct Expected {
    service: LatencyHistogram,
    response: LatencyHistogram,
    backlogged: u64,
}

fn micros(duration: Duration) -> u64 {
    u64::try_from((duration.as_nanos() + 500) / 1_000).expect("short")
}

fn record(window: &Window) -> OperationRound {
    window.tally.operations()[0].record(false)
}

fn decoded(text: Option<&String>) -> LatencyHistogram {
    histogram::decode(text.expect("it holds samples")).expect("just encoded")
}

#[track_caller]
fn assert_as_expected(window: &Window, expected: &Expected) {
    let record = record(window);
    assert_eq!(window.end, WindowEnd::Complete);
    assert_eq!(decoded(record.service.as_ref()), expected.service, "service time");
    assert_eq!(decoded(record.response.as_ref()), expected.response, "response time");
    assert_eq!(record.backlogged, expected.backlogged);
    let lag = decoded(record.pacer_lag.as_ref());
    assert_eq!(lag.len() + record.backlogged, record.count, "a worker stood ready, or it did not");
    assert_eq!(lag.max(), 1, "in virtual time the pacer is exact, and 0 is recorded as 1");
}

#[test]
fn one_slow_operation_is_waited_for_by_those_that_come_due_meanwhile() {
    let window = Open::constant(1, 1_000.0, 100);
    // One takes 5.05 ms of its single worker, all others 0.1 ms.
    let service = |number, _| Duration::from_micros(if number == 10 { 5_050 } else { 100 });
    let yielded = window.window(service);
    // Those due 1, 2, 3, 4 and 5 ms after it wait until it is done, and for those before them: 4.05, 3.15, 2.25, 1.35
    // and 0.45 ms.
    let expected = window.expected(service);
    assert_eq!(expected.backlogged, 5);
    for waited in [4_050, 3_150, 2_250, 1_350, 450] {
        assert!(expected.response.count_at(waited + 100) == 1, "{waited}");
    }
    assert_as_expected(&yielded, &expected);
    // Closed load would have told of a single slow operation.
    let service = decoded(record(&yielded).service.as_ref());
    assert_eq!(service.iter_recorded().map(|slow| slow.count_at_value()).collect::<Vec<_>>(), [99, 1]);
}

#[test]
fn a_backlog_is_worked_off_at_capacity_after_a_stall_and_nothing_is_skipped() {
    let window = Open::constant(4, 1_000.0, 3_000);
    // The server answers nothing for a tenth of a second. Four workers at 0.9 ms do 4,444 a second.
    let [stall, over] = [1_000_150, 1_100_150].map(Duration::from_micros);
    let service = move |_, sent: Duration| {
        let stalled = if (stall..over).contains(&sent) { over - sent } else { Duration::ZERO };
        stalled + Duration::from_micros(900)
    };
    let yielded = window.window(service);
    let expected = window.expected(service);
    assert!(expected.backlogged > 95, "all but four of the hundred that came due, and some more");
    assert_as_expected(&yielded, &expected);
    // Operations that end in the stalled second have a response time of up to 100 ms.
    let second = &yielded.intervals[1];
    assert!(second.second == 1 && second.max.get() > 95_000.0 && second.p50.get() < 1_000.0, "{second:?}");
}

#[test]
fn random_arrivals_queue_as_they_must() {
    let window = Open { arrivals: ArrivalProcess::Poisson, ..Open::constant(2, 1_000.0, 5_000) };
    let service = |number: u64, _| Duration::from_nanos(1_200_000 + number % 7 * 100_003);
    assert_as_expected(&window.window(service), &window.expected(service));
    let again = record(&window.window(service));
    assert_eq!(record(&window.window(service)), again, "the same seed is the same window");
}

#[test]
fn a_window_keeps_its_rate_while_the_server_can() {
    let window = Open::constant(8, 2_000.0, 4_000).window(|_, _| Duration::from_micros(800));
    assert_eq!(window.end, WindowEnd::Complete);
    // 3,999 gaps of half a millisecond, then the last operation.
    assert_eq!(window.elapsed, Duration::from_micros(3_999 * 500 + 800));
    assert!((window.rate() / 2_000.0 - 1.0).abs() < 0.001, "{}", window.rate());
}

#[test]
fn above_its_capacity_a_model_is_saturated_and_its_rate_is_its_capacity() {
    // Two workers at a millisecond do 2,000 a second; 3,000 are offered for two seconds.
    let limit = Duration::from_micros(4_000_500);
    let open = Open { limit, ..Open::constant(2, 3_000.0, 6_000) };
    let window = open.window(|_, _| Duration::from_millis(1));
    assert_eq!(window.end, WindowEnd::Complete, "6,000 take 3 s, less than the 4 s that are allowed");
    let open = Open { limit, ..Open::constant(2, 5_000.0, 10_000) };
    let window = open.window(|_, _| Duration::from_millis(1));
    assert_eq!(window.end, WindowEnd::Saturated);
    assert_eq!(window.elapsed.as_millis(), 4_001, "given up after 4.0005 s, and what was under way went on to its end");
    assert!((window.rate() / 2_000.0 - 1.0).abs() < 0.001, "{}", window.rate());
    let record = record(&window);
    assert_eq!(record.backlogged, record.count - 2, "only the first two found a worker ready");
    let seconds: Vec<u64> = window.intervals.iter().map(|one| one.count).collect();
    assert!(seconds[..4].iter().all(|count| count.abs_diff(2_000) <= 2), "achieved, second by second: {seconds:?}");
}

#[test]
fn intervals_add_up_to_the_counts_and_leave_out_what_is_only_counted() {
    let (clock, runtime) = VirtualClock::runtime().expect("a runtime");
    let window = runtime.block_on(async {
        let service = |number: u64, _| Duration::from_micros(200 + number % 300);
        let work = Timed { start: clock.now() + RUN_UP, clock: clock.clone(), service: Arc::new(service) };
        let mut operations = recorded(&["read", "write", "sweep"]);
        operations[2].counted_only = true;
        let mut workers =
            Workers::new(Arc::new(Mix::new(1, &[5.0, 3.0, 2.0])), operations, Interrupt::new(), clock.clone());
        workers.window(&work, Open::constant(4, 500.0, 2_000).plan(), &Declared::healthy()).await
    });
    let counts: Vec<u64> = window.tally.operations().iter().map(|operation| operation.count()).collect();
    assert_eq!(counts, [1_000, 600, 400]);
    let sum =
        |name: &str| window.intervals.iter().filter(|one| one.operation == name).map(|one| one.count).sum::<u64>();
    assert_eq!([sum("read"), sum("write"), sum("sweep")], [1_000, 600, 0]);
    let seconds: std::collections::BTreeSet<u32> = window.intervals.iter().map(|one| one.second).collect();
    assert_eq!(seconds, (0..4).collect(), "2,000 at 500 a second");
}

#[test]
fn a_window_that_is_given_up_does_not_wait_for_the_next_slot() {
    // A hundred seconds from one slot to the next.
    let open = Open { limit: Duration::from_secs(1), ..Open::constant(8, 0.01, 20) };
    let window = open.window(|_, _| Duration::from_millis(1));
    assert_eq!(window.end, WindowEnd::Saturated);
    assert_eq!((window.elapsed, window.tally.attempts()), (Duration::from_secs(1), 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_interrupt_sends_home_workers_that_wait_for_a_slot() {
    let interrupt = Interrupt::new();
    let wish = interrupt.clone();
    let work = Scripted::new(move |_| {
        wish.trigger();
        Script::Succeed
    });
    // The first is due at once, the next in hours.
    let rare = Open::constant(4, 0.000_1, 100).plan();
    let window = workers(&interrupt).window(&work, rare, &Declared::healthy()).await;
    assert_eq!(window.end, WindowEnd::Interrupted);
    assert!(window.elapsed < LONG);
}

#[tokio::test(flavor = "multi_thread")]
async fn on_the_wall_clock_every_number_is_done_once_and_the_window_is_never_too_short() {
    let work = Scripted::new(|_| Script::Succeed);
    let open = Open { arrivals: ArrivalProcess::Poisson, ..Open::constant(16, 10_000.0, 2_000) };
    let window = workers(&Interrupt::new()).window(&work, open.plan(), &Declared::healthy()).await;
    assert_eq!(window.end, WindowEnd::Complete);
    let seen = work.seen();
    assert!(seen.keys().copied().eq(0..2_000) && seen.values().all(|(_, times)| *times == 1));
    let now = Instant::now();
    let schedule = Schedule::new(now, Rate::new(open.rate), open.arrivals, 5, open.operations);
    assert!(window.elapsed >= schedule.time(1_999) - now, "the last is not sent before it is due");
    for operation in window.tally.operations() {
        let record = operation.record(false);
        let [response, service] = [&record.response, &record.service].map(|text| decoded(text.as_ref()));
        assert_eq!((response.len(), service.len()), (record.count, record.count));
        assert!(response.mean() >= service.mean() - 1.0, "a response is a wait and a service");
    }
    assert_eq!(window.pacer_cpu.is_some(), cfg!(any(target_os = "linux", target_os = "macos")));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_operation_that_cannot_be_rendered_takes_its_slot_all_the_same() {
    let work = Scripted::new(|_| Script::FailToRender);
    let mut workers = workers(&Interrupt::new());
    let window = workers.window(&work, Open::constant(4, 1_000.0, 40).plan(), &Declared::healthy()).await;
    assert_eq!((window.end.clone(), window.tally.attempts()), (WindowEnd::Complete, 40));
    assert!(window.elapsed >= Duration::from_millis(39), "{:?}", window.elapsed);
}
