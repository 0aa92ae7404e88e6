//! One story per shape: a step that is engine-limited, and the nearest one that is not.

use std::collections::BTreeMap;

use bson::{Bson, Document, doc};

use super::{CollectionTraits, SentStep, TopN, engine_limits, top_n};
use crate::scenario::{CollectionRef, FieldSource, FieldSpec, Form, StepKind};
use crate::words::Product;

/// Steps as plain values.
#[derive(Debug, Clone, Copy)]
enum Plain {}

impl Form for Plain {
    type Value = Bson;
    type Document = Bson;
    type Documents = Bson;
}

/// The fields of a step as a document holds them; `collection` among them.
struct Fields(Document);

impl FieldSource<Plain> for Fields {
    fn collection(&mut self) -> Option<CollectionRef> {
        self.0.get_str("collection").ok().map(|name| CollectionRef::Named(name.to_owned()))
    }
    fn required(&mut self, spec: &'static FieldSpec) -> Option<Bson> {
        self.0.get(spec.key).cloned()
    }
    fn optional(&mut self, spec: &'static FieldSpec) -> Option<Option<Bson>> {
        Some(self.0.get(spec.key).cloned())
    }
    fn document(&mut self, spec: &'static FieldSpec) -> Option<Bson> {
        self.required(spec)
    }
    fn documents(&mut self, spec: &'static FieldSpec) -> Option<Bson> {
        self.required(spec)
    }
}

fn step(word: &str, fields: Document) -> StepKind<Plain> {
    StepKind::read(word, &mut Fields(fields)).expect("every required field is there")
}

fn find(filter: Document) -> StepKind<Plain> {
    step("find", doc! {"collection": "c", "filter": filter})
}

fn aggregate(stages: Vec<Document>) -> StepKind<Plain> {
    step("aggregate", doc! {"collection": "c", "pipeline": stages})
}

fn insert() -> StepKind<Plain> {
    step("insertOne", doc! {"collection": "c", "document": {}})
}

fn update(word: &str) -> StepKind<Plain> {
    step(word, doc! {"collection": "c", "filter": {"_id": 1}, "update": {"$inc": {"n": 1}}})
}

fn indexed(keys: &[Document]) -> CollectionTraits {
    CollectionTraits { indexes: keys.to_vec(), ..CollectionTraits::default() }
}

fn limits_of(
    operations: &[(&str, &StepKind<Plain>, Option<u64>)],
    traits: &CollectionTraits,
) -> BTreeMap<String, String> {
    let operations =
        operations.iter().map(|&(name, step, matched)| (name.to_owned(), vec![SentStep { step, matched }])).collect();
    engine_limits(Product::Secantusd, &operations, &BTreeMap::from([("c".to_owned(), traits.clone())]))
}

/// The reason of a single operation of this one step.
fn limit(step: &StepKind<Plain>, traits: &CollectionTraits) -> Option<String> {
    limit_matching(step, traits, None)
}

fn limit_matching(step: &StepKind<Plain>, traits: &CollectionTraits, matched: Option<u64>) -> Option<String> {
    limits_of(&[("op", step, matched)], traits).remove("op")
}

#[track_caller]
fn limited(step: &StepKind<Plain>, traits: &CollectionTraits, word: &str) {
    let reason = limit(step, traits).expect("engine-limited");
    assert!(reason.contains(word), "`{word}` in: {reason}");
}

#[track_caller]
fn free(step: &StepKind<Plain>, traits: &CollectionTraits) {
    assert_eq!(limit(step, traits), None);
}

#[test]
fn a_lookup_with_a_pipeline_copies_the_other_collection_a_plain_one_does_not() {
    let plain = doc! {"from": "brands", "localField": "brandId", "foreignField": "_id", "as": "brand"};
    let mut with_pipeline = plain.clone();
    with_pipeline.insert("pipeline", vec![doc! {"$project": {"name": 1}}]);
    let none = CollectionTraits::default();

    limited(&aggregate(vec![doc! {"$lookup": with_pipeline.clone()}]), &none, "$lookup with a pipeline copies brands");
    limited(&aggregate(vec![doc! {"$facet": {"a": [{"$lookup": with_pipeline}]}}]), &none, "brands");
    free(&aggregate(vec![doc! {"$lookup": plain}]), &none);
}

