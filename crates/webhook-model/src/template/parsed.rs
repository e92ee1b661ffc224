//! Parsed messages.

use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;

use super::counts::Counts;
use super::parse;
use super::segment::{Kind, Segment, Variable};
use crate::task::Message;

/// A parsed message.
///
/// ```
/// use webhook_model::{Message, Template, Values};
/// let template = Template::parse(&r#"{"vm":"${NAME}","at":${TIMESTAMP}}"#.parse::<Message>()?);
/// let values = Values::new("", 1790000000, r#"a"b"#);
/// assert_eq!(template.render(&values, || 4)?, r#"{"vm":"a\"b","at":1790000000}"#);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Template {
    pub(super) text: Arc<str>,
    pub(super) segments: Box<[Segment]>,
    /// Whether the message is JSON, so that values are escaped.
    pub(super) json: bool,
    pub(super) counts: Counts,
}

impl Template {
    /// Parses a message. Every text is valid: text that is not a variable is literal.
    #[must_use]
    pub fn parse(message: &Message) -> Self {
        let text = message.shared();
        let segments = parse::segments(&text);
        let json = parse::is_json(&text, &segments);
        let counts = Counts::of(&segments, json);
        Self {
            text,
            segments: segments.into(),
            json,
            counts,
        }
    }

    /// Returns whether the message is JSON with its variables filled in.
    #[must_use]
    pub fn is_json(&self) -> bool {
        self.json
    }

    /// Returns the length of the message in bytes.
    #[must_use]
    pub fn message_bytes(&self) -> usize {
        self.text.len()
    }

    /// Returns whether it contains `${DATE}`: if not, [`Values::date`](super::Values::date) is
    /// unused.
    #[must_use]
    pub fn asks_for_date(&self) -> bool {
        self.counts.dates > 0
    }

    /// Returns whether it contains `${context}` or a part of it.
    #[must_use]
    pub fn asks_for_context(&self) -> bool {
        self.counts.contexts > 0
    }

    /// Returns the names of variables that are neither built in nor in `known`, without duplicates
    /// and in order: they would stay in the message unchanged.
    #[must_use]
    pub fn unknown_variables(&self, known: &[&str]) -> Vec<&str> {
        let mut unknown = Vec::new();
        let mut seen = HashSet::new();
        for segment in &self.segments {
            if let Kind::Variable(Variable::Other, _) = segment.kind {
                let name = self.name_of(*segment);
                if !known.contains(&name) && seen.insert(name) {
                    unknown.push(name);
                }
            }
        }
        unknown
    }

    pub(super) fn text_of(&self, segment: Segment) -> &str {
        self.text
            .get(segment.start..segment.end)
            .unwrap_or_default()
    }

    pub(super) fn name_of(&self, segment: Segment) -> &str {
        self.text
            .get(segment.start + 2..segment.end - 1)
            .unwrap_or_default()
    }
}

/// Shows the length only: a message may be confidential.
impl fmt::Debug for Template {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Template")
            .field("bytes", &self.text.len())
            .field("segments", &self.segments.len())
            .field("json", &self.json)
            .finish()
    }
}
