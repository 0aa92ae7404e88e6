//! Parameters: typed on the command line, filled into templates.

use bson::{Bson, bson};

use crate::value::testing::{Surroundings, compile};
use crate::value::{Parameters, parse_parameter};

fn parameters(size: Bson) -> Parameters {
    Parameters::from([("size".to_owned(), size)])
}

#[test]
fn typed_values_have_the_type_they_look_like() {
    assert_eq!(parse_parameter("5000"), Bson::Int32(5000));
    assert_eq!(parse_parameter("-1"), Bson::Int32(-1));
    assert_eq!(parse_parameter("3000000000"), Bson::Int64(3_000_000_000));
    assert_eq!(parse_parameter("0.99"), Bson::Double(0.99));
    assert_eq!(parse_parameter("1e6"), Bson::Double(1e6));
    assert_eq!(parse_parameter("true"), Bson::Boolean(true));
    for text in ["", "ten", "1_000", "0x10", "inf", "NaN", "1.2.3", "10s", "99999999999999999999", "1e999"] {
        assert_eq!(parse_parameter(text), Bson::from(text));
    }
}

#[test]
fn filled_in_parameters_make_constants() {
    let template =
        compile("{limit: ^size, double: {^mul: [^size, 2]}, each: {^map: {in: [1, 2], to: {^add: [^it, ^size]}}}}");
    let filled = template.with_parameters(&parameters(Bson::Int32(5))).unwrap();
    let value = Surroundings::new().value(&filled, 0).unwrap();
    assert_eq!(value, bson!({"limit": 5, "double": 10, "each": [6, 7]}));
    let simple = compile("{limit: ^size}").with_parameters(&parameters(Bson::Int32(5))).unwrap();
    assert_eq!(simple.as_constant(), Some(&bson!({"limit": 5})));
}

#[test]
fn filling_in_does_not_change_what_is_drawn() {
    let template =
        compile("{limit: ^size, n: {^int: {min: 0, max: {^mul: [^size, 1000]}}}, t: {^text: {bytes: ^size}}}");
    let filled = template.with_parameters(&parameters(Bson::Int32(50))).unwrap();
    let direct = compile("{n: {^int: {min: 0, max: 50000}}, t: {^text: {bytes: 50}}}");
    for number in 0..20 {
        let around = Surroundings::new();
        let (filled, direct) = (around.value(&filled, number).unwrap(), around.value(&direct, number).unwrap());
        let (filled, direct) = (filled.as_document().unwrap(), direct.as_document().unwrap());
        assert_eq!((&filled["n"], &filled["t"]), (&direct["n"], &direct["t"]));
    }
}

#[test]
fn a_parameter_without_value_is_an_error() {
    let error = compile("{limit: ^size}").with_parameters(&Parameters::new()).unwrap_err();
    assert_eq!(error.message, "the parameter `size` has no value");
    assert_eq!(
        Surroundings::new().value(&compile("^size"), 0).unwrap_err().message,
        "the parameter `size` has no value"
    );
}

#[test]
fn a_function_that_fails_is_an_error_unless_it_may_never_be_reached() {
    let zero = parameters(Bson::Int32(0));
    assert!(compile("{x: {^div: [1, ^size]}}").with_parameters(&zero).is_err());
    let guarded = compile("{^if: {if: {^eq: [^size, 0]}, then: none, else: {^div: [1, ^size]}}}");
    let guarded = guarded.with_parameters(&zero).unwrap();
    assert_eq!(Surroundings::new().value(&guarded, 0).unwrap(), Bson::from("none"));
}

#[test]
fn options_of_a_wrong_type_are_errors_that_say_where() {
    let template =
        compile("{n: {^int: {min: 1, max: ^size}}}").with_parameters(&parameters(Bson::from("ten"))).unwrap();
    let error = Surroundings::new().value(&template, 0).unwrap_err();
    assert_eq!(error.message, "n: ^int: a whole number was expected, a string found");
    let template = compile("{n: {^int: {min: 1, max: ^size}}}").with_parameters(&parameters(Bson::Int32(0))).unwrap();
    assert_eq!(Surroundings::new().value(&template, 0).unwrap_err().message, "n: ^int: min 1 is larger than max 0");
}
