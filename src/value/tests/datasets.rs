//! Datasets: sizes, rows, families, and the hash of it all.

use std::collections::{HashMap, HashSet};
use std::io::Write;

use bson::{Bson, Document, doc};

use crate::value::testing::dataset;
use crate::value::{ChildCount, Parameters, Population, SetSpec, Template, World};

const SHOP: &str = "
brands: {count: 50, document: {_id: ^index, name: {^format: 'Brand {index}'}, story: {^text: {bytes: 400}}}}
products: {count: ^products, document: {_id: ^index, name: {^words: 3}, price: {^int: {min: 1, max: 500}}, brandId: {^key: brands}, categoryId: {^mod: [^index, 20]}}}
reviews:
  children: {of: products, count: ^reviews_per_product}
  document: {_id: ^index, productId: ^parent._id, rating: {^int: {min: 1, max: 5}}, text: {^text: {bytes: 150}}, at: {^date: {start: 2024-01-01, every: 10s, by: ^position}}}
";

fn shop(products: i32) -> World {
    dataset(SHOP, &[("products", products.into()), ("reviews_per_product", 5.into())]).unwrap()
}

fn row(world: &World, set: &str, number: u64) -> Document {
    Document::try_from(&*world.row(set, number).unwrap()).unwrap()
}

#[test]
fn counts_come_from_parameters_and_parents() {
    let world = shop(100);
    assert_eq!(world.count("brands"), Some(50));
    assert_eq!(world.count("reviews"), Some(500));
    assert_eq!(world.count("nothing"), None);
    assert_eq!(world.set_names().collect::<Vec<_>>(), ["brands", "products", "reviews"]);
}

#[test]
fn children_know_parent_and_place() {
    let review = row(&shop(100), "reviews", 499);
    assert_eq!(review["productId"], Bson::Int32(99));
    assert_eq!(review.get_str("text").unwrap().len(), 150);
    let at = bson::DateTime::parse_rfc3339_str("2024-01-01T00:00:40Z").unwrap();
    assert_eq!(review["at"], Bson::DateTime(at));
}

#[test]
fn keys_exist_in_the_set_they_come_from() {
    let world = shop(300);
    for number in 0..300 {
        let product = row(&world, "products", number);
        assert!((0..50).contains(&product.get_i32("brandId").unwrap()));
        assert_eq!(product.get_i32("categoryId").unwrap(), number as i32 % 20);
    }
}

#[test]
fn a_larger_dataset_begins_with_the_rows_of_a_smaller_one() {
    let (small, large) = (shop(10), shop(20));
    assert_eq!(row(&small, "products", 7), row(&large, "products", 7));
}

#[test]
fn the_seed_and_nothing_else_changes_the_hash() {
    let hash = shop(2000).sha256().unwrap();
    assert_eq!(hash.len(), 64);
    assert_eq!(hash, shop(2000).sha256().unwrap());
    assert_ne!(hash, shop(2001).sha256().unwrap());
}

#[test]
fn the_hash_is_that_of_the_rows_whoever_makes_them() {
    use sha2::{Digest, Sha256};
    // By hand, in one thread: name, count, and the hash of each 4,096 rows of each set.
    let world = shop(2000);
    let mut whole = Sha256::new();
    for set in ["brands", "products", "reviews"] {
        let count = world.count(set).unwrap();
        whole.update((set.len() as u64).to_le_bytes());
        whole.update(set);
        whole.update(count.to_le_bytes());
        let rows: Vec<Vec<u8>> = (0..count).map(|number| world.row(set, number).unwrap().into_bytes()).collect();
        rows.chunks(4096).for_each(|chunk| whole.update(Sha256::digest(chunk.concat())));
    }
    let by_hand: String = whole.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(world.sha256().unwrap(), by_hand);
}

