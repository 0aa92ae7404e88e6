//! Replies as products and versions write them, each with what is to be read from it.

use bson::{Bson, Document, doc};
use proptest::prelude::*;

use super::Explained;
use crate::words::SortedInMemory;

macro_rules! reply {
    ($name:literal) => {
        read(include_str!(concat!("fixtures/", $name, ".json")))
    };
}

fn read(text: &str) -> Explained {
    let value: serde_json::Value = serde_json::from_str(text).expect("a fixture is JSON");
    let reply = Bson::try_from(value).expect("a fixture is Extended JSON");
    Explained::read(reply.as_document().expect("a reply is a document"))
}

/// Keys and documents examined, matched, returned.
fn figures(explained: &Explained) -> [Option<u64>; 4] {
    let Explained { keys_examined, docs_examined, matched, returned, .. } = explained;
    [*keys_examined, *docs_examined, *matched, *returned]
}

fn all(figures: [u64; 4]) -> [Option<u64>; 4] {
    figures.map(Some)
}

fn way(explained: &Explained) -> (Option<&str>, Option<String>) {
    (explained.stage.as_deref(), explained.index())
}

fn named(name: &str) -> Option<String> {
    Some(name.to_owned())
}

#[test]
fn the_classic_engine_counts_in_a_tree_like_its_plan() {
    let found = reply!("classic_find");
    assert_eq!(way(&found), (Some("IXSCAN"), named("category_1_price_1")));
    assert_eq!(found.above, ["FETCH", "LIMIT", "PROJECTION_SIMPLE"]);
    // The fetch passes 20 of the 23 keys of the index.
    assert_eq!(figures(&found), all([23, 23, 20, 20]));
    assert_eq!((found.in_memory_sort, found.shards, found.joined.len()), (None, None, 0));
}

#[test]
fn a_sort_over_a_scan_reads_all_that_matches_before_it_returns_the_first() {
    let found = reply!("classic_sort_on_scan");
    assert_eq!(way(&found), (Some("COLLSCAN"), None));
    assert_eq!(figures(&found), all([0, 2_000, 100, 10]));
    assert_eq!(found.in_memory_sort, Some(SortedInMemory::Documents));
}

#[test]
fn documents_named_by_id_come_in_no_order_from_any_index() {
    let found = reply!("classic_sort_of_chosen");
    assert_eq!(found.in_memory_sort, Some(SortedInMemory::Results));
    assert_eq!(figures(&found), all([5, 3, 3, 3]));
}

#[test]
fn a_fetch_after_the_sort_of_keys_filters_nothing() {
    let found = reply!("classic_sort_below_fetch");
    assert_eq!(figures(&found), all([40, 5, 40, 5]));
    assert_eq!(found.in_memory_sort, Some(SortedInMemory::Documents));
}

#[test]
fn branches_of_an_or_use_an_index_each() {
    let found = reply!("or");
    assert_eq!(way(&found), (Some("IXSCAN"), named("name_1, name.last_1")));
    assert_eq!(figures(&found), all([5, 4, 4, 4]));
}

#[test]
fn point_lookups_are_express_since_8_0_and_were_idhack_before() {
    let found = reply!("express_find");
    assert_eq!(way(&found), (Some("EXPRESS_IXSCAN"), named("_id_")));
    assert_eq!(figures(&found), all([1, 1, 1, 1]));
    // A version writes the key pattern and the writing stage into the name of the reading one.
    let found = reply!("express_update");
    assert_eq!(way(&found), (Some("EXPRESS_IXSCAN"), named("_id_")));
    assert_eq!(figures(&found)[..3], all([1, 1, 1, 0])[..3]);
    let found = reply!("idhack_update");
    assert_eq!(way(&found), (Some("IDHACK"), named("_id_")));
    assert_eq!(figures(&found)[..3], all([1, 1, 1, 0])[..3]);
}

#[test]
fn writes_match_what_they_would_write_to() {
    let found = reply!("update_many");
    assert_eq!((found.matched, &*found.above), (Some(12), &["FETCH".to_owned(), "UPDATE".to_owned()][..]));
    let found = reply!("delete");
    assert_eq!(way(&found), (Some("COLLSCAN"), None));
    assert_eq!(figures(&found)[..3], all([0, 80, 3, 0])[..3]);
}

#[test]
fn the_slot_based_engine_refers_to_its_plan_by_number() {
    let found = reply!("slot_based_group");
    assert_eq!(way(&found), (Some("IXSCAN"), named("status_1_at_1")));
    assert_eq!(found.above, ["FETCH", "GROUP"]);
    // Of the 44 documents read, 40 pass the rest of the filter and enter the group; the last stage returns 2.
    assert_eq!(figures(&found), all([44, 44, 40, 2]));
    // What is sorted are groups.
    assert_eq!(found.in_memory_sort, Some(SortedInMemory::Results));
    let [join] = found.joined.as_slice() else { panic!("{:?}", found.joined) };
    assert_eq!((join.by.as_str(), join.collection.as_str()), ("$lookup", "users"));
    assert_eq!((join.stage.as_deref(), join.index.as_deref()), (Some("IXSCAN"), Some("_id_")));
    assert_eq!((join.keys_examined, join.docs_examined), (Some(3), Some(3)));
}

