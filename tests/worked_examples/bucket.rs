//! Bucket: readings of a sensor in documents of at most sixty, with count and sum.

use bson::{Document, bson};

use crate::example::Example;

/// As bucket-sensors, with a cap of 60 readings and buckets of a day, so that nothing but the cap ends one. Operation
/// number n ingests the reading of n minutes after 10:00.
const READINGS: &str = r#"
format: 1
title: Readings by the minute
summary: A sensor sends a reading every minute, and somebody asks for the day's average.
dataset:
  sensors: {count: 1, document: {_id: ^index}}
models:
  naive:
    role: naive
    collections:
      readings: {indexes: [{key: {sensorId: 1, at: 1}}]}
    operations:
      ingest:
        - insertOne: {collection: readings, document: ^reading}
      day_average:
        growth: constant
        steps:
          - aggregate:
              collection: readings
              pipeline:
                - $match: {sensorId: 0, at: {$gte: ^day, $lt: ^next_day}}
                - $group: {_id: null, average: {$avg: $value}, count: {$sum: 1}}
  bucket:
    role: pattern
    collections:
      buckets: {indexes: [{key: {sensorId: 1, day: 1}}]}
    operations:
      ingest:
        - updateOne:
            collection: buckets
            filter: {sensorId: ^reading.sensorId, day: ^day, count: {$lt: 60}}
            update:
              $push: {readings: {at: ^reading.at, value: ^reading.value}}
              $inc: {count: 1, sum: ^reading.value}
              $setOnInsert: {_id: ^reading._id}
            upsert: true
      day_average:
        growth: constant
        steps:
          - aggregate:
              collection: buckets
              pipeline:
                - $match: {sensorId: 0, day: ^day}
                - $group: {_id: null, sum: {$sum: $sum}, count: {$sum: $count}}
                - $project: {average: {$divide: [$sum, $count]}, count: 1}
workload:
  ingest:
    weight: 9
    args:
      reading:
        _id: ^index
        sensorId: 0
        at: {^date: {start: "2025-01-01T10:00:00Z", every: 1m}}
        value: {^add: [20, {^mod: [^index, 5]}]}
      day: {^dateTrunc: {date: ^reading.at, unit: day}}
  day_average:
    weight: 1
    args:
      day: {^date: 2025-01-01}
      next_day: {^add: [^day, 1d]}
    returns: {fields: [average, count]}
"#;

fn count_and_average(bucket: &Document) -> (i32, f64) {
    let count = bucket.get_i32("count").expect("a count");
    (count, f64::from(bucket.get_i32("sum").expect("a sum")) / f64::from(count))
}

#[tokio::test]
async fn ninety_readings_one_after_another_fill_a_bucket_of_sixty_and_half_of_the_next() {
    let example = Example::load(READINGS).await;
    for model in example.models() {
        for minute in 0..90 {
            model.run("ingest", minute).await;
        }
        let answer = model.answer("day_average", 0).await;
        // Both sixty and thirty are multiples of five: each residue comes equally often, and their mean is 2.
        assert_eq!(answer[0].get("average"), Some(&bson!(22.0)), "{}", model.name());
        assert_eq!(answer[0].get("count"), Some(&bson!(90)), "{}", model.name());
    }
    assert_eq!(example.model("naive").stored("readings", "at").await.len(), 90);

    let buckets = example.model("bucket").stored("buckets", "_id").await;
    assert_eq!(buckets.iter().map(count_and_average).collect::<Vec<_>>(), [(60, 22.0), (30, 22.0)]);
    // A bucket's identity is that of the reading that opened it.
    assert_eq!(buckets.iter().map(|bucket| bucket.get_i32("_id").expect("_id")).collect::<Vec<_>>(), [0, 60]);
    for bucket in &buckets {
        let readings = bucket.get_array("readings").expect("readings");
        assert_eq!(
            readings.len(),
            bucket.get_i32("count").expect("a count") as usize,
            "the count is that of the readings"
        );
    }
}
