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
/// The texts of the script, by the ends of their names.
const SAID: [&str; 11] = [
    "copied", "selected", "added", "removed", "moved", "zone", "ended", "login", "gone", "reload",
    "lost",
];

/// The files of a console.
#[derive(Debug, Default)]
pub(crate) struct Assets {
    pub style: Asset,
    pub script: Asset,
    pub icon: Asset,
    /// The platform's own style sheet and logo.
    pub theme: Option<Asset>,
    pub logo: Option<Asset>,
}

/// An embedded file.
#[derive(Clone, Debug, Default)]
pub(crate) struct Asset {
    /// The path below the console's own.
    pub path: String,
    kind: &'static str,
    content: std::sync::Arc<str>,
}

impl Assets {
    pub(crate) fn new(theme: &str, logo: &str, texts: &Texts) -> Self {
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
            logo: (!logo.is_empty()).then(|| Asset::new("logo", "svg", "image/svg+xml", logo)),
        }
    }

    pub(crate) fn routes(&self) -> Router {
        let own = [&self.style, &self.script, &self.icon];
        own.into_iter()
            .map(Some)
            .chain([self.theme.as_ref(), self.logo.as_ref()])
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
    let value = [("value", PLACE.into())];
    let said = SAID.map(|name| (name, texts.with(&format!("frame-script-{name}"), &value)));
    let utc = texts.with("frame-time-utc", &[("distance", PLACE.into())]);
    let now = texts.of("frame-time-now").into_owned();
    let said = said.into_iter().chain([("utc", utc), ("now", now)]);
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
