//! What stops the loading of a model, and what is said of it.

use bson::doc;
use patternbench::load::LoadError;
use patternbench::scenario::{DataSet, Index};

use crate::facts::{Shop, all, collection, kill, many_connections, model, options, set, shop};
use crate::support::own_server;

#[tokio::test(flavor = "multi_thread")]
async fn a_document_that_the_validator_refuses_is_named_with_the_rule_it_breaks() {
    let shop = Shop::new(&many_connections().await, shop());
    // Product 321 alone has no name.
    let nameless = "[{$set: {name: {$cond: [{$eq: [$_id, 321]}, $$REMOVE, $name]}}}]";
    let mut products = collection("products", "products", nameless);
    products.options = options("{validator: {$jsonSchema: {required: [name]}}}");

    let error = shop.refusal(&model(vec![products])).await;

    let LoadError::RejectedDocument { collection, id, others, cause } = &error else { panic!("{error}") };
    assert_eq!((collection.as_str(), id.as_str(), *others, cause.code), ("products", "321", 0, Some(121)));
    assert!(error.to_string().contains("missingProperties"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn two_documents_with_one_id_are_named() {
    let shop = Shop::new(&many_connections().await, shop());
    // 999 gets the `_id` of 0.
    let products = collection("products", "products", "[{$set: {_id: {$mod: [$_id, 999]}}}]");

    let error = shop.refusal(&model(vec![products])).await;

    let LoadError::RejectedDocument { collection, id, cause, .. } = &error else { panic!("{error}") };
    assert_eq!((collection.as_str(), id.as_str(), cause.code), ("products", "0", Some(11000)));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_unique_index_over_equal_keys_is_named() {
    let shop = Shop::new(&many_connections().await, shop());
    let mut products = collection("products", "products", "[]");
    products.indexes = vec![Index { key: doc! { "group": 1 }, options: doc! { "unique": true } }.into()];

    let error = shop.refusal(&model(vec![products])).await;

    assert_eq!(error.code(), Some(11000), "{error}");
    assert!(error.to_string().contains("indexing collection `products`"), "{error}");
    assert!(error.to_string().contains("group_1"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn wrong_definitions_are_found_before_anything_is_written() {
    let shop = Shop::new(&many_connections().await, shop());
    shop.load_source().await.unwrap();
    let good = collection("good", "products", "[]");
    let refused_with = async |change: &dyn Fn(&mut patternbench::scenario::Collection), what: &str| {
        let mut bad = collection("bad", "products", "[]");
        change(&mut bad);
        let error = shop.load_model(&model(vec![good.clone(), bad])).await.unwrap_err();
        assert!(error.to_string().contains(what), "{error}");
    };

    refused_with(&|bad| bad.options = options("{validatr: {}}"), "is `validator` meant?").await;
    refused_with(&|bad| bad.options = options("{timeseries: {metaField: m}}"), "timeField").await;
    refused_with(&|bad| bad.options = options("[]"), "`options` are no document").await;
    refused_with(&|bad| bad.pipeline = options("{$set: {a: 1}}"), "no list of stages").await;
    refused_with(&|bad| bad.pipeline = options("[{$set: {a: 1}, $unset: b}]"), "stage 1").await;
    refused_with(&|bad| bad.from = Some("prodcts".to_owned()), "set `prodcts`").await;

    assert!(shop.target.list_collection_names().await.unwrap().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stage_that_the_server_refuses_is_quoted() {
    let shop = Shop::new(&many_connections().await, shop());
    let products = collection("products", "products", "[{$ste: {a: 1}}]");

    let error = shop.refusal(&model(vec![products])).await;

    assert!(error.to_string().starts_with("failed reading set `products` for collection `products`: "), "{error}");
    assert!(error.to_string().contains("$ste"), "{error}");
}

/// Twenty products; product 13 has 250 parts of 80 kB, together 20 MB, the others one each.
fn workshop() -> Vec<DataSet> {
    let text = "x".repeat(80_000);
    vec![
        set("products", 20, "{_id: ^index}"),
        set("parts", 250, &format!("{{_id: ^index, productId: 13, text: {text}}}")),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn a_document_over_16_mib_is_an_error_naming_stage_and_key() {
    let shop = Shop::new(&many_connections().await, workshop());
    let lookup = "[{$set: {kind: tool}}, {$lookup: {from: parts, localField: _id, foreignField: productId, as: parts}}, \
                  {$set: {new: true}}]";

    let error = shop.refusal(&model(vec![collection("products", "products", lookup)])).await;

    let LoadError::Oversize(found) = &error else { panic!("{error}") };
    assert_eq!(found.collection, "products");
    let stage = found.stage.as_ref().expect("the stage is found");
    assert_eq!((stage.index, stage.of, stage.operator.as_str()), (1, 3, "$lookup"));
    assert_eq!(found.key.as_deref(), Some("_id 13 of set `products`"));
    assert!(error.to_string().contains("stage 2 of 3 (`$lookup`)"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_group_over_16_mib_is_named_by_its_key() {
    let shop = Shop::new(&many_connections().await, workshop());
    let group = "[{$group: {_id: $productId, parts: {$push: $$ROOT}}}]";

    let error = shop.refusal(&model(vec![collection("parts", "parts", group)])).await;

    let LoadError::Oversize(found) = &error else { panic!("{error}") };
    let stage = found.stage.as_ref().expect("the stage is found");
    assert_eq!((stage.index, stage.operator.as_str()), (0, "$group"));
    assert_eq!(found.key.as_deref(), Some("group 13"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_lost_while_a_model_loads_is_said_and_not_waited_for() {
    let server = own_server().await;
    let shop = Shop::new(&server.client(8).await.unwrap(), vec![set("readings", 100_000, "{_id: ^index, value: 1}")]);
    shop.load_source().await.unwrap();

    let mut kill_once_it_loads = |progress: patternbench::load::LoadProgress| {
        if progress.documents > 0 {
            kill(&server);
        }
    };
    let copy = model(vec![collection("readings", "readings", "[]")]);
    let error = shop.load_model_hearing(&copy, &mut kill_once_it_loads).await.unwrap_err();

    assert!(error.is_server_lost(), "{error}");
    assert!(error.to_string().contains("`readings`"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn no_document_is_written_after_the_error() {
    let shop = Shop::new(&many_connections().await, shop());
    let mut reviews = collection("reviews", "reviews", "[{$sort: {_id: 1}}]");
    reviews.options = options("{validator: {_id: {$lt: 0}}}");

    let error = shop.refusal(&model(vec![reviews])).await;

    assert_eq!(error.code(), Some(121), "{error}");
    assert!(all(&shop.target, "reviews").await.is_empty());
}
