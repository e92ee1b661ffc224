//! Properties of every filter: parsing never panics, and the result equals a direct evaluation of
//! its text.

use std::cmp::Ordering;

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::Filter;
use crate::data::Data;

/// Evaluates the conditions of an object on a value, from its text.
fn keeps(value: Option<&Value>, conditions: &Map<String, Value>) -> bool {
    conditions.iter().all(|(name, wanted)| {
        let ordered = |wanted_order: fn(Ordering) -> bool| {
            let order = match (value, wanted) {
                (Some(Value::String(a)), Value::String(b)) => Some(a.cmp(b)),
                (Some(Value::Number(a)), Value::Number(b)) => {
                    a.as_f64().unwrap().partial_cmp(&b.as_f64().unwrap())
                }
                _ => None,
            };
            order.is_some_and(wanted_order)
        };
        let one_of =
            |some: &[Value]| value.is_some_and(|value| some.iter().any(|one| same(one, value)));
        match name.as_str() {
            "$or" => {
                let mut choices = wanted.as_array().unwrap().iter();
                choices.any(|choice| keeps(value, choice.as_object().unwrap()))
            }
            "$exists" => value.is_some() == wanted.as_bool().unwrap(),
            "$eq" => one_of(std::slice::from_ref(wanted)),
            "$ne" => value.is_some() && !one_of(std::slice::from_ref(wanted)),
            "$in" => one_of(wanted.as_array().unwrap()),
            "$nin" => value.is_some() && !one_of(wanted.as_array().unwrap()),
            "$gt" => ordered(Ordering::is_gt),
            "$gte" => ordered(Ordering::is_ge),
            "$lt" => ordered(Ordering::is_lt),
            "$lte" => ordered(Ordering::is_le),
            path => {
                let found = value.and_then(|value| path.split('.').try_fold(value, below));
                match wanted {
                    Value::Object(conditions) => keeps(found, conditions),
                    wanted => found.is_some_and(|found| same(wanted, found)),
                }
            }
        }
    })
}

fn below<'a>(value: &'a Value, part: &str) -> Option<&'a Value> {
    match value {
        Value::Object(members) => members.get(part),
        Value::Array(items) => {
            let at: usize = part.parse().ok()?;
            (at.to_string() == part).then(|| items.get(at)).flatten()
        }
        _ => None,
    }
}

fn same(wanted: &Value, value: &Value) -> bool {
    match (wanted, value) {
        (Value::Number(a), Value::Number(b)) => a.as_f64() == b.as_f64(),
        _ => wanted == value,
    }
}

fn part() -> impl Strategy<Value = String> {
    prop::sample::select(&["a", "b", "0", "1"][..]).prop_map(str::to_owned)
}

fn scalar() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-2..3i64).prop_map(Value::from),
        prop::sample::select(&[-0.5, 1.0, 1.5][..]).prop_map(Value::from),
        "[ab]{0,2}".prop_map(Value::from),
    ]
}

fn object(member: impl Strategy<Value = (String, Value)>) -> impl Strategy<Value = Value> {
    let members = prop::collection::vec(member, 1..4);
    members.prop_map(|members| Value::Object(members.into_iter().collect()))
}

fn data() -> impl Strategy<Value = Data> {
    let value = scalar().prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            object((part(), inner)),
        ]
    });
    let members = prop::collection::vec((part(), value), 0..4);
    members.prop_map(|members| Data::new(members.into_iter().collect()).unwrap())
}

fn operator() -> impl Strategy<Value = (String, Value)> {
    let bound = prop_oneof![
        (-2..3i64).prop_map(Value::from),
        "[ab]{0,2}".prop_map(Value::from)
    ];
    let some = prop::collection::vec(scalar(), 1..4).prop_map(Value::from);
    prop_oneof![
        (prop::sample::select(&["$eq", "$ne"][..]), scalar().boxed()),
        (prop::sample::select(&["$in", "$nin"][..]), some.boxed()),
        (
            prop::sample::select(&["$gt", "$gte", "$lt", "$lte"][..]),
            bound.boxed()
        ),
        (Just("$exists"), any::<bool>().prop_map(Value::from).boxed()),
    ]
    .prop_map(|(name, value)| (name.to_owned(), value))
}

fn filter() -> impl Strategy<Value = Value> {
    let path = prop::collection::vec(part(), 1..4).prop_map(|parts| parts.join("."));
    let path = path.boxed();
    let leaf = (path.clone(), prop_oneof![scalar(), object(operator())]);
    object(leaf).prop_recursive(3, 24, 4, move |inner| {
        let choices = prop::collection::vec(inner.clone(), 1..3).prop_map(Value::from);
        object(prop_oneof![
            (path.clone(), inner),
            (Just("$or".to_owned()), choices),
        ])
    })
}

proptest! {
    #[test]
    fn a_filter_answers_as_its_text_says(filter in filter(), data in data()) {
        let members = filter.as_object().unwrap().clone();
        // A few exceed the limits of a filter.
        let Ok(parsed) = Filter::new(&members) else { return Ok(()) };
        let root = Value::Object(data.as_map().clone());
        prop_assert_eq!(parsed.matches(Some(&data)), keeps(Some(&root), &members), "{} on {}", filter, root);
        prop_assert_eq!(parsed.matches(None), keeps(Some(&json!({})), &members), "{}", filter);
        let again: Filter = parsed.to_string().parse().unwrap();
        prop_assert_eq!(again.matches(Some(&data)), parsed.matches(Some(&data)));
    }

    #[test]
    fn no_text_makes_the_reader_panic(text in "[{}\\[\\]\",:$a-gortx.0-9 ]{0,60}", any in any::<String>()) {
        for text in [text, any] {
            let _ = (text.parse::<Filter>(), Filter::stored(&text), text.parse::<Data>());
        }
    }
}
