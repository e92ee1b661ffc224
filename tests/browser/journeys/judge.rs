//! The checks of every page on a journey, in every form.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use tests::browser::{BEYOND, Browser, OVERLAPS, STANDS_OUT, faults, gzipped};

use super::form::Form;
use super::page::ask;

/// The maximum size of a page with everything that it loads, compressed.
const MOST_BYTES: usize = 60 * 1024;
/// The kind of a page, which is checked in full once in each form: path, title, and the content
/// above it.
const KIND: &str = "[location.pathname.replace(/[0-9]+/g, '#'), document.querySelector('h1')?.textContent.replace(/[0-9]+/g, '#'), !!document.querySelector('dialog[open]'), document.querySelector('main > .note')?.className].join(' ')";

/// The results of the checks in one form.
#[derive(Debug, Default)]
pub(super) struct Judge {
    seen: BTreeSet<String>,
    weights: BTreeMap<String, usize>,
    /// The size of the heaviest page, in bytes.
    pub(super) heaviest: usize,
    /// The number of checked pages.
    pub(super) pages: usize,
}

impl Judge {
    /// Returns the faults of the present page. Each kind of page is checked in full once in each
    /// form.
    pub(super) async fn look(&mut self, b: &Browser, form: Form) -> Vec<String> {
        self.pages += 1;
        let mut found = Vec::new();
        let beyond = ask(b, BEYOND).await.unwrap_or_default();
        if !beyond.is_null() {
            found.push(format!("wider than its window: {beyond}"));
        }
        let kind = ask(b, KIND).await.unwrap_or_default().to_string();
        if !self.seen.insert(kind) {
            return found;
        }
        let overlaps = ask(b, OVERLAPS).await.unwrap_or_default();
        if overlaps != json!([]) {
            found.push(format!("parts lie upon each other: {overlaps}"));
        }
        let out = ask(b, STANDS_OUT).await.unwrap_or_default();
        if out != json!([]) {
            found.push(format!("parts stand out of their section: {out}"));
        }
        if form.look.scripts {
            found.extend(faults(b).await);
        }
        let weight = self.weight(b).await;
        self.heaviest = self.heaviest.max(weight);
        if weight > MOST_BYTES {
            found.push(format!("it weighs {weight} bytes"));
        }
        found
    }

    async fn weight(&mut self, b: &Browser) -> usize {
        let loaded = "[...document.querySelectorAll('link[rel=stylesheet], script[src]')].map(part => part.href || part.src)";
        let loaded = ask(b, loaded).await.unwrap_or_default();
        let mut sum = gzipped(&b.source().await);
        for url in loaded
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
        {
            let path = url.splitn(4, '/').last().unwrap_or_default().to_owned();
            if !self.weights.contains_key(&path) {
                let text = reqwest::get(url).await.unwrap().text().await.unwrap();
                self.weights.insert(path.clone(), gzipped(&text));
            }
            sum += self.weights[&path];
        }
        sum
    }
}
