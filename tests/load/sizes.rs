//! The storage bill of what was loaded.

use bson::doc;
use patternbench::evidence::{flush, storage};
use patternbench::units::Bytes;
use patternbench::words::Product;

use crate::facts::{PRODUCTS, REVIEWS, Shop, all, collection, index, many_connections, model, options, shop};

#[tokio::test(flavor = "multi_thread")]
async fn the_bill_has_every_document_byte_and_index() {
    let client = many_connections().await;
    let shop = Shop::new(&client, shop());
    shop.load_source().await.unwrap();
    let mut products = collection("products", "products", "[]");
    products.indexes = vec![index(doc! { "group": 1 }), index(doc! { "name": 1 })];
    let reviews = collection("reviews", "reviews", "[]");
    shop.load_model(&model(vec![products, reviews])).await.unwrap();

    assert!(flush(&client).await.unwrap());
    let bill = storage(&shop.target, ["products", "reviews"], Product::Secantusd).await.unwrap();

    let mut bytes = 0;
    for name in ["products", "reviews"] {
        bytes += all(&shop.target, name).await.iter().map(|document| document.as_bytes().len() as u64).sum::<u64>();
    }
    assert_eq!(bill.documents, PRODUCTS + REVIEWS);
    assert_eq!(bill.data_bytes, Bytes::new(bytes));
    assert_eq!((bill.collections, bill.indexes), (2, 4), "one index on _id each, and two more");
    assert!(bill.index_bytes > Bytes::new(0));
    assert_eq!(bill.storage_bytes, None, "the embedded server answers the size of the data");
    // Any other product is taken at its word.
    let told = storage(&shop.target, ["products", "reviews"], Product::Mongod).await.unwrap();
    assert_eq!(told.storage_bytes, Some(Bytes::new(bytes)));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_time_series_collection_is_billed_by_what_is_stored() {
    let shop = Shop::new(&many_connections().await, shop());
    shop.load_source().await.unwrap();
    let mut readings = collection("readings", "products", "[{$set: {t: {$toDate: {$toLong: $_id}}}}]");
    readings.options = options("{timeseries: {timeField: t, metaField: group}}");
    let loaded = shop.load_model(&model(vec![readings])).await.unwrap();

    let bill = storage(&shop.target, ["readings"], Product::Secantusd).await.unwrap();

    // All within a second: one bucket for each of the seven groups.
    assert_eq!(loaded.collections[0].stored_documents, 7);
    assert_eq!(bill.documents, 7);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_collection_that_is_not_there_is_named() {
    let shop = Shop::new(&many_connections().await, shop());
    let error = storage(&shop.target, ["nothing"], Product::Secantusd).await.unwrap_err();
    assert!(error.to_string().contains("collection `nothing`"), "{error}");
    assert!(!error.is_server_lost());
}
