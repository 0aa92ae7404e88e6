//! Windows over scripted work: what each operation does is known, so what must be recorded is known too.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use futures_util::future::BoxFuture;
use tokio::sync::watch;

use super::super::company::{AtWork, PlannedEvent, Worked};
use super::super::work::Finished;
use super::*;
use crate::backend::CallError;
use crate::clock::WallClock;
use crate::operation::{Done, Turns, Written};
use crate::units::Share;
use crate::words::EventOutcome;

/// What one operation does.
#[derive(Clone)]
enum Script {
    Succeed,
    FindNothing,
    Answer(ErrorName),
    Fail(CallErrorKind),
    FailToRender,
    Hang,
}

type Scripts = dyn Fn(u64) -> Script + Send + Sync;

/// Does what the script says for a number, and keeps which numbers it was asked for.
#[derive(Clone)]
struct Scripted {
    script: Arc<Scripts>,
    seen: Arc<Mutex<BTreeMap<u64, (usize, u32)>>>,
}

impl Scripted {
    fn new(script: impl Fn(u64) -> Script + Send + Sync + 'static) -> Self {
        Self { script: Arc::new(script), seen: Arc::default() }
    }

    fn seen(&self) -> BTreeMap<u64, (usize, u32)> {
        self.seen.lock().expect("no test panics while it holds the lock").clone()
    }
}

fn error(kind: CallErrorKind) -> CallError {
    CallError::new(kind, "as the script says")
}

impl Work for Scripted {
    type Prepared = Script;

    fn prepare(&self, operation: usize, number: u64) -> Result<Script, CallError> {
        let mut seen = self.seen.lock().expect("no test panics while it holds the lock");
        seen.entry(number).or_insert((operation, 0)).1 += 1;
        match (self.script)(number) {
            Script::FailToRender => Err(error(CallErrorKind::Render)),
            script => Ok(script),
        }
    }

    async fn execute(&self, script: Script) -> Result<Finished, CallError> {
        tokio::task::yield_now().await;
        match script {
            Script::Succeed => Ok(Finished::default()),
            Script::FindNothing => Ok(Finished { empty: true, ..Finished::default() }),
            Script::Answer(name) => Ok(Finished { expected: vec![name], ..Finished::default() }),
            Script::Fail(kind) => Err(error(kind)),
            Script::FailToRender => unreachable!("it failed before"),
            Script::Hang => std::future::pending().await,
        }
    }
}

/// A server that is gone as soon as anybody has a suspicion, or never.
struct Declared {
    suspicion: Arc<Notify>,
    gone_when_suspected: bool,
}

impl Declared {
    fn healthy() -> Self {
        Self { suspicion: Arc::default(), gone_when_suspected: false }
    }
}

impl Health for Declared {
    async fn lost(&self) -> String {
        self.suspicion.notified().await;
        if !self.gone_when_suspected {
            std::future::pending::<()>().await;
        }
        "as declared".to_owned()
    }

    fn suspicion(&self) -> Arc<Notify> {
        Arc::clone(&self.suspicion)
    }
}

const LONG: Duration = Duration::from_secs(60);

fn plan(workers: u32, numbers: Range<u64>) -> WindowPlan {
    WindowPlan { numbers, load: Load::Closed { workers }, limit: LONG, grace: LONG, ends_when: None, eventful: None }
}

fn workers(interrupt: &Interrupt) -> Workers<WallClock> {
    Workers::new(Arc::new(Mix::new(1, &[3.0, 1.0])), recorded(&["read", "write"]), interrupt.clone(), WallClock)
}

