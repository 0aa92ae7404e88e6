//! Taking a database for a run, keeping it, and dropping it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use bson::{DateTime, Document, doc};
use mongodb::error::{Error, ErrorKind, WriteFailure};
use mongodb::{Client, Collection, Database};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::error::GuardError;
use super::marker::{HEARTBEAT, MARKER_COLLECTION, MARKER_ID, Marker};
use super::name::DatabaseName;
use crate::server::in_brief;
use crate::words::MarkerState;

/// How long a look at a marker, or a change of it, may take: a server under load answers late.
const MARKER_LIMIT: Duration = Duration::from_secs(30);
/// How long dropping may take.
const DROP_LIMIT: Duration = Duration::from_secs(900);

/// Whether data that an earlier run kept are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reuse {
    /// No: the database is emptied.
    Never,
    /// Yes, where they are made from the same file, seed and parameters.
    Matching,
}

/// What a claimed database holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holds {
    /// Nothing but the marker.
    Nothing,
    /// The wanted data as loaded.
    Pristine,
    /// The wanted data, to which operations have written.
    Used,
}

/// A database that is this run's. While it lives, a task tells other runs so; dropping it only ends that task: the
/// database stays, as an orphan, unless it was dropped or kept before.
#[derive(Debug)]
pub struct ClaimedDatabase {
    database: Database,
    name: DatabaseName,
    run: String,
    holds: Holds,
    lost: Arc<AtomicBool>,
    heartbeat: JoinHandle<()>,
}

/// Takes a database for a run, or refuses without having touched anything: it must be empty, or bear the marker of an
/// owner that is dead or has kept it, made from the same file. Of several runs that try at once one succeeds.
///
/// # Errors
/// Why it may not be taken, with the command that helps.
pub async fn claim(
    client: &Client,
    name: &DatabaseName,
    marker: Marker,
    reuse: Reuse,
) -> Result<ClaimedDatabase, GuardError> {
    let place = Place::new(client, name.as_str());
    refuse_case_clash(client, name.as_str()).await?;
    let holds = match place.read().await? {
        Some(found) => place.take_over(&found, &marker, reuse).await?,
        None => place.settle(&marker).await?,
    };
    let lost = Arc::new(AtomicBool::new(false));
    let heartbeat = tokio::spawn(beat(place.markers(), marker.owner.run.clone(), Arc::clone(&lost)));
    let claimed =
        ClaimedDatabase { database: place.database, name: name.clone(), run: marker.owner.run, holds, lost, heartbeat };
    if holds == Holds::Nothing {
        claimed.clear().await?;
    }
    Ok(claimed)
}

impl ClaimedDatabase {
    /// Its name.
    pub fn name(&self) -> &DatabaseName {
        &self.name
    }

    /// The database.
    pub fn database(&self) -> &Database {
        &self.database
    }

    /// What it held when it was claimed.
    pub fn holds(&self) -> Holds {
        self.holds
    }

    /// Records how far the data are.
    ///
    /// # Errors
    /// [`GuardError::Lost`] when the database is no longer this run's.
    pub async fn set_state(&self, state: MarkerState) -> Result<(), GuardError> {
        let mut set = doc! {"state": state.word()};
        match state {
            MarkerState::Pristine => drop(set.insert("pristine", true)),
            MarkerState::Loading | MarkerState::Used => drop(set.insert("pristine", false)),
            // Whether they are as loaded stays told.
            MarkerState::Kept => {}
        }
        let update = doc! {"$set": set, "$currentDate": {"heartbeat": true}};
        let markers = self.place().markers();
        let answer = within(MARKER_LIMIT, markers.update_one(owned_by(&self.run), update).into_future()).await;
        match answer.map_err(|message| self.failed("mark", message))?.matched_count {
            0 => Err(self.lost_to().await),
            _ => Ok(()),
        }
    }

    /// Whether the database is known to be no longer this run's, as the last sign of life found.
    pub fn is_lost(&self) -> bool {
        self.lost.load(Ordering::Relaxed)
    }

    /// Ends the signs of life: for a server of our own, which stands still at times so that they would only pile up, and
    /// which no other run can know of.
    pub fn keep_silent(&self) {
        self.heartbeat.abort();
    }

