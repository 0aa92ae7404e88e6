//! Source database → a model's database.

use std::collections::BTreeMap;
use std::sync::Mutex;

use bson::{Bson, Document, RawDocumentBuf, doc, rawdoc};
use futures_util::TryStreamExt;
use patternbench::scenario::Index;
use serde_json::json;

use crate::facts::{
    PRODUCTS, REVIEWS, Shop, all, collection, index, index_keys, many_connections, model, options, set, shop,
};

/// The computed pattern: each product knows how many reviews it has and the sum of their ratings. (`$map`, since the
/// embedded server does not follow `$r.rating` through an array.)
const WITH_REVIEWS: &str = "[{$lookup: {from: reviews, localField: _id, foreignField: productId, as: r}}, \
                            {$set: {reviewCount: {$size: $r}, ratingSum: {$sum: {$map: {input: $r, in: $$this.rating}}}}}, \
                            {$unset: r}]";

#[tokio::test(flavor = "multi_thread")]
async fn a_collection_is_what_its_pipeline_says_with_its_indexes() {
    let shop = Shop::new(&many_connections().await, shop());
    shop.load_source().await.unwrap();
    let mut products = collection("products", "products", WITH_REVIEWS);
    products.indexes = vec![
        index(doc! { "group": 1, "reviewCount": -1 }),
        Index { key: doc! { "name": 1 }, options: doc! { "unique": true, "name": "by_name" } }.into(),
    ];
    let mut copy = collection("reviews", "reviews", "[]");
    copy.pipeline = None;

    let loaded = shop.load_model(&model(vec![products, copy])).await.unwrap();

    // Product p has the reviews p, p + 1,000 … p + 4,000, and each of them gives p mod 5.
    for (number, product) in all(&shop.target, "products").await.iter().enumerate() {
        let number = number as i32;
        let expected = rawdoc! {
            "_id": number,
            "name": format!("Product {number}"),
            "group": number % 7,
            "tags": ["a", "b", "c", "d", "e"],
            "reviewCount": 5,
            "ratingSum": 5 * (number % 5),
        };
        assert_eq!(*product, expected);
    }
    assert_eq!(all(&shop.target, "reviews").await, all(&shop.source, "reviews").await);
    let keys = index_keys(&shop.target, "products").await;
    assert_eq!(keys, [doc! { "_id": 1 }, doc! { "group": 1, "reviewCount": -1 }, doc! { "name": 1 }]);

    assert_eq!(loaded.load.documents, PRODUCTS + REVIEWS);
    let [products, reviews] = &loaded.collections[..] else { panic!("two collections") };
    assert_eq!((products.stored_documents, products.logical_documents), (PRODUCTS, PRODUCTS));
    assert_eq!((reviews.stored_documents, reviews.logical_documents), (REVIEWS, REVIEWS));
    assert_eq!(products.sample["tags"], json!(["a", "b", "c", "… (2 more)"]));
    assert_eq!(products.indexes.len(), 3);
    assert_eq!(products.indexes[2], json!({ "key": { "name": 1 }, "name": "by_name", "unique": true }));
    assert!(loaded.notes.is_empty(), "{:?}", loaded.notes);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_grouping_pipeline_has_one_document_per_group_and_its_number_is_not_foretold() {
    let shop = Shop::new(&many_connections().await, shop());
    shop.load_source().await.unwrap();
    let groups = collection("groups", "products", "[{$group: {_id: $group, products: {$sum: 1}}}]");
    let heard = Mutex::new(Vec::new());

    let mut hear = |progress| heard.lock().unwrap().push(progress);
    let loaded = shop.load_model_hearing(&model(vec![groups]), &mut hear).await.unwrap();

    // 1,000 = 7 × 142 + 6: groups 0 to 5 have 143 products, group 6 has 142.
    let expected: Vec<RawDocumentBuf> =
        (0..7).map(|group| rawdoc! { "_id": group, "products": if group < 6 { 143 } else { 142 } }).collect();
    assert_eq!(all(&shop.target, "groups").await, expected);
    assert_eq!(loaded.load.documents, 7);
    assert!(heard.into_inner().unwrap().iter().all(|progress| progress.expected.is_none()));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_documents_arrive_whatever_the_number_of_connections() {
    let client = many_connections().await;
    let mut loaded = Vec::new();
    for connections in [1, 11] {
        let mut shop = Shop::new(&client, shop());
        shop.options.connections = connections;
        shop.load_source().await.unwrap();
        // Without `_id`, and many of them alike.
        let ratings = collection("ratings", "reviews", "[{$project: {_id: 0, rating: 1}}]");
        let products = collection("products", "products", WITH_REVIEWS);
        shop.load_model(&model(vec![ratings, products])).await.unwrap();
        loaded.push((all(&shop.target, "ratings").await, all(&shop.target, "products").await));
    }
    assert_eq!(loaded[0].0.len() as u64, REVIEWS);
    assert_eq!(loaded[0], loaded[1]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_collection_without_source_starts_empty_but_indexed() {
    let shop = Shop::new(&many_connections().await, shop());
    shop.load_source().await.unwrap();
    let mut carts = collection("carts", "", "[]");
    (carts.from, carts.pipeline) = (None, None);
    carts.indexes = vec![index(doc! { "userId": 1 })];

    let loaded = shop.load_model(&model(vec![carts])).await.unwrap();

    assert_eq!(loaded.load.documents, 0);
    assert_eq!(loaded.collections[0].logical_documents, 0);
    assert!(loaded.collections[0].sample.is_null());
    assert_eq!(index_keys(&shop.target, "carts").await, [doc! { "_id": 1 }, doc! { "userId": 1 }]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_capped_collection_keeps_the_last_documents_in_the_order_of_the_pipeline() {
    let shop = Shop::new(&many_connections().await, shop());
    shop.load_source().await.unwrap();
    let mut last = collection("last", "products", "[{$sort: {_id: 1}}, {$project: {name: 1}}]");
    last.options = options("{capped: true, size: 1000000, max: 10}");

    let loaded = shop.load_model(&model(vec![last])).await.unwrap();

    let expected: Vec<RawDocumentBuf> =
        (990..1_000).map(|number| rawdoc! { "_id": number, "name": format!("Product {number}") }).collect();
    assert_eq!(all(&shop.target, "last").await, expected);
    assert_eq!(loaded.load.documents, PRODUCTS, "written");
    assert_eq!(loaded.collections[0].logical_documents, 10, "kept");
    assert_eq!(loaded.collections[0].options, json!({ "capped": true, "size": 1_000_000, "max": 10 }));
}

#[tokio::test(flavor = "multi_thread")]
async fn measurements_arrive_by_sensor_in_the_order_of_time_and_buckets_are_counted_apart() {
    const SENSORS: u64 = 4;
    const READINGS: u64 = 720;
    let rows = "{_id: ^index, sensorId: {^mod: [^index, 4]}, number: ^index}";
    let shop = Shop::new(&many_connections().await, vec![set("readings", SENSORS * READINGS, rows)]);
    shop.load_source().await.unwrap();
    // A reading of each sensor every ten seconds for two hours; the rows have the last reading first.
    let last = READINGS - 1;
    let pipeline = format!(
        "[{{$set: {{t: {{$dateAdd: {{startDate: {{$toDate: 1735689600000}}, unit: second, amount: \
         {{$multiply: [10, {{$subtract: [{last}, {{$floor: {{$divide: [$number, {SENSORS}]}}}}]}}]}}}}}}}}}}, \
         {{$unset: number}}]"
    );
    let mut readings = collection("readings", "readings", &pipeline);
    readings.options = options("{timeseries: {timeField: t, metaField: sensorId, granularity: seconds}}");

    let loaded = shop.load_model(&model(vec![readings])).await.unwrap();

    let record = &loaded.collections[0];
    assert_eq!(record.logical_documents, SENSORS * READINGS);
    // A bucket spans an hour at most, from its first measurement on: two for each sensor, if none came out of order.
    assert_eq!(record.stored_documents, 2 * SENSORS);

    let stored: Vec<Document> =
        shop.target.collection::<Document>("readings").find(doc! {}).await.unwrap().try_collect().await.unwrap();
    let mut by_sensor: BTreeMap<i32, Vec<i64>> = BTreeMap::new();
    for reading in &stored {
        let Some(Bson::DateTime(at)) = reading.get("t") else { panic!("no time in {reading}") };
        by_sensor.entry(reading.get_i32("sensorId").unwrap()).or_default().push(at.timestamp_millis());
    }
    let expected: Vec<i64> = (0..READINGS as i64).map(|number| 1_735_689_600_000 + 10_000 * number).collect();
    for (sensor, mut times) in by_sensor {
        times.sort_unstable();
        assert_eq!(times, expected, "sensor {sensor}");
    }
}