#[test]
fn a_union_with_a_filter_of_its_own_copies_the_other_collection_one_that_wants_all_reads_it_anywhere() {
    let none = CollectionTraits::default();
    limited(
        &aggregate(vec![doc! {"$unionWith": {"coll": "films", "pipeline": [{"$match": {"a": 1}}]}}]),
        &none,
        "films",
    );
    free(&aggregate(vec![doc! {"$unionWith": "films"}]), &none);
    free(&aggregate(vec![doc! {"$unionWith": {"coll": "films", "pipeline": [{"$project": {"a": 1}}]}}]), &none);
}

#[test]
fn everything_on_a_time_series_collection_is_limited() {
    let traits = CollectionTraits { time_series: true, ..CollectionTraits::default() };
    limited(&find(doc! {"sensorId": 1}), &traits, "time series");
    limited(&insert(), &traits, "time series");
    free(&insert(), &CollectionTraits::default());
}

#[test]
fn a_lookup_into_a_time_series_collection_is_limited() {
    let lookup = doc! {"$lookup": {"from": "c", "localField": "a", "foreignField": "b", "as": "j"}};
    let step = step("aggregate", doc! {"collection": "sensors", "pipeline": [lookup]});
    limited(&step, &CollectionTraits { time_series: true, ..CollectionTraits::default() }, "time series collection c");
    free(&step, &CollectionTraits::default());
}

#[test]
fn inserting_into_a_capped_collection_reads_it_reading_it_does_not() {
    let traits = CollectionTraits { capped: true, ..CollectionTraits::default() };
    limited(&insert(), &traits, "capped");
    free(&find(doc! {"_id": 1}), &traits);
}

#[test]
fn updating_many_is_limited_and_so_are_the_writes_beside_it_reads_are_not() {
    let elsewhere = step("insertOne", doc! {"collection": "d", "document": {}});
    let (rename, add, set, read) = (update("updateMany"), insert(), update("updateOne"), find(doc! {"_id": 1}));
    let operations = [
        ("rename", &rename, None),
        ("add", &add, None),
        ("set", &set, None),
        ("read", &read, None),
        ("log", &elsewhere, None),
    ];
    let limits = limits_of(&operations, &CollectionTraits::default());

    assert_eq!(limits.keys().collect::<Vec<_>>(), ["add", "rename", "set"]);
    assert!(limits["rename"].contains("blocks"), "{limits:?}");
    assert!(limits["add"].contains("wait while updateMany runs"), "{limits:?}");
}

#[test]
fn deleting_many_is_limited_deleting_one_is_not() {
    let delete = |word| step(word, doc! {"collection": "c", "filter": {"_id": 1}});
    limited(&delete("deleteMany"), &CollectionTraits::default(), "deleteMany");
    free(&delete("deleteOne"), &CollectionTraits::default());
}

#[test]
fn finding_and_modifying_is_limited_updating_by_id_is_not() {
    let replace = step("findOneAndReplace", doc! {"collection": "c", "filter": {"_id": 1}, "replacement": {}});
    limited(&update("findOneAndUpdate"), &CollectionTraits::default(), "even by _id");
    limited(&replace, &CollectionTraits::default(), "findOneAndReplace");
    free(&update("updateOne"), &CollectionTraits::default());
}

#[test]
fn the_first_few_of_many_are_limited_beyond_ten_times_the_limit() {
    let traits = indexed(&[doc! {"categoryId": 1, "price": 1, "_id": 1}]);
    let page = step(
        "find",
        doc! {"collection": "c", "filter": {"categoryId": 3}, "sort": {"price": 1, "_id": 1}, "limit": 20},
    );
    assert_eq!(limit_matching(&page, &traits, Some(100)), None, "100 products of a category, 20 on a page");
    assert_eq!(limit_matching(&page, &traits, Some(200)), None);
    assert!(limit_matching(&page, &traits, Some(201)).unwrap().contains("all 201 matching"));
    assert_eq!(limit_matching(&page, &traits, None), None, "not known");
}

