//! Polymorphic: a book, a film and a game in one collection, asked for by price.

use crate::example::Example;

/// As polymorphic-catalogue, with one product of each kind.
const CATALOGUE: &str = r#"
format: 1
title: A book, a film and a game
summary: Somebody asks what costs less than nine.
dataset:
  books: {count: 1, document: {_id: book, title: A book, price: 9.99, author: Ann}}
  films: {count: 1, document: {_id: film, title: A film, price: 7.99, director: Bo}}
  games: {count: 1, document: {_id: game, title: A game, price: 4.99, studio: Cy}}
models:
  naive:
    role: naive
    collections:
      books: {from: books, indexes: [{key: {price: -1, _id: 1}}]}
      films: {from: films, indexes: [{key: {price: -1, _id: 1}}]}
      games: {from: games, indexes: [{key: {price: -1, _id: 1}}]}
    operations:
      under_price:
        growth: constant
        steps:
          - aggregate:
              collection: books
              pipeline:
                - $match: {price: {$lt: ^limit}}
                - $sort: {price: -1, _id: 1}
                - $limit: 20
                - $set: {type: book}
                - $unionWith:
                    coll: films
                    pipeline:
                      - $match: {price: {$lt: ^limit}}
                      - $sort: {price: -1, _id: 1}
                      - $limit: 20
                      - $set: {type: film}
                - $unionWith:
                    coll: games
                    pipeline:
                      - $match: {price: {$lt: ^limit}}
                      - $sort: {price: -1, _id: 1}
                      - $limit: 20
                      - $set: {type: game}
                - $sort: {price: -1, _id: 1}
                - $limit: 20
  one-catalogue:
    role: pattern
    collections:
      products:
        from: books
        pipeline:
          - $set: {type: book}
          - $unionWith: {coll: films, pipeline: [{$set: {type: film}}]}
          - $unionWith: {coll: games, pipeline: [{$set: {type: game}}]}
        indexes: [{key: {price: -1, _id: 1}}]
    operations:
      under_price:
        growth: constant
        steps:
          - find: {collection: products, filter: {price: {$lt: ^limit}}, sort: {price: -1, _id: 1}, limit: 20}
workload:
  under_price: {weight: 1, args: {limit: 9}, returns: {order: true}}
"#;

#[tokio::test]
async fn under_nine_there_are_the_film_and_the_game_each_with_its_own_fields() {
    let example = Example::load(CATALOGUE).await;
    for model in example.models() {
        let found = model.answer("under_price", 0).await;
        let types: Vec<_> = found.iter().map(|product| product.get_str("type").expect("a type")).collect();
        assert_eq!(types, ["film", "game"], "{}: the dearest first", model.name());
        assert_eq!(found[0].get_str("director").ok(), Some("Bo"), "{}", model.name());
        assert_eq!(found[1].get_str("studio").ok(), Some("Cy"), "{}", model.name());
        assert!(found.iter().all(|product| !product.contains_key("author")), "{}", model.name());
    }
    assert_eq!(example.model("one-catalogue").stored("products", "_id").await.len(), 3);
}
