//! The script, with what it says in the language of the pages.

use serde_json::{Map, Value};

use crate::texts::Texts;

const SCRIPT: &str = include_str!("console.js");
/// Where the script has a variable.
const PLACE: &str = "%";

pub(super) fn script(texts: &Texts) -> String {
    let placed = |name| texts.with(name, &[("value", PLACE.into())]);
    let said = [
        ("copied", texts.of("frame-script-copied").into_owned()),
        ("selected", texts.of("frame-script-selected").into_owned()),
        ("added", texts.of("frame-script-row-added").into_owned()),
        ("removed", texts.of("frame-script-row-removed").into_owned()),
        ("moved", placed("frame-script-row-moved")),
        ("now", texts.of("frame-time-now").into_owned()),
        (
            "utc",
            texts.with("frame-time-utc", &[("distance", PLACE.into())]),
        ),
        ("zone", placed("frame-script-zone")),
        ("ended", texts.of("frame-script-session-ended").into_owned()),
        ("login", texts.of("frame-script-log-in").into_owned()),
        ("gone", texts.of("frame-script-gone").into_owned()),
        ("reload", texts.of("frame-script-reload").into_owned()),
        (
            "lost",
            texts.of("frame-script-connection-lost").into_owned(),
        ),
    ];
    let said = said.map(|(name, text)| (name.to_owned(), Value::from(text)));
    let said = Value::from(Map::from_iter(said)).to_string();
    SCRIPT.replace("TEXTS);", &format!("{said});"))
}
