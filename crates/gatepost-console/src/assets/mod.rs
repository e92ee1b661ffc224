//! The embedded style sheet and script, under names that change with their content, so that
//! browsers can cache them forever.

mod script;

use axum::Router;
use axum::response::IntoResponse;
use axum::routing::get;
use http::header;
use script::script;
use sha2::{Digest, Sha256};

use crate::texts::Texts;

const STYLE: &str = include_str!("console.css");

/// The files that are served.
#[derive(Debug)]
pub(crate) struct Assets {
    pub style: Asset,
    pub script: Asset,
    /// The platform's own style sheet, if there is one.
    pub theme: Option<Asset>,
}

/// One file.
#[derive(Clone, Debug)]
pub(crate) struct Asset {
    /// Below the console's path.
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
            theme: (!theme.is_empty())
                .then(|| Asset::new("theme", "css", "text/css; charset=utf-8", theme)),
        }
    }

    pub(crate) fn routes(&self) -> Router {
        [Some(&self.style), Some(&self.script), self.theme.as_ref()]
            .into_iter()
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