    /// Drops everything but the marker.
    ///
    /// # Errors
    /// [`GuardError::Lost`] when the database is no longer this run's; nothing is dropped then.
    pub async fn clear(&self) -> Result<(), GuardError> {
        self.check().await?;
        for name in self.place().collections().await?.into_iter().filter(|name| is_data(name)) {
            let dropped = within(DROP_LIMIT, self.database.collection::<Document>(&name).drop().into_future()).await;
            dropped.map_err(|message| self.failed("empty", message))?;
        }
        Ok(())
    }

    /// Drops the database, after a last look at its marker.
    ///
    /// # Errors
    /// [`GuardError::Lost`] when the database is no longer this run's; it is not dropped then.
    pub async fn drop_database(self) -> Result<(), GuardError> {
        self.heartbeat.abort();
        self.check().await?;
        let dropped = within(DROP_LIMIT, self.database.drop().into_future()).await;
        dropped.map_err(|message| self.failed("drop", message))
    }

    /// Leaves the data for later runs and lets go of them.
    ///
    /// # Errors
    /// [`GuardError::Lost`] when the database is no longer this run's.
    pub async fn keep(self) -> Result<(), GuardError> {
        self.heartbeat.abort();
        self.set_state(MarkerState::Kept).await
    }

    fn place(&self) -> Place {
        Place { database: self.database.clone(), name: self.name.to_string() }
    }

    async fn check(&self) -> Result<(), GuardError> {
        match self.place().read().await? {
            Some(marker) if marker.owner.run == self.run => Ok(()),
            _ => Err(self.lost_to().await),
        }
    }

    async fn lost_to(&self) -> GuardError {
        self.lost.store(true, Ordering::Relaxed);
        let found = match self.place().read().await {
            Ok(Some(marker)) => format!("is now that of {}", marker.owner),
            Ok(None) => "is gone".to_owned(),
            Err(error) => return error,
        };
        GuardError::Lost { name: self.name.to_string(), found }
    }

    fn failed(&self, what: &'static str, message: String) -> GuardError {
        GuardError::Server { what, name: self.name.to_string(), message }
    }
}

impl Drop for ClaimedDatabase {
    fn drop(&mut self) {
        self.heartbeat.abort();
    }
}

/// Gives a sign of life now and then, until the marker is another's.
async fn beat(markers: Collection<Document>, run: String, lost: Arc<AtomicBool>) {
    loop {
        tokio::time::sleep(HEARTBEAT).await;
        let update = doc! {"$currentDate": {"heartbeat": true}};
        // A beat that fails is made up for by the next one; if the server is gone, the run learns it by itself.
        if let Ok(answer) = within(MARKER_LIMIT, markers.update_one(owned_by(&run), update).into_future()).await
            && answer.matched_count == 0
        {
            lost.store(true, Ordering::Relaxed);
            return;
        }
    }
}

/// A database that may or may not be ours, and what can be done with it before it is.
pub(super) struct Place {
    pub(super) database: Database,
    name: String,
}

impl Place {
    pub(super) fn new(client: &Client, name: &str) -> Self {
        Self { database: client.database(name), name: name.to_owned() }
    }

    fn markers(&self) -> Collection<Document> {
        self.database.collection(MARKER_COLLECTION)
    }

    fn failed(&self, what: &'static str) -> impl Fn(String) -> GuardError {
        move |message| GuardError::Server { what, name: self.name.clone(), message }
    }

    /// The database's marker. A document in its place that is no marker makes the database foreign.
    pub(super) async fn read(&self) -> Result<Option<Marker>, GuardError> {
        let read = within(MARKER_LIMIT, self.markers().find_one(doc! {"_id": MARKER_ID}).into_future()).await;
        match read.map_err(self.failed("read the marker of"))? {
            None => Ok(None),
            Some(document) => Marker::from_document(&document)
                .map(Some)
                .ok_or_else(|| self.foreign("a marker that this version of patternbench does not understand")),
        }
    }

