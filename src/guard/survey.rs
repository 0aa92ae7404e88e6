//! Databases that earlier runs left on a server.

use std::time::Duration;

use mongodb::Client;

use super::claim::{Place, database_names};
use super::error::{GuardError, in_words};
use super::marker::Marker;
use super::owner::Owner;
use crate::server::DATABASE_PREFIX;
use crate::words::MarkerState;

/// Whose a database is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// Its run ended without dropping it.
    Orphan,
    /// Its run kept it for later runs.
    Kept,
    /// Its run is at work.
    Live,
}

/// A database that bears patternbench's marker.
#[derive(Debug, Clone)]
pub struct Found {
    /// Its name.
    pub name: String,
    /// Its marker.
    pub marker: Marker,
    /// Whose it is.
    pub standing: Standing,
    /// How long its owner has been silent.
    pub silence: Duration,
}

/// Everything under patternbench's prefix.
#[derive(Debug, Clone, Default)]
pub struct Survey {
    /// Databases with a marker, by name.
    pub found: Vec<Found>,
    /// Databases without one: not patternbench's, whatever their name.
    pub unmarked: Vec<String>,
}

impl std::fmt::Display for Found {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let standing = match self.standing {
            Standing::Orphan => "left behind by",
            Standing::Kept => "kept by",
            Standing::Live => "in use by",
        };
        let content = match (self.marker.state, self.marker.pristine) {
            (MarkerState::Kept, true) => "as loaded",
            (MarkerState::Kept, false) => "used",
            (state, _) => in_words(state),
        };
        let silence = for_people(self.silence);
        write!(f, "{}: {content}, {standing} {}, last heard {silence} ago", self.name, self.marker.owner)
    }
}

fn for_people(time: Duration) -> String {
    match time.as_secs() {
        seconds @ 0..120 => format!("{seconds} s"),
        seconds @ 120..7_200 => format!("{} min", seconds / 60),
        seconds @ 7_200..172_800 => format!("{} h", seconds / 3_600),
        seconds => format!("{} days", seconds / 86_400),
    }
}

/// Lists the databases under patternbench's prefix with what their markers say; touches nothing.
///
/// # Errors
/// Where the server does not answer.
pub async fn orphans(client: &Client) -> Result<Survey, GuardError> {
    let failed = |message| GuardError::Server { what: "list every", name: format!("{DATABASE_PREFIX}…"), message };
    let names = database_names(client).await.map_err(failed)?;
    let mut names = names.ok_or_else(|| failed("this user may not list databases".to_owned()))?;
    names.retain(|name| name.starts_with(DATABASE_PREFIX));
    names.sort_unstable();
    let mut survey = Survey::default();
    for name in names {
        match look(client, &name).await? {
            Some(found) => survey.found.push(found),
            None => survey.unmarked.push(name),
        }
    }
    Ok(survey)
}

async fn look(client: &Client, name: &str) -> Result<Option<Found>, GuardError> {
    let place = Place::new(client, name);
    let marker = match place.read().await {
        Ok(Some(marker)) => marker,
        Ok(None) | Err(GuardError::Foreign { .. }) => return Ok(None),
        Err(error) => return Err(error),
    };
    let now = place.now().await?;
    let standing = match marker.state {
        MarkerState::Kept => Standing::Kept,
        _ if marker.is_live(now) => Standing::Live,
        _ => Standing::Orphan,
    };
    Ok(Some(Found { name: name.to_owned(), silence: marker.silence(now), marker, standing }))
}

/// Drops a database that was found to be orphaned or kept, unless a run has taken it since.
///
/// # Errors
/// Where a run is at work in it; then nothing is dropped.
pub async fn remove(client: &Client, found: &Found, run: &str) -> Result<(), GuardError> {
    let place = Place::new(client, &found.name);
    if found.standing == Standing::Live {
        return Err(GuardError::LiveOwner {
            name: found.name.clone(),
            owner: found.marker.owner.to_string(),
            silence_seconds: found.silence.as_secs(),
        });
    }
    // Taken over first, so that a run that claims it at the same moment is told so.
    let taken = Marker { owner: Owner::this_process(run), state: MarkerState::Loading, ..found.marker.clone() };
    place.replace(&found.marker, &taken).await?;
    place.drop_if_owned(run).await
}