#[test]
fn numbers_of_children_may_be_drawn_and_add_up() {
    let text = "
books: {count: 200, document: {_id: ^index, weight: {^int: {min: 0, max: 4}}}}
sales: {children: {of: books, count: {^int: {min: 0, max: 4}}}, document: {_id: ^index, book: ^parent._id, n: ^position}}
copies: {children: {of: books, count: ^parent.weight}, document: {_id: ^index, book: ^parent._id}}
";
    let world = dataset(text, &[]).unwrap();
    let mut last = (-1, -1);
    let mut sizes = HashMap::new();
    for number in 0..world.count("sales").unwrap() {
        let sale = row(&world, "sales", number);
        let (book, place) = (sale.get_i32("book").unwrap(), sale.get_i32("n").unwrap());
        // Children stand in the order of their parents, and are counted from 0 within each.
        assert!(if book == last.0 { place == last.1 + 1 } else { book > last.0 && place == 0 });
        last = (book, place);
        sizes.insert(book, place + 1);
    }
    assert!(sizes.values().all(|size| *size <= 4));
    assert_eq!(sizes.values().collect::<HashSet<_>>().len(), 4);
    let mut wanted = 0;
    for number in 0..200 {
        wanted += row(&world, "books", number).get_i32("weight").unwrap() as u64;
    }
    assert_eq!(world.count("copies"), Some(wanted));
}

const BESTSELLERS: &str = "
books: {count: 1000, document: {_id: ^index}}
purchases:
  children: {of: books, count: {classes: [{share: 0.99, count: 2, name: normal}, {share: 0.01, count: 50, name: bestseller}]}}
  document: {_id: ^index, book: ^parent._id}
picks: {count: 300, document: {book: {^key: {of: books, class: bestseller}}, sale: {^row: {of: purchases, class: bestseller}}, dull: {^key: {of: books, class: normal, zipf: 1}}}}
";

#[test]
fn classes_have_their_shares_and_can_be_drawn_from() {
    let world = dataset(BESTSELLERS, &[]).unwrap();
    assert_eq!(world.count("purchases"), Some(990 * 2 + 10 * 50));
    let mut sizes: HashMap<i32, u32> = HashMap::new();
    for number in 0..world.count("purchases").unwrap() {
        *sizes.entry(row(&world, "purchases", number).get_i32("book").unwrap()).or_default() += 1;
    }
    let bestsellers: HashSet<i32> = sizes.iter().filter(|(_, size)| **size == 50).map(|(book, _)| *book).collect();
    assert_eq!(bestsellers.len(), 10);
    let mut hit = HashSet::new();
    for number in 0..300 {
        let pick = row(&world, "picks", number);
        hit.insert(pick.get_i32("book").unwrap());
        assert!(bestsellers.contains(&pick.get_i32("book").unwrap()));
        assert!(bestsellers.contains(&pick.get_document("sale").unwrap().get_i32("book").unwrap()));
        assert!(!bestsellers.contains(&pick.get_i32("dull").unwrap()));
    }
    assert_eq!(hit, bestsellers);
}

#[test]
fn an_unknown_class_is_named_with_the_known_ones() {
    let text = BESTSELLERS.replace("books, class: bestseller", "books, class: bestsellers");
    let error = dataset(&text, &[]).unwrap().row("picks", 0).unwrap_err();
    assert_eq!(
        error.message,
        "row 0 of `picks`: book: ^key: the set `books` has no class `bestsellers`; there are normal, bestseller"
    );
}

#[test]
fn rows_agree_in_their_fields() {
    let text = "
books: {count: 10, document: {_id: {^format: 'b{index}'}, price: {^int: {min: 1, max: 1000000}}}}
sales: {count: 50, document: {book: {^row: books}}}
tenth: {count: 20, document: {key: {^key: {of: books, at: ^index}}}}
";
    let world = dataset(text, &[]).unwrap();
    let books: Vec<Document> = (0..10).map(|number| row(&world, "books", number)).collect();
    for number in 0..50 {
        assert!(books.contains(row(&world, "sales", number).get_document("book").unwrap()));
    }
    assert_eq!(row(&world, "tenth", 13)["key"], Bson::from("b3"));
}

#[test]
fn pairs_come_once_each_and_the_two_sides_fit() {
    let text = "
students: {count: 30, document: {_id: ^index}}
courses: {count: 7, document: {_id: {^format: 'c{index}'}}}
enrolments: {count: 100, document: {s: {^pairs: {left: students, right: courses, take: left}}, c: {^pairs: {left: students, right: courses, take: right}}, both: {^pairs: {left: students, right: courses}}}}
later: {count: 110, document: {both: {^pairs: {left: students, right: courses, after: enrolments}}}}
";
    let world = dataset(text, &[]).unwrap();
    let mut seen = HashSet::new();
    for number in 0..100 {
        let enrolment = row(&world, "enrolments", number);
        let both = enrolment.get_document("both").unwrap();
        assert_eq!((enrolment.get("s"), enrolment.get("c")), (both.get("left"), both.get("right")));
        assert!(seen.insert(both.to_string()));
    }
    for number in 0..110 {
        assert!(seen.insert(row(&world, "later", number).get_document("both").unwrap().to_string()));
    }
    assert_eq!(seen.len(), 30 * 7);
}

