//! Filters as users write them, and their mistakes.

use super::{Filter, MAX_FILTER};
use crate::Field;
use crate::data::Data;

fn matches(filter: &str, data: &str) -> bool {
    let filter: Filter = filter.parse().unwrap();
    filter.matches(Some(&data.parse().unwrap()))
}

/// Returns the path and the rule.
fn refused(filter: &str) -> String {
    let invalid = filter.parse::<Filter>().unwrap_err();
    assert_eq!(invalid.field(), Field::Filter, "{filter}");
    invalid.rule().to_owned()
}

#[test]
fn each_condition_holds_where_it_says() {
    let data = r#"{"severity":"high","n":7,"f":7.5,"yes":true,"none":null,
        "disk":{"free":10,"kind":"ssd"},"list":[1,{"a":"b"}]}"#;
    for holds in [
        "{}",
        r#"{"severity":"high"}"#,
        r#"{"severity":{"$eq":"high"}}"#,
        r#"{"severity":{"$ne":"low"}}"#,
        r#"{"severity":{"$in":["low","high"]}}"#,
        r#"{"severity":{"$nin":["low",7,null]}}"#,
        r#"{"n":7,"f":7.5,"yes":true,"none":null}"#,
        r#"{"n":7.0}"#,
        r#"{"n":{"$gt":6,"$lt":7.5,"$gte":7,"$lte":7}}"#,
        r#"{"severity":{"$gt":"a","$lt":"i"}}"#,
        r#"{"disk.free":10,"disk":{"kind":"ssd"}}"#,
        r#"{"disk":{"free":{"$gt":9},"$exists":true}}"#,
        r#"{"list.0":1,"list.1.a":"b","list.2":{"$exists":false}}"#,
        r#"{"none":{"$exists":true},"other.x":{"$exists":false}}"#,
        r#"{"$or":[{"n":8},{"n":7,"yes":true}]}"#,
        r#"{"n":{"$or":[{"$lt":1},{"$gt":5}]}}"#,
        r#"{"disk":{"$or":[{"free":1},{"kind":"ssd"}]}}"#,
    ] {
        assert!(matches(holds, data), "{holds}");
    }
    for not in [
        r#"{"severity":"High"}"#,
        r#"{"severity":{"$ne":"high"}}"#,
        r#"{"severity":{"$nin":["low","high"]}}"#,
        r#"{"n":"7"}"#,
        r#"{"n":8}"#,
        r#"{"n":{"$gt":7}}"#,
        r#"{"n":{"$gt":"6"}}"#,
        r#"{"severity":{"$gt":1}}"#,
        r#"{"none":{"$gte":0}}"#,
        r#"{"yes":1}"#,
        r#"{"list":{"$in":[1]}}"#,
        r#"{"disk.free":10,"n":8}"#,
        r#"{"$or":[{"n":8},{"n":7,"yes":false}]}"#,
        r#"{"n":{"$exists":false}}"#,
    ] {
        assert!(!matches(not, data), "{not}");
    }
}

#[test]
fn filter_on_missing_data_matches_only_exists_false() {
    for filter in [
        r#"{"a":null}"#,
        r#"{"a":{"$ne":1}}"#,
        r#"{"a":{"$nin":[1]}}"#,
        r#"{"a":{"$lt":1}}"#,
        r#"{"a":{"$exists":true}}"#,
    ] {
        let filter: Filter = filter.parse().unwrap();
        assert!(!filter.matches(None), "{filter}");
        assert!(
            !filter.matches(Some(&"{}".parse::<Data>().unwrap())),
            "{filter}"
        );
    }
    let absent: Filter = r#"{"a.b":{"$exists":false}}"#.parse().unwrap();
    assert!(absent.matches(None));
    assert!(Filter::default().matches(None));
}

