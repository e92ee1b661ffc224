//! Templates, with what users put into them.

use proptest::prelude::*;

use super::{MAX_RENDERED, RenderError, Template, Values};
use crate::Message;

const NAMES: [&str; 8] = [
    "plain",
    "a\"b",
    "back\\slash",
    "line\nbreak",
    "🦀 emoji",
    "\u{2028}",
    "\u{0}\u{1f}\t",
    "${DATE}",
];

fn render(message: &str, name: &str) -> String {
    let template = Template::parse(&message.parse::<Message>().unwrap());
    let values = Values {
        date: "Thu, 16 Oct 2025 11:38:07 EDT",
        timestamp: 1_760_629_087,
        name,
        extra: &[("HOST", "h\"1")],
    };
    let mut next = 40;
    template
        .render(&values, || {
            next += 1;
            next | 0x8000_0000
        })
        .unwrap()
}

#[test]
fn each_variable_in_both_spellings_and_side_by_side() {
    assert_eq!(
        render("${DATE}|$<DATE>", "x"),
        "Thu, 16 Oct 2025 11:38:07 EDT|Thu, 16 Oct 2025 11:38:07 EDT"
    );
    assert_eq!(
        render("$<TIMESTAMP>${TIMESTAMP}", "x"),
        "17606290871760629087"
    );
    assert_eq!(
        render("${RANDOM} ${RANDOM}", "x"),
        "41 42",
        "fresh at each place, never negative"
    );
    assert_eq!(render("${NAME}$<NAME>${HOST}", "n"), "nnh\"1");
}

#[test]
fn what_is_no_variable_stays_as_it_is() {
    for text in [
        "",
        "$",
        "${",
        "${NAME",
        "$<NAME}",
        "${NAME>",
        "${}",
        "${name x}",
        "$NAME",
        "${1A}",
        "$${",
        "{NAME}",
        "${UNKNOWN}",
        "$<UNKNOWN>",
        "ü$🦀{NAME}",
    ] {
        assert_eq!(render(text, "n"), text);
    }
    assert_eq!(render("${${NAME}}", "n"), "${n}");
    assert_eq!(render("$${NAME}", "n"), "$n");
    let template = Template::parse(&"${A} $<B> ${A} ${NAME}".parse().unwrap());
    assert_eq!(template.unknown_variables(&["B"]), ["A"]);
}

#[test]
fn values_are_escaped_for_the_place_where_they_stand() {
    for name in NAMES {
        let json = render(
            r#"{"a":"<${NAME}>","b":${NAME},"c":[${TIMESTAMP}],"\"${NAME}\\":1}"#,
            name,
        );
        let value: serde_json::Value =
            serde_json::from_str(&json).unwrap_or_else(|e| panic!("{json}: {e}"));
        assert_eq!(value["a"], format!("<{name}>"));
        assert_eq!(value["b"], name);
        assert_eq!(value["c"][0], 1_760_629_087);
        assert_eq!(value[format!("\"{name}\\")], 1);
        assert_eq!(render("plain: ${NAME}", name), format!("plain: {name}"));
    }
}

#[test]
fn a_message_of_one_variable_is_text() {
    assert_eq!(render("${NAME}", "a\"b"), "a\"b");
    assert_eq!(render("\"${NAME}\"", "a\"b"), r#""a\"b""#);
}

#[test]
fn a_large_message_and_a_larger_result() {
    let message = format!("{{\"a\":\"{}${{NAME}}\"}}", "x".repeat(1024 * 1024 - 20));
    assert_eq!(render(&message, "n").len(), message.len() - 6);
    assert!(
        format!("{message} ......................")
            .parse::<Message>()
            .is_err()
    );
    let template = Template::parse(&"${NAME}".repeat(10).parse().unwrap());
    let name = "n".repeat(MAX_RENDERED / 4);
    let values = Values {
        date: "",
        timestamp: 0,
        name: &name,
        extra: &[],
    };
    assert_eq!(template.render(&values, || 0), Err(RenderError::TooLarge));
}

#[test]
fn negative_and_extreme_timestamps() {
    for timestamp in [0, -1, i64::MIN, i64::MAX] {
        let template = Template::parse(&"${TIMESTAMP}".parse().unwrap());
        let values = Values {
            date: "",
            timestamp,
            name: "",
            extra: &[],
        };
        assert_eq!(
            template.render(&values, || 0).unwrap(),
            timestamp.to_string()
        );
    }
}

fn json() -> impl Strategy<Value = String> {
    let text = prop::collection::vec(
        prop_oneof![
            Just("${NAME}".to_owned()),
            Just("$<DATE>".to_owned()),
            Just("${X}".to_owned()),
            "[a-z\"\\\\$\u{7f}\n]{0,4}"
        ],
        0..4,
    )
    .prop_map(|parts| parts.concat());
    let leaf = prop_oneof![
        Just("null".to_owned()),
        any::<i32>().prop_map(|n| n.to_string()),
        text.prop_map(|t| serde_json::to_string(&t).unwrap())
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4)
                .prop_map(|items| format!("[{}]", items.join(","))),
            prop::collection::vec(inner, 0..4).prop_map(|items| format!(
                "{{{}}}",
                items
                    .iter()
                    .enumerate()
                    .map(|(n, v)| format!("\"k{n}\": {v}"))
                    .collect::<Vec<_>>()
                    .join(",")
            )),
        ]
    })
}

proptest! {
    #[test]
    fn what_was_json_stays_json(message in json(), name in any::<String>()) {
        prop_assert!(serde_json::from_str::<serde_json::Value>(&message).is_ok(), "{}", message);
        let rendered = render(&message, &name);
        prop_assert!(serde_json::from_str::<serde_json::Value>(&rendered).is_ok(), "{} -> {}", message, rendered);
    }

    #[test]
    fn never_panics_and_keeps_text_without_variables(text in "[^$]{0,200}", any in "[$<>{}A-Z\"\\\\é]{0,60}") {
        prop_assert_eq!(render(&text, "n"), text);
        render(&any, "n");
    }
}