    async fn collections(&self) -> Result<Vec<String>, GuardError> {
        let listed = within(MARKER_LIMIT, self.database.list_collection_names().into_future()).await;
        listed.map_err(self.failed("list the collections of"))
    }

    /// The server's time.
    pub(super) async fn now(&self) -> Result<DateTime, GuardError> {
        let hello = within(MARKER_LIMIT, self.database.run_command(doc! {"hello": 1}).into_future()).await;
        let hello = hello.map_err(self.failed("ask the time before touching"))?;
        Ok(hello.get_datetime("localTime").copied().unwrap_or_else(|_| DateTime::now()))
    }

    fn foreign(&self, what: &str) -> GuardError {
        GuardError::Foreign { name: self.name.clone(), what: what.to_owned() }
    }

    fn live(&self, found: &Marker, now: DateTime) -> GuardError {
        GuardError::LiveOwner {
            name: self.name.clone(),
            owner: found.owner.to_string(),
            silence_seconds: found.silence(now).as_secs(),
        }
    }

    /// Puts the marker into an empty database.
    async fn settle(&self, marker: &Marker) -> Result<Holds, GuardError> {
        self.refuse_foreign().await?;
        // Matches no document and inserts one: with the fixed `_id` the server lets one of several runs do so.
        let filter = doc! {"_id": MARKER_ID, "owner.run": {"$in": []}};
        let update = doc! {"$setOnInsert": marker.fields(), "$currentDate": {"heartbeat": true}};
        let inserted =
            within_raw(MARKER_LIMIT, self.markers().update_one(filter, update).upsert(true).into_future()).await;
        match inserted {
            Ok(_) => {}
            Err(Failed::Driver(error)) if code(&error) == Some(DUPLICATE_KEY) => return Err(self.lost_race().await?),
            Err(failed) => return Err(self.failed("mark")(failed.message())),
        }
        // Somebody may have filled it between the look and the marker.
        if let Err(refusal) = self.refuse_foreign().await {
            self.withdraw(&marker.owner.run).await?;
            return Err(refusal);
        }
        Ok(Holds::Nothing)
    }

    async fn refuse_foreign(&self) -> Result<(), GuardError> {
        match self.collections().await?.iter().filter(|name| is_data(name)).min() {
            Some(first) => Err(self.foreign(&format!("the collection {first}"))),
            None => Ok(()),
        }
    }

    /// Takes the marker away again: the database is foreign after all.
    async fn withdraw(&self, run: &str) -> Result<(), GuardError> {
        let deleted = within(MARKER_LIMIT, self.markers().delete_one(owned_by(run)).into_future()).await;
        deleted.map(drop).map_err(self.failed("take the marker from"))
    }

    async fn lost_race(&self) -> Result<GuardError, GuardError> {
        Ok(match self.read().await? {
            Some(winner) => self.live(&winner, self.now().await?),
            None => self.foreign("another run's marker, which is gone again; try again"),
        })
    }

    /// Takes over a database whose owner is dead or has let go of it.
    pub(super) async fn take_over(&self, found: &Marker, marker: &Marker, reuse: Reuse) -> Result<Holds, GuardError> {
        let now = self.now().await?;
        if found.is_live(now) {
            return Err(self.live(found, now));
        }
        if found.state == MarkerState::Kept && found.file_sha256 != marker.file_sha256 {
            return Err(GuardError::KeptFromOtherFile {
                name: self.name.clone(),
                run: found.owner.run.clone(),
                file: found.file_sha256.chars().take(8).collect(),
            });
        }
        let holds = reusable(found, marker, reuse);
        self.replace(found, &as_taken(marker, holds)).await?;
        Ok(holds)
    }

    /// Replaces a marker by another unless it changed meanwhile.
    pub(super) async fn replace(&self, found: &Marker, marker: &Marker) -> Result<(), GuardError> {
        let unchanged = doc! {"_id": MARKER_ID, "owner.run": &found.owner.run, "heartbeat": found.heartbeat};
        let update = doc! {"$set": marker.fields(), "$currentDate": {"heartbeat": true}};
        let replaced = within(MARKER_LIMIT, self.markers().update_one(unchanged, update).into_future()).await;
        match replaced.map_err(self.failed("mark"))?.matched_count {
            0 => Err(self.lost_race().await?),
            _ => Ok(()),
        }
    }