#[test]
fn more_rows_than_pairs_are_refused() {
    let text = "{l: {count: 3, document: {_id: ^index}}, r: {count: 3, document: {_id: ^index}}, p: {count: 10, document: {x: {^pairs: {left: l, right: r}}}}}";
    let error = dataset(text, &[]).unwrap_err();
    assert_eq!(error, "dataset `p`: 10 rows want a pair of their own, but `l` × `r` has 9");
}

#[test]
fn rows_without_id_get_one_that_keys_know() {
    let text =
        "{books: {count: 3, document: {n: ^index}}, sales: {count: 20, document: {_id: ^index, book: {^key: books}}}}";
    let world = dataset(text, &[]).unwrap();
    let ids: Vec<Bson> = (0..3)
        .map(|number| {
            let book = row(&world, "books", number);
            assert_eq!(book.keys().next().unwrap(), "_id");
            book["_id"].clone()
        })
        .collect();
    assert!((0..20).all(|number| ids.contains(&row(&world, "sales", number)["book"])));
    assert_eq!(ids.iter().map(Bson::to_string).collect::<HashSet<_>>().len(), 3);
}

#[test]
fn circles_are_found_before_any_row_is_made() {
    let circle = "{a: {count: 2, document: {_id: {^key: b}}}, b: {count: 2, document: {_id: {^key: a}}}}";
    assert!(dataset(circle, &[]).unwrap_err().contains("made from themselves"));
    let row_circle =
        "{a: {count: 2, document: {_id: ^index, b: {^row: b}}}, b: {count: 2, document: {_id: ^index, a: {^row: a}}}}";
    assert!(dataset(row_circle, &[]).unwrap_err().contains("made from themselves"));
    // Keys of each other are fine: an `_id` does not depend on the rest of its row.
    let fine =
        "{a: {count: 2, document: {_id: ^index, b: {^key: b}}}, b: {count: 2, document: {_id: ^index, a: {^key: a}}}}";
    assert!(dataset(fine, &[]).unwrap().sha256().is_ok());
    // A count drawn from a row of the circle would run round it for ever.
    let counted = "{a: {count: 2, document: {_id: {^key: b}}}, b: {count: 2, document: {_id: {^key: a}}}, c: {children: {of: a, count: ^parent._id}, document: {_id: 1}}}";
    assert!(dataset(counted, &[]).unwrap_err().contains("made from themselves"));
    let families =
        "{a: {children: {of: b, count: 1}, document: {_id: 1}}, b: {children: {of: a, count: 1}, document: {_id: 1}}}";
    assert!(dataset(families, &[]).unwrap_err().contains("it is a child of itself"));
}

#[test]
fn a_field_that_no_parent_has_is_found() {
    let text = "{a: {count: 2, document: {_id: ^index, title: x}}, b: {children: {of: a, count: 1}, document: {t: ^parent.titel}}}";
    let error = dataset(text, &[]).unwrap_err();
    assert_eq!(error, "dataset `b`: `^parent.titel`: rows of `a` have no field `titel`; did you mean `^parent.title`?");
}

#[test]
fn huge_and_senseless_counts_are_errors_that_name_the_set() {
    let with_count =
        |count: &str| dataset(&format!("{{a: {{count: {count}, document: {{_id: ^index}}}}}}"), &[]).unwrap_err();
    assert_eq!(with_count("1e12"), "dataset `a`: 1000000000000 rows are too many: a set has at most 1000000000");
    assert!(with_count("-1").contains("must be a whole number of at least 0, not -1"));
    assert!(with_count("1.5").contains("must be a whole number"));
    assert!(with_count("many").contains("must be a whole number"));
    let family = "{a: {count: 1000000, document: {_id: ^index}}, b: {children: {of: a, count: 1000000}, document: {_id: ^index}}}";
    assert!(dataset(family, &[]).unwrap_err().starts_with("dataset `b`: 1000000000000 rows are too many"));
    let drawn = "{a: {count: 30000000, document: {_id: ^index}}, b: {children: {of: a, count: {^int: {min: 0, max: 1}}}, document: {_id: ^index}}}";
    assert!(dataset(drawn, &[]).unwrap_err().contains("drawn for at most 20000000 parents"));
}

