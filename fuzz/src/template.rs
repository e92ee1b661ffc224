//! Message templates: JSON keeps its structure, for any values; without variables a message is
//! unchanged.

use serde_json::Value;
use webhook_model::{MAX_RENDERED, Message, Template, Values};

pub(crate) fn holds(input: (&str, &str, &str)) {
    let (text, name, host) = input;
    let Ok(message) = text.parse::<Message>() else {
        return;
    };
    let template = Template::parse(&message);
    let extra = [("HOST", host)];
    let values =
        Values::new("Thu, 16 Oct 2025 11:38:07 EDT", 1_760_629_087, name).with_extra(&extra);
    let Ok(rendered) = template.render(&values, || 42) else {
        return;
    };
    assert!(rendered.len() <= MAX_RENDERED);
    if !text.contains("${") && !text.contains("$<") {
        assert_eq!(rendered, text);
    }
    if template.is_json() {
        let calm =
            Values::new(values.date, values.timestamp, "calm").with_extra(&[("HOST", "calm")]);
        let calm = template.render(&calm, || 42).unwrap();
        // A text in place of a number, or an unknown variable: a mistake of the author.
        let Ok(was) = serde_json::from_str(&calm) else {
            return;
        };
        let is = serde_json::from_str(&rendered).unwrap_or_else(|e| panic!("{e}: {rendered}"));
        assert!(alike(&was, &is), "{calm} and {rendered}");
    }
}

/// Returns whether both have the same objects, arrays and kinds; strings may differ, and names of
/// members that contain a value may too.
fn alike(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Object(a), Value::Object(b)) => {
            let kinds = |of: &serde_json::Map<String, Value>| {
                let mut kinds: Vec<u8> = of.values().map(kind).collect();
                kinds.sort_unstable();
                kinds
            };
            // A value in the name of a member moves it, and can make one of two members.
            a.len() != b.len() || kinds(a) == kinds(b)
        }
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| alike(a, b))
        }
        _ => kind(a) == kind(b),
    }
}

fn kind(value: &Value) -> u8 {
    match value {
        Value::Null => 0,
        Value::Bool(_) => 1,
        Value::Number(_) => 2,
        Value::String(_) => 3,
        Value::Array(_) => 4,
        Value::Object(_) => 5,
    }
}
