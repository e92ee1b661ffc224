//! Properties of every message and every name.

use proptest::prelude::*;

use super::parsed::Template;
use super::tests::render;

/// Variables, and text that may follow them.
const VARIABLES: [&str; 11] = [
    "${NAME}",
    "$<DATE>",
    "${TIMESTAMP}",
    "${RANDOM}",
    "${TIMESTAMP}000",
    "\\${NAME}n",
    "\\u00${NAME}41",
    "\\",
    "1",
    "\"",
    "{${NAME}:1}",
];

/// Returns JSON with its strings emptied.
fn structure(json: &str) -> String {
    let mut out = String::new();
    let mut in_string = false;
    let mut chars = json.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' if in_string => drop(chars.next()),
            '"' => {
                in_string = !in_string;
                out.push(c);
            }
            _ if in_string => {}
            _ => out.push(c),
        }
    }
    out
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
    fn json_message_stays_json_after_rendering(message in json(), name in any::<String>()) {
        prop_assert!(serde_json::from_str::<serde_json::Value>(&message).is_ok(), "{}", message);
        let rendered = render(&message, &name);
        prop_assert!(serde_json::from_str::<serde_json::Value>(&rendered).is_ok(), "{} -> {}", message, rendered);
    }

    /// With variables anywhere in JSON: as long as the template is JSON, no name can break the
    /// result or change its structure.
    #[test]
    fn no_name_breaks_json_or_adds_to_it(
        message in json(),
        places in prop::collection::vec((any::<prop::sample::Index>(), 0..VARIABLES.len()), 1..4),
        name in "[a-z\"\\\\{},:0-9\n]{0,12}",
    ) {
        let mut message = message.replace("${X}", "${HOST}");
        for (place, variable) in places {
            let mut at = place.index(message.len() + 1);
            while !message.is_char_boundary(at) {
                at -= 1;
            }
            message.insert_str(at, VARIABLES[variable]);
        }
        let template = Template::parse(&message.parse().unwrap());
        // An unknown variable stays unchanged, even if JSON does not allow it there.
        if template.is_json() && template.unknown_variables(&["HOST"]).is_empty() {
            let rendered = render(&message, &name);
            let parses = serde_json::from_str::<serde::de::IgnoredAny>(&rendered).is_ok();
            prop_assert!(parses, "{} -> {}", message, rendered);
            prop_assert_eq!(structure(&rendered), structure(&render(&message, "x")));
        }
    }

    #[test]
    fn never_panics_and_keeps_text_without_variables(text in "[^$]{0,200}", any in "[$<>{}A-Z\"\\\\é]{0,60}") {
        prop_assert_eq!(render(&text, "n"), text);
        render(&any, "n");
    }
}