#[test]
fn a_sort_that_no_index_serves_reads_everything_on_mongod_too() {
    let page = |sort| step("find", doc! {"collection": "c", "filter": {"categoryId": 3}, "sort": sort, "limit": 20});
    let many = Some(10_000);
    let traits = indexed(&[doc! {"categoryId": 1, "price": 1, "_id": -1}]);
    assert!(limit_matching(&page(doc! {"price": 1, "_id": -1}), &traits, many).is_some());
    assert!(limit_matching(&page(doc! {"price": -1, "_id": 1}), &traits, many).is_some(), "walked backwards");
    assert!(limit_matching(&page(doc! {"price": 1, "_id": 1}), &traits, many).is_none(), "neither way");
    assert!(limit_matching(&page(doc! {"name": 1}), &traits, many).is_none());
}

#[test]
fn a_limit_without_sort_or_filter_reads_the_whole_collection() {
    let traits = CollectionTraits { documents: Some(1_000), ..CollectionTraits::default() };
    let first = |limit| step("find", doc! {"collection": "c", "filter": {}, "limit": limit});
    limited(&first(10), &traits, "all 1000");
    free(&first(100), &traits);
    limited(&step("findOne", doc! {"collection": "c", "filter": {}, "sort": {"_id": -1}}), &traits, "for the first 1");
    limited(&aggregate(vec![doc! {"$sort": {"_id": 1}}, doc! {"$skip": 5}, doc! {"$limit": 5}]), &traits, "first 10");
    free(&aggregate(vec![doc! {"$group": {"_id": "$a"}}, doc! {"$limit": 5}]), &traits);
}

#[test]
fn what_has_to_be_counted_for_a_top_n_is_told() {
    let step = aggregate(vec![doc! {"$match": {"a": 1}}, doc! {"$sort": {"b": 1}}, doc! {"$limit": 5_i64}]);
    assert_eq!(top_n(&step), Some(TopN { collection: "c".to_owned(), filter: doc! {"a": 1}, limit: 5 }));
    assert_eq!(top_n(&find(doc! {"a": 1})), None);
    assert_eq!(top_n(&update("findOneAndUpdate")), None);
    let skipping = super::tests::step("find", doc! {"collection": "c", "filter": {}, "skip": 40, "limit": 20});
    assert_eq!(top_n(&skipping).unwrap().limit, 60);
}

#[test]
fn element_match_scans_where_mongod_has_an_index_for_it() {
    let attribute = find(doc! {"attrs": {"$elemMatch": {"k": "colour", "v": "red"}}});
    limited(&attribute, &indexed(&[doc! {"attrs.k": 1, "attrs.v": 1}]), "$elemMatch");
    free(&attribute, &indexed(&[doc! {"price": 1}]));
    free(&find(doc! {"attrs.k": "colour"}), &indexed(&[doc! {"attrs.k": 1}]));
}

#[test]
fn all_and_regular_expressions_scan_where_mongod_has_an_index() {
    let traits = indexed(&[doc! {"name": 1}, doc! {"shop": 1, "tags": 1}]);
    limited(&find(doc! {"name": {"$regex": "^Ann"}}), &traits, "$regex");
    let literal =
        Bson::RegularExpression(bson::Regex { pattern: "^Ann".try_into().unwrap(), options: "".try_into().unwrap() });
    limited(&find(doc! {"name": literal}), &traits, "regular expression");
    limited(&find(doc! {"shop": 1, "tags": {"$all": ["a", "b"]}}), &traits, "$all");
    free(&find(doc! {"tags": {"$all": ["a", "b"]}}), &traits);
    free(&find(doc! {"title": {"$regex": "^Ann"}}), &traits);
    free(&find(doc! {"name": "Ann"}), &traits);
}

