//! Stories of a reader who asks why an operation takes as long as it does.

use patternbench::record::EvidenceRecord;
use patternbench::words::{EvidenceFlag, SortedInMemory};

use crate::loaded::{Loaded, scenario};

/// Tickets of ten groups, 40 in each, numbered within their group: every third of a group is open.
const TICKETS: &str = r#"
format: 1
title: Tickets
summary: Tickets in groups, for tests.
dataset:
  groups: {count: 10, document: {_id: ^index}}
  tickets:
    children: {of: groups, count: 40}
    document:
      _id: ^index
      group: ^parent._id
      n: ^position
      open: {^eq: [{^mod: [^position, 3]}, 0]}
models:
  naive:
    role: naive
    collections: &collections
      groups: {from: groups}
      tickets: {from: tickets, indexes: [{key: {group: 1}}]}
    operations: &operations
      by_id:
        growth: constant
        steps: [{findOne: {collection: tickets, filter: {_id: 5}}}]
      of_group:
        growth: constant
        steps: [{find: {collection: tickets, filter: {group: 3}}}]
      one_of_group:
        growth: constant
        steps: [{find: {collection: tickets, filter: {group: 3, n: 7}}}]
      newest:
        growth: constant
        steps: [{find: {collection: tickets, filter: {group: 3}, sort: {n: -1, _id: 1}, limit: 5}}]
      open_ones:
        growth: constant
        scan_is_the_subject: the test wants to see a scan
        steps: [{find: {collection: tickets, filter: {open: true}}}]
      named:
        growth: constant
        steps: [{find: {collection: tickets, filter: {_id: {$in: [3, 1, 2]}}, sort: {n: 1}}}]
      per_group:
        growth: constant
        steps:
          - aggregate:
              collection: tickets
              pipeline: [{$match: {group: {$in: [1, 2]}}}, {$group: {_id: $group, all: {$sum: 1}}}, {$sort: {all: 1}}]
      with_group:
        growth: constant
        steps:
          - aggregate:
              collection: tickets
              pipeline:
                - {$match: {group: 3}}
                - {$lookup: {from: groups, localField: group, foreignField: _id, as: of}}
      count_open:
        growth: constant
        steps: [{countDocuments: {collection: tickets, filter: {group: 3, open: true}}}]
      numbers:
        growth: constant
        steps: [{distinct: {collection: tickets, key: n, filter: {group: 3}}}]
      follow:
        growth: constant
        steps:
          - findOne: {collection: tickets, filter: {_id: 45}, as: ticket}
          - find: {collection: tickets, filter: {group: ^ticket.group, n: {$lt: ^ticket.n}}}
      close_all: [{updateMany: {collection: tickets, filter: {group: 3, open: true}, update: {$set: {open: false}}}}]
      take: [{findOneAndUpdate: {collection: tickets, filter: {_id: 5}, update: {$set: {taken: true}}}}]
      drop_one: [{deleteOne: {collection: tickets, filter: {_id: 5}}}]
      add: [{insertOne: {collection: tickets, document: {_id: 1000, group: 3, n: 40}}}]
      summarise:
        growth: constant
        steps:
          - aggregate:
              collection: tickets
              pipeline: [{$group: {_id: $group, all: {$sum: 1}}}, {$merge: {into: groups}}]
  pattern: {role: pattern, collections: *collections, operations: *operations}
workload:
  by_id: {weight: 1, returns: {}}
  of_group: {weight: 1, returns: {}}
  one_of_group: {weight: 1, returns: {}}
  newest: {weight: 1, returns: {}}
  open_ones: {weight: 1, returns: {}}
  named: {weight: 1, returns: {}}
  per_group: {weight: 1, returns: {}}
  with_group: {weight: 1, returns: {}}
  count_open: {weight: 1, returns: {}}
  numbers: {weight: 1, returns: {}}
  follow: {weight: 1, returns: {}}
  close_all: {weight: 1}
  take: {weight: 1}
  drop_one: {weight: 1}
  add: {weight: 1}
  summarise: {weight: 1, returns: {}}
"#;

async fn loaded() -> Loaded {
    Loaded::new(scenario("tickets", TICKETS), &[]).await
}

async fn only(loaded: &Loaded, operation: &str) -> EvidenceRecord {
    let mut steps = loaded.explain("naive", operation, 0).await;
    assert_eq!(steps.len(), 1, "{operation}: {steps:?}");
    steps.remove(0)
}