#[test]
fn a_row_that_is_not_there_is_an_error() {
    let world = shop(10);
    assert!(world.row("products", 10).unwrap_err().message.contains("has 10 rows, no row 10"));
    assert!(world.row("produkts", 0).unwrap_err().message.contains("no set `produkts`"));
    let empty = "{a: {count: 0, document: {_id: ^index}}, b: {count: 1, document: {a: {^key: a}}}}";
    assert!(dataset(empty, &[]).unwrap().row("b", 0).unwrap_err().message.contains("the set `a` has no rows"));
}

#[test]
fn the_hash_names_the_first_row_that_cannot_be_made() {
    let text = "{a: {count: 100000, document: {_id: ^index, n: {^div: [1, {^sub: [^index, 50000]}]}}}}";
    let error = dataset(text, &[]).unwrap().sha256().unwrap_err();
    assert_eq!(error.message, "row 50000 of `a`: n: ^div: 1 cannot be divided by 0");
}

fn from_file(lines: &str, first: Option<i32>) -> Result<World, String> {
    let folder = tempfile::tempdir().unwrap();
    std::fs::File::create(folder.path().join("own.jsonl")).unwrap().write_all(lines.as_bytes()).unwrap();
    let first = first.map(|first| Template::constant(first.into()));
    let own = SetSpec {
        name: "own".to_owned(),
        population: Population::File { path: "own.jsonl".into(), first },
        document: None,
    };
    let children = SetSpec {
        name: "children".to_owned(),
        population: Population::Children {
            of: "own".to_owned(),
            count: ChildCount::Each(Template::constant(2.into())),
        },
        document: Some(Template::constant(Bson::Document(doc! {"x": 1}))),
    };
    World::new(1, Parameters::new(), vec![own, children], folder.path()).map_err(|error| error.message)
}

#[test]
fn ones_own_documents_come_from_extended_json_lines() {
    let lines = "{\"_id\": {\"$oid\": \"0123456789abcdef01234567\"}, \"n\": 5, \"big\": {\"$numberLong\": \"7\"}}\n\n{\"n\": 3000000000}\n";
    let world = from_file(lines, None).unwrap();
    assert_eq!((world.count("own"), world.count("children")), (Some(2), Some(4)));
    let first = row(&world, "own", 0);
    assert_eq!(
        first,
        doc! {"_id": bson::oid::ObjectId::parse_str("0123456789abcdef01234567").unwrap(), "n": 5, "big": 7_i64}
    );
    let second = row(&world, "own", 1);
    assert_eq!(second["n"], Bson::Int64(3_000_000_000));
    assert_eq!(second.keys().collect::<Vec<_>>(), ["_id", "n"]);
    assert_eq!(from_file(lines, Some(1)).unwrap().count("own"), Some(1));
    assert_ne!(world.sha256().unwrap(), from_file(&lines.replace('5', "6"), None).unwrap().sha256().unwrap());
}

#[test]
fn files_of_editors_that_begin_with_a_byte_order_mark_or_end_lines_with_a_return_are_the_same() {
    let lines = "{\"_id\": 1}\n{\"_id\": 2}\n";
    let world = from_file(lines, None).unwrap();
    let windows = format!("\u{feff}{}", lines.replace('\n', "\r\n"));
    assert_eq!(from_file(&windows, None).unwrap().sha256().unwrap(), world.sha256().unwrap());
    assert!(from_file("{\"n\": 1}\n\u{feff}{\"n\": 1}\n", None).is_err(), "only at the beginning");
}

#[test]
fn broken_lines_are_named() {
    let error = from_file("{\"n\": 1}\n{\"n\": \n", None).unwrap_err();
    assert!(error.starts_with("dataset `own`: ") && error.contains("own.jsonl:2: this is no JSON"), "{error}");
    assert!(from_file("[1]\n", None).unwrap_err().contains("own.jsonl:1: a line must hold one document"));
    assert!(
        from_file("{\"n\": {\"$oid\": \"xyz\"}}\n", None)
            .unwrap_err()
            .contains("own.jsonl:1: this is no Extended JSON")
    );
    let missing = SetSpec {
        name: "own".to_owned(),
        population: Population::File { path: "missing.jsonl".into(), first: None },
        document: None,
    };
    let error = World::new(1, Parameters::new(), vec![missing], std::path::Path::new("/nowhere")).unwrap_err();
    assert!(error.message.starts_with("dataset `own`: failed to read /nowhere/missing.jsonl"), "{error}");
}
