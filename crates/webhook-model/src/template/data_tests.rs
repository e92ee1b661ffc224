//! The data of occurrences in messages.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{RenderError, Template, Values};
use crate::data::Data;
use crate::event::JsonObject;
use crate::filter::Filter;
use crate::json_text::compact_json;

const DIGITS: &str = r#"{"a":{"n":[1.10,18446744073709551616]},"big":18446744073709551616,"e":1E5,"text":"1.10","z":-0.50}"#;

fn filled(message: &str, data: Option<&Data>, extra: &[(&str, &str)]) -> String {
    let values = Values {
        extra,
        data,
        ..Values::new("", 1, "n")
    };
    let template = Template::parse(&message.parse().unwrap());
    template.render(&values, || 0).unwrap()
}

fn data() -> Data {
    r#"{"text":"a\"b\n","n":1.5,"yes":true,"none":null,"list":[{"a-b":"c"}],"o":{"k":"\""}}"#
        .parse()
        .unwrap()
}

#[test]
fn template_data_path_is_rendered_for_its_context() {
    let data = data();
    for (message, expected) in [
        // Outside of JSON strings.
        (r#"{"v":${data.text}}"#, r#"{"v":"a\"b\n"}"#),
        (r#"{"v":$<data.n>}"#, r#"{"v":1.5}"#),
        (
            r#"[${data.yes},${data.none},${data.nowhere}]"#,
            "[true,null,null]",
        ),
        (
            r#"[${data.list.0},${data.list.0.a-b}]"#,
            r#"[{"a-b":"c"},"c"]"#,
        ),
        (r#"[${data.o}]"#, r#"[{"k":"\""}]"#),
        // Inside of JSON strings.
        (r#"{"v":"${data.text}!"}"#, r#"{"v":"a\"b\n!"}"#),
        (
            r#"["${data.n} ${data.none}${data.nowhere}"]"#,
            r#"["1.5 "]"#,
        ),
        (r#"["${data.o}"]"#, r#"["{\"k\":\"\\\"\"}"]"#),
        // In text.
        (
            "${data.text}|${data.n}|${data.none}|${data.o}|",
            "a\"b\n|1.5||{\"k\":\"\\\"\"}|",
        ),
        // An invalid path is text.
        (
            "${data.}${data..a}${data.a b}${Data.n}${data.é}",
            "${data.}${data..a}${data.a b}${Data.n}${data.é}",
        ),
    ] {
        assert_eq!(filled(message, Some(&data), &[]), expected, "{message}");
    }
    assert_eq!(filled("${data}", Some(&data), &[]), data.as_str());
    let whole = filled(r#"{"all":${data}}"#, Some(&data), &[]);
    assert_eq!(whole, format!("{{\"all\":{}}}", data.as_str()));
    let as_text: String = serde_json::from_str(&filled(r#""${data}""#, Some(&data), &[])).unwrap();
    assert_eq!(as_text, data.as_str());
}

#[test]
fn numbers_in_data_keep_their_digits() {
    let spaced = DIGITS.replace(':', " : ").replace(',', " ,\n");
    let data: Data = spaced.parse().unwrap();
    assert_eq!(data.as_str(), DIGITS);
    let stored = Data::stored(data.as_str()).unwrap();
    for data in [&data, &stored] {
        let message =
            r#"[${data.big},${data.a.n.0},"${data.z}",${data.a},"${data.a.n}",${data.e}]"#;
        let expected = concat!(
            r#"[18446744073709551616,1.10,"-0.50",{"n":[1.10,18446744073709551616]},"#,
            r#""[1.10,18446744073709551616]",1E5]"#
        );
        assert_eq!(filled(message, Some(data), &[]), expected);
        assert_eq!(
            filled("${data.a.n.1} ${data.text}", Some(data), &[]),
            "18446744073709551616 1.10"
        );
        assert_eq!(filled("${data}", Some(data), &[]), DIGITS);
    }
}

#[test]
fn numbers_in_context_keep_their_digits() {
    let context: JsonObject = DIGITS.parse().unwrap();
    assert_eq!(context.to_string(), DIGITS);
    let data = Data::from(&context);
    assert_eq!(
        filled("${data.big} ${data.a.n}", Some(&data), &[]),
        "18446744073709551616 [1.10,18446744073709551616]"
    );
}

/// As values, which filters compare, they become the largest 64-bit integers.
#[test]
fn numbers_beyond_64_bits_keep_their_digits() {
    const FAR: &str = r#"{"a":[1e400,-1E+0400],"b":"1e400","z":0e999}"#;
    let data: Data = FAR.parse().unwrap();
    let context: JsonObject = FAR.parse().unwrap();
    assert_eq!([data.as_str(), context.as_str()], [FAR, FAR]);
    assert_eq!(data.as_map()["a"], json!([f64::MAX, f64::MIN]));
    assert_eq!(
        filled("[${data.a.0},${data.a}]", Some(&data), &[]),
        "[1e400,[1e400,-1E+0400]]"
    );
    let more: Filter = r#"{"a.0":{"$gt":1e308}}"#.parse().unwrap();
    assert!(more.matches(Some(&data)));
    for wrong in [
        r#"{"a":1e400e1}"#,
        r#"{"a":01e400}"#,
        r#"{"a":1e400"#,
        r#"{"a":-inf}"#,
    ] {
        assert!(wrong.parse::<Data>().is_err(), "{wrong}");
    }
}

#[test]
fn compact_json_changes_nothing_but_digits() {
    for (text, expected) in [
        (
            r#" [ 1.10 , "a\/\u0041\u0001", {"a":-0,"b":1,"b":1e400} ] "#,
            r#"[1.10,"a/A\u0001",{"a":-0,"b":1e400}]"#,
        ),
        ("\t1.10\n", "1.10"),
        ("\"\\u00011\"", "\"\\u00011\""),
        (r#"[1, 2]"#, "[1,2]"),
    ] {
        assert_eq!(compact_json(text).unwrap(), expected, "{text}");
    }
    for wrong in ["", "01", "1.10 2", "[1.10", "\u{feff}1.10"] {
        assert!(compact_json(wrong).is_err(), "{wrong}");
    }
}

/// The mark before numbers is an ordinary text.
#[test]
fn numbers_and_texts_that_look_so_stay_apart() {
    let text = r#"{"\u0001k":"\u00012.50","n":[1.10,"a\"1.10","\u0001\u0001","\\"],"\u0001":{"x":"\\\""}}"#;
    let data: Data = text.parse().unwrap();
    let read = |text: &str| serde_json::from_str::<Value>(text).unwrap();
    assert_eq!(read(data.as_str()), read(text));
    assert!(data.as_str().contains("[1.10,"), "{}", data.as_str());
    assert_eq!(
        filled("${data.n}", Some(&data), &[]),
        r#"[1.10,"a\"1.10","\u0001\u0001","\\"]"#
    );
}

/// Names with dots cannot be reached by a path.
#[test]
fn digits_below_dotted_name_are_no_paths_value() {
    let data: Data = r#"{"a":{"b":1.5},"a.b":2.50}"#.parse().unwrap();
    assert_eq!(filled("${data.a.b}", Some(&data), &[]), "1.5");
}

#[test]
fn data_path_without_data_renders_null_or_empty() {
    assert_eq!(
        filled(r#"[${data},${data.a},"${data.a}"]"#, None, &[]),
        r#"[null,null,""]"#
    );
    assert_eq!(filled("<${data}${data.a}>", None, &[]), "<>");
    let own = [("data", "mine")];
    assert_eq!(filled("${data} ${data.a}", None, &own), "mine ");
    assert_eq!(filled("${data}", Some(&"{}".parse().unwrap()), &own), "{}");
    let template = Template::parse(&"${data} ${data.a} ${b}".parse().unwrap());
    assert_eq!(template.unknown_variables(&[]), ["b"]);
}

#[test]
fn context_is_another_object_with_the_same_paths() {
    let context = Data::from(&r#"{"room":"a\"b","n":[7]}"#.parse::<JsonObject>().unwrap());
    let data = data();
    let filled = |message: &str, context: Option<&Data>| {
        let values = Values {
            event_type: "",
            event: "",
            date: "",
            timestamp: 1,
            name: "n",
            extra: &[],
            data: Some(&data),
            context,
        };
        let template = Template::parse(&message.parse().unwrap());
        assert!(template.asks_for_context());
        template.render(&values, || 0).unwrap()
    };
    let message = r#"{"room":${context.room},"n":"$<context.n.0>","of_data":${data.n}}"#;
    assert_eq!(
        filled(message, Some(&context)),
        r#"{"room":"a\"b","n":"7","of_data":1.5}"#
    );
    assert_eq!(
        filled(message, None),
        r#"{"room":null,"n":"","of_data":1.5}"#
    );
    assert_eq!(filled("${context}", Some(&context)), context.as_str());
    let other = Template::parse(&"${data.context} ${contexts}".parse().unwrap());
    assert!(!other.asks_for_context());
}

#[test]
fn data_path_length_and_rendered_size_are_bounded() {
    let data: Data = format!(r#"{{"a":["{}"]}}"#, "x".repeat(60_000))
        .parse()
        .unwrap();
    let values = Values {
        data: Some(&data),
        ..Values::new("", 0, "")
    };
    for (variable, refused) in [
        ("${data}", true),
        ("${data.a}", true),
        ("${data.a.0.b}", false),
    ] {
        let message = variable.repeat(1024 * 1024 / variable.len());
        let rendered = Template::parse(&message.parse().unwrap()).render(&values, || 0);
        match refused {
            true => assert_eq!(rendered, Err(RenderError::TooLarge), "{variable}"),
            false => assert!(rendered.unwrap().is_empty()),
        }
    }
    let long = format!("${{data.{}}}", "x".repeat(255));
    assert_eq!(filled(&long, Some(&data), &[]), "");
    let longer = format!("${{data.{}}}", "x".repeat(256));
    assert_eq!(filled(&longer, Some(&data), &[]), longer);
}

proptest! {
    /// A JSON message stays JSON of the same shape, whatever its data are.
    #[test]
    fn no_data_breaks_json(
        text in any::<String>(),
        places in prop::collection::vec(any::<prop::sample::Index>(), 1..4),
        value in prop::sample::select(&["text", "n", "o", "list", "none", "x"][..]),
    ) {
        let mut message = r#"{"a":["b",1,null],"c":{"d":"e"}}"#.to_owned();
        for place in places {
            message.insert_str(place.index(message.len() + 1), &format!("${{data.{value}}}"));
        }
        let template = Template::parse(&message.parse().unwrap());
        if template.is_json() {
            let mut members = data().as_map().clone();
            members.insert("text".to_owned(), text.into());
            let rendered = filled(&message, Some(&Data::new(members).unwrap()), &[]);
            let parses = serde_json::from_str::<serde::de::IgnoredAny>(&rendered).is_ok();
            prop_assert!(parses, "{} -> {}", message, rendered);
        }
    }
}
