//! Whose a database is, and what may be done to it: against a real server.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod support;

use std::time::Duration;

use bson::{Bson, DateTime, Document, doc};
use futures_util::future::join_all;
use mongodb::{Client, IndexModel};
use patternbench::guard::{
    ClaimedDatabase, DatabaseName, GuardError, Holds, MARKER_COLLECTION, Marker, Owner, Purpose, Reuse, Standing,
    claim, orphans, remove, user_roles,
};
use patternbench::value::Parameters;
use patternbench::words::MarkerState;
use support::manual::{ENCODED_PASSWORD, ManualServer, USER, Wants};

const FILE: &str = "0123456789abcdef";

fn name(stem: &str) -> DatabaseName {
    DatabaseName::model(&support::unique_name(stem), "naive", Purpose::Measured).unwrap()
}

fn marker(run: &str, file: &str, products: i32) -> Marker {
    let parameters = Parameters::from([("products".to_owned(), Bson::Int32(products))]);
    Marker::new(Owner::this_process(run), file, 1, &parameters)
}

async fn take(client: &Client, name: &DatabaseName, run: &str) -> Result<ClaimedDatabase, GuardError> {
    claim(client, name, marker(run, FILE, 20), Reuse::Never).await
}

async fn take_again(
    client: &Client,
    name: &DatabaseName,
    file: &str,
    products: i32,
) -> Result<ClaimedDatabase, GuardError> {
    claim(client, name, marker("later", file, products), Reuse::Matching).await
}

/// A document as loading would write it.
async fn fill(claimed: &ClaimedDatabase) {
    claimed.database().collection("products").insert_one(doc! {"_id": 1}).await.unwrap();
}

async fn products(client: &Client, name: &DatabaseName) -> u64 {
    client.database(name.as_str()).collection::<Document>("products").count_documents(doc! {}).await.unwrap()
}

async fn exists(client: &Client, name: &DatabaseName) -> bool {
    client.list_database_names().await.unwrap().iter().any(|other| other == name.as_str())
}

/// Rewrites the marker as if its owner were a process of another machine, silent for so long.
async fn silence_owner(client: &Client, name: &DatabaseName, seconds: i64) {
    let last = DateTime::from_millis(DateTime::now().timestamp_millis() - seconds * 1000);
    let change = doc! {"$set": {"heartbeat": last, "owner.host": "elsewhere", "owner.space": "another boot"}};
    let markers = client.database(name.as_str()).collection::<Document>(MARKER_COLLECTION);
    assert_eq!(markers.update_one(doc! {}, change).await.unwrap().matched_count, 1);
}

#[tokio::test]
async fn an_empty_database_is_marked_filled_and_dropped() {
    let client = support::client().await;
    let name = name("plain");
    let claimed = take(&client, &name, "run-1").await.unwrap();
    assert_eq!(claimed.holds(), Holds::Nothing);
    fill(&claimed).await;
    claimed.set_state(MarkerState::Pristine).await.unwrap();

    claimed.drop_database().await.unwrap();
    assert!(!exists(&client, &name).await);
}

#[tokio::test]
async fn a_database_that_holds_foreign_data_is_refused_and_left_as_it_is() {
    let client = support::client().await;
    let name = name("foreign");
    let database = client.database(name.as_str());
    database.collection("orders").insert_one(doc! {"_id": 1, "paid": true}).await.unwrap();

    let error = take(&client, &name, "run-1").await.unwrap_err();

    assert!(matches!(error, GuardError::Foreign { .. }), "{error}");
    assert!(error.to_string().contains(name.as_str()) && error.to_string().contains("orders"), "{error}");
    assert_eq!(database.list_collection_names().await.unwrap(), ["orders"], "not even a marker was left");
    let orders = database.collection::<Document>("orders").find_one(doc! {}).await.unwrap();
    assert_eq!(orders, Some(doc! {"_id": 1, "paid": true}));
}

