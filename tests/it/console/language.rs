//! Every page speaks the host's language: in a made-up one, in which each text stands between ⟦ and
//! ⟧, no word is left outside of them but data and what the wire calls things.

use examples::receiver::Receiver;
use fluent_syntax::ast::{Entry, PatternElement};
use fluent_syntax::{parser, serializer};
use gatepost_console::Texts;
use tests::browser::{PAGES, Setup, Visitor, furnish};

/// What is outside of texts: data of the site, and names of the wire.
const DATA: &[&str] = &[
    "Gatepost",
    "admin",
    "tina",
    "nightly build",
    "Jenkins on build-3; ask Ulf",
    "terraform",
    "Infrastructure as code",
    "monitoring",
];

/// The English in the made-up language.
fn made_up() -> Texts {
    let mut resource = parser::parse(Texts::english_source().to_owned()).unwrap();
    for entry in &mut resource.body {
        let Entry::Message(message) = entry else {
            continue;
        };
        let text = |value: &str| PatternElement::TextElement {
            value: value.to_owned(),
        };
        let elements = &mut message.value.as_mut().unwrap().elements;
        elements.insert(0, text("⟦"));
        elements.push(text("⟧"));
    }
    Texts::read("eo", &serializer::serialize(&resource)).unwrap()
}

/// The texts of a page, also those of attributes that are read out or shown.
fn texts(html: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = html;
    while let Some((text, after)) = rest.split_once('<') {
        found.push(text.to_owned());
        let Some((tag, after)) = after.split_once('>') else {
            break;
        };
        for attribute in [
            "aria-label",
            "title",
            "placeholder",
            "alt",
            "data-say",
            "data-label",
        ] {
            let begin = format!(" {attribute}=\"");
            let parts = tag.split(&begin);
            found.extend(
                parts
                    .skip(1)
                    .filter_map(|part| part.split('"').next())
                    .map(str::to_owned),
            );
        }
        let name = tag.split(' ').next().unwrap();
        // What is code or typed by users.
        rest = match name {
            "pre" | "code" | "textarea" | "script" | "style" => after
                .split_once(&format!("</{name}>"))
                .map_or("", |(_, rest)| rest),
            _ => after,
        };
    }
    found
}

/// What is outside of brackets, which may be within each other across elements.
fn outside(texts: &[String]) -> Vec<String> {
    let (mut depth, mut found) = (0_u32, Vec::new());
    for text in texts {
        let mut word = String::new();
        for letter in text.chars() {
            match letter {
                '⟦' => depth += 1,
                '⟧' => depth -= 1,
                other if depth == 0 => word.push(other),
                _ => {}
            }
        }
        found.push(word);
    }
    assert_eq!(depth, 0);
    found
}

fn is_word(text: &str) -> bool {
    text.chars().filter(|letter| letter.is_alphabetic()).count() > 1
}

#[tokio::test(flavor = "multi_thread")]
async fn no_page_says_a_word_that_cannot_be_translated() {
    let setup = Setup {
        texts: made_up(),
        ..Setup::new()
    };
    let site = setup.start().await;
    let receiver = Receiver::start(None).await.unwrap();
    furnish(&site, &receiver).await;
    let admin = Visitor::login(&site, "admin").await;
    let mut left = std::collections::BTreeMap::new();
    for (path, _) in PAGES {
        let page = admin.get(path).await;
        assert!(page.html.contains("⟦"), "{path}");
        for text in outside(&texts(&page.html)) {
            let text = text.trim().to_owned();
            if is_word(&text) && !DATA.contains(&text.as_str()) {
                left.entry(text).or_insert(*path);
            }
        }
    }
    assert!(left.is_empty(), "{left:#?}");
}

#[test]
fn a_word_outside_is_found() {
    let page = r#"<p title="out">⟦in <b title="⟦in⟧">part⟧</b></p><pre>code</pre> word"#;
    let found = outside(&texts(&format!("{page}<i>")));
    let found: Vec<_> = found.into_iter().filter(|text| is_word(text)).collect();
    assert_eq!(found, ["out", " word"]);
}
