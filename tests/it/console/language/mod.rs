//! Every page is in the host's language: in a made-up one, in which each text is between ⟦ and ⟧,
//! only data and names of the API remain outside of the brackets.

mod refused;

use examples::receiver::Receiver;
use fluent_syntax::ast::{Entry, PatternElement};
use fluent_syntax::{parser, serializer};
use gatepost_console::Texts;
use gatepost_engine::OperationalEvents;
use tests::browser::{PAGES, Setup, Visitor, furnish};

/// The site's users and the values that they typed.
const TYPED: &[&str] = &[
    "admin",
    "tina",
    "ulf",
    "uma",
    "vera",
    "wanda",
    "nightly build",
    "Jenkins on build-3; ask Ulf",
    "terraform",
    "Infrastructure as code",
    "monitoring",
    "Ops channel",
    "Accounting",
    "Lab",
    "Content-Type: application/json",
    "X-Api-Token: ••••••••",
    "X-Route: ops",
    "Tell operations",
    "Says which machine was switched on",
    "Book a new tenant",
];
/// The platform's names of its objects, tags and events.
const PLATFORM: &[&str] = &[
    "web-1",
    "db-1",
    "shop-1",
    "build",
    "blog",
    "database",
    "production",
    "staging",
    "north",
    "Alarms",
    "Logs",
    "Outgoing Site Syncs",
    "Tenants",
    "Users",
    "Virtual Machines",
    "Created",
    "Error",
    "Logged in",
    "Logged out",
    "Lowered",
    "Offline",
    "Online",
    "Powered off",
    "Powered on",
    "Raised",
    "Written",
    "A virtual machine was created.",
    "A virtual machine was switched off.",
    "A virtual machine was switched on.",
    "(The row number of the machine)",
    "The row number of the machine",
    ": web-1",
];
/// Names of languages; a zone; samples of the data of Gatepost's own events.
const OTHER: &[&str] = &[
    ": Deploys to #ops",
    ": deploy",
    ": manually",
    ": waiting",
    ": gp_…x7Qz",
    ": the target responded with status 503",
    ": 2026-11-23T09:30:00Z",
    ": 2026-12-07T00:00:00Z",
    "Go",
    "JavaScript (Node)",
    "Python",
    "Rust",
    "(UTC)",
];

/// Returns the English texts in the made-up language.
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

/// Returns the texts of a page, including those of attributes that are read out or shown.
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
        // Code and values that users typed.
        rest = match name {
            "pre" | "code" | "textarea" | "script" | "style" => after
                .split_once(&format!("</{name}>"))
                .map_or("", |(_, rest)| rest),
            _ => after,
        };
    }
    found
}

/// Returns the texts outside of brackets, which may be nested across elements.
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

/// Whether a text has several letters and is neither a variable, an address nor a time.
fn is_word(text: &str) -> bool {
    let letters = text.chars().filter(|letter| letter.is_alphabetic());
    let is_time = text.starts_with("20") && text.ends_with(" UTC") && text.len() <= 23;
    letters.count() > 1 && !text.starts_with("${") && !text.starts_with("http") && !is_time
}

/// Returns the words of a page that cannot be translated.
fn left_of(html: &str) -> Vec<String> {
    let found = outside(&texts(html)).into_iter().map(|text| {
        // Each title ends with that of the console.
        let text = text.trim().trim_end_matches("· Gatepost").trim_end();
        text.to_owned()
    });
    let is_left = |text: &String| is_word(text) && !is_data(text) && text != "Gatepost";
    found.filter(is_left).collect()
}

fn is_data(text: &str) -> bool {
    let known = [TYPED, PLATFORM, OTHER];
    known.iter().any(|data| data.contains(&text))
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_contain_no_untranslatable_words() {
    let setup = Setup {
        texts: made_up(),
        own_events: OperationalEvents::all(),
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
        for word in left_of(&page.html) {
            left.entry(word).or_insert(*path);
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
