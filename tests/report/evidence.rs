//! The evidence in both reports: which steps scan, what they examine, what crosses the wire, which indexes idle.

use patternbench::analysis::analyse;
use patternbench::record::{
    CollectionSizesRecord, EvidenceRecord, IndexUseRecord, JoinedRecord, RunRecord, UsedIndexRecord,
};
use patternbench::report::{Style, html, terminal};
use patternbench::units::{Bytes, Ratio};
use patternbench::words::{DataSize, EvidenceFlag, Profile, SortedInMemory};
use serde_json::json;

use crate::html::{readable, section};
use crate::known::{on_secantusd, product_page, run_of};

/// A step that finds by an index what it returns.
fn step(call: &str, collection: &str, index: &str, examined: u64) -> EvidenceRecord {
    EvidenceRecord {
        step: 0,
        call: call.to_owned(),
        collection: collection.to_owned(),
        data: DataSize::Parity,
        stage: Some("IXSCAN".to_owned()),
        above: vec!["FETCH".to_owned(), "PROJECTION_SIMPLE".to_owned()],
        index: Some(index.to_owned()),
        in_memory_sort: None,
        keys_examined: Some(examined),
        docs_examined: Some(examined),
        matched: Some(examined),
        returned: Some(examined),
        joined: Vec::new(),
        shards: None,
        flags: Vec::new(),
        scan_is_the_subject: None,
        not_explained: None,
        claimed_by_server: false,
    }
}

fn without_figures(step: EvidenceRecord, why: &str) -> EvidenceRecord {
    let EvidenceRecord { step, call, collection, data, .. } = step;
    let bare = json!({"step": step, "call": call, "collection": collection, "data": data, "not_explained": why});
    serde_json::from_value(bare).expect("what is left out has a default")
}

fn used(collection: &str, name: &str, used: u64, purpose: Option<&str>) -> UsedIndexRecord {
    let flags = if used == 0 && purpose.is_none() { vec![EvidenceFlag::UnusedIndex] } else { Vec::new() };
    let (collection, name, purpose) = (collection.to_owned(), name.to_owned(), purpose.map(str::to_owned));
    UsedIndexRecord { collection, name, key: json!({"price": 1}), used, purpose, flags }
}

/// A run in which naive scans what it joins, the page's steps are as they should be, and tuned shows a scan on purpose.
fn explained() -> RunRecord {
    let mut scenario = product_page().build();
    analyse(&mut scenario, Profile::Quick);
    let scans = JoinedRecord {
        by: "$lookup".to_owned(),
        collection: "reviews".to_owned(),
        stage: Some("COLLSCAN".to_owned()),
        docs_examined: Some(8_000),
        keys_examined: Some(0),
        ..JoinedRecord::default()
    };
    let small = EvidenceRecord {
        joined: vec![scans],
        flags: vec![EvidenceFlag::CollectionScan, EvidenceFlag::InMemorySort],
        in_memory_sort: Some(SortedInMemory::Documents),
        ..step("aggregate", "products", "categoryId_1_price_1__id_1", 20)
    };
    let measured = EvidenceRecord { data: DataSize::Measured, docs_examined: None, ..small.clone() };
    let subject = EvidenceRecord {
        stage: Some("COLLSCAN".to_owned()),
        above: Vec::new(),
        index: None,
        keys_examined: Some(0),
        matched: None,
        returned: Some(1),
        scan_is_the_subject: Some("all products are counted".to_owned()),
        ..step("countDocuments", "products", "", 2_000)
    };
    let insert =
        without_figures(step("insertOne", "reviews", "", 0), "an insert looks for nothing, so there is no plan");
    for (model, page, bytes) in [
        (0, vec![small, measured], 410.0),
        (1, vec![step("find", "products", "category._id_1", 20)], 190.0),
        (2, vec![subject], 230.0),
    ] {
        let model = &mut scenario.models[model];
        let reads = model.operations.get_mut("list_page").expect("every model lists pages");
        (reads.evidence, reads.bytes_sent, reads.bytes_received) = (page, Some(bytes), Some(20.0 * bytes));
        reads.round_trips = Some(1.0);
        let writes = model.operations.get_mut("add_review").expect("every model adds reviews");
        writes.evidence = vec![insert.clone()];
        (writes.round_trips, writes.bytes_sent, writes.bytes_received) = (Some(2.0), Some(333.3), Some(90.0));
        model.sizes = vec![CollectionSizesRecord {
            name: "products".to_owned(),
            average_document: Some(Bytes::new(412)),
            largest_document: None,
            data_bytes: Bytes::new(824_000),
            storage_bytes: None,
            index_bytes: Bytes::new(90_112),
        }];
        let bill = model.storage.as_mut().expect("made with one");
        (bill.index_to_cache, bill.data_to_cache) = (Some(Ratio::new(0.0014)), Some(Ratio::new(1.2)));
    }
    let on_id = used("products", "_id_", 0, Some("every collection has it"));
    let (idle, busy) = (used("products", "price_1", 0, None), used("products", "categoryId_1", 41_000, None));
    scenario.models[0].index_use =
        Some(IndexUseRecord { indexes: vec![on_id.clone(), idle, busy.clone()], not_counted: None });
    scenario.models[1].index_use = Some(IndexUseRecord { indexes: vec![on_id, busy], not_counted: None });
    run_of(Profile::Quick, vec![scenario])
}