#[tokio::test]
async fn a_document_in_the_markers_place_that_is_none_makes_the_database_foreign() {
    let client = support::client().await;
    let name = name("impostor");
    let markers = client.database(name.as_str()).collection(MARKER_COLLECTION);
    markers.insert_one(doc! {"_id": "marker", "by": "hand"}).await.unwrap();

    assert!(matches!(take(&client, &name, "run-1").await, Err(GuardError::Foreign { .. })));
    assert_eq!(orphans(&client).await.unwrap().unmarked.iter().filter(|other| *other == name.as_str()).count(), 1);
}

#[tokio::test]
async fn a_second_run_is_refused_while_the_first_lives() {
    let client = support::client().await;
    let name = name("two-runs");
    let first = take(&client, &name, "run-1").await.unwrap();
    fill(&first).await;

    let error = take(&client, &name, "run-2").await.unwrap_err();

    assert!(matches!(error, GuardError::LiveOwner { .. }), "{error}");
    assert!(error.to_string().contains("run-1") && error.to_string().contains(name.as_str()), "{error}");
    assert_eq!(products(&client, &name).await, 1);
}

#[tokio::test]
async fn of_many_runs_that_claim_at_once_exactly_one_succeeds() {
    let client = support::client().await;
    let name = name("race");
    let runs: Vec<String> = (0..12).map(|number| format!("run-{number}")).collect();

    let outcomes = join_all(runs.iter().map(|run| take(&client, &name, run))).await;

    assert_eq!(outcomes.iter().filter(|outcome| outcome.is_ok()).count(), 1);
    for error in outcomes.into_iter().filter_map(Result::err) {
        assert!(matches!(error, GuardError::LiveOwner { .. }), "{error}");
    }
}

#[tokio::test]
async fn of_many_runs_that_take_over_an_orphan_at_once_exactly_one_succeeds() {
    let client = support::client().await;
    let name = name("orphan-race");
    drop(take(&client, &name, "dead").await.unwrap());
    silence_owner(&client, &name, 31).await;

    let outcomes = join_all((0..12).map(async |number| take(&client, &name, &format!("run-{number}")).await)).await;

    assert_eq!(outcomes.iter().filter(|outcome| outcome.is_ok()).count(), 1);
}