    /// Drops the database if it is the run's, after a last look at its marker.
    pub(super) async fn drop_if_owned(&self, run: &str) -> Result<(), GuardError> {
        match self.read().await? {
            Some(marker) if marker.owner.run == run => {
                let dropped = within(DROP_LIMIT, self.database.drop().into_future()).await;
                dropped.map_err(self.failed("drop"))
            }
            Some(other) => Err(self.live(&other, self.now().await?)),
            None => Err(self.foreign("no marker any more")),
        }
    }
}

/// What of the found data the run can use.
fn reusable(found: &Marker, wanted: &Marker, reuse: Reuse) -> Holds {
    match (reuse, found.state, found.pristine) {
        (Reuse::Matching, MarkerState::Kept, pristine) if found.same_data(wanted) => {
            if pristine {
                Holds::Pristine
            } else {
                Holds::Used
            }
        }
        _ => Holds::Nothing,
    }
}

/// The marker as it stands once the database is taken.
fn as_taken(marker: &Marker, holds: Holds) -> Marker {
    let state = match holds {
        Holds::Nothing => MarkerState::Loading,
        Holds::Pristine => MarkerState::Pristine,
        Holds::Used => MarkerState::Used,
    };
    Marker { state, pristine: holds == Holds::Pristine, ..marker.clone() }
}

fn owned_by(run: &str) -> Document {
    doc! {"_id": MARKER_ID, "owner.run": run}
}

/// Whether a collection is neither the marker's nor the server's own.
fn is_data(collection: &str) -> bool {
    collection != MARKER_COLLECTION && !collection.starts_with("system.")
}

/// Servers refuse a database whose name differs from another's in case alone, in the midst of the first write.
async fn refuse_case_clash(client: &Client, name: &str) -> Result<(), GuardError> {
    let failed = |message| GuardError::Server { what: "look for others like", name: name.to_owned(), message };
    // A user who may not list them is told of a clash by the first write.
    let names = database_names(client).await.map_err(failed)?.unwrap_or_default();
    match names.into_iter().find(|other| other != name && other.eq_ignore_ascii_case(name)) {
        Some(other) => Err(GuardError::CaseClash { name: name.to_owned(), other }),
        None => Ok(()),
    }
}

/// The server's databases: all of them, else those that the user has rights on; `None` where the user may list neither.
pub(super) async fn database_names(client: &Client) -> Result<Option<Vec<String>>, String> {
    for only_authorized in [false, true] {
        let names = client.list_database_names().authorized_databases(only_authorized).into_future();
        match within_raw(MARKER_LIMIT, names).await {
            Err(Failed::Driver(error)) if code(&error) == Some(UNAUTHORIZED) => {}
            answer => return answer.map(Some).map_err(|failed| failed.message()),
        }
    }
    Ok(None)
}

/// Codes of server errors.
const DUPLICATE_KEY: i32 = 11000;
const UNAUTHORIZED: i32 = 13;

fn code(error: &Error) -> Option<i32> {
    match error.kind.as_ref() {
        ErrorKind::Write(WriteFailure::WriteError(error)) => Some(error.code),
        ErrorKind::Command(error) => Some(error.code),
        _ => None,
    }
}

enum Failed {
    Driver(Error),
    Late(Duration),
}

impl Failed {
    fn message(&self) -> String {
        match self {
            Self::Driver(error) => in_brief(error),
            Self::Late(limit) => format!("no answer within {} s", limit.as_secs()),
        }
    }
}

async fn within_raw<T>(limit: Duration, answer: impl Future<Output = mongodb::error::Result<T>>) -> Result<T, Failed> {
    match timeout(limit, answer).await {
        Ok(answer) => answer.map_err(Failed::Driver),
        Err(_) => Err(Failed::Late(limit)),
    }
}

/// The answer within bounded time, or what went wrong in words.
pub(super) async fn within<T>(
    limit: Duration,
    answer: impl Future<Output = mongodb::error::Result<T>>,
) -> Result<T, String> {
    within_raw(limit, answer).await.map_err(|failed| failed.message())
}