#[test]
fn negations_and_existence_scan_unless_another_field_bounds_an_index() {
    let traits = indexed(&[doc! {"shop": 1, "state": 1}, doc! {"state": 1}]);
    for predicate in [doc! {"$ne": "done"}, doc! {"$exists": true}, doc! {"$nin": ["done"]}, doc! {"$not": {"$gt": 1}}]
    {
        let operator = predicate.keys().next().unwrap().clone();
        limited(&find(doc! {"state": predicate.clone()}), &traits, &operator);
        free(&find(doc! {"shop": 1, "state": predicate}), &traits);
    }
    limited(&find(doc! {"state": {"$gt": 1, "$ne": 5}}), &traits, "$ne");
    free(&find(doc! {"state": {"$gt": 1, "$lt": 5}}), &traits);
}

#[test]
fn and_or_and_expr_at_the_top_scan_even_beside_an_indexed_field() {
    let traits = indexed(&[doc! {"a": 1}, doc! {"b": 1}]);
    limited(&find(doc! {"$and": [{"a": 1}, {"c": 2}]}), &traits, "$and");
    limited(&find(doc! {"a": 1, "$or": [{"c": 1}, {"d": 2}]}), &traits, "$or");
    limited(&find(doc! {"$or": [{"a": 1}, {"c": 2, "b": {"$exists": true}}]}), &traits, "$or");
    limited(&find(doc! {"$expr": {"$gt": ["$a", 5]}}), &traits, "$expr");
    free(&find(doc! {"$expr": {"$gt": ["$c", "$d"]}}), &traits);
    free(&find(doc! {"$or": [{"a": 1}, {"b": {"$gte": 2}, "c": 3}]}), &traits);
    free(&find(doc! {"$and": [{"$or": [{"a": 1}, {"b": 2}]}]}), &traits);
    free(&find(doc! {"$and": [{"c": 1}, {"d": 2}]}), &traits);
}

#[test]
fn a_range_of_ids_scans_single_ids_do_not() {
    let traits = indexed(&[doc! {"a": 1}]);
    limited(&find(doc! {"_id": {"$gt": 5}}), &traits, "a range of `_id`");
    free(&find(doc! {"_id": {"$in": [5, 6]}}), &traits);
    free(&find(doc! {"_id": {"$gt": 5}, "a": 1}), &traits);
}

#[test]
fn filters_of_every_kind_of_step_are_looked_at() {
    let traits = indexed(&[doc! {"name": 1}]);
    let filter = doc! {"name": {"$regex": "^Ann"}};
    for word in ["find", "findOne", "countDocuments", "deleteOne"] {
        limited(&step(word, doc! {"collection": "c", "filter": filter.clone()}), &traits, "$regex");
    }
    limited(&step("distinct", doc! {"collection": "c", "key": "x", "filter": filter.clone()}), &traits, "$regex");
    limited(&step("updateOne", doc! {"collection": "c", "filter": filter.clone(), "update": {}}), &traits, "$regex");
    limited(
        &step("replaceOne", doc! {"collection": "c", "filter": filter.clone(), "replacement": {}}),
        &traits,
        "$regex",
    );
    limited(&aggregate(vec![doc! {"$match": {"a": 1}}, doc! {"$match": filter.clone()}]), &traits, "$regex");
    free(&aggregate(vec![doc! {"$group": {"_id": "$name"}}, doc! {"$match": filter}]), &traits);
}

#[test]
fn hints_scan() {
    let hinted = step("find", doc! {"collection": "c", "filter": {"a": 1}, "hint": {"a": 1}});
    limited(&hinted, &indexed(&[doc! {"a": 1}]), "hint");
    free(&find(doc! {"a": 1}), &indexed(&[doc! {"a": 1}]));
}

#[test]
fn collations_do_without_indexes_inserts_do_not_mind() {
    let collated =
        step("find", doc! {"collection": "c", "filter": {"a": 1}, "collation": {"locale": "en", "strength": 2}});
    limited(&collated, &CollectionTraits::default(), "collation");
    let traits = CollectionTraits { collation: true, ..CollectionTraits::default() };
    limited(&find(doc! {"name": "ann"}), &traits, "collation");
    free(&insert(), &traits);
}