#[tokio::test]
async fn an_orphan_is_taken_over_and_emptied_once_its_owner_was_silent_for_long() {
    let client = support::client().await;
    let name = name("orphan");
    let dead = take(&client, &name, "dead").await.unwrap();
    fill(&dead).await;
    drop(dead);

    silence_owner(&client, &name, 20).await;
    assert!(
        matches!(take(&client, &name, "run-1").await, Err(GuardError::LiveOwner { .. })),
        "perhaps it only stutters"
    );
    silence_owner(&client, &name, 31).await;
    let claimed = take(&client, &name, "run-1").await.unwrap();

    assert_eq!(claimed.holds(), Holds::Nothing);
    assert_eq!(products(&client, &name).await, 0);
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn the_orphan_of_a_process_of_this_machine_that_has_ended_is_taken_over_at_once() {
    let client = support::client().await;
    let name = name("killed");
    drop(take(&client, &name, "killed").await.unwrap());
    let mut child = std::process::Command::new("true").spawn().unwrap();
    let ended = i64::from(child.id());
    child.wait().unwrap();
    let markers = client.database(name.as_str()).collection::<Document>(MARKER_COLLECTION);
    markers.update_one(doc! {}, doc! {"$set": {"owner.process": ended}}).await.unwrap();

    assert!(take(&client, &name, "run-1").await.is_ok());
}

#[tokio::test]
async fn an_owner_gives_signs_of_life_by_itself_and_notices_when_it_has_lost_the_database() {
    let client = support::client().await;
    let name = name("beating");
    let claimed = take(&client, &name, "run-1").await.unwrap();
    let markers = client.database(name.as_str()).collection::<Document>(MARKER_COLLECTION);
    let last_sign = async || *markers.find_one(doc! {}).await.unwrap().unwrap().get_datetime("heartbeat").unwrap();

    let first = last_sign().await;
    while last_sign().await == first {
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    markers.update_one(doc! {}, doc! {"$set": {"owner.run": "run-2"}}).await.unwrap();
    while !claimed.is_lost() {
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

#[tokio::test]
async fn a_database_lost_to_another_run_is_neither_changed_nor_dropped() {
    let client = support::client().await;
    let name = name("lost");
    let first = take(&client, &name, "run-1").await.unwrap();
    silence_owner(&client, &name, 31).await;
    let second = take(&client, &name, "run-2").await.unwrap();
    fill(&second).await;

    let error = first.set_state(MarkerState::Used).await.unwrap_err();
    assert!(matches!(&error, GuardError::Lost { found, .. } if found.contains("run-2")), "{error}");
    assert!(first.is_lost());
    assert!(matches!(first.clear().await, Err(GuardError::Lost { .. })));
    assert!(matches!(first.drop_database().await, Err(GuardError::Lost { .. })));
    assert_eq!(products(&client, &name).await, 1);
}

#[tokio::test]
async fn a_database_whose_marker_was_removed_is_not_dropped() {
    let client = support::client().await;
    let name = name("unmarked");
    let claimed = take(&client, &name, "run-1").await.unwrap();
    fill(&claimed).await;
    claimed.database().collection::<Document>(MARKER_COLLECTION).drop().await.unwrap();

    assert!(matches!(claimed.drop_database().await, Err(GuardError::Lost { .. })));
    assert_eq!(products(&client, &name).await, 1);
}

#[tokio::test]
async fn kept_data_are_taken_again_where_file_seed_and_parameters_agree() {
    let client = support::client().await;
    let name = name("kept");
    let first = take(&client, &name, "run-1").await.unwrap();
    fill(&first).await;
    first.set_state(MarkerState::Pristine).await.unwrap();
    first.keep().await.unwrap();

    let again = take_again(&client, &name, FILE, 20).await.unwrap();
    assert_eq!(again.holds(), Holds::Pristine);
    assert_eq!(products(&client, &name).await, 1);

    again.set_state(MarkerState::Used).await.unwrap();
    again.keep().await.unwrap();
    let used = take_again(&client, &name, FILE, 20).await.unwrap();
    assert_eq!(used.holds(), Holds::Used, "operations have written to them");

    used.keep().await.unwrap();
    let rebuilt = take_again(&client, &name, FILE, 21).await.unwrap();
    assert_eq!(rebuilt.holds(), Holds::Nothing, "other parameters make other data");
    assert_eq!(products(&client, &name).await, 0);
}

#[tokio::test]
async fn data_kept_from_another_file_are_refused_with_the_command_that_drops_them() {
    let client = support::client().await;
    let name = name("other-file");
    let first = take(&client, &name, "run-1").await.unwrap();
    fill(&first).await;
    first.keep().await.unwrap();

    for reuse in [Reuse::Never, Reuse::Matching] {
        let error = claim(&client, &name, marker("later", "fedcba9876543210", 20), reuse).await.unwrap_err();
        assert!(matches!(error, GuardError::KeptFromOtherFile { .. }), "{error}");
        assert!(error.to_string().contains("patternbench clean"), "{error}");
    }
    assert_eq!(products(&client, &name).await, 1);
}

#[tokio::test]
async fn half_loaded_data_are_never_reused() {
    let client = support::client().await;
    let name = name("half");
    let first = take(&client, &name, "run-1").await.unwrap();
    fill(&first).await;
    drop(first);
    silence_owner(&client, &name, 31).await;

    let again = take_again(&client, &name, FILE, 20).await.unwrap();
    assert_eq!(again.holds(), Holds::Nothing);
    assert_eq!(products(&client, &name).await, 0);
}

#[tokio::test]
async fn a_name_that_differs_in_capitals_alone_is_refused() {
    let client = support::client().await;
    let name = name("case");
    let other = name.as_str().to_uppercase();
    client.database(&other).collection("x").insert_one(doc! {}).await.unwrap();

    let error = take(&client, &name, "run-1").await.unwrap_err();
    assert!(matches!(error, GuardError::CaseClash { .. }) && error.to_string().contains(&other), "{error}");
}

#[tokio::test]
async fn orphans_and_kept_data_are_listed_and_dropped_live_ones_are_not() {
    let client = support::client().await;
    let (orphan, kept, live, foreign) = (name("left"), name("kept-back"), name("live"), name("no-marker"));
    drop(take(&client, &orphan, "dead").await.unwrap());
    silence_owner(&client, &orphan, 3_600).await;
    take(&client, &kept, "careful").await.unwrap().keep().await.unwrap();
    let _live = take(&client, &live, "busy").await.unwrap();
    client.database(foreign.as_str()).collection("x").insert_one(doc! {}).await.unwrap();

    let survey = orphans(&client).await.unwrap();
    let found = |name: &DatabaseName| survey.found.iter().find(|found| found.name == name.as_str()).unwrap();
    assert_eq!(found(&orphan).standing, Standing::Orphan);
    assert_eq!(found(&kept).standing, Standing::Kept);
    assert_eq!(found(&live).standing, Standing::Live);
    assert!(survey.unmarked.iter().any(|name| name == foreign.as_str()));
    assert!(found(&orphan).to_string().contains("left behind by run dead"), "{}", found(&orphan));

    remove(&client, found(&orphan), "clean").await.unwrap();
    remove(&client, found(&kept), "clean").await.unwrap();
    assert!(matches!(remove(&client, found(&live), "clean").await, Err(GuardError::LiveOwner { .. })));
    for (name, there) in [(&orphan, false), (&kept, false), (&live, true), (&foreign, true)] {
        assert_eq!(exists(&client, name).await, there, "{name}");
    }
}

#[tokio::test]
async fn an_orphan_that_a_run_takes_after_the_survey_is_not_dropped() {
    let client = support::client().await;
    let name = name("retaken");
    drop(take(&client, &name, "dead").await.unwrap());
    silence_owner(&client, &name, 31).await;
    let survey = orphans(&client).await.unwrap();
    let found = survey.found.iter().find(|found| found.name == name.as_str()).unwrap();

    let claimed = take(&client, &name, "run-1").await.unwrap();
    fill(&claimed).await;

    assert!(remove(&client, found, "clean").await.is_err());
    assert_eq!(products(&client, &name).await, 1);
}

#[tokio::test]
async fn the_roles_that_doctor_prints_suffice_for_everything_and_reach_no_further() {
    let manual = ManualServer::start(Wants::Password).await;
    let name = name("roles");
    let root = Client::with_uri_str(manual.uri()).await.unwrap();
    let user = doc! {"createUser": "bench", "pwd": "pw", "roles": user_roles(std::slice::from_ref(&name))};
    root.database("admin").run_command(user).await.unwrap();
    let uri = manual.uri().replace(&format!("{USER}:{ENCODED_PASSWORD}"), "bench:pw");
    let client = Client::with_uri_str(uri).await.unwrap();

    let claimed = take(&client, &name, "run-1").await.unwrap();
    fill(&claimed).await;
    let index = IndexModel::builder().keys(doc! {"a": 1}).build();
    claimed.database().collection::<Document>("products").create_index(index).await.unwrap();
    let sizes = claimed.database().run_command(doc! {"collStats": "products"}).await.unwrap();
    assert!(sizes.contains_key("size"));
    claimed.set_state(MarkerState::Pristine).await.unwrap();
    // mongod lists what such a user has rights on; this server lists nothing, and says so.
    assert!(orphans(&client).await.unwrap_err().to_string().contains("may not list databases"));
    claimed.clear().await.unwrap();
    claimed.drop_database().await.unwrap();
    assert!(!exists(&root, &name).await);

    let elsewhere = client.database("shop").collection("orders").insert_one(doc! {}).await;
    assert!(elsewhere.is_err(), "rights on the planned databases alone");
}