#[test]
fn the_evidence_in_html() {
    let page = html(&explained());
    insta::assert_snapshot!(readable(section(&page, "<h3>Evidence", "<h3>Models side by side")));
}

#[test]
fn the_flags_on_a_terminal() {
    let text = terminal(&explained(), &Style { width: 120, ..Style::default() });
    let lines: Vec<&str> = text.lines().filter(|line| line.trim_start().starts_with("evidence: ")).collect();
    insta::assert_snapshot!(lines.join("\n"));
}

#[test]
fn the_bill_stands_beside_the_cache() {
    let text = terminal(&explained(), &Style { width: 160, ..Style::default() });
    let bill = text.lines().skip_while(|line| !line.starts_with("The storage bill")).take(5);
    insta::assert_snapshot!(bill.collect::<Vec<_>>().join("\n"));
}

#[test]
fn what_a_server_only_claims_or_does_not_count_is_said() {
    let mut run = on_secantusd(explained());
    for model in &mut run.scenarios[0].models {
        let steps = model.operations.values_mut().flat_map(|operation| &mut operation.evidence);
        steps.for_each(|step| step.claimed_by_server = true);
        let why = "this server does not count the use of indexes".to_owned();
        model.index_use = Some(IndexUseRecord { indexes: Vec::new(), not_counted: Some(why) });
    }
    let page = html(&run);
    assert!(page.contains("The figures are the server's claim"), "in the table's caption");
    assert_eq!(page.matches("Which indexes were used is not known").count(), 1, "said once for all models");
    assert!(!page.contains("unused index"));
}

#[test]
fn many_places_of_a_flag_are_counted_and_not_listed_on_a_terminal() {
    let mut run = explained();
    let indexes = (0..16).map(|number| used("products", &format!("a{number:02}_1"), 0, None)).collect();
    run.scenarios[0].models[0].index_use = Some(IndexUseRecord { indexes, not_counted: None });
    let text = terminal(&run, &Style { width: 400, ..Style::default() });
    let line = text.lines().find(|line| line.contains("unused index: ")).expect("the flag is there");
    assert!(line.contains("products.a05_1") && line.ends_with("and 10 more"), "{line}");
    let page = html(&run);
    assert!(page.contains("products.a15_1"), "the page lists them all");
}

#[test]
fn records_of_before_have_no_evidence_and_say_nothing_of_it() {
    let mut scenario = product_page().build();
    analyse(&mut scenario, Profile::Quick);
    let run = run_of(Profile::Quick, vec![scenario]);
    assert!(!html(&run).contains("<h3>Evidence"));
    assert!(!terminal(&run, &Style::default()).contains("evidence: "));
}