#[test]
fn a_join_that_the_plan_holds_has_figures_of_its_own() {
    let found = reply!("slot_based_lookup");
    assert_eq!(way(&found), (Some("IXSCAN"), named("category_1__id_1")));
    // The reply's totals hold those of the join: 200 of the 210.
    assert_eq!(figures(&found), all([10, 10, 10, 10]));
    let [join] = found.joined.as_slice() else { panic!("{:?}", found.joined) };
    assert_eq!((join.collection.as_str(), join.strategy.as_deref()), ("reviews", Some("IndexedLoopJoin")));
    assert_eq!((join.stage.as_deref(), join.index.as_deref()), (Some("IXSCAN"), Some("productId_1")));
    assert_eq!((join.keys_examined, join.docs_examined), (Some(200), Some(200)));

    let found = reply!("slot_based_hash_join");
    let [join] = found.joined.as_slice() else { panic!("{:?}", found.joined) };
    assert_eq!((join.stage.as_deref(), join.docs_examined), (Some("COLLSCAN"), Some(30)));
    assert_eq!((found.docs_examined, found.keys_examined), (Some(50), Some(0)));
}

#[test]
fn a_lookup_that_scans_says_how_often() {
    let found = reply!("classic_lookup_scans");
    assert_eq!(way(&found), (Some("IXSCAN"), named("category_1")));
    let [join] = found.joined.as_slice() else { panic!("{:?}", found.joined) };
    assert_eq!((join.stage.as_deref(), join.index.as_deref()), (Some("COLLSCAN"), None));
    assert_eq!(join.docs_examined, Some(8_000));
    // Neither the joined nor the computed field is sorted by, so an index could give the order.
    assert_eq!(found.in_memory_sort, Some(SortedInMemory::Documents));
}

#[test]
fn a_union_is_explained_inside_its_stage_or_not_at_all() {
    let found = reply!("union");
    let [films, games] = found.joined.as_slice() else { panic!("{:?}", found.joined) };
    assert_eq!((films.collection.as_str(), films.index.as_deref()), ("films", Some("price_1")));
    assert_eq!((films.stage.as_deref(), films.docs_examined), (Some("IXSCAN"), Some(15)));
    assert_eq!((games.collection.as_str(), &games.stage, games.docs_examined), ("games", &None, None));
    assert_eq!(found.in_memory_sort, Some(SortedInMemory::Results), "no index spans three collections");
    assert_eq!(figures(&found), all([20, 20, 20, 20]));
}

#[test]
fn shards_add_up_and_a_scan_on_one_of_them_is_a_scan() {
    let found = reply!("sharded_find");
    assert_eq!(way(&found), (Some("COLLSCAN"), named("customerId_1")));
    assert_eq!((figures(&found), found.shards), (all([4, 54, 7, 7]), Some(2)));
    let found = reply!("sharded_aggregate");
    assert_eq!(way(&found), (Some("IXSCAN"), named("status_1")));
    // What the shards' 5 and 4 groups merge to is not told.
    assert_eq!((figures(&found), found.shards), ([Some(43), Some(42), Some(42), None], Some(2)));
}

#[test]
fn nothing_is_said_to_match_where_buckets_are_unpacked_or_values_are_skipped_through() {
    let found = reply!("time_series");
    assert_eq!(figures(&found), [Some(2), Some(2), None, Some(1)]);
    let found = reply!("distinct");
    assert_eq!(figures(&found), [Some(20), Some(0), None, Some(20)]);
}

#[test]
fn what_a_reply_does_not_say_is_absent() {
    let found = reply!("plan_alone");
    assert_eq!(way(&found), (Some("IXSCAN"), named("sku_1")));
    assert_eq!(figures(&found), [None; 4]);
    assert_eq!(Explained::read(&doc! { "ok": 1 }), Explained::default());
}

/// Any document whose keys may be those that replies have.
fn documents() -> impl Strategy<Value = Document> {
    let key = prop::sample::select(vec![
        "stage",
        "stages",
        "shards",
        "$cursor",
        "$lookup",
        "$unionWith",
        "$sort",
        "queryPlanner",
        "winningPlan",
        "queryPlan",
        "executionStats",
        "executionStages",
        "inputStage",
        "inputStages",
        "planNodeId",
        "nReturned",
        "pipeline",
        "indexesUsed",
        "indexBounds",
        "_id",
        "shardName",
        "strategy",
        "splitPipeline",
    ]);
    let leaf = prop_oneof![
        any::<i64>().prop_map(Bson::Int64),
        any::<f64>().prop_map(Bson::Double),
        prop::sample::select(vec!["COLLSCAN", "SORT", "FETCH", "EQ_LOOKUP", "UPDATE", "GROUP", "[5, 5]", "[é, é]", ""])
            .prop_map(Bson::from),
    ];
    let value = leaf.prop_recursive(6, 60, 5, move |inner| {
        let fields = prop::collection::vec((key.clone(), inner.clone()), 0..5);
        prop_oneof![
            prop::collection::vec(inner, 0..4).prop_map(Bson::Array),
            fields.prop_map(|fields| Bson::Document(
                fields.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
            )),
        ]
    });
    prop::collection::hash_map("[a-z]{0,1}|queryPlanner|executionStats|stages|shards", value, 0..5)
        .prop_map(|fields| fields.into_iter().collect())
}

proptest! {
    #[test]
    fn no_reply_is_too_strange_to_be_read(reply in documents()) {
        let found = Explained::read(&reply);
        prop_assert!(found.stage.is_some() || found.above.is_empty());
    }
}