#[test]
fn integers_are_compared_to_the_last_digit() {
    let data = r#"{"n":9007199254740993,"big":18446744073709551615,"less":-9223372036854775808}"#;
    assert!(matches(r#"{"n":9007199254740993}"#, data));
    assert!(!matches(r#"{"n":9007199254740992}"#, data));
    assert!(matches(r#"{"n":{"$gt":9007199254740992}}"#, data));
    assert!(matches(
        r#"{"big":{"$gt":9223372036854775807},"less":{"$lt":-1}}"#,
        data
    ));
}

#[test]
fn filter_parse_error_names_path_and_rule() {
    let known = "use $eq, $ne, $in, $nin, $gt, $gte, $lt, $lte, $exists or $or";
    let unknown = format!("at disk.free: $near is not known; {known}");
    for (filter, rule) in [
        (r#"{"disk.free":{"$near":1}}"#, unknown.as_str()),
        (r#"{"disk":{"free":{"$near":1}}}"#, &unknown),
        (r#"{"$and":[]}"#, "$and must stand at a path"),
        (
            r#"{"a":[1,2]}"#,
            "at a: must not be a list; use $in for one of several values",
        ),
        (r#"{"a":{}}"#, "at a: must hold a condition"),
        (
            r#"{"a":{"$in":1}}"#,
            "at a: $in must be a list of one or more values",
        ),
        (
            r#"{"a":{"$nin":[]}}"#,
            "at a: $nin must be a list of one or more values",
        ),
        (
            r#"{"a":{"$in":[{}]}}"#,
            "at a: $in must be a text, a number, true, false or null",
        ),
        (
            r#"{"a":{"$gt":true}}"#,
            "at a: $gt must be a number or a text",
        ),
        (
            r#"{"a":{"$exists":1}}"#,
            "at a: $exists must be true or false",
        ),
        (r#"{"$or":{}}"#, "$or must be a list of one or more objects"),
        (
            r#"{"a":{"$or":[]}}"#,
            "at a: $or must be a list of one or more objects",
        ),
        (r#"{"$or":[{}]}"#, "must hold a condition"),
        (
            r#"{"a..b":1}"#,
            "at a..b: must have no empty part in a path",
        ),
        (r#"{"":1}"#, "at : must have no empty part in a path"),
        ("[]", "must be a JSON object"),
        ("{", "must be a JSON object"),
    ] {
        assert_eq!(refused(filter), rule, "{filter}");
    }
    let hidden = refused("{\"a\\u202e\\n\":[]}");
    assert!(hidden.starts_with("at a[U+202E] : "), "{hidden}");
    let long = refused(&format!("{{\"{}\":[]}}", "x".repeat(2_000)));
    assert!(
        long.starts_with(&format!("at {}…: ", "x".repeat(60))),
        "{long}"
    );
}

#[test]
fn filter_limits_bytes_values_nesting_and_paths() {
    let values = |count: usize| format!("{{\"a\":{{\"$in\":{:?}}}}}", vec![1; count]);
    assert!(values(100).parse::<Filter>().is_ok());
    assert_eq!(
        refused(&values(101)),
        "at a: must compare with at most 100 values"
    );
    let nested = |count: usize| format!("{}1{}", "{\"a\":".repeat(count), "}".repeat(count));
    assert!(nested(8).parse::<Filter>().is_ok());
    assert!(refused(&nested(9)).ends_with("must have at most 8 objects in each other"));
    let path = |parts: usize| format!("{{\"{}\":1}}", vec!["a"; parts].join("."));
    assert!(path(32).parse::<Filter>().is_ok());
    assert!(refused(&path(33)).ends_with("must have at most 32 parts in a path"));
    let text = |bytes: usize| format!("{{\"a\":\"{}\"}}", "x".repeat(bytes - 8));
    assert!(text(MAX_FILTER).parse::<Filter>().is_ok());
    assert_eq!(refused(&text(MAX_FILTER + 1)), "must be at most 4096 bytes");
}

#[test]
fn stored_invalid_filter_is_kept_and_matches_nothing() {
    let old = r#"{"any":[1,{"":null}]}"#;
    let filter = Filter::stored(old).unwrap();
    assert_eq!(filter.as_str(), old);
    assert!(!filter.matches(None) && !filter.matches(Some(&"{\"any\":1}".parse().unwrap())));
    assert!(filter.problem().unwrap().rule().starts_with("at any: "));
    let long = format!("{{\"a\":\"{}\"}}", "x".repeat(60_000));
    assert!(Filter::stored(&long).unwrap().problem().is_some());
    assert!(Filter::stored("[]").is_err());
    let good = Filter::stored(r#"{"a":1}"#).unwrap();
    assert_eq!(
        (good.problem(), good.clone()),
        (None, r#"{ "a": 1 }"#.parse().unwrap())
    );
    assert!(Filter::stored("{}").unwrap().is_empty());
}
