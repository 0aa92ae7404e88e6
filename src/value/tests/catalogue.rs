//! The catalogue of generators and functions says what is so.

use std::collections::HashSet;

use crate::value::operator::Operator;
use crate::value::testing::{full_scope, try_compile};
use crate::value::{Argument, Group, Scope, generator_docs, is_reserved};

#[test]
fn every_example_compiles() {
    let mut scope = full_scope();
    let sets = ["products", "purchases", "students", "courses", "tags"];
    scope.sets.extend(sets.map(str::to_owned));
    let names = ["orders", "customers", "price", "amount", "limit", "page", "name", "reading", "book", "city"];
    scope.names.extend(names.map(str::to_owned));
    for doc in generator_docs() {
        // Within ^map and ^filter, or a step with forEach, all is known here.
        let text = if doc.example.starts_with('{') { doc.example.to_owned() } else { format!("{{{}}}", doc.example) };
        assert!(try_compile(&text, &scope).is_ok(), "{}: {:?}", doc.name, try_compile(&text, &scope).err());
        assert!(doc.example.contains(&format!("^{}", doc.name)), "{}", doc.name);
    }
}

#[test]
fn names_are_unique_and_stand_for_something() {
    let mut seen = HashSet::new();
    for doc in generator_docs() {
        assert!(seen.insert(doc.name), "{} stands there twice", doc.name);
        assert_eq!(Operator::named(doc.name).is_some(), doc.group != Group::Reference, "{}", doc.name);
        if let Some(operator) = Operator::named(doc.name) {
            assert_eq!(operator.name(), doc.name);
        }
        assert!(is_reserved(doc.name));
        let takes_options = matches!(doc.form, Argument::Options | Argument::OptionsOrFirst | Argument::AllOptional);
        assert_eq!(takes_options, !doc.options.is_empty(), "{}", doc.name);
    }
    assert!(!is_reserved("category"));
}

#[test]
fn functions_stand_anywhere_and_generators_do_not() {
    let nothing = Scope { sets: full_scope().sets, ..Scope::default() };
    for doc in generator_docs().filter(|doc| doc.group == Group::Generator && doc.name != "date") {
        let text = if doc.form == Argument::None { format!("^{}", doc.name) } else { format!("{{{}}}", doc.example) };
        let found = try_compile(&text, &nothing).expect_err("drawing needs a place for it").join("\n");
        assert!(found.contains("cannot draw a value here"), "{}: {found}", doc.name);
    }
}

#[test]
fn the_reference_in_the_documentation_is_complete() {
    let reference = include_str!("../mod.rs");
    for doc in generator_docs() {
        assert!(reference.contains(&format!("`^{}`", doc.name)), "`^{}` is missing", doc.name);
        for option in doc.options {
            assert!(
                reference.contains(&format!("`{}`", option.name)),
                "option `{}` of `^{}` is missing",
                option.name,
                doc.name
            );
        }
    }
}
