//! The embedded style sheet, script and icon, under names that change with their content, so that
//! browsers can cache them forever. The script has its texts in the language of the pages.

use axum::Router;
use axum::response::IntoResponse;
use axum::routing::get;
use http::header;
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use crate::texts::Texts;

const STYLE: &str = include_str!("console.css");
const ICON: &str = include_str!("icon.svg");
const SCRIPT: &str = include_str!("console.js");
/// The mark of a variable in a text of the script.
const PLACE: &str = "%";

/// The files of a console.
#[derive(Debug)]
pub(crate) struct Assets {
    pub style: Asset,
    pub script: Asset,
    pub icon: Asset,
    /// The platform's own style sheet, if there is one.
    pub theme: Option<Asset>,
}

/// An embedded file.
#[derive(Clone, Debug)]
pub(crate) struct Asset {
    /// The path below the console's own.
    pub path: String,
    kind: &'static str,
    content: std::sync::Arc<str>,
}

impl Assets {
    pub(crate) fn new(theme: &str, texts: &Texts) -> Self {
        Self {
            style: Asset::new("console", "css", "text/css; charset=utf-8", STYLE),
            script: Asset::new(
                "console",
                "js",
                "text/javascript; charset=utf-8",
                &script(texts),
            ),
            icon: Asset::new("icon", "svg", "image/svg+xml", ICON),
            theme: (!theme.is_empty())
                .then(|| Asset::new("theme", "css", "text/css; charset=utf-8", theme)),
        }
    }

    pub(crate) fn routes(&self) -> Router {
        let own = [&self.style, &self.script, &self.icon];
        own.into_iter()
            .map(Some)
            .chain([self.theme.as_ref()])
            .flatten()
            .fold(Router::new(), |router, asset| {
                let asset = asset.clone();
                let path = asset.path.clone();
                router.route(&path, get(async move || asset.response()))
            })
    }
}

impl Asset {
    fn new(name: &str, extension: &str, kind: &'static str, content: &str) -> Self {
        let hash = Sha256::digest(content.as_bytes());
        let hash: String = hash.iter().take(8).map(|b| format!("{b:02x}")).collect();
        Self {
            path: format!("/assets/{name}.{hash}.{extension}"),
            kind,
            content: content.into(),
        }
    }

    fn response(self) -> impl IntoResponse {
        let headers = [
            (header::CONTENT_TYPE, self.kind),
            (header::CACHE_CONTROL, "public, max-age=31536000, immutable"),
        ];
        (headers, self.content.to_string())
    }
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_changes_with_the_content() {
        let path = |content| Asset::new("console", "css", "text/css", content).path;
        assert_eq!(path("a"), path("a"));
        assert_ne!(path("a"), path("b"));
    }
}
