//! Templates with user input.

use chrono_tz::Tz;

use super::{MAX_RENDERED, RenderError, Template, Values, format_date};
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

pub(super) fn render(message: &str, name: &str) -> String {
    let template = Template::parse(&message.parse::<Message>().unwrap());
    let values = Values {
        extra: &[("HOST", "h\"1")],
        ..Values::new("Thu, 16 Oct 2025 11:38:07 EDT", 1_760_629_087, name)
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
fn template_variable_renders_in_both_spellings_and_adjacent() {
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
        "a new number each time, never negative"
    );
    assert_eq!(render("${NAME}$<NAME>${HOST}", "n"), "nnh\"1");
}

#[test]
fn text_without_known_variable_stays_unchanged() {
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
fn template_values_are_escaped_for_their_context() {
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
fn variable_within_escape_or_number_is_not_json() {
    // Not JSON, so the values are put in as they are.
    for (message, expected) in [
        (r#"{"a":"\${NAME}n"}"#, r#"{"a":"\"n"}"#),
        (r#"{"a":"\u00${NAME}41"}"#, r#"{"a":"\u00"41"}"#),
        (r#"{"a":1${NAME}}"#, r#"{"a":1"}"#),
        (r#"{"a":0${TIMESTAMP}}"#, r#"{"a":01760629087}"#),
        (r#"{"a":1} ${NAME}"#, r#"{"a":1} ""#),
    ] {
        assert!(
            !Template::parse(&message.parse().unwrap()).is_json(),
            "{message}"
        );
        assert_eq!(render(message, "\""), expected);
    }
}

#[test]
fn json_with_variables_as_numbers_and_member_names() {
    assert_eq!(
        render(
            r#"{"ms":${TIMESTAMP}000,"less":-${RANDOM}.5,"${NAME}":1}"#,
            "a\"b"
        ),
        r#"{"ms":1760629087000,"less":-41.5,"a\"b":1}"#
    );
    assert_eq!(
        render(r#" [{${NAME}:${NAME}}, "\\${NAME}"]"#, "a\"b"),
        r#" [{"a\"b":"a\"b"}, "\\a\"b"]"#
    );
    assert_eq!(
        render(r#"{"a":${HOST},"b":${UNKNOWN}}"#, ""),
        r#"{"a":"h\"1","b":${UNKNOWN}}"#,
        "host variables are text; unknown ones stay"
    );
}

#[test]
fn many_unknown_variables_are_listed_in_order() {
    let message: String = (0..100_000).map(|n| format!("${{V{n}}}")).collect();
    let template = Template::parse(&message.parse().unwrap());
    let unknown = template.unknown_variables(&["V1"]);
    assert_eq!(unknown.len(), 99_999);
    assert_eq!((unknown[0], unknown[1]), ("V0", "V2"));
}

#[test]
fn date_is_formatted_in_the_host_time_zone() {
    let at =
        |text: &str, zone: &str| format_date(text.parse().unwrap(), &zone.parse::<Tz>().unwrap());
    for (time, zone, expected) in [
        (
            "2025-10-16T15:38:07Z",
            "America/New_York",
            "Thu, 16 Oct 2025 11:38:07 EDT",
        ),
        (
            "2025-11-02T05:59:59Z",
            "America/New_York",
            "Sun, 02 Nov 2025 01:59:59 EDT",
        ),
        (
            "2025-11-02T06:00:00Z",
            "America/New_York",
            "Sun, 02 Nov 2025 01:00:00 EST",
        ),
        (
            "2024-02-29T00:00:00Z",
            "UTC",
            "Thu, 29 Feb 2024 00:00:00 UTC",
        ),
        (
            "2025-12-31T20:00:00Z",
            "Asia/Kolkata",
            "Thu, 01 Jan 2026 01:30:00 IST",
        ),
        (
            "2025-01-01T00:00:00Z",
            "America/Sao_Paulo",
            "Tue, 31 Dec 2024 21:00:00 -03",
        ),
    ] {
        assert_eq!(at(time, zone), expected);
    }
}

#[test]
fn debug_shows_neither_message_nor_template() {
    let message: Message = "CANARY ${NAME}".parse().unwrap();
    let shown = format!("{message:?} {:?}", Template::parse(&message));
    assert!(!shown.contains("CANARY"), "{shown}");
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
    let values = Values::new("", 0, &name);
    assert_eq!(template.render(&values, || 0), Err(RenderError::TooLarge));
}

#[test]
fn negative_and_extreme_timestamps() {
    for timestamp in [0, -1, i64::MIN, i64::MAX] {
        let template = Template::parse(&"${TIMESTAMP}".parse().unwrap());
        let values = Values::new("", timestamp, "");
        assert_eq!(
            template.render(&values, || 0).unwrap(),
            timestamp.to_string()
        );
    }
}

/// `${v0}`, `${v1}` … with their values; a repeated name has the first one.
#[test]
fn many_variables_resolve_by_name_like_few() {
    let names: Vec<String> = (0..40).map(|at| format!("v{at}")).collect();
    let pairs = names.iter().chain(&names).zip(0..);
    let values: Vec<(&str, String)> = pairs
        .map(|(name, at)| (name.as_str(), format!("<{at}>")))
        .collect();
    for count in [16, 17, 80] {
        let some = values.iter().take(count);
        let extra: Vec<(&str, &str)> = some.map(|(name, text)| (*name, text.as_str())).collect();
        let template = Template::parse(&"${v0} ${v15} ${v39} ${w}".parse().unwrap());
        let values = Values {
            extra: &extra,
            ..Values::new("", 0, "")
        };
        let last = if count == 80 { "<39>" } else { "${v39}" };
        let expected = format!("<0> <15> {last} ${{w}}");
        assert_eq!(template.render(&values, || 0).unwrap(), expected, "{count}");
    }
}

/// Each takes minutes if variables are searched linearly, or if the whole message is measured: the
/// test would then not end in time.
#[test]
fn variable_only_message_renders_or_fails_quickly() {
    let names: Vec<String> = (0..50_000).map(|at| format!("v{at}")).collect();
    let many: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "1")).collect();
    let long = "x".repeat(1024 * 1024);
    let long = [("a", long.as_str())];
    for (message, extra) in [
        ("${w}".repeat(262_144), &many[..]),
        ("${a}".repeat(262_144), &long),
        (format!("[{}0]", "${a},".repeat(200_000)), &long),
    ] {
        let values = Values {
            extra,
            ..Values::new("", 0, "")
        };
        let template = Template::parse(&message.parse().unwrap());
        let rendered = template.render(&values, || 0);
        assert_eq!(rendered.is_err(), extra.len() == 1);
    }
}