/// Keys and documents examined, matched, returned.
fn figures(step: &EvidenceRecord) -> [Option<u64>; 4] {
    [step.keys_examined, step.docs_examined, step.matched, step.returned]
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reader_sees_which_index_a_step_uses_and_what_it_examines() {
    let loaded = loaded().await;

    let step = only(&loaded, "by_id").await;
    assert_eq!((step.stage.as_deref(), step.index.as_deref()), (Some("EXPRESS_IXSCAN"), Some("_id_")));
    assert_eq!(figures(&step), [1, 1, 1, 1].map(Some));

    let step = only(&loaded, "of_group").await;
    assert_eq!((step.stage.as_deref(), step.index.as_deref()), (Some("IXSCAN"), Some("group_1")));
    assert_eq!((figures(&step), step.above), ([40, 40, 40, 40].map(Some), vec!["FETCH".to_owned()]));
    assert!(step.flags.is_empty() && step.claimed_by_server);

    // The index finds the group, and all of it is read for one ticket.
    let step = only(&loaded, "one_of_group").await;
    assert_eq!(figures(&step), [40, 40, 1, 1].map(Some));
    assert_eq!(step.flags, [EvidenceFlag::ManyExamined]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sort_in_memory_is_told_and_flagged_where_an_index_could_have_spared_it() {
    let loaded = loaded().await;

    let step = only(&loaded, "newest").await;
    assert_eq!(step.in_memory_sort, Some(SortedInMemory::Documents));
    assert_eq!(figures(&step), [40, 40, 40, 5].map(Some));
    assert_eq!(step.flags, [EvidenceFlag::InMemorySort], "all that is examined matches");

    for operation in ["named", "per_group"] {
        let step = only(&loaded, operation).await;
        assert_eq!((step.in_memory_sort, &*step.flags), (Some(SortedInMemory::Results), &[][..]), "{operation}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_scan_that_is_the_subject_is_shown_with_its_reason_and_not_flagged() {
    let loaded = loaded().await;
    let step = only(&loaded, "open_ones").await;
    assert_eq!((step.stage.as_deref(), step.index.as_deref()), (Some("COLLSCAN"), None));
    // Numbers 0, 3 … 39 of each group are open.
    assert_eq!(figures(&step), [0, 400, 140, 140].map(Some));
    assert_eq!(step.scan_is_the_subject.as_deref(), Some("the test wants to see a scan"));
    assert!(step.flags.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pipeline_has_the_figures_of_its_query_and_names_what_it_joins() {
    let loaded = loaded().await;

    let step = only(&loaded, "per_group").await;
    assert_eq!((step.matched, step.returned), (Some(80), Some(2)), "80 documents enter the two groups");

    let step = only(&loaded, "with_group").await;
    assert_eq!((step.matched, step.returned), (Some(40), Some(40)));
    let [join] = step.joined.as_slice() else { panic!("{step:?}") };
    assert_eq!((join.by.as_str(), join.collection.as_str()), ("$lookup", "groups"));
    assert_eq!((&join.stage, join.docs_examined), (&None, None), "this server does not report it");
}

#[tokio::test(flavor = "multi_thread")]
async fn of_a_count_nothing_is_said_to_match() {
    let loaded = loaded().await;
    let step = only(&loaded, "count_open").await;
    assert_eq!((step.keys_examined, step.matched), (Some(40), None));
    assert!(step.flags.is_empty());
    let step = only(&loaded, "numbers").await;
    assert_eq!((step.stage.as_deref(), step.docs_examined), (Some("IXSCAN"), Some(40)));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_step_is_explained_with_the_bindings_that_it_ran_with() {
    let loaded = loaded().await;
    // Ticket 45 is number 5 of group 1.
    let steps = loaded.run_and_explain("naive", "follow", 0).await;
    let [_, second] = steps.as_slice() else { panic!("{steps:?}") };
    assert_eq!((second.step, second.returned), (1, Some(5)));
}

#[tokio::test(flavor = "multi_thread")]
async fn writes_are_explained_and_nothing_is_written() {
    let loaded = loaded().await;

    let step = only(&loaded, "close_all").await;
    assert_eq!((step.call.as_str(), step.index.as_deref()), ("updateMany", Some("group_1")));
    assert_eq!(figures(&step), [Some(40), Some(40), Some(14), None], "numbers 0, 3 … 39 are open");
    let step = only(&loaded, "drop_one").await;
    assert_eq!((step.matched, step.returned), (Some(1), None));
    let step = only(&loaded, "take").await;
    assert_eq!((step.call.as_str(), step.matched), ("findOneAndUpdate", Some(1)));

    let open = only(&loaded, "open_ones").await;
    assert_eq!(open.returned, Some(140), "all are still there, and open");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_explained_says_why() {
    let loaded = loaded().await;
    for (operation, why) in [("add", "an insert looks for nothing"), ("summarise", "stores its result")] {
        let step = only(&loaded, operation).await;
        let said = step.not_explained.as_deref().expect("a reason");
        assert!(said.contains(why), "{operation}: {said}");
        assert_eq!((figures(&step), &*step.flags), ([None; 4], &[][..]));
    }
}
