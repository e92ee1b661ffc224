//! Hides our credentials if a target repeats them in a response, so that they do not reach the
//! delivery log.

mod pattern_set;
mod spelling;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use webhook_model::{Authorization, Secret, Webhook};

use self::pattern_set::{PatternSet, union};
use self::spelling::Spelling;

/// The replacement of a credential.
const HIDDEN: &[u8] = b"(hidden)";

/// Shorter texts are not searched for: they would be found everywhere.
const SHORTEST: usize = 4;
/// Parts of a URL of at least this length count as credentials, since some services put them there.
const LONG_PART: usize = 16;

/// The credentials of one webhook: the stored ones, and the access tokens that were used.
#[derive(Clone, Debug)]
pub(crate) struct Credentials(Vec<Arc<PatternSet>>);

impl Credentials {
    /// Returns those of its authorization, of its custom headers and of its URL.
    pub(crate) fn of(webhook: &Webhook) -> Self {
        let mut credentials = Vec::new();
        let mut add = |text: &str| credentials.push(Secret::new(text));
        for header in webhook.request_headers().unwrap_or_default() {
            if header.sensitive {
                let value = header.value.expose();
                add(value);
                // Without the scheme: `Bearer …`, `Basic …`.
                add(value
                    .split_once(' ')
                    .map_or("", |(_, credentials)| credentials));
            }
        }
        if let Authorization::OAuth2(client) = &webhook.authorization {
            add(client.client_secret().expose());
        } else if let Some(secret) = webhook.authorization.secret_text() {
            add(secret.expose());
            add(secret
                .expose()
                .split_once(':')
                .map_or("", |(_, password)| password));
        }
        let url = webhook.url.as_url();
        let query = url.query().unwrap_or_default().split(['&', '=']);
        for part in url.path().split('/').chain(query) {
            if part.len() >= LONG_PART {
                add(part);
                let decoded = Spelling::Percent.read(part.as_bytes(), false);
                let decoded = decoded.and_then(|reading| String::from_utf8(reading.text).ok());
                decoded.iter().for_each(|part| add(part));
            }
        }
        Self(Vec::new()).and(credentials)
    }

    /// Adds the access tokens that were used.
    pub(crate) fn with(&self, tokens: &[Secret]) -> Cow<'_, Self> {
        match tokens {
            [] => Cow::Borrowed(self),
            tokens => Cow::Owned(self.clone().and(tokens.to_vec())),
        }
    }

    /// The approximate memory that they take.
    pub(crate) fn bytes(&self) -> usize {
        self.0.iter().map(|set| set.bytes()).sum()
    }

    /// Returns a copy in which the credentials are hidden, at most twice as long. `cut`: the text
    /// was truncated, so its end may be the beginning of a credential.
    ///
    /// The time is linear in the text, whatever the text and the credentials contain: their owner
    /// chooses both.
    pub(crate) fn hide(&self, text: &[u8], cut: bool) -> Vec<u8> {
        let mut out = Vec::with_capacity(text.len());
        let mut copied = 0;
        for span in self.spans(text, cut) {
            out.extend_from_slice(text.get(copied..span.start).unwrap_or_default());
            out.extend_from_slice(HIDDEN);
            copied = span.end;
        }
        out.extend_from_slice(text.get(copied..).unwrap_or_default());
        out
    }

    /// Returns the parts of the text that are credentials, however their characters are escaped.
    /// They do not touch one another, and none ends within an escape: the rest of it would be read
    /// differently.
    fn spans(&self, text: &[u8], cut: bool) -> Vec<Range<usize>> {
        if self.0.is_empty() {
            return Vec::new();
        }
        let begun = cut.then_some(SHORTEST);
        let readings = Spelling::ALL.map(|spelling| spelling.read(text, cut));
        let mut spans = Vec::new();
        for set in &self.0 {
            spans.extend(set.spans(text, begun));
            for reading in readings.iter().flatten() {
                let found = set.spans(&reading.text, begun);
                spans.extend(found.iter().map(|span| reading.original(span)));
            }
        }
        let mut spans = union(spans);
        if !spans.is_empty() {
            let escapes = readings.iter().flatten().flat_map(|one| &one.escapes);
            let touched: Vec<_> = escapes
                .filter(|escape| overlaps(&spans, escape))
                .cloned()
                .collect();
            spans.extend(touched);
            spans = union(spans);
        }
        spans
    }

    fn and(mut self, mut credentials: Vec<Secret>) -> Self {
        credentials.retain(|one| one.expose().len() >= SHORTEST);
        if !credentials.is_empty() {
            self.0.push(Arc::new(PatternSet::new(credentials)));
        }
        self
    }
}

/// Whether one of the spans, which are in order, overlaps this part.
fn overlaps(spans: &[Range<usize>], part: &Range<usize>) -> bool {
    let next = spans.partition_point(|span| span.end <= part.start);
    spans.get(next).is_some_and(|span| span.start < part.end)
}
