//! What a message would look like: for the form in which it is written.

use webhook_model::{Message, Template, Values, format_date};

use crate::engine::Engine;
use crate::error::{EmitError, EngineError};

/// A message with its variables filled in, as an example.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Example {
    /// The text that would be sent now.
    pub text: String,
    /// Whether it is JSON, so that values are escaped.
    pub is_json: bool,
    /// Variables that nobody knows, each once: they stay in the text as they are.
    pub unknown: Vec<String>,
}

impl Engine {
    /// Fills a message in as for an object of this name, with the host's own variables and zone.
    /// Nothing is sent.
    ///
    /// # Errors
    /// [`EmitError::Message`] when it grows too large.
    pub fn example(&self, message: &Message, name: &str) -> Result<Example, EngineError> {
        let inner = &self.inner;
        let now = inner.now();
        let date = format_date(now, inner.zone);
        let extra: Vec<(&str, &str)> = self.variables().collect();
        let known: Vec<&str> = extra.iter().map(|(name, _)| *name).collect();
        let template = Template::parse(message);
        let values = Values {
            date: &date,
            timestamp: now.timestamp(),
            name,
            extra: &extra,
        };
        let text = template
            .render(&values, || inner.random.with(rand::Rng::next_u32))
            .map_err(EmitError::Message)?;
        let unknown = template.unknown_variables(&known);
        Ok(Example {
            text,
            is_json: template.is_json(),
            unknown: unknown.into_iter().map(str::to_owned).collect(),
        })
    }

    /// The variables that the host added, with their values.
    pub fn variables(&self) -> impl Iterator<Item = (&str, &str)> {
        let variables = self.inner.variables.iter();
        variables.map(|(name, value)| (name.as_str(), value.as_str()))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use delivery::{Sender, TargetPolicy};
    use gatepost_storage::MemoryStore;

    use super::*;

    #[tokio::test]
    async fn an_example_knows_the_variables_of_the_host_and_names_those_of_nobody() {
        let sender = Sender::builder(TargetPolicy::public()).build().unwrap();
        let engine = Engine::builder(Arc::new(MemoryStore::new()), sender)
            .variable("SITE", "north")
            .start()
            .await
            .unwrap();
        let message = r#"{"at":"${SITE}","vm":"${NAME}","who":"${USER}","again":"${USER}"}"#;
        let example = engine.example(&message.parse().unwrap(), r#"a"b"#);
        let example = example.unwrap();
        assert_eq!(
            example.text,
            r#"{"at":"north","vm":"a\"b","who":"${USER}","again":"${USER}"}"#
        );
        assert!(example.is_json);
        assert_eq!(example.unknown, ["USER"]);
    }
}
