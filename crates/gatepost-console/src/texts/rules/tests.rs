//! Tests that sentences are recognized, and that the texts cover all sentences of the crates below.

mod said;

use std::collections::BTreeSet;

use super::*;

/// Returns a sentence of this pattern, and its translation into a language with brackets around
/// each text.
fn sample(pattern: &Pattern) -> (String, String) {
    let (mut said, mut shown) = (String::new(), format!("⟦{}|", pattern.name));
    for part in &pattern.parts {
        match part {
            Part::Text(text) => said.push_str(text),
            Part::Value(RULE) => {
                said.push_str("is required");
                shown.push_str("⟦rules-is-required|⟧;");
            }
            Part::Value(name) if NUMBERS.contains(name) => {
                said.push('7');
                shown.push_str("7;");
            }
            Part::Value(_) => {
                said.push_str("$some");
                shown.push_str("$some;");
            }
        }
    }
    (said, shown + "⟧")
}

/// Returns texts that consist of their names and values.
fn bracketed() -> Texts {
    let text = |pattern: &Pattern| {
        let values = pattern.parts.iter().filter_map(|part| match part {
            Part::Value(name) => Some(format!("{{ ${name} }};")),
            Part::Text(_) => None,
        });
        let values: String = values.collect();
        format!("{} = ⟦{}|{values}⟧\n", pattern.name, pattern.name)
    };
    let source: String = PATTERNS.iter().map(text).collect();
    Texts::read("eo", &source).unwrap()
}

#[test]
fn each_sentence_is_recognized_with_its_values() {
    assert!(parser::parse(SOURCE).is_ok());
    let (texts, mut english) = (bracketed(), BTreeSet::new());
    for pattern in &*PATTERNS {
        let (said, shown) = sample(pattern);
        assert_eq!(texts.rule(&said), shown);
        assert_eq!(Texts::english().rule(&said), said);
        assert!(english.insert(said), "{} is there twice", pattern.name);
    }
}

#[test]
fn unrecognized_rule_text_stays_untranslated() {
    let texts = bracketed();
    for said in [
        "",
        "ask your administrator",
        "must be at most many bytes",
        "must be at most 7 elephants",
        "must be 3 or greater.",
        "is required\n",
        "line : is required",
    ] {
        assert_eq!(texts.rule(said), said);
    }
    let own = texts.rule("line 7: ask your administrator");
    assert_eq!(own, "⟦rules-line|7;ask your administrator;⟧");
    let long = format!("must not name '{}' once", "x".repeat(LONGEST));
    assert_eq!(texts.rule(&long), long);
}

#[test]
fn translated_number_uses_language_format_and_plural() {
    let source = "frame-number-long = 1.234.567,8\nframe-number-short = 1.234\nrules-must-be-at-most-bytes = { $most ->\n [one] höchstens ein Byte\n *[other] höchstens { $most } Byte\n}";
    let texts = Texts::read("de", source).unwrap();
    assert_eq!(texts.rule("must be at most 1 bytes"), "höchstens ein Byte");
    let many = texts.rule("must be at most 65536 bytes");
    assert_eq!(many, "höchstens 65.536 Byte");
}

#[test]
fn nested_rule_text_is_translated_with_its_sentence() {
    let source = "rules-could-not-connect = keine Verbindung: { $rule }\nrules-connection-refused = abgelehnt\nrules-target-policy-refuses = { $rule } sind gesperrt";
    let texts = Texts::read("de", source).unwrap();
    let refused = texts.rule("could not connect: connection refused");
    assert_eq!(refused, "keine Verbindung: abgelehnt");
    let advised = "the target policy refuses private addresses: ask us";
    assert_eq!(texts.rule(advised), advised);
    let plain = texts.rule("the target policy refuses private addresses");
    assert_eq!(plain, "private addresses sind gesperrt");
}
