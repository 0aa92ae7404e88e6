//! Dataset → source database.

use std::sync::Mutex;

use bson::{RawDocumentBuf, doc};
use patternbench::load::{LoadError, LoadProgress, load_source};

use crate::facts::{PRODUCTS, REVIEWS, Shop, all, index_keys, kill, many_connections, set, shop};
use crate::support::own_server;

#[tokio::test(flavor = "multi_thread")]
async fn every_row_of_every_set_arrives_as_the_dataset_has_it_with_its_indexes() {
    let shop = Shop::new(&many_connections().await, shop());

    let record = shop.load_source().await.unwrap();

    assert_eq!(record.documents, PRODUCTS + REVIEWS);
    for (set, rows) in [("products", PRODUCTS), ("reviews", REVIEWS)] {
        let expected: Vec<RawDocumentBuf> = (0..rows).map(|row| shop.world.row(set, row).unwrap()).collect();
        assert_eq!(all(&shop.source, set).await, expected, "set {set}");
    }
    assert_eq!(index_keys(&shop.source, "reviews").await, [doc! { "_id": 1 }, doc! { "productId": 1 }]);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_documents_arrive_whatever_the_number_of_connections() {
    let client = many_connections().await;
    let mut loaded = Vec::new();
    for connections in [0, 1, 2, 11] {
        // Rows without `_id` have one that follows from their number.
        let mut shop = Shop::new(&client, vec![set("notes", 2_345, "{text: {^format: 'note {index}'}}")]);
        shop.options.connections = connections;
        shop.load_source().await.unwrap();
        loaded.push(all(&shop.source, "notes").await);
    }
    assert_eq!(loaded[0].len(), 2_345);
    assert!(loaded.iter().all(|documents| *documents == loaded[0]));
}

#[tokio::test(flavor = "multi_thread")]
async fn progress_grows_up_to_what_was_foretold() {
    let shop = Shop::new(&many_connections().await, shop());
    let heard = Mutex::new(Vec::new());

    let mut listener = |progress| heard.lock().unwrap().push(progress);
    load_source(&shop.source, &shop.sets, &shop.world, &shop.options, &mut listener).await.unwrap();

    let heard = heard.into_inner().unwrap();
    assert!(heard.windows(2).all(|pair| pair[0].documents <= pair[1].documents));
    assert!(heard.iter().all(|progress| progress.expected == Some(PRODUCTS + REVIEWS)));
    let last = heard.last().expect("the end is told");
    assert_eq!(last.documents, PRODUCTS + REVIEWS);
    assert_eq!(last.remaining(), Some(std::time::Duration::ZERO));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_row_that_the_server_refuses_is_named() {
    // Row 250 is the first whose `_id` is there already.
    let mut shop = Shop::new(&many_connections().await, vec![set("products", 300, "{_id: {^mod: [^index, 250]}}")]);
    shop.options.connections = 1;

    let error = shop.load_source().await.unwrap_err();

    let LoadError::RejectedRow { set, row, id, cause, .. } = &error else { panic!("{error}") };
    assert_eq!((set.as_str(), *row, id.as_str(), cause.code), ("products", 250, "0", Some(11000)));
    assert!(error.to_string().starts_with("failed to load row 250 of set `products` (_id 0): "), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_there_already_is_not_taken_for_loaded() {
    let shop = Shop::new(&many_connections().await, shop());
    shop.load_source().await.unwrap();

    let error = shop.load_source().await.unwrap_err();

    assert!(matches!(error, LoadError::RejectedRow { .. }), "{error}");
    assert_eq!(all(&shop.source, "products").await.len() as u64, PRODUCTS);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_lost_while_loading_stops_with_set_and_rows() {
    let server = own_server().await;
    let shop = Shop::new(&server.client(8).await.unwrap(), vec![set("readings", 2_000_000, "{_id: ^index, value: 1}")]);

    let mut kill_once_it_loads = |progress: LoadProgress| {
        if progress.documents > 0 {
            kill(&server);
        }
    };
    let loading = load_source(&shop.source, &shop.sets, &shop.world, &shop.options, &mut kill_once_it_loads);
    let error = loading.await.unwrap_err();

    assert!(error.is_server_lost(), "{error}");
    assert!(error.to_string().starts_with("lost the server while loading set `readings`, rows "), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_empty_set_is_an_empty_collection() {
    let shop = Shop::new(&many_connections().await, vec![set("products", 0, "{_id: ^index}")]);

    assert_eq!(shop.load_source().await.unwrap().documents, 0);

    assert_eq!(shop.source.list_collection_names().await.unwrap(), ["products"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_row_that_cannot_be_made_is_named() {
    let shop = Shop::new(
        &many_connections().await,
        vec![set("products", 300, "{_id: ^index, share: {^div: [1, {^sub: [^index, 250]}]}}")],
    );

    let error = shop.load_source().await.unwrap_err();

    let LoadError::Row { set, row, .. } = &error else { panic!("{error}") };
    assert_eq!((set.as_str(), *row), ("products", 250), "250 − 250 = 0 divides nothing: {error}");
}