#[test]
fn an_index_over_two_fields_of_an_array_multiplies_over_one_it_does_not() {
    let arrays = BTreeMap::from([("attrs".to_owned(), 12)]);
    let with = |keys: Document| CollectionTraits { arrays: arrays.clone(), ..indexed(&[keys]) };
    limited(&insert(), &with(doc! {"attrs.k": 1, "attrs.v": 1}), "every combination");
    free(&insert(), &with(doc! {"attrs.k": 1, "shop": 1}));
    free(&insert(), &indexed(&[doc! {"size.width": 1, "size.height": 1}]));
}

#[test]
fn arrays_of_more_than_a_thousand_are_limited() {
    let with = |length| CollectionTraits {
        arrays: BTreeMap::from([("messages".to_owned(), length)]),
        ..CollectionTraits::default()
    };
    limited(&update("updateOne"), &with(1_001), "messages");
    free(&update("updateOne"), &with(1_000));
}

#[test]
fn documents_from_sixteen_kibibytes_on_are_limited() {
    let with = |bytes| CollectionTraits { largest_document: Some(bytes), ..CollectionTraits::default() };
    limited(&find(doc! {"_id": 1}), &with(16_384), "16 KiB");
    free(&find(doc! {"_id": 1}), &with(16_383));
}

#[test]
fn reasons_of_several_steps_are_told_together_and_once() {
    let (one, two) =
        (update("findOneAndUpdate"), step("find", doc! {"collection": "c", "filter": {}, "hint": {"a": 1}}));
    let sent = |step| SentStep { step, matched: None };
    let operations = BTreeMap::from([("op".to_owned(), vec![sent(&one), sent(&one), sent(&two)])]);
    let reasons = engine_limits(Product::Secantusd, &operations, &BTreeMap::new());
    assert_eq!(reasons["op"].matches("even by _id").count(), 1);
    assert_eq!(reasons["op"].matches("; ").count(), 1);
}

#[test]
fn no_other_product_is_limited() {
    let step = update("updateMany");
    let operations = BTreeMap::from([("op".to_owned(), vec![SentStep { step: &step, matched: None }])]);
    for &product in Product::ALL.iter().filter(|&&product| product != Product::Secantusd) {
        assert!(engine_limits(product, &operations, &BTreeMap::new()).is_empty(), "{product}");
    }
}

#[test]
fn the_writes_of_a_bulk_write_are_judged_one_by_one() {
    let bulk = |models: Vec<Document>| step("bulkWrite", doc! {"collection": "c", "models": models});
    let plain = CollectionTraits::default();
    let insert = doc! {"insertOne": {"collection": "c", "document": {}}};
    free(&bulk(vec![insert.clone(), doc! {"updateOne": {"collection": "c", "filter": {"_id": 1}}}]), &plain);
    limited(&bulk(vec![insert, doc! {"deleteMany": {"collection": "c", "filter": {"_id": 1}}}]), &plain, "bulkWrite");
}

#[test]
fn many_collections_share_tables_a_few_have_their_own() {
    let partitioned = |partitions| CollectionTraits { partitions: Some(partitions), ..CollectionTraits::default() };
    limited(&find(doc! {"_id": 1}), &partitioned(200), "the 200 collections of c share 16 tables");
    limited(&insert(), &partitioned(17), "share 16 tables");
    free(&find(doc! {"_id": 1}), &partitioned(16));
    free(&find(doc! {"_id": 1}), &CollectionTraits::default());
}

#[test]
fn what_is_known_of_a_partitioned_collection_holds_for_its_partitions() {
    let mut step = find(doc! {"_id": 1});
    let StepKind::Find(found) = &mut step else { panic!("a find") };
    found.collection = CollectionRef::Found { of: "c".to_owned(), name: "c_7".to_owned() };
    limited(&step, &CollectionTraits { partitions: Some(200), ..CollectionTraits::default() }, "of c share");
    let StepKind::Find(found) = &mut step else { panic!("a find") };
    found.limit = Some(Bson::Int32(5));
    assert_eq!(top_n(&step).map(|wanted| wanted.collection).as_deref(), Some("c_7"), "counted where it looks");
}
