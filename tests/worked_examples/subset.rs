//! Subset: the newest reviews in the product, their number and average beside them.

use bson::{Bson, Document, bson};

use crate::example::Example;

/// As subset-reviews, with a page of two. Operation number n writes review n, in the order of their time.
const REVIEWS: &str = r#"
format: 1
title: Reviews of a lamp
summary: A product page shows the two newest reviews, how many there are, and their average rating.
dataset:
  products: {count: 1, document: {_id: ^index, name: Lamp, reviews: [], reviewCount: 0, ratingSum: 0}}
models:
  naive:
    role: naive
    collections:
      products: {from: products}
    operations:
      product_page:
        growth: constant
        steps:
          - findOne:
              collection: products
              filter: {_id: 0}
              projection:
                reviewCount: 1
                average: {$divide: [$ratingSum, $reviewCount]}
                reviews: {$slice: 2}
      add_review:
        - updateOne:
            collection: products
            filter: {_id: 0}
            update:
              $push: {reviews: {$each: [^review], $sort: {createdAt: -1, _id: -1}}}
              $inc: {reviewCount: 1, ratingSum: ^review.rating}
  subset:
    role: pattern
    collections:
      products: {from: products}
      reviews: {}
    operations:
      product_page:
        growth: constant
        steps:
          - findOne:
              collection: products
              filter: {_id: 0}
              projection: {reviewCount: 1, average: {$divide: [$ratingSum, $reviewCount]}, reviews: 1}
      add_review:
        - insertOne: {collection: reviews, document: ^review}
        - updateOne:
            collection: products
            filter: {_id: 0}
            update:
              $push: {reviews: {$each: [^review], $sort: {createdAt: -1, _id: -1}, $slice: 2}}
              $inc: {reviewCount: 1, ratingSum: ^review.rating}
workload:
  product_page: {weight: 9, returns: {fields: [reviewCount, average, reviews], order: true}}
  add_review:
    weight: 1
    args:
      review:
        ^at:
          - - {_id: 0, createdAt: {^date: 2025-01-01T10:00:00Z}, rating: 5, text: Bright and sturdy}
            - {_id: 1, createdAt: {^date: 2025-01-01T11:00:00Z}, rating: 3, text: Base wobbles}
            - {_id: 2, createdAt: {^date: 2025-01-01T12:00:00Z}, rating: 4, text: Good value}
          - ^index
"#;

/// Rating and text of the reviews in a document.
fn reviews(document: &Document) -> Vec<(i32, &str)> {
    let reviews = document.get_array("reviews").expect("reviews").iter().filter_map(Bson::as_document);
    reviews
        .map(|review| (review.get_i32("rating").expect("a rating"), review.get_str("text").expect("a text")))
        .collect()
}

/// The page after the three reviews were written in some order.
async fn page_after(order: [u64; 3]) {
    let example = Example::load(REVIEWS).await;
    for model in example.models() {
        for number in order {
            model.run("add_review", number).await;
        }
        let page = &model.answer("product_page", 0).await[0];
        assert_eq!(page.get("reviewCount"), Some(&bson!(3)), "{}", model.name());
        // (5 + 3 + 4) ÷ 3
        assert_eq!(page.get("average"), Some(&bson!(4.0)), "{}", model.name());
        assert_eq!(reviews(page), [(4, "Good value"), (3, "Base wobbles")], "{}", model.name());
    }

    let subset = example.model("subset");
    assert_eq!(reviews(&subset.stored("products", "_id").await[0]).len(), 2, "no more than the page is kept there");
    assert_eq!(subset.stored("reviews", "_id").await.len(), 3, "none is lost");
    assert_eq!(reviews(&example.model("naive").stored("products", "_id").await[0]).len(), 3);
}

#[tokio::test]
async fn three_reviews_in_time_order_leave_the_newest_two_their_number_and_their_average() {
    page_after([0, 1, 2]).await;
}

#[tokio::test]
async fn reviews_that_arrive_late_leave_the_same_page() {
    page_after([2, 0, 1]).await;
    page_after([2, 1, 0]).await;
}
