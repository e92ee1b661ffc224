//! Messages with variables (SPEC 2.3): parsed once, rendered when the task runs.
//!
//! `${NAME}` and `$<NAME>` are two spellings of one variable. What is no variable stays as it is,
//! byte for byte. When the message is JSON, values are escaped for the place where they stand:
//! inside a string they become string content; outside of one, text becomes a quoted string and
//! numbers stay bare. A message is JSON if it is written as an object, an array or a string and
//! parses as JSON with its variables filled in.

mod escape;
mod parse;
#[cfg(test)]
mod properties;
mod render;
#[cfg(test)]
mod tests;

use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;

use chrono::{DateTime, Utc};
use chrono_tz::Tz;

use crate::Message;

/// The most bytes of a rendered message.
pub const MAX_RENDERED: usize = 4 * 1024 * 1024;

/// The values of the variables for one run.
#[derive(Clone, Copy, Debug)]
pub struct Values<'a> {
    /// `${DATE}`: see [`format_date`].
    pub date: &'a str,
    /// `${TIMESTAMP}`: epoch seconds.
    pub timestamp: i64,
    /// `${NAME}`: the name of the object; any text.
    pub name: &'a str,
    /// Further variables, by name. A name of the four above is not looked up here.
    pub extra: &'a [(&'a str, &'a str)],
}

/// A message that cannot be rendered.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RenderError {
    /// The values make it larger than [`MAX_RENDERED`].
    #[error("the rendered message is larger than 4 MiB")]
    TooLarge,
}

/// A parsed message.
///
/// ```
/// use webhook_model::{Message, Template, Values};
/// let template = Template::parse(&r#"{"vm":"${NAME}","at":${TIMESTAMP}}"#.parse::<Message>()?);
/// let values = Values { date: "", timestamp: 1790000000, name: r#"a"b"#, extra: &[] };
/// assert_eq!(template.render(&values, || 4)?, r#"{"vm":"a\"b","at":1790000000}"#);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Template {
    text: Arc<str>,
    segments: Box<[Segment]>,
    /// Whether the message is JSON, so that values are escaped.
    json: bool,
    counts: render::Counts,
}

/// A piece of the text: bytes `start..end`.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
struct Segment {
    start: usize,
    end: usize,
    kind: Kind,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Kind {
    Literal,
    Variable(Variable, Place),
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Variable {
    Date,
    Timestamp,
    Random,
    Name,
    /// Any other; its name stands in the text, without its two brackets.
    Other,
}

/// Where a variable stands, if the message is JSON.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Place {
    InString,
    Bare,
}

impl Template {
    /// Parses a message. Every text is a message: what is no variable is literal.
    #[must_use]
    pub fn parse(message: &Message) -> Self {
        let text = message.shared();
        let segments = parse::segments(&text);
        let json = parse::is_json(&text, &segments);
        let counts = render::Counts::of(&segments, json);
        Self {
            text,
            segments: segments.into(),
            json,
            counts,
        }
    }

    /// Whether the message is JSON when its variables are filled in.
    #[must_use]
    pub fn is_json(&self) -> bool {
        self.json
    }

    /// The names of variables that are neither built in nor among `known`, each once, in order:
    /// they would stay in the message as they are.
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

    /// Fills in the variables. `random` is asked once for each `${RANDOM}`; its top bit is dropped.
    /// The only allocation is that of the result.
    ///
    /// # Errors
    /// [`RenderError::TooLarge`], before the result is built.
    pub fn render(
        &self,
        values: &Values<'_>,
        mut random: impl FnMut() -> u32,
    ) -> Result<String, RenderError> {
        render::render(self, values, &mut random)
    }

    fn text_of(&self, segment: Segment) -> &str {
        self.text
            .get(segment.start..segment.end)
            .unwrap_or_default()
    }

    fn name_of(&self, segment: Segment) -> &str {
        self.text
            .get(segment.start + 2..segment.end - 1)
            .unwrap_or_default()
    }
}

/// The length is shown, not the text: a message may be confidential.
impl fmt::Debug for Template {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Template")
            .field("bytes", &self.text.len())
            .field("segments", &self.segments.len())
            .field("json", &self.json)
            .finish()
    }
}

/// A point in time as `${DATE}` shows it, in the host's zone: `Thu, 16 Oct 2025 11:38:07 EDT`.
///
/// ```
/// let now = "2025-10-16T15:38:07Z".parse()?;
/// assert_eq!(webhook_model::format_date(now, chrono_tz::America::New_York), "Thu, 16 Oct 2025 11:38:07 EDT");
/// # Ok::<(), chrono::ParseError>(())
/// ```
#[must_use]
pub fn format_date(now: DateTime<Utc>, zone: Tz) -> String {
    now.with_timezone(&zone)
        .format("%a, %d %b %Y %H:%M:%S %Z")
        .to_string()
}