fn recorded(names: &[&str]) -> Vec<Recorded> {
    names.iter().map(|name| Recorded { name: (*name).to_owned(), counted_only: false }).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn every_number_is_done_once_by_the_operation_that_the_mix_says() {
    let work = Scripted::new(|_| Script::Succeed);
    let mix = Mix::new(1, &[3.0, 1.0]);
    let window = workers(&Interrupt::new()).window(&work, plan(8, 400..1_200), &Declared::healthy()).await;
    assert_eq!(window.end, WindowEnd::Complete);
    let expected: BTreeMap<_, _> = (400..1_200).map(|number| (number, (mix.operation(number), 1))).collect();
    assert_eq!(work.seen(), expected);
    let counts: Vec<u64> = window.tally.operations().iter().map(|operation| operation.count()).collect();
    assert_eq!(counts, [600, 200], "800 numbers in the proportion 3 : 1");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_window_starts_from_nothing() {
    let work = Scripted::new(|_| Script::Succeed);
    let mut workers = workers(&Interrupt::new());
    workers.window(&work, plan(4, 0..100), &Declared::healthy()).await;
    let second = workers.window(&work, plan(4, 100..140), &Declared::healthy()).await;
    assert_eq!(second.tally.attempts(), 40);
}

#[tokio::test(flavor = "multi_thread")]
async fn outcomes_are_told_apart() {
    let work = Scripted::new(|number| match number % 10 {
        0 => Script::FindNothing,
        1 => Script::Answer(ErrorName::DuplicateKey),
        2 => Script::Fail(CallErrorKind::Timeout),
        3 => Script::FailToRender,
        _ => Script::Succeed,
    });
    let mut workers = Workers::new(Arc::new(Mix::new(1, &[1.0])), recorded(&["read"]), Interrupt::new(), WallClock);
    let window = workers.window(&work, plan(4, 0..1_000), &Declared::healthy()).await;
    assert_eq!(window.end, WindowEnd::Complete);
    let record = window.tally.operations()[0].record(false);
    assert_eq!((record.count, record.empty), (800, 100));
    assert_eq!(record.expected, BTreeMap::from([("DuplicateKey".to_owned(), 100)]));
    assert_eq!(record.errors, BTreeMap::from([("Render".to_owned(), 100), ("Timeout".to_owned(), 100)]));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_window_past_its_limit_is_saturated_and_hands_out_no_more() {
    let work = Scripted::new(|number| if number < 10 { Script::Succeed } else { Script::Hang });
    let short = WindowPlan { limit: Duration::from_millis(50), grace: Duration::from_millis(50), ..plan(4, 0..1_000) };
    let window = workers(&Interrupt::new()).window(&work, short, &Declared::healthy()).await;
    assert_eq!(window.end, WindowEnd::Saturated);
    assert_eq!(window.tally.attempts(), 10, "what was done is kept, what hung is not counted");
    assert_eq!(work.seen().len(), 14, "each of four workers hangs in one more");
}

#[tokio::test(flavor = "multi_thread")]
async fn operations_under_way_when_a_window_is_given_up_are_still_recorded() {
    let release = Arc::new(Notify::new());
    #[derive(Clone)]
    struct Slow(Arc<Notify>, Arc<AtomicU64>);
    impl Work for Slow {
        type Prepared = ();
        fn prepare(&self, _: usize, _: u64) -> Result<(), CallError> {
            Ok(())
        }
        async fn execute(&self, (): ()) -> Result<Finished, CallError> {
            self.1.fetch_add(1, Ordering::Relaxed);
            self.0.notified().await;
            Ok(Finished::default())
        }
    }
    let started = Arc::new(AtomicU64::new(0));
    let work = Slow(Arc::clone(&release), Arc::clone(&started));
    let short = WindowPlan { limit: Duration::from_millis(50), ..plan(3, 0..1_000) };
    let late = tokio::spawn(async move {
        tokio::time::sleep(Duration::from_millis(200)).await;
        release.notify_waiters();
    });
    let window = workers(&Interrupt::new()).window(&work, short, &Declared::healthy()).await;
    late.await.expect("it does not panic");
    assert_eq!(window.end, WindowEnd::Saturated);
    assert_eq!((window.tally.attempts(), started.load(Ordering::Relaxed)), (3, 3));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_interrupt_ends_a_window_at_once_and_keeps_what_was_done() {
    let interrupt = Interrupt::new();
    let wish = interrupt.clone();
    let work = Scripted::new(move |number| {
        if number < 20 {
            return Script::Succeed;
        }
        wish.trigger();
        Script::Hang
    });
    let window = workers(&interrupt).window(&work, plan(2, 0..1_000), &Declared::healthy()).await;
    assert_eq!(window.end, WindowEnd::Interrupted);
    // The other worker may still have been busy with the twentieth when the first one came to the wish.
    assert!((19..=20).contains(&window.tally.attempts()), "{}", window.tally.attempts());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_broken_connection_makes_the_server_be_asked_and_a_lost_one_ends_the_window() {
    let broken = |number: u64| if number == 50 { Script::Fail(CallErrorKind::Connection) } else { Script::Succeed };
    let blip = workers(&Interrupt::new()).window(&Scripted::new(broken), plan(2, 0..100), &Declared::healthy()).await;
    assert_eq!(blip.end, WindowEnd::Complete, "the server was still there");
    assert_eq!(blip.tally.attempts(), 100);

    let hangs = move |number| if number > 60 { Script::Hang } else { broken(number) };
    let gone = Declared { gone_when_suspected: true, ..Declared::healthy() };
    let lost = workers(&Interrupt::new()).window(&Scripted::new(hangs), plan(2, 0..100), &gone).await;
    assert_eq!(lost.end, WindowEnd::Lost("as declared".to_owned()));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_that_reaches_its_declared_end_stops_there() {
    let too_large = CallErrorKind::Named(ErrorName::DocumentTooLarge);
    let work = Scripted::new(move |number| if number < 30 { Script::Succeed } else { Script::Fail(too_large.clone()) });
    let ends = WindowPlan { ends_when: Some(ErrorName::DocumentTooLarge), ..plan(2, 0..1_000_000) };
    let window = workers(&Interrupt::new()).window(&work, ends, &Declared::healthy()).await;
    assert_eq!(window.end, WindowEnd::Ended);
    assert!(work.seen().len() < 1_000_000, "it did not go on to the end");
}

#[path = "open_load_tests.rs"]
mod open_load;

/// A model with events, each of which ends after its time or never, and actors that take turns until they are to rest.
#[derive(Clone)]
struct Accompanied {
    work: Scripted,
    company: Arc<Company>,
}

#[derive(Default)]
struct Company {
    events: Vec<(PlannedEvent, Option<Duration>)>,
    actors: usize,
    renewed: AtomicU64,
}

impl Work for Accompanied {
    type Prepared = Script;

    fn prepare(&self, operation: usize, number: u64) -> Result<Script, CallError> {
        self.work.prepare(operation, number)
    }

    async fn execute(&self, script: Script) -> Result<Finished, CallError> {
        self.work.execute(script).await
    }

    fn company(&self) -> Option<Arc<dyn super::super::company::Company>> {
        Some(Arc::clone(&self.company) as Arc<_>)
    }
}

impl super::super::company::Company for Company {
    fn events(&self) -> Vec<PlannedEvent> {
        self.events.iter().map(|(event, _)| event.clone()).collect()
    }

    fn happen(&self, event: usize, _time: u64) -> BoxFuture<'static, Result<Done, CallError>> {
        let lasts = self.events[event].1;
        Box::pin(async move {
            match lasts {
                Some(lasts) => tokio::time::sleep(lasts).await,
                None => std::future::pending().await,
            }
            Ok(Done { round_trips: 3, written: Written { modified: 7, ..Written::default() }, ..Done::default() })
        })
    }

    fn begin(&self, rest: watch::Receiver<bool>) -> BoxFuture<'static, Vec<AtWork>> {
        let act = move |actor: usize| {
            let mut rest = rest.clone();
            let work: AtWork = Box::pin(async move {
                let mut turns = Turns { turns: 1, ..Turns::default() };
                while !*rest.borrow() {
                    turns.turns += 1;
                    let _ = tokio::time::timeout(Duration::from_millis(1), rest.wait_for(|rest| *rest)).await;
                }
                Worked { name: format!("actor {actor}"), turns }
            });
            work
        };
        let all = (0..self.actors).map(act).collect();
        Box::pin(std::future::ready(all))
    }

    fn renewed(&self) {
        self.renewed.fetch_add(1, Ordering::Relaxed);
    }
}

fn event(name: &str, at: f64, lasts: Option<Duration>) -> (PlannedEvent, Option<Duration>) {
    (PlannedEvent { name: name.to_owned(), at: Share::new(at), is_last: at >= 1.0 }, lasts)
}

async fn accompanied(company: Company, script: fn(u64) -> Script, plan: WindowPlan) -> Window {
    let work = Accompanied { work: Scripted::new(script), company: Arc::new(company) };
    workers(&Interrupt::new()).window(&work, plan, &Declared::healthy()).await
}

#[tokio::test(flavor = "multi_thread")]
async fn an_event_begins_at_its_number_and_the_window_waits_for_it() {
    let company = Company { events: vec![event("middle", 0.5, Some(Duration::from_millis(30)))], ..Company::default() };
    let eventful = WindowPlan { eventful: Some(LONG), ..plan(4, 1_000..1_800) };
    let window = accompanied(company, |_| Script::Succeed, eventful).await;
    assert_eq!((window.end, window.tally.attempts()), (WindowEnd::Complete, 800));
    let [happened] = &window.events[..] else { panic!("one event: {:?}", window.events) };
    assert_eq!((happened.name.as_str(), happened.number), ("middle", 400));
    assert_eq!((happened.outcome, happened.written, happened.requests), (EventOutcome::Complete, 7, 3));
    let (start, end) = (happened.start.expect("it began"), happened.end.expect("it ended"));
    assert!(start.get() + 0.03 <= end.get() && happened.end_number >= Some(400), "{happened:?}");
    assert_eq!(window.slices.len(), 2, "latencies of both operations are kept by slice");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_event_that_does_not_end_is_ended_with_its_window_and_said_so() {
    let events = vec![event("endless", 0.1, None), event("last", 1.0, Some(Duration::ZERO))];
    let company = Company { events, ..Company::default() };
    let eventful = WindowPlan { eventful: Some(Duration::from_millis(50)), ..plan(2, 0..100) };
    let window = accompanied(company, |_| Script::Succeed, eventful).await;
    let [endless, last] = &window.events[..] else { panic!("two events: {:?}", window.events) };
    assert_eq!((endless.outcome, endless.end, endless.start.is_some()), (EventOutcome::Unfinished, None, true));
    assert!(endless.why.as_ref().is_some_and(|why| why.contains("ended with its window")), "{endless:?}");
    assert_eq!(
        (last.outcome, last.number),
        (EventOutcome::Complete, 100),
        "it follows the last operation all the same"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn an_event_whose_number_never_comes_does_not_happen() {
    let company = Company { events: vec![event("late", 0.9, Some(Duration::ZERO))], ..Company::default() };
    let short = WindowPlan {
        limit: Duration::from_millis(50),
        grace: Duration::from_millis(50),
        eventful: Some(LONG),
        ..plan(2, 0..100)
    };
    let window = accompanied(company, |_| Script::Hang, short).await;
    assert_eq!(window.end, WindowEnd::Saturated);
    let [late] = &window.events[..] else { panic!("one event: {:?}", window.events) };
    assert_eq!((late.outcome, late.start), (EventOutcome::Unfinished, None));
    assert!(late.why.as_ref().is_some_and(|why| why.contains("before its number came")), "{late:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn actors_work_for_as_long_as_the_window_and_no_event_happens_where_none_is_to() {
    let company = Company { events: vec![event("middle", 0.5, None)], actors: 2, ..Company::default() };
    let window = accompanied(company, |_| Script::Succeed, plan(2, 0..200)).await;
    let names: Vec<_> = window.background.iter().map(|actor| actor.name.as_str()).collect();
    assert_eq!(names, ["actor 0", "actor 1"]);
    assert!(window.background.iter().all(|actor| actor.turns > 1), "{:?}", window.background);
    assert_eq!((window.events, window.slices), (Vec::new(), Vec::new()), "a lead-in has neither");
}
